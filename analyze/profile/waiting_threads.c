/* waiting_threads.c: decides from the rows of a thread whether it only waits. */
#include "analyze/profile/waiting_threads.h"

#include <math.h>
#include <string.h>

#include "analyze/trace/timer_name.h"
#include "analyze/trace/trace.h"
#include "record/metadata.h"

#define IDLE 0.05  /* a thread that used a processor for a smaller share of its life waits */
#define OUTSIDE 0.9 /* and was outside of all regions, or in its start function in a library, for
		     * this share of its time */
#define WAITS 0.99 /* share of the time of a thread in its start function, if that is in a
		    * library */

/* Times of a thread over all windows: us of the first metric. */
struct team_member {
	double all, start, sampled; /* in regions; in functions in which only libraries start
				     * threads; of samples */
	double root;                /* outside of all regions */
	double cpu;                 /* share of its life that it used a processor; -1: unknown */
	int entered;                /* it entered a region, however short */
	int first;                  /* thread of its process */
	int busy, queue, values; /* the latter two: no thread */
};

struct waiting {
	struct names who;
	struct team_member *member;
	size_t member_n, member_cap;
	struct names on_threads, on_queues; /* timers, of windows that have queues */
	int queues_only;
	int any; /* there is a busy thread; 0: then no thread waits */
};

/*
 * "addr=<0x359d0> [libopen-pal.so.40]": code of a library whose name is unknown. As a region, it is
 * the function in which a thread was started and nothing else was recorded.
 */
static int is_nameless(const char *name)
{
	struct name_address code;

	return name_address(name, &code) && strstr(code.module, ".so");
}

/* Of the thread, or of the trial: files keep once what is equal in all threads. */
static double cpu_of(const struct profile *p, const struct profile_thread *t)
{
	double ppm = profile_meta_number_of(p, (uint32_t)(t - p->thread), TAU_META_THREAD_CPU_PPM);

	return isnan(ppm) ? -1 : ppm * 1e-6;
}

static void member_note(struct team_member *m, const struct profile *p,
			const struct profile_thread *t)
{
	m->cpu = cpu_of(p, t);
	for (size_t k = 0; k < t->row_n; k++) {
		const struct profile_row *r = &t->row[k];
		const struct profile_timer *timer = &p->timer[p->path[r->path].timer];
		double excl = p->metric_n ? t->values[r->first + p->metric_n] : 0;
		enum profile_timer_kind kind = profile_timer_kind(timer);

		if (!strcmp(timer->name, REGION_ROOT)) {
			m->root += p->path[r->path].parent == PROFILE_FLAT ? excl : 0;
			continue;
		}
		m->entered = 1;
		if (p->path[r->path].parent != PROFILE_FLAT || kind == TIMER_STACK)
			continue;
		*(kind == TIMER_SAMPLE ? &m->sampled : &m->all) += excl;
		m->start += kind == TIMER_MEASURED && is_nameless(timer->name) ? excl : 0;
	}
}

/*
 * Without CPU times: a thread that stays in the function in which a library started it waits there,
 * unless samples found it at work.
 */
static int member_waits(const struct team_member *m, enum profile_timer_kind kind)
{
	if (m->cpu >= 0)
		return m->cpu < IDLE && m->root + m->start >= OUTSIDE * (m->root + m->all) &&
		       (kind == TIMER_MEASURED || m->sampled <= 0);
	return !m->entered || (kind == TIMER_MEASURED && m->all > 0 && m->start >= WAITS * m->all &&
			       m->sampled <= (1 - WAITS) * m->all);
}

struct waiting *waiting_new(void)
{
	return mem_alloc(sizeof(struct waiting));
}

/* The timers of threads and those of queues. */
static void note_timers(struct waiting *w, const struct profile *p)
{
	enum { THREAD = 1, QUEUE = 2 };
	char *on = mem_alloc(p->timer_n + 1);

	for (size_t i = 0; i < p->thread_n; i++) {
		const struct profile_thread *t = &p->thread[i];
		char kind = waiting_is_queue(t) ? QUEUE : THREAD;

		if (t->node < 0 || waiting_has_values(t))
			continue;
		for (size_t k = 0; k < t->row_n; k++)
			on[p->path[t->row[k].path].timer] |= kind;
	}
	for (size_t i = 0; i < p->timer_n; i++) {
		const char *name = p->timer[i].name;

		if (on[i] & THREAD)
			names_add(&w->on_threads, name, strlen(name));
		if (on[i] & QUEUE)
			names_add(&w->on_queues, name, strlen(name));
	}
	free(on);
}

void waiting_note(struct waiting *w, const struct profile *p)
{
	for (size_t i = 0; i < p->thread_n; i++) {
		const struct profile_thread *t = &p->thread[i];
		int32_t key[] = {t->node, t->context, t->thread};
		uint32_t id = names_add(&w->who, (const char *)key, sizeof(key));

		if (id == w->member_n)
			array_add(w, member)->first = !t->thread;
		w->member[id].queue |= waiting_is_queue(t);
		w->member[id].values |= waiting_has_values(t);
		if (t->node >= 0 && !w->member[id].queue && !w->member[id].values)
			member_note(&w->member[id], p, t);
	}
	if (waiting_queues(p))
		note_timers(w, p);
}

void waiting_judge(struct waiting *w, enum profile_timer_kind kind)
{
	for (size_t i = 0; i < w->member_n; i++) {
		w->member[i].busy = w->member[i].first || !member_waits(&w->member[i], kind);
		w->any |= w->member[i].busy;
	}
}

struct waiting *waiting_find(const struct profile *const *p, size_t n, enum profile_timer_kind kind)
{
	struct waiting *w = waiting_new();

	for (size_t i = 0; i < n; i++)
		waiting_note(w, p[i]);
	waiting_judge(w, kind);
	return w;
}

void waiting_free(struct waiting *w)
{
	if (!w)
		return;
	names_release(&w->who);
	names_release(&w->on_threads);
	names_release(&w->on_queues);
	free(w->member);
	free(w);
}

int waiting_idles(const struct profile *p, uint32_t timer)
{
	const struct profile_timer *t = &p->timer[timer];

	return profile_timer_kind(t) == TIMER_MEASURED &&
	       (!strcmp(t->name, REGION_ROOT) || is_nameless(t->name));
}

double waiting_did(const struct profile *p, const struct profile_thread *t, size_t metric)
{
	double sum = 0;

	for (size_t k = 0; k < t->row_n && p->metric_n; k++) {
		const struct profile_path *path = &p->path[t->row[k].path];

		if (path->parent == PROFILE_FLAT && !waiting_idles(p, path->timer) &&
		    profile_timer_kind(&p->timer[path->timer]) == TIMER_MEASURED)
			sum += t->values[t->row[k].first + p->metric_n + metric];
	}
	return sum;
}

static int has_meta(const struct profile_thread *t, const char *name)
{
	for (size_t i = 0; i < t->meta_n; i++)
		if (!strcmp(t->meta[i].name, name))
			return 1;
	return 0;
}

int waiting_is_queue(const struct profile_thread *t)
{
	return has_meta(t, TAU_META_DEVICE_QUEUE);
}

int waiting_has_values(const struct profile_thread *t)
{
	return has_meta(t, TAU_META_VALUES_ONLY);
}

int waiting_decides(const char *name)
{
	return !strcmp(name, TAU_META_DEVICE_QUEUE) || !strcmp(name, TAU_META_VALUES_ONLY) ||
	       !strcmp(name, TAU_META_NOT_A_PE);
}

uint32_t waiting_queues(const struct profile *p)
{
	uint32_t n = 0;

	for (size_t i = 0; i < p->thread_n; i++)
		n += p->thread[i].node >= 0 && waiting_is_queue(&p->thread[i]);
	return n;
}

uint32_t waiting_threads(const struct profile *p)
{
	uint32_t n = 0;

	for (size_t i = 0; i < p->thread_n; i++)
		n += p->thread[i].node >= 0 && !waiting_is_queue(&p->thread[i]) &&
		     !waiting_has_values(&p->thread[i]);
	return n;
}

struct waiting *waiting_for_queues(void)
{
	struct waiting *w = waiting_new();

	w->queues_only = 1;
	return w;
}

/* Of the thread's metadata, or of the windows: a profile that has only its place lacks these. */
enum waiting_class waiting_class(const struct waiting *w, const struct profile_thread *t)
{
	int32_t key[] = {t->node, t->context, t->thread};
	int64_t id = w ? names_find(&w->who, (const char *)key, sizeof(key)) : -1;
	const struct team_member *m = id >= 0 ? &w->member[id] : NULL;
	int queue = (m && m->queue) || waiting_is_queue(t);

	if ((m && m->values) || waiting_has_values(t))
		return WAITING_VALUES;
	if (w && w->queues_only)
		return queue ? WAITING_COUNTS : WAITING_UNSELECTED;
	if (queue)
		return WAITING_QUEUE;
	return m && w->any && !m->busy ? WAITING_WAITS : WAITING_COUNTS;
}

char *waiting_device_timers(const struct waiting *w, const struct profile *p)
{
	char *is;

	if (!w || !w->on_queues.name_n)
		return NULL;
	is = mem_alloc(p->timer_n + 1);
	for (size_t i = 0; i < p->timer_n; i++) {
		const char *name = p->timer[i].name;
		size_t n = strlen(name);

		is[i] = names_find(&w->on_queues, name, n) >= 0 &&
			names_find(&w->on_threads, name, n) < 0 && strcmp(name, REGION_ROOT) != 0;
	}
	return is;
}

enum waiting_class waiting_looks(const struct profile *p, const struct profile_thread *t)
{
	struct team_member m = {0};

	if (waiting_has_values(t))
		return WAITING_VALUES;
	if (waiting_is_queue(t))
		return WAITING_QUEUE;
	if (!t->thread)
		return WAITING_COUNTS;
	member_note(&m, p, t);
	return member_waits(&m, TIMER_MEASURED) ? WAITING_WAITS : WAITING_COUNTS;
}
