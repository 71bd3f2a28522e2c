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
struct gather_maps {
	uint32_t *path;		/* by path of the stretches; what they are at the replay's depth */
	char *nested;		/* by path: it is inside another one that is the same at this depth */
	size_t path_n;
	uint32_t *counter;	/* by counter; UINT32_MAX: not asked for yet */
	size_t counter_n;
	struct map context;	/* path -> context in the replay */
	struct map stack;	/* node -> node */
};

struct gather {
	const struct stretch_names *names;	/* NULL: nothing is gathered */
	struct machine machine;	/* of the sum of times */
	struct machine *metric;	/* of the sum of each metric's gains */
	size_t metric_n;
	struct samples samples;
	struct stacks stacks;
	struct gather_maps maps;
	int any;		/* something has been added since the last clear */
};

void gather_init(struct gather *g, size_t metric_n, uint32_t region_n);
void gather_release(struct gather *g);

/* All stretches that are added to one gather have the same names, which outlive it. */
void gather_add(struct gather *g, struct stretch_names *names, const struct stretch *s);
/* No more will be added before gather_clear(). */
void gather_end(struct gather *g);
void gather_clear(struct gather *g);

/* The rows as a window has them; *path_row grows to the paths that there are now. */
void gather_rows(struct gather *g, const struct machine *sum, struct machine_paths *paths, struct machine_row *row,
		 struct machine_row **path_row, size_t *path_row_n);
void gather_samples(struct gather *g, struct counters *counters, struct machine_paths *paths, uint32_t depth,
		    struct samples *to);
/* Contexts are paths where paths are kept, regions where they are not. */
void gather_stacks(struct gather *g, struct stack_tree *tree, struct machine_paths *paths, struct stacks *to);

#endif
