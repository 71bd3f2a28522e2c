/*
 * queue_use.h: how busy the queues of devices are, as streams of CUDA, which have rows like threads (waiting_threads.h).
 *
 *	busy = exclusive time of the queue's regions: kernels, copies	share = busy / life of its process
 *
 * Time outside of all regions is idle, and regions in which a queue only waits (region_work.h) are not busy. The life of a process is
 * the longest time of its threads. Queues of one device can be busy at the same time, so their shares do not add up.
 */
#ifndef QUEUE_USE_H
#define QUEUE_USE_H

#include "analyze/profile/profile.h"

struct queue_row {
	uint32_t thread;	/* index in the profile */
	const char *name;	/* borrowed from the profile; NULL: none */
	double busy, life;	/* in the unit of the metric */
	double calls;		/* of the regions that are busy */
	uint32_t top;		/* timer with the most busy time; PROFILE_FLAT: none */
	double top_time;
};

struct queue_use {
	struct queue_row *v;	/* the busiest first, equal ones by node and thread */
	size_t v_n, v_cap;
};

/* One metric. Release x. */
void queue_use_make(struct queue_use *x, const struct profile *p, size_t metric);
void queue_use_release(struct queue_use *x);

/* 0 to 1; NaN: the process has no threads with time. */
static inline double queue_share(const struct queue_row *r)
{
	return r->busy / r->life;
}

#endif
