/* loop.c: identifies the head of a loop in a list of calls. */
#include "analyze/window/loop.h"

#include <string.h>

#include "analyze/base/map.h"

#define CANDIDATES 64  /* number of the most frequent regions that are candidates */
#define REGULAR    0.6 /* share of the iterations that must be alike */
#define ALONE      0.1 /* share of the time that calls which are not common may take */
#define SPAN       0.75 /* share of the time of the longest loop that another loop must take at
			 * least */
#define ABOUT      0.9 /* counts whose ratio is at least this are about equal */

/* A region, and the loop that it would be the head of. */
struct candidate {
	uint32_t region;
	size_t calls, first; /* first: index of its first call */
	double regular;      /* share of iterations that are alike; 0: the region is not a
			      * candidate */
	double odd;          /* share of the time in calls that iterations do not have in common */
	double time;         /* ns of the loop */
	size_t from, to;     /* calls of the loop */
};

struct finder {
	const struct loop_call *call;
	size_t n;
	uint32_t *number;      /* by call: its region, numbered in order of first call */
	size_t *stamp;         /* by number: the last check that counted it */
	char *common;          /* by number: it is common to most iterations */
	struct candidate *all; /* by number */
	size_t all_n, all_cap;
};

static void finder_init(struct finder *f, const struct loop_call *call, size_t n)
{
	struct map at = {0};

	*f = (struct finder){.call = call, .n = n};
	f->number = mem_alloc((n + 1) * sizeof(*f->number));
	for (size_t i = 0; i < n; i++) {
		uint32_t k = map_get(&at, call[i].region);

		if (k == MAP_NONE) {
			k = (uint32_t)f->all_n;
			map_set(&at, call[i].region, k);
			*array_add(f, all) =
				(struct candidate){.region = call[i].region, .first = i};
		}
		f->all[k].calls++;
		f->number[i] = k;
	}
	f->stamp = mem_alloc((f->all_n + 1) * sizeof(*f->stamp));
	f->common = mem_alloc(f->all_n + 1);
	map_release(&at);
}

static void finder_release(struct finder *f)
{
	free(f->number);
	free(f->stamp);
	free(f->common);
	free(f->all);
}

/* The index after the last call of the iteration that begins with call `from`. */
static size_t iteration_end(const struct finder *f, size_t from)
{
	size_t i = from + 1;

	while (i < f->n && f->number[i] != f->number[from])
		i++;
	return i;
}

/* Marks the regions that most iterations have in common; returns their number. */
static size_t mark_common(struct finder *f, const struct candidate *c)
{
	size_t *times = mem_alloc((f->all_n + 1) * sizeof(*times)), n = 0;

	memset(f->stamp, 0, f->all_n * sizeof(*f->stamp));
	for (size_t i = c->first, end; i < f->n; i = end) {
		end = iteration_end(f, i);
		for (size_t k = i; k < end; k++) {
			times[f->number[k]] += f->stamp[f->number[k]] != i + 1;
			f->stamp[f->number[k]] = i + 1;
		}
	}
	for (size_t k = 0; k < f->all_n; k++) {
		f->common[k] = (double)times[k] >= REGULAR * (double)c->calls;
		n += f->common[k] != 0;
	}
	free(times);
	return n;
}

/* Number of common regions that calls [from, to) contain. */
static size_t count_common(struct finder *f, size_t from, size_t to)
{
	size_t n = 0;

	for (size_t k = from; k < to; k++) {
		n += f->common[f->number[k]] && f->stamp[f->number[k]] != from + 1;
		f->stamp[f->number[k]] = from + 1;
	}
	return n;
}

/*
 * The end of the common calls that begin with the last call of the head; 0: some common regions are
 * missing.
 */
static size_t last_end(struct finder *f, size_t last, size_t common)
{
	size_t i = last;

	while (i < f->n && f->common[f->number[i]])
		i++;
	memset(f->stamp, 0, f->all_n * sizeof(*f->stamp));
	return count_common(f, last, i) == common ? i : 0;
}

/*
 * Judges a candidate. The loop is from the first iteration with all common regions to the last one;
 * calls after the last call of the head may not belong to it.
 */
static void candidate_judge(struct finder *f, struct candidate *c)
{
	size_t common = mark_common(f, c), alike = 0, last = c->first, end;
	double odd = 0, time;

	memset(f->stamp, 0, f->all_n * sizeof(*f->stamp));
	c->from = f->n;
	c->to = 0;
	for (size_t i = c->first; i < f->n; i = end) {
		last = i;
		end = iteration_end(f, i);
		if (count_common(f, i, end) < common)
			continue;
		alike++;
		c->from = c->from == f->n ? i : c->from;
		c->to = end;
	}
	end = last_end(f, last, common);
	c->to = end > c->from ? end : c->to;
	/* the end of the loop may cut the last iteration */
	c->regular = alike + 1 >= c->calls ? 1 : (double)alike / (double)c->calls;
	if (c->to <= c->from) {
		c->regular = 0;
		return;
	}
	c->time = time = (double)(f->call[c->to - 1].end - f->call[c->from].begin);
	for (size_t i = c->from; i < c->to; i++)
		if (!f->common[f->number[i]])
			odd += (double)(f->call[i].end - f->call[i].begin);
	c->odd = time > 0 ? odd / time : 0;
}

/* More calls first. */
static int candidate_order(const void *va, const void *vb)
{
	const struct candidate *a = *(struct candidate *const *)va,
			       *b = *(struct candidate *const *)vb;

	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

/*
 * Of the candidates from i on with about the same number of calls: the most regular one, of equal
 * ones the one called first.
 */
static struct candidate *best_of(struct candidate *const *c, size_t i, size_t n, size_t *next)
{
	struct candidate *best = NULL;
	size_t k = i;

	for (; k < n && (double)c[k]->calls >= ABOUT * (double)c[i]->calls; k++)
		if (c[k]->regular >= REGULAR &&
		    (!best || c[k]->regular > best->regular ||
		     (c[k]->regular == best->regular && c[k]->first < best->first)))
			best = c[k];
	*next = k;
	return best;
}

/*
 * Excludes candidates that are only before or after the loop with most of the time, however often
 * they are called.
 */
static void drop_short(struct candidate *const *c, size_t n)
{
	double longest = 0;

	for (size_t i = 0; i < n; i++)
		if (c[i]->regular >= REGULAR && c[i]->odd <= ALONE && c[i]->time > longest)
			longest = c[i]->time;
	for (size_t i = 0; i < n; i++)
		if (c[i]->time < SPAN * longest)
			c[i]->regular = 0;
}

static struct candidate *choose(struct finder *f)
{
	struct candidate **c = mem_alloc((f->all_n + 1) * sizeof(*c)), *best = NULL;
	size_t n = 0;

	for (size_t i = 0; i < f->all_n; i++)
		if (f->all[i].calls >= LOOP_LEAST)
			c[n++] = &f->all[i];
	if (n)
		qsort(c, n, sizeof(*c), candidate_order);
	n = n < CANDIDATES ? n : CANDIDATES;
	for (size_t i = 0; i < n; i++)
		candidate_judge(f, c[i]);
	drop_short(c, n);
	for (size_t i = 0, next; i < n; i = next) {
		struct candidate *x = best_of(c, i, n, &next);

		if (!x)
			continue;
		best = x;
		if (x->odd <= ALONE)
			break;
	}
	free(c);
	return best;
}

/* A user who names the head defines that each call of it begins an iteration. */
static struct candidate *choose_named(struct finder *f, uint32_t head)
{
	size_t last = 0, common;

	for (size_t i = 0; i < f->all_n; i++) {
		struct candidate *c = &f->all[i];

		if (c->region != head)
			continue;
		common = mark_common(f, c);
		c->from = c->first;
		for (size_t k = c->first; k < f->n; k++)
			last = f->number[k] == i ? k : last;
		c->to = last_end(f, last, common);
		c->to = c->to ? c->to : last + 1;
		return c;
	}
	return NULL;
}

static void spans_make(const struct finder *f, const struct candidate *c, struct window_spans *out)
{
	for (size_t i = c->from; i < c->to; i++) {
		if (f->call[i].region != c->region)
			continue;
		if (out->v_n)
			out->v[out->v_n - 1].end = f->call[i].begin;
		*array_add(out, v) = (struct window_span){f->call[i].begin, f->call[c->to - 1].end};
	}
}

int loop_find(const struct loop_call *call, size_t n, uint32_t head, uint32_t *found,
	      struct window_spans *out)
{
	struct candidate *best;
	struct finder f;

	finder_init(&f, call, n);
	best = head == LOOP_ANY ? choose(&f) : choose_named(&f, head);
	if (best) {
		*found = best->region;
		spans_make(&f, best, out);
	}
	finder_release(&f);
	return best != NULL;
}
