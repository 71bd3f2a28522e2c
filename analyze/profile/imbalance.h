/*
 * imbalance.h: the time that is lost because the threads have unequal shares of a region.
 *
 *	lost = sum over n threads of (largest - own) = n (largest - mean)	thread time: others wait that long for the slowest
 *	lost / n = largest - mean		wall-clock time that a perfect balance of this region saves at most
 *
 * own is the exclusive value of a thread; the n threads are those of compared_threads.h.
 *
 * Processes that run at different times (process_lives.h) do not wait for each other. So times are limited: no thread waits
 * for one of a process that never ran beside its own, none waits longer than its process runs, and all together no longer than
 * all threads are in other regions:
 *
 *	lost = min(sum of max(0, min(largest, life of the process) - own), whole - sum of own)
 *
 * The limits only apply if processes run for different times. Values of other metrics (instructions, CPU time) are not limited,
 * because a wait has none; their shares are of what all threads would have if each had the largest total. So a share is never
 * above 100 %.
 *
 * For comparison: Scalasca's computational imbalance is the sum of |own - mean| over threads, at
 * most half of which can be recovered.
 */
#ifndef IMBALANCE_H
#define IMBALANCE_H

#include "analyze/profile/waiting_threads.h"
#include "analyze/trace/region_work.h"

struct imbalance_row {
	uint32_t path;		/* flat */
	enum region_work work;
	uint32_t n, have;	/* number of compared threads, and of those that have the region */
	double sum, largest, least;	/* least: 0 if a thread lacks the region */
	uint32_t largest_at, least_at;	/* indexes of threads; the first one of equal values */
	double lost;
};

struct imbalance {
	struct imbalance_row *v;	/* useful work first, then other work; most lost first,
					 * equal ones by name */
	size_t v_n, v_cap;
	size_t useful_n;	/* rows of useful work */
	double whole;		/* base of shares. Times: exclusive sum of all regions over all threads that count;
				 * other metrics: number of threads x largest total */
	uint32_t threads;
};

/* One metric of a sorted profile, in its unit; waiting: threads to exclude. Release x. */
void imbalance_make(struct imbalance *x, const struct profile *p, const struct waiting *waiting, size_t metric);
void imbalance_release(struct imbalance *x);

/*
 * The threads over which a region is compared, for reports that list them: compared[thread] = 1.
 * chosen[timer] = 1: timers of the region. Without the region, a compared thread counts as 0.
 */
void imbalance_compared(const struct profile *p, const struct waiting *waiting, const char *chosen, char *compared);

static inline double imbalance_mean(const struct imbalance_row *r)
{
	return r->sum / r->n;
}

/* max/mean: 1 if all threads have the same */
static inline double imbalance_ratio(const struct imbalance_row *r)
{
	return r->largest / imbalance_mean(r);
}

#endif
