/*
 * counter_stats.h: statistics of counters, by counter and path. Sums are exact, so merging in any
 * order gives the same result.
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

struct counter_stats {
	struct sample *v;
	size_t v_n, v_cap;
	struct map index;	/* (counter, path) -> index */
};

void counter_stats_add(struct counter_stats *s, uint32_t counter, uint32_t path, double value);
/* Adds samples of which the sums are known. */
void counter_stats_add_sum(struct counter_stats *s, uint32_t counter, uint32_t path,
			   const struct sample *sum);
void counter_stats_merge(struct counter_stats *into, const struct counter_stats *from);
/* Removes all samples; the rows stay, with n = 0. */
void counter_stats_clear(struct counter_stats *s);
void counter_stats_release(struct counter_stats *s);

#endif
