/* timeline.c: adds up threads, window by window. */
#include "timeline.h"

#include <string.h>

#include "trace.h"

#define WAITS 0.99 /* of the time of a thread: in its start function, where it is one of a library's */

/* A region while the order is not known yet. */
struct found {
	struct names name;
	const char **text, **groups;
	size_t text_n, text_cap, groups_n, groups_cap;
	double *excl;
	size_t excl_n, excl_cap;
};

static uint32_t found_add(struct found *f, const struct profile_timer *t)
{
	uint32_t id = names_add(&f->name, t->name, strlen(t->name));

	if (id == f->text_n) {
		*array_add(f, text) = t->name;
		*array_add(f, groups) = t->groups;
		array_add(f, excl);
	}
	return id;
}

/* What a thread did in all windows: us of the first metric. */
struct member {
	double all, start, sampled; /* in regions; in what only libraries start threads with; found by samples */
	int entered;		    /* a region, however short */
	int busy;
};

/* The real threads, and which of them were in a region. */
struct crowd {
	struct names who;
	struct member *member;
	size_t member_n, member_cap;
	int any; /* 0: none was, so that none is told apart */
};

/*
 * "addr=<0x359d0> [libopen-pal.so.40]": code of a library of which nobody knows the name. As a region it is what a thread was
 * started with, for which nothing else has to be recorded.
 */
static int is_nameless(const char *name)
{
	const char *module = strrchr(name, '[');

	return !strncmp(name, "addr=<", 6) && module && strstr(module, ".so");
}

static void member_note(struct member *m, const struct profile *p, struct profile_thread *t)
{
	for (size_t k = 0; k < t->row_n; k++) {
		const struct profile_timer *timer = &p->timer[p->path[t->row[k].path].timer];
		double excl = p->metric_n ? *profile_excl(p, t, &t->row[k]) : 0;
		enum profile_timer_kind kind = profile_timer_kind(timer);

		if (!strcmp(timer->name, REGION_ROOT))
			continue;
		m->entered = 1;
		if (p->path[t->row[k].path].parent != PROFILE_FLAT || kind == TIMER_STACK)
			continue;
		*(kind == TIMER_SAMPLE ? &m->sampled : &m->all) += excl;
		m->start += kind == TIMER_MEASURED && is_nameless(timer->name) ? excl : 0;
	}
}

static void crowd_note(struct crowd *c, const struct profile *p)
{
	for (size_t i = 0; i < p->thread_n; i++) {
		struct profile_thread *t = &p->thread[i];
		int32_t key[] = {t->node, t->context, t->thread};
		uint32_t id = names_add(&c->who, (const char *)key, sizeof(key));

		if (id == c->member_n)
			array_add(c, member);
		if (t->node >= 0)
			member_note(&c->member[id], p, t);
	}
}

/* A thread that stays where a library started it waits there, unless samples found it at work. */
static void crowd_judge(struct crowd *c, enum profile_timer_kind kind)
{
	for (size_t i = 0; i < c->member_n; i++) {
		struct member *m = &c->member[i];
		int waits = kind == TIMER_MEASURED && m->all > 0 && m->start >= WAITS * m->all &&
			    m->sampled <= (1 - WAITS) * m->all;

		m->busy = m->entered && !waits;
		c->any |= m->busy;
	}
}

static int is_idle(const struct crowd *c, const struct profile_thread *t)
{
	int32_t key[] = {t->node, t->context, t->thread};

	return c->any && !c->member[names_find(&c->who, (const char *)key, sizeof(key))].busy;
}

static void crowd_release(struct crowd *c)
{
	names_release(&c->who);
	free(c->member);
}

/* Calls each flat row of a kind of the real threads that were in a region; returns how many are of
 * another kind. */
static size_t rows_each(const struct profile *p, enum profile_timer_kind kind,
		      const struct crowd *crowd,
		      void (*each)(void *to, const struct profile_timer *t, double calls,
				   double excl, double incl),
		      void *to)
{
	size_t others = 0;

	for (size_t i = 0; i < p->thread_n; i++) {
		struct profile_thread *t = &p->thread[i];
		int left = t->node < 0 || is_idle(crowd, t);

		for (size_t k = 0; k < t->row_n && !left; k++) {
			const struct profile_row *r = &t->row[k];
			const struct profile_timer *timer = &p->timer[p->path[r->path].timer];

			if (p->path[r->path].parent != PROFILE_FLAT)
				continue;
			if (profile_timer_kind(timer) == kind)
				each(to, timer, r->calls, *profile_excl(p, t, r),
				     *profile_incl(t, r));
			else
				others++;
		}
	}
	return others;
}

static void row_count(void *to, const struct profile_timer *t, double calls, double excl,
		      double incl)
{
	struct found *f = to;
	uint32_t id = found_add(f, t);

	(void)calls;
	(void)incl;
	f->excl[id] += excl;
}

struct filling {
	struct timeline *series;
	const struct names *name;
	const uint32_t *rank; /* by name: where it stands */
	size_t window;
};

static void row_fill(void *to, const struct profile_timer *t, double calls, double excl,
		     double incl)
{
	struct filling *f = to;
	uint32_t region = f->rank[names_find(f->name, t->name, strlen(t->name))];
	struct timeline_cell *c = &f->series->cell[f->window * f->series->region_n + region];

	c->threads++;
	c->calls += calls;
	c->excl += excl;
	c->incl += incl;
	f->series->excl[f->window] += excl;
}

static int region_order(const void *va, const void *vb)
{
	const struct timeline_region *a = va, *b = vb;

	if (a->excl != b->excl)
		return a->excl > b->excl ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* What the threads took that were in no region. */
static void idle_fill(struct timeline *s, size_t window, const struct crowd *crowd)
{
	const struct profile *p = s->profile[window];

	for (size_t i = 0; i < p->thread_n; i++) {
		struct profile_thread *t = &p->thread[i];

		if (t->node < 0 || !t->row_n || !is_idle(crowd, t))
			continue;
		s->idle[window].threads++;
		for (size_t k = 0; k < t->row_n; k++)
			if (p->path[t->row[k].path].parent == PROFILE_FLAT &&
			    profile_timer_kind(&p->timer[p->path[t->row[k].path].timer]) ==
				    TIMER_MEASURED)
				s->idle[window].excl += *profile_excl(p, t, &t->row[k]);
	}
	s->idle[window].incl = s->idle[window].excl;
	if (s->idle[window].threads > s->idle_most)
		s->idle_most = s->idle[window].threads;
}

void timeline_make(struct timeline *s, struct profile *const *p, size_t n,
		   enum profile_timer_kind kind)
{
	struct found f = {0};
	struct crowd crowd = {0};
	struct filling fill;
	uint32_t *rank;

	*s = (struct timeline){.profile = p, .window_n = n};
	for (size_t w = 0; w < n; w++)
		crowd_note(&crowd, p[w]);
	crowd_judge(&crowd, kind);
	for (size_t w = 0; w < n; w++)
		s->left_out += rows_each(p[w], kind, &crowd, row_count, &f);
	for (size_t i = 0; i < f.text_n; i++)
		*array_add(s, region) = (struct timeline_region){f.text[i], f.groups[i], f.excl[i]};
	if (s->region_n)
		qsort(s->region, s->region_n, sizeof(*s->region), region_order);
	rank = mem_alloc((s->region_n + 1) * sizeof(*rank));
	for (size_t i = 0; i < s->region_n; i++)
		rank[names_find(&f.name, s->region[i].name, strlen(s->region[i].name))] =
			(uint32_t)i;
	s->cell = mem_alloc((n * s->region_n + 1) * sizeof(*s->cell));
	s->excl = mem_alloc((n + 1) * sizeof(*s->excl));
	s->idle = mem_alloc((n + 1) * sizeof(*s->idle));
	fill = (struct filling){s, &f.name, rank, 0};
	for (; fill.window < n; fill.window++) {
		rows_each(p[fill.window], kind, &crowd, row_fill, &fill);
		idle_fill(s, fill.window, &crowd);
	}
	crowd_release(&crowd);
	free(rank);
	names_release(&f.name);
	free(f.text);
	free(f.groups);
	free(f.excl);
}

void timeline_release(struct timeline *s)
{
	free(s->region);
	free(s->cell);
	free(s->excl);
	free(s->idle);
	memset(s, 0, sizeof(*s));
}

int timeline_in_order(const struct timeline *s)
{
	for (size_t w = 0; w < s->window_n; w++) {
		const struct profile *p = s->profile[w];

		if (p->end_us < p->begin_us)
			return 0;
		/* Ends of processes lie apart by less than what can be seen. */
		if (w && p->begin_us < s->profile[w - 1]->end_us - 0.002)
			return 0;
	}
	return s->window_n > 0;
}
