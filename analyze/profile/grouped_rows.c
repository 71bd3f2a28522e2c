/* grouped_rows.c: adds up the rows of threads by group or source file of their regions. */
#include "analyze/profile/grouped_rows.h"

#include <math.h>
#include <string.h>

#include "analyze/profile/compared_threads.h"
#include "analyze/profile/profile.h"
#include "analyze/profile/waiting_threads.h"
#include "analyze/trace/timer_name.h"

/* The keys for which a timer counts: key[first[timer]] up to key[first[timer + 1]]. */
struct keys {
	struct names name;
	uint32_t *key;
	size_t key_n, key_cap;
	size_t *first;
};

/* before: the first key of the timer. A group that a file names twice counts once. */
static void key_add(struct keys *k, size_t before, const char *s, size_t n)
{
	uint32_t key = names_add(&k->name, s, n);

	for (size_t i = before; i < k->key_n; i++)
		if (k->key[i] == key)
			return;
	k->key = k->key_n == k->key_cap ? array_grow(k->key, &k->key_cap, sizeof(*k->key)) : k->key;
	k->key[k->key_n++] = key;
}

static void keys_of_timer(struct keys *k, const struct profile_timer *t, enum grouped_by by)
{
	struct name_location at;
	size_t before = k->key_n;

	if (by == GROUPED_FILE && name_location(t->name, &at) && at.file_n)
		key_add(k, before, at.file, at.file_n);
	else if (by == GROUPED_FILE && t->file && *t->file)
		key_add(k, before, t->file, strlen(t->file));
	for (const char *g = by == GROUPED_GROUP && t->groups ? t->groups : ""; *g;) {
		size_t n = strcspn(g, "|");

		if (n)
			key_add(k, before, g, n);
		g += n + (g[n] == '|');
	}
	if (k->key_n == before)
		key_add(k, before, "", 0);
}

static void keys_make(struct keys *k, const struct profile *p, enum grouped_by by)
{
	*k = (struct keys){.first = mem_alloc((p->timer_n + 1) * sizeof(*k->first))};
	for (size_t i = 0; i < p->timer_n; i++) {
		k->first[i] = k->key_n;
		keys_of_timer(k, &p->timer[i], by);
	}
	k->first[p->timer_n] = k->key_n;
}

/* What is added up, and sums of one thread by key; seen: the keys that it has. */
struct group_sums {
	const struct profile *p;
	const struct keys *k;
	const struct compared_threads *c;
	size_t metric;
	double *excl, *compared, *calls, *subrs;
	char *seen, *timer_seen; /* the latter over all threads */
	int waits;		 /* the thread mostly waits */
	uint32_t *alone;	 /* by key: the threads with it that mostly wait */
};

static void add_row(struct grouped_rows *r, struct group_sums *s, uint32_t thread,
		    const struct profile_row *row)
{
	const struct profile *p = s->p;
	const struct keys *k = s->k;
	uint32_t timer = p->path[row->path].timer;
	const double *value = &p->thread[thread].values[row->first];
	double excl = p->metric_n ? value[p->metric_n + s->metric] : NAN;
	int compared = s->waits || compared_threads_has(s->c, p, thread, timer);

	r->whole += excl;
	for (size_t i = k->first[timer]; i < k->first[timer + 1]; i++) {
		uint32_t key = k->key[i];

		s->excl[key] += excl;
		s->compared[key] += compared ? excl : 0;
		s->calls[key] += row->calls;
		s->subrs[key] += row->subrs;
		s->seen[key] = 1;
		r->v[key].regions += !s->timer_seen[timer];
	}
	if (!s->timer_seen[timer])
		r->several += k->first[timer + 1] - k->first[timer] > 1;
	s->timer_seen[timer] = 1;
}

/* Is it a row of a measured region without callers? */
static int is_region(const struct profile *p, const struct profile_row *row)
{
	return p->path[row->path].parent == PROFILE_FLAT &&
	       profile_timer_kind(&p->timer[p->path[row->path].timer]) == TIMER_MEASURED;
}

static void add_thread(struct grouped_rows *r, struct group_sums *s, uint32_t thread)
{
	const struct profile_thread *t = &s->p->thread[thread];
	size_t n = s->k->name.name_n;

	memset(s->excl, 0, n * sizeof(*s->excl));
	memset(s->compared, 0, n * sizeof(*s->compared));
	memset(s->calls, 0, n * sizeof(*s->calls));
	memset(s->subrs, 0, n * sizeof(*s->subrs));
	memset(s->seen, 0, n);
	for (size_t i = 0; i < t->row_n; i++)
		if (is_region(s->p, &t->row[i]) &&
		    !(s->waits && waiting_idles(s->p, s->p->path[t->row[i].path].timer)))
			add_row(r, s, thread, &t->row[i]);
	for (size_t key = 0; key < n; key++) {
		struct region_row *to = &r->v[key].sum;

		if (!s->seen[key])
			continue;
		s->alone[key] += (uint32_t)s->waits;
		if (!to->threads++ || s->compared[key] > to->largest) {
			to->largest = s->compared[key];
			to->largest_at = thread;
		}
		to->excl += s->excl[key];
		to->compared_excl += s->compared[key];
		to->calls += s->calls[key];
		to->subrs += s->subrs[key];
	}
}

/* Counts the compared threads of each key. */
static void count_compared(struct grouped_rows *r, const struct group_sums *s)
{
	const struct profile *p = s->p;
	const struct keys *k = s->k;
	uint32_t *seen = mem_alloc((k->name.name_n + 1) * sizeof(*seen)),
		 *n = mem_alloc((k->name.name_n + 1) * sizeof(*n));

	for (size_t i = 0; i < p->thread_n; i++) {
		uint32_t thread = s->c->order[i];
		const struct profile_thread *t = &p->thread[thread];

		for (size_t j = 0; j < t->row_n; j++) {
			uint32_t timer = p->path[t->row[j].path].timer;

			if (!is_region(p, &t->row[j]) ||
			    !compared_threads_has(s->c, p, thread, timer))
				continue;
			for (size_t key = k->first[timer]; key < k->first[timer + 1]; key++)
				compared_threads_count(s->c, thread, k->key[key], seen, n);
		}
	}
	for (size_t key = 0; key < k->name.name_n; key++) {
		r->v[key].sum.compared = n[key] + s->alone[key];
		if (!r->v[key].sum.compared)
			r->v[key].sum.largest = NAN;
	}
	free(seen);
	free(n);
}

static int row_order(const void *va, const void *vb)
{
	const struct grouped_row *a = va, *b = vb;

	if (a->sum.excl != b->sum.excl && !isnan(a->sum.excl))
		return a->sum.excl > b->sum.excl ? -1 : 1;
	return strcmp(a->name ? a->name : "", b->name ? b->name : "");
}

/* Makes the rows of keys that a thread has, with their names. */
static void finish(struct grouped_rows *r, const struct keys *k)
{
	size_t n = 0;

	for (size_t key = 0; key < k->name.name_n; key++) {
		if (!r->v[key].sum.threads)
			continue;
		r->v[n] = r->v[key];
		r->v[n].name = *k->name.name[key] ? mem_string(k->name.name[key]) : NULL;
		r->v[n].sum.path = PROFILE_FLAT;
		r->v[n].sum.incl = NAN;
		n++;
	}
	r->v_n = n;
	if (n)
		qsort(r->v, n, sizeof(*r->v), row_order);
}

void grouped_rows_make(struct grouped_rows *r, const struct profile *p,
		       const struct waiting *waiting, size_t metric, enum grouped_by by)
{
	struct compared_threads c;
	struct keys k;
	struct group_sums s;
	size_t n;

	*r = (struct grouped_rows){0};
	keys_make(&k, p, by);
	n = k.name.name_n + 1;
	r->v = mem_alloc(n * sizeof(*r->v));
	compared_threads_make(&c, p, waiting);
	s = (struct group_sums){.p = p,
				.k = &k,
				.c = &c,
				.metric = metric,
				.excl = mem_alloc(n * sizeof(*s.excl)),
				.compared = mem_alloc(n * sizeof(*s.compared)),
				.calls = mem_alloc(n * sizeof(*s.calls)),
				.subrs = mem_alloc(n * sizeof(*s.subrs)),
				.seen = mem_alloc(n),
				.timer_seen = mem_alloc(p->timer_n + 1),
				.alone = mem_alloc(n * sizeof(*s.alone))};
	for (uint32_t i = 0; i < p->thread_n; i++) {
		enum waiting_class class = waiting_class(waiting, &p->thread[i]);

		if (p->thread[i].node < 0 || (class != WAITING_COUNTS && class != WAITING_WAITS))
			continue;
		s.waits = class == WAITING_WAITS;
		r->waiting += (uint32_t)s.waits;
		r->threads += !s.waits;
		add_thread(r, &s, i);
	}
	count_compared(r, &s);
	compared_threads_release(&c);
	finish(r, &k);
	free(s.excl);
	free(s.compared);
	free(s.calls);
	free(s.subrs);
	free(s.seen);
	free(s.timer_seen);
	free(s.alone);
	names_release(&k.name);
	free(k.key);
	free(k.first);
}

void grouped_rows_release(struct grouped_rows *r)
{
	for (size_t i = 0; i < r->v_n; i++)
		free(r->v[i].name);
	free(r->v);
	memset(r, 0, sizeof(*r));
}
