/* thread_rows.c: adds up the rows of each thread or rank. */
#include "analyze/profile/thread_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/profile.h"
#include "analyze/profile/programs.h"
#include "record/metadata.h"

/* By timer, for the row that is being filled; touched: timers whose sum is not 0. */
struct thread_sums {
	double *excl;
	uint32_t *touched;
	size_t touched_n;
	unsigned char *seen, *work;
};

/* waits: the thread mostly waits. did: its waiting is no part of the row, and not only no work. */
static void thread_add(struct thread_row *row, struct thread_sums *s, const struct profile *p,
		       const struct profile_thread *t, size_t metric, int waits, int did)
{
	for (size_t i = 0; i < t->row_n; i++) {
		const struct profile_row *from = &t->row[i];
		uint32_t timer = p->path[from->path].timer;
		double excl = p->metric_n ? t->values[from->first + p->metric_n + metric] : 0;
		int idle = waits && waiting_idles(p, timer);

		if (p->path[from->path].parent != PROFILE_FLAT ||
		    profile_timer_kind(&p->timer[timer]) != TIMER_MEASURED ||
		    (did && idle))
			continue;
		row->calls += from->calls;
		row->time += excl;
		row->work[s->work[timer]] += idle ? 0 : excl;
		row->did += waits && !idle ? excl : 0;
		s->excl[timer] += excl;
		if (!s->seen[timer])
			s->touched[s->touched_n++] = timer;
		s->seen[timer] = 1;
	}
}

/* Finds the region with the largest sum; of equal ones, the first by name. Empties the sums. */
static void row_finish(struct thread_row *row, struct thread_sums *s, const struct profile *p)
{
	row->top = PROFILE_FLAT;
	for (size_t i = 0; i < s->touched_n; i++) {
		uint32_t timer = s->touched[i];
		double excl = s->excl[timer];

		if (row->top == PROFILE_FLAT || excl > row->top_time ||
		    (excl == row->top_time &&
		     strcmp(p->timer[timer].name, p->timer[row->top].name) < 0)) {
			row->top = timer;
			row->top_time = excl;
		}
		s->excl[timer] = 0;
		s->seen[timer] = 0;
	}
	s->touched_n = 0;
}

/* The kernel counts it for a whole run. */
static void kernel_add(double *sum, const struct profile *p, uint32_t thread, const char *name)
{
	double us = p->window ? NAN : profile_meta_number_of(p, thread, name);

	if (!isnan(us))
		*sum = (isnan(*sum) ? 0 : *sum) + us;
}

void thread_rows_make(struct thread_rows *r, const struct profile *p, const struct waiting *waiting,
		      size_t metric, int ranks)
{
	struct thread_sums s = {mem_alloc((p->timer_n + 1) * sizeof(double)),
				mem_alloc((p->timer_n + 1) * sizeof(uint32_t)), 0,
				mem_alloc(p->timer_n + 1), mem_alloc(p->timer_n + 1)};
	struct thread_row *row = NULL;
	uint32_t *program = mem_alloc((p->thread_n + 1) * sizeof(*program));

	programs_make(program, p);
	*r = (struct thread_rows){0};
	for (size_t i = 0; i < p->timer_n; i++)
		s.work[i] = (unsigned char)region_work_of(p->timer[i].name, p->timer[i].groups);
	for (uint32_t i = 0; i < p->thread_n; i++) {
		const struct profile_thread *t = &p->thread[i];
		enum waiting_class class = waiting_class(waiting, t);
		int waits = class == WAITING_WAITS;

		if (t->node < 0 || (class != WAITING_COUNTS && !waits))
			continue;
		if (!row || !ranks || row->node != t->node) {
			if (row)
				row_finish(row, &s, p);
			row = array_add(r, v);
			*row = (struct thread_row){t->node, t->context, t->thread, .waits = waits,
						   .to_run = NAN,
						   .asleep = NAN,
						   .program = program[i]};
		}
		row->threads += !waits || !ranks;
		thread_add(row, &s, p, t, metric, waits, waits && ranks);
		kernel_add(&row->to_run, p, i, TAU_META_THREAD_TO_RUN_US);
		if (!waits || !ranks)
			kernel_add(&row->asleep, p, i, TAU_META_THREAD_ASLEEP_US);
	}
	if (row)
		row_finish(row, &s, p);
	for (size_t i = 0; i < r->v_n; i++)
		r->whole += r->v[i].waits ? r->v[i].did : r->v[i].time;
	free(program);
	free(s.excl);
	free(s.touched);
	free(s.seen);
	free(s.work);
}

void thread_rows_release(struct thread_rows *r)
{
	free(r->v);
	memset(r, 0, sizeof(*r));
}
