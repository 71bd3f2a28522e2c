/*
 * summary_apply.h: adds up stretches that a player left out, and turns the sum into what playing them would have added to a
 * window: rows of regions and of paths as deep as the replay keeps them, counters in their context, samples.
 */
#ifndef SUMMARY_APPLY_H
#define SUMMARY_APPLY_H

#include "analyze/stream/counters.h"
#include "analyze/stream/metrics.h"
#include "analyze/summary/summary.h"

/* How numbers of a stretch are numbered in the replay. */
struct summary_build_maps {
	uint32_t *path;		/* by path of the stretches; what they are at the replay's depth */
	char *nested;		/* by path: it is inside another one that is the same at this depth */
	size_t path_n;
	uint32_t *counter;	/* by counter; UINT32_MAX: not asked for yet */
	size_t counter_n;
	struct map context;	/* path -> context in the replay */
	struct map stack;	/* node -> node */
};

struct summary_build {
	const struct summary_names *names; /* NULL: nothing is gathered */
	struct callstack callstack;        /* of the sum of times */
	struct callstack *metric;          /* of the sum of each metric's gains */
	size_t metric_n;
	struct counter_stats samples;
	struct stacks stacks;
	struct summary_build_maps maps;
	int any;		/* something has been added since the last clear */
};

void summary_build_init(struct summary_build *g, size_t metric_n, uint32_t region_n);
void summary_build_release(struct summary_build *g);

/* All stretches that are added to one gather have the same names, which outlive it. */
void summary_build_add(struct summary_build *g, struct summary_names *names,
		       const struct summary *s);
/* No more will be added before summary_build_clear(). */
void summary_build_end(struct summary_build *g);
void summary_build_clear(struct summary_build *g);

/* The rows as a window has them; *path_row grows to the paths that there are now. */
void summary_build_rows(struct summary_build *g, const struct callstack *sum,
			struct callstack_paths *paths, struct callstack_row *row,
			struct callstack_row **path_row, size_t *path_row_n);
void summary_build_samples(struct summary_build *g, struct counters *counters,
			   struct callstack_paths *paths, uint32_t depth, struct counter_stats *to);
/* Contexts are paths where paths are kept, regions where they are not. */
void summary_build_stacks(struct summary_build *g, struct stack_tree *tree,
			  struct callstack_paths *paths, struct stacks *to);

#endif
