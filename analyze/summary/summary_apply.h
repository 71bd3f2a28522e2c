/*
 * summary_apply.h: adds up the summaries of chunks that a player skipped, and turns the sum into
 * the values that playing the chunks would have added to a window: rows of regions, and of paths
 * with the depth of the replay, counters in their context, samples.
 */
#ifndef SUMMARY_APPLY_H
#define SUMMARY_APPLY_H

#include "analyze/stream/counters.h"
#include "analyze/stream/metrics.h"
#include "analyze/summary/summary.h"

/* Translation of ids of the summaries to those of the replay. */
struct summary_build_maps {
	uint32_t *path;		/* by path of the summaries: the path with the depth of the
				 * replay */
	char *nested;		/* by path: it is inside another one with the same path at this
				 * depth */
	size_t path_n;
	uint32_t *counter;	/* by counter; UINT32_MAX: not looked up so far */
	size_t counter_n;
	struct map context;	/* path -> context of the replay */
	struct map stack;	/* node -> node of the replay */
};

struct summary_build {
	const struct summary_names *names; /* NULL: the sum is empty */
	struct callstack callstack;        /* of the sum of times */
	struct callstack *metric;          /* of the sum of each metric */
	size_t metric_n;
	struct counter_stats samples;
	struct stacks stacks;
	struct summary_build_maps maps;
	int any;		/* something has been added since the last clear */
};

void summary_build_init(struct summary_build *g, size_t metric_n, uint32_t region_n);
void summary_build_release(struct summary_build *g);

/* Adds a summary. All summaries that are added must have the same names, which must stay. */
void summary_build_add(struct summary_build *g, struct summary_names *names,
		       const struct summary *s);
/* All summaries are added; then summary_build_clear() must follow before the next one. */
void summary_build_end(struct summary_build *g);
void summary_build_clear(struct summary_build *g);

/* The rows for a window; *path_row grows to the current number of paths. */
void summary_build_rows(struct summary_build *g, const struct callstack *sum,
			struct callstack_paths *paths, struct callstack_row *row,
			struct callstack_row **path_row, size_t *path_row_n);
void summary_build_samples(struct summary_build *g, struct counters *counters,
			   struct callstack_paths *paths, uint32_t depth, struct counter_stats *to);
/* Contexts are paths if paths are kept, otherwise regions. */
void summary_build_stacks(struct summary_build *g, struct stack_tree *tree,
			  struct callstack_paths *paths, struct stacks *to);

#endif
