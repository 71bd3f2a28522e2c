/*
 * imbalance.h: the time that is lost because threads do not have equal shares of a region.
 *
 *	lost = sum over n threads of (largest - own) = n (largest - mean)	thread time: others wait that long for the slowest
 *	lost / n = largest - mean		wall-clock time that a perfect balance of this region saves at most
 *
 * own is the exclusive value of a thread. The n threads are those whose number within their process has the region in any process:
 * one that lacks it counts as 0, because it did nothing in it. So a region that only rank 0 runs is compared over all ranks,
 * and a region of worker threads is not compared with threads that never run such work. Time outside of all regions
 * (REGION_ROOT) is compared over first threads (number 0) only. Threads that a runtime only waits with do not count.
 *
 * As Scalasca's computational imbalance is the sum of |own - mean| over threads, at most half of which can be recovered.
 */
#ifndef IMBALANCE_H
#define IMBALANCE_H

#include "analyze/profile/waiting_threads.h"
#include "analyze/trace/region_work.h"

struct imbalance_row {
	uint32_t path;		/* flat */
	enum region_work work;
	uint32_t n, have;	/* threads that are compared, and those of them that have the region */
	double sum, largest, least;	/* least: 0 if one lacks it */
	uint32_t largest_at, least_at;	/* indexes of threads; the first of equal ones */
	double lost;
};

struct imbalance {
	struct imbalance_row *v;	/* useful work first, then others; most lost first, equal ones by name */
	size_t v_n, v_cap;
	size_t useful_n;	/* rows of useful work */
	double whole;		/* exclusive sum of all regions over all threads that count */
	uint32_t threads;
};

void imbalance_make(struct imbalance *x, const struct profile *p, const struct waiting *waiting, size_t metric);
void imbalance_release(struct imbalance *x);

static inline double imbalance_mean(const struct imbalance_row *r)
{
	return r->sum / r->n;
}

#endif
