/* waiting_threads.c: decides from the rows of a thread whether it only waits. */
#include "analyze/profile/waiting_threads.h"

#include <string.h>

#include "analyze/trace/trace.h"
#include "record/metadata.h"

#define IDLE 0.05  /* a thread that used a processor for a smaller share of its life waits */
#define OUTSIDE 0.9 /* and was outside of all regions, or in its start function in a library, for
		     * this share of its time */
#define WAITS 0.99 /* share of the time of a thread in its start function, if that is in a
		    * library */

/* Times of a thread over all windows: us of the first metric. */
struct member {
	double all, start, sampled; /* in regions; in functions in which only libraries start
				     * threads; of samples */
	double root;                /* outside of all regions */
	double cpu;                 /* share of its life that it used a processor; -1: unknown */
	int entered;                /* it entered a region, however short */
	int first;                  /* thread of its process */
	int busy;
};

struct waiting {
	struct names who;
	struct member *member;
	size_t member_n, member_cap;
	enum { QUEUES_TOO, NO_QUEUES, QUEUES_ONLY } counts;
	int any; /* there is a busy thread; 0: then no thread waits */
};

/*
 * "addr=<0x359d0> [libopen-pal.so.40]": code of a library whose name is unknown. As a region, it is
 * the function in which a thread was started and nothing else was recorded.
 */
static int is_nameless(const char *name)
{
	const char *module = strrchr(name, '[');

	return !strncmp(name, "addr=<", 6) && module && strstr(module, ".so");
}

/* Of the thread, or of the trial: files keep once what is equal in all threads. */
static double cpu_of(const struct profile *p, const struct profile_thread *t)
{
	const char *text = NULL;

	for (size_t i = 0; i < t->meta_n && !text; i++)
		if (!strcmp(t->meta[i].name, TAU_META_THREAD_CPU_PPM))
			text = t->meta[i].value;
	if (!text)
		text = profile_meta(p, UINT32_MAX, TAU_META_THREAD_CPU_PPM);
	return text ? strtod(text, NULL) * 1e-6 : -1;
}

static void member_note(struct member *m, const struct profile *p, const struct profile_thread *t)
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
static int member_waits(const struct member *m, enum profile_timer_kind kind)
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

void waiting_note(struct waiting *w, const struct profile *p)
{
	for (size_t i = 0; i < p->thread_n; i++) {
		const struct profile_thread *t = &p->thread[i];
		int32_t key[] = {t->node, t->context, t->thread};
		uint32_t id = names_add(&w->who, (const char *)key, sizeof(key));

		if (id == w->member_n)
			array_add(w, member)->first = !t->thread;
		if (t->node >= 0 && !waiting_has_values(t))
			member_note(&w->member[id], p, t);
	}
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
	free(w->member);
	free(w);
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

uint32_t waiting_without_queues(struct waiting *w, const struct profile *p)
{
	uint32_t n = 0;

	w->counts = NO_QUEUES;
	for (size_t i = 0; i < p->thread_n; i++)
		n += p->thread[i].node >= 0 && waiting_is_queue(&p->thread[i]);
	return n;
}

struct waiting *waiting_for_queues(void)
{
	struct waiting *w = waiting_new();

	w->counts = QUEUES_ONLY;
	return w;
}

static int only_waits(const struct waiting *w, const struct profile_thread *t)
{
	int32_t key[] = {t->node, t->context, t->thread};
	int64_t id = w && w->any ? names_find(&w->who, (const char *)key, sizeof(key)) : -1;

	return id >= 0 && !w->member[id].busy;
}

int waiting_is(const struct waiting *w, const struct profile_thread *t)
{
	if (w && w->counts == QUEUES_ONLY)
		return !waiting_is_queue(t);
	return (w && w->counts == NO_QUEUES && waiting_is_queue(t)) || only_waits(w, t) ||
	       waiting_has_values(t);
}

int waiting_looks(const struct profile *p, const struct profile_thread *t)
{
	struct member m = {0};

	if (waiting_has_values(t))
		return 1;
	if (!t->thread)
		return 0;
	member_note(&m, p, t);
	return member_waits(&m, TIMER_MEASURED);
}
