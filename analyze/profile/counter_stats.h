/*
 * counter_stats.h: statistics of counters, by counter and path. Sums are exact, so merging accounts in any order gives the
 * same result.
 */
#ifndef COUNTER_STATS_H
#define COUNTER_STATS_H

#include "analyze/base/exact.h"
#include "analyze/base/map.h"

struct sample {
	uint32_t counter, path;	/* path 0: over all contexts */
	uint64_t n;
	double max, min;
	struct exact sum, sumsq;
};

struct samples {
	struct sample *v;
	size_t v_n, v_cap;
	struct map index;	/* (counter, path) -> index */
};

void samples_add(struct samples *s, uint32_t counter, uint32_t path, double value);
/* Adds what is known of a sample by its sums. */
void samples_add_sum(struct samples *s, uint32_t counter, uint32_t path, const struct sample *sum);
void samples_merge(struct samples *into, const struct samples *from);
void samples_clear(struct samples *s);
void samples_release(struct samples *s);

#endif
