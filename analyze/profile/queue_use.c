/* queue_use.c: adds up the regions of queues of devices. */
#include "analyze/profile/queue_use.h"

#include <math.h>
#include <string.h>

#include "analyze/profile/waiting_threads.h"
#include "analyze/trace/region_work.h"
#include "analyze/trace/trace.h"
#include "record/metadata.h"

/* The exclusive value of a flat row of a timer that was measured; otherwise 0. */
static double value_of(const struct profile *p, const struct profile_thread *t,
		       const struct profile_row *r, size_t metric)
{
	const struct profile_path *at = &p->path[r->path];

	if (at->parent != PROFILE_FLAT ||
	    profile_timer_kind(&p->timer[at->timer]) != TIMER_MEASURED)
		return 0;
	return t->values[r->first + p->metric_n + metric];
}

static void row_add(struct queue_use *x, const struct profile *p, uint32_t thread, size_t metric)
{
	const struct profile_thread *t = &p->thread[thread];
	struct queue_row *row = array_add(x, v);

	*row = (struct queue_row){.thread = thread,
				  .name = profile_meta(p, thread, TAU_META_THREAD_NAME),
				  .top = PROFILE_FLAT,
				  .life = NAN};
	for (size_t i = 0; i < t->row_n; i++) {
		double value = value_of(p, t, &t->row[i], metric);
		uint32_t timer = p->path[t->row[i].path].timer;
		const struct profile_timer *at = &p->timer[timer];

		if (!(value > 0) || !strcmp(at->name, REGION_ROOT) ||
		    !region_work_useful(region_work_of(at->name, at->groups)))
			continue;
		row->busy += value;
		row->calls += t->row[i].calls;
		if (value > row->top_time) {
			row->top_time = value;
			row->top = timer;
		}
	}
}

/* The longest time of a thread of the process. */
static double life_of(const struct profile *p, int32_t node, size_t metric)
{
	double life = NAN;

	for (size_t i = 0; i < p->thread_n; i++) {
		const struct profile_thread *t = &p->thread[i];
		double sum = 0;

		if (t->node != node || waiting_is_queue(t))
			continue;
		for (size_t k = 0; k < t->row_n; k++)
			sum += value_of(p, t, &t->row[k], metric);
		life = sum > 0 ? fmax(life, sum) : life;
	}
	return life;
}

static int busiest(const void *va, const void *vb)
{
	const struct queue_row *a = va, *b = vb;

	if (a->busy != b->busy)
		return a->busy > b->busy ? -1 : 1;
	return (a->thread > b->thread) - (a->thread < b->thread);
}

void queue_use_make(struct queue_use *x, const struct profile *p, size_t metric)
{
	const struct queue_row *before = NULL;

	*x = (struct queue_use){0};
	for (uint32_t i = 0; i < p->thread_n && p->metric_n; i++)
		if (p->thread[i].node >= 0 && waiting_is_queue(&p->thread[i]))
			row_add(x, p, i, metric);
	/* threads of a process follow each other */
	for (size_t i = 0; i < x->v_n; i++) {
		int32_t node = p->thread[x->v[i].thread].node;
		int same = before && p->thread[before->thread].node == node;

		x->v[i].life = same ? before->life : life_of(p, node, metric);
		before = &x->v[i];
	}
	if (x->v_n)
		qsort(x->v, x->v_n, sizeof(*x->v), busiest);
}

void queue_use_release(struct queue_use *x)
{
	free(x->v);
	*x = (struct queue_use){0};
}
