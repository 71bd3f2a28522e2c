/*
 * thread_rows.h: sums up a profile by thread or by rank: the time of each kind of work
 * (analyze/trace/region_work.h), and the region with the most time.
 *
 *	time = sum of the exclusive values of all regions = sum over kinds of work, and waiting of a thread that mostly waits
 *
 * Samples are excluded, because their times are part of the regions' exclusive times. Queues of devices have rows only if they are
 * selected (waiting_for_queues()), and then no other thread has.
 */
#ifndef THREAD_ROWS_H
#define THREAD_ROWS_H

#include "analyze/profile/waiting_threads.h"
#include "analyze/trace/region_work.h"

struct thread_row {
	int32_t node, context, thread;	/* of a rank: those of its first thread */
	uint32_t threads;		/* number of threads in the row */
	int waits;			/* a thread that mostly waits */
	double did;			/* the part of its time in which such a thread did something */
	uint32_t program;		/* programs.h */
	double calls, time;
	double work[WORK_KINDS];	/* without the waiting of a thread that mostly waits */
	double to_run;			/* us that it could run but had no processor
					 * (TAU_META_THREAD_TO_RUN_US); NaN: unknown, or of a window */
	double asleep;			/* us that it neither ran nor could run (TAU_META_THREAD_ASLEEP_US); NaN
					 * likewise */
	uint32_t top;			/* timer with the largest exclusive sum; PROFILE_FLAT: no region */
	double top_time;
};

struct thread_rows {
	struct thread_row *v;	/* by node, context, thread */
	size_t v_n, v_cap;
	double whole;		/* sum over all threads, without the waiting of those that mostly wait */
};

/*
 * ranks: one row per rank, without the waiting of threads that mostly wait; otherwise one row per thread, with it.
 * Release r.
 */
void thread_rows_make(struct thread_rows *r, const struct profile *p, const struct waiting *waiting, size_t metric, int ranks);
void thread_rows_release(struct thread_rows *r);

#endif
