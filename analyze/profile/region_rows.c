/* region_rows.c: adds up the rows of threads by path. */
#include "analyze/profile/region_rows.h"

#include <math.h>
#include <string.h>

#include "analyze/profile/profile.h"
#include "analyze/profile/waiting_threads.h"
#include "analyze/trace/trace.h"

struct region_row_sums {
	const struct profile *p;
	size_t metric;
	struct region_row *row; /* by path; threads 0: no thread has the path */
	const char *device; /* by timer: regions of queues that count; NULL: none */
	uint32_t *alone;    /* by path: threads with the row that mostly wait */
};

/* c: NULL for a single thread, or for queues. */
static int is_compared(const struct region_row_sums *s, uint32_t thread, uint32_t path,
		       const struct compared_threads *c)
{
	return !c ||
	       compared_threads_has(c, s->p, thread, s->p->path[path].timer);
}

/*
 * The row of a thread that mostly waits, of its waiting: its inclusive time is what the thread did
 * inside. Such a row has no thread of its own, unless a path leads through it.
 */
static void add_idle(struct region_row_sums *s, const struct profile_thread *t,
		     const struct profile_row *from, double did)
{
	struct region_row *to = &s->row[from->path];
	const struct profile_timer *timer = &s->p->timer[s->p->path[from->path].timer];
	const double *value = &t->values[from->first];

	if (!s->p->metric_n)
		return;
	if (strcmp(timer->name, REGION_ROOT) != 0)
		did = value[s->metric] - value[s->p->metric_n + s->metric];
	if (!(did > 0))
		return;
	to->path = from->path;
	to->threads += strcmp(timer->name, REGION_ROOT) != 0;
	to->incl += did;
}

/* Returns the number of rows that count. */
static size_t add_thread(struct region_row_sums *s, uint32_t thread, enum waiting_class class,
			 const struct compared_threads *c)
{
	const struct profile_thread *t = &s->p->thread[thread];
	size_t metrics = s->p->metric_n;
	int waits = class == WAITING_WAITS;
	double did = waits ? waiting_did(s->p, t, s->metric) : 0;
	size_t n = 0;

	for (size_t i = 0; i < t->row_n; i++) {
		const struct profile_row *from = &t->row[i];
		const double *value = &t->values[from->first];
		struct region_row *to = &s->row[from->path];
		double excl = metrics ? value[metrics + s->metric] : NAN;

		if (!waiting_row_counts(class, s->device, s->p, s->p->path[from->path].timer)) {
			if (waits)
				add_idle(s, t, from, did);
			continue;
		}
		n++;
		to->path = from->path;
		to->threads++;
		to->calls += from->calls;
		to->subrs += from->subrs;
		to->squares += metrics ? profile_squared(s->p, t, from, s->metric) : NAN;
		to->excl += excl;
		to->incl += metrics ? value[s->metric] : NAN;
		if (!waits && !is_compared(s, thread, from->path, c))
			continue;
		if (waits)
			s->alone[from->path]++;
		if (!to->compared++ || excl > to->largest) {
			to->largest = excl;
			to->largest_at = thread;
		}
		to->compared_excl += excl;
	}
	return n;
}

/* Counts those without the row, too. */
static void count_compared(const struct region_row_sums *s, const struct compared_threads *c)
{
	const struct profile *p = s->p;
	uint32_t *seen = mem_alloc((p->path_n + 1) * sizeof(*seen)),
		 *n = mem_alloc((p->path_n + 1) * sizeof(*n));

	for (size_t i = 0; i < p->thread_n; i++) {
		const struct profile_thread *t = &p->thread[c->order[i]];

		for (size_t k = 0; k < t->row_n; k++)
			if (is_compared(s, c->order[i], t->row[k].path, c))
				compared_threads_count(c, c->order[i], t->row[k].path, seen, n);
	}
	for (size_t i = 0; i < p->path_n; i++) {
		s->row[i].compared = n[i] + s->alone[i];
		if (!s->row[i].compared)
			s->row[i].largest = NAN;
	}
	free(seen);
	free(n);
}

static enum profile_timer_kind kind_of(const struct profile *p, uint32_t path)
{
	return profile_timer_kind(&p->timer[p->path[path].timer]);
}

/* Order by the innermost name, then by the parents. */
static int name_order(const struct profile *p, uint32_t a, uint32_t b)
{
	while (a != b && a != PROFILE_FLAT && b != PROFILE_FLAT) {
		int order =
			strcmp(p->timer[p->path[a].timer].name, p->timer[p->path[b].timer].name);

		if (order)
			return order;
		a = p->path[a].parent;
		b = p->path[b].parent;
	}
	return a == b ? 0 : a == PROFILE_FLAT ? -1 : 1;
}

static int row_order(const void *va, const void *vb, void *arg)
{
	const struct region_row *a = va, *b = vb;
	const struct profile *p = arg;
	int kind = (int)kind_of(p, a->path) - (int)kind_of(p, b->path);

	if (kind)
		return kind;
	if (a->excl != b->excl && !isnan(a->excl))
		return a->excl > b->excl ? -1 : 1;
	return name_order(p, a->path, b->path);
}

const char *const region_rows_keys[ROWS_KEYS] = {"exclusive", "inclusive", "calls", "mean",
						 "largest",   "imbalance", "name"};

struct rows_order {
	const struct profile *p;
	enum region_rows_key key;
};

static double key_value(const struct region_row *r, enum region_rows_key key)
{
	switch (key) {
	case ROWS_BY_INCLUSIVE:
		return r->incl;
	case ROWS_BY_CALLS:
		return r->calls;
	case ROWS_BY_MEAN:
		return region_row_mean(r);
	case ROWS_BY_LARGEST:
		return r->largest;
	case ROWS_BY_IMBALANCE:
		return region_row_imbalance(r);
	case ROWS_BY_NAME:
		return 0;
	default:
		return r->excl;
	}
}

static int key_order(const void *va, const void *vb, void *arg)
{
	const struct region_row *a = va, *b = vb;
	const struct rows_order *o = arg;
	double x = key_value(a, o->key), y = key_value(b, o->key);
	int kind = (int)kind_of(o->p, a->path) - (int)kind_of(o->p, b->path);

	if (kind)
		return kind;
	if (isnan(x) != isnan(y))
		return isnan(x) - isnan(y);
	return x > y ? -1 : x < y ? 1 : name_order(o->p, a->path, b->path);
}

void region_rows_sort(struct region_rows *r, const struct profile *p, enum region_rows_key key)
{
	struct rows_order o = {p, key};

	if (r->v_n)
		qsort_r(r->v, r->v_n, sizeof(*r->v), key_order, &o);
}

/* By timer: it ends a call path with rows. */
static char *timers_in_paths(const struct region_row_sums *s)
{
	char *is = mem_alloc(s->p->timer_n + 1);

	for (size_t i = 0; i < s->p->path_n; i++)
		if (s->row[i].threads && s->p->path[i].parent != PROFILE_FLAT)
			is[s->p->path[i].timer] = 1;
	return is;
}

static void choose(struct region_rows *r, const struct region_row_sums *s,
		   enum region_rows_which which)
{
	const struct profile *p = s->p;
	char *in_path = timers_in_paths(s);

	for (size_t i = 0; i < p->path_n; i++) {
		int path = p->path[i].parent != PROFILE_FLAT;
		enum profile_timer_kind kind = kind_of(p, (uint32_t)i);

		if (!s->row[i].threads)
			continue;
		r->paths += path;
		if (!path)
			r->whole[kind] += s->row[i].excl;
		if (which == ROWS_ALL || which == ROWS_UNSORTED || path == (which == ROWS_PATHS) ||
		    (!path && !in_path[p->path[i].timer])) {
			*array_add(r, v) = s->row[i];
			r->kind_n[kind]++;
		}
	}
	free(in_path);
	if (r->v_n && which != ROWS_UNSORTED)
		qsort_r(r->v, r->v_n, sizeof(*r->v), row_order, (void *)p);
}

static void make(struct region_rows *r, const struct profile *p, const struct waiting *waiting,
		 size_t metric, enum region_rows_which which, const char *device)
{
	struct region_row_sums s = {p, metric, mem_alloc((p->path_n + 1) * sizeof(*s.row)), device,
				    mem_alloc((p->path_n + 1) * sizeof(*s.alone))};
	struct compared_threads c;

	*r = (struct region_rows){0};
	compared_threads_make(&c, p, waiting);
	for (uint32_t i = 0; i < p->thread_n; i++) {
		const struct profile_thread *t = &p->thread[i];
		enum waiting_class class = waiting_class(waiting, t);

		if (t->node < 0 || class == WAITING_VALUES || class == WAITING_UNSELECTED)
			continue;
		r->threads += class == WAITING_COUNTS;
		r->queues += class == WAITING_QUEUE;
		r->waiting += class == WAITING_WAITS;
		if (add_thread(&s, i, class, class == WAITING_QUEUE ? NULL : &c))
			r->did += class == WAITING_WAITS;
	}
	count_compared(&s, &c);
	compared_threads_release(&c);
	choose(r, &s, which);
	free(s.row);
	free(s.alone);
}

void region_rows_make(struct region_rows *r, const struct profile *p, const struct waiting *waiting,
		      size_t metric, enum region_rows_which which)
{
	make(r, p, waiting, metric, which, NULL);
}

void region_rows_with_devices(struct region_rows *r, const struct profile *p,
			      const struct waiting *waiting, size_t metric,
			      enum region_rows_which which)
{
	char *device = waiting_device_timers(waiting, p);

	make(r, p, waiting, metric, which, device);
	free(device);
}

void region_rows_thread(struct region_rows *r, const struct profile *p, uint32_t thread,
			size_t metric, enum region_rows_which which)
{
	struct region_row_sums s = {p, metric, mem_alloc((p->path_n + 1) * sizeof(*s.row)), NULL,
				    NULL};

	*r = (struct region_rows){.threads = 1};
	add_thread(&s, thread, WAITING_COUNTS, NULL);
	choose(r, &s, which);
	free(s.row);
}

void region_rows_release(struct region_rows *r)
{
	free(r->v);
	memset(r, 0, sizeof(*r));
}

size_t region_rows_first(const struct region_rows *r, enum profile_timer_kind kind)
{
	size_t first = 0;

	for (int k = 0; k < (int)kind; k++)
		first += r->kind_n[k];
	return first;
}
