/*
 * summary.h: sums over consecutive chunks of one stream, which add up: so an index can keep them,
 * and a long window reads them instead of the events inside (summary_build.h makes summaries,
 * summary_apply.h uses them).
 *
 * Everything that a profile shows of regions and call paths follows from calls and exclusive times
 * of whole paths, so only these are kept. Ids are indexes into the names, which all summaries of a
 * stream share.
 */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "analyze/stream/callstack.h"
#include "analyze/profile/counter_stats.h"
#include "analyze/profile/sampled_stacks.h"

struct summary_names {
	struct callstack_paths paths; /* whole; regions as in the trace, region_n is the root */
	struct names counters;
	struct stack_tree stacks;
};
void summary_names_init(struct summary_names *n);
void summary_names_release(struct summary_names *n);

struct summary_row {
	uint32_t path;
	uint64_t calls;
	int64_t excl;		/* ns */
};

struct level {
	int64_t bytes, blocks;
};
/*
 * A row of counters->level for a process: its largest rise since the begin, and its change at the
 * end.
 */
struct level_sum {
	uint32_t row;
	struct level peak, gain;
};

struct summary {
	int64_t begin, end;	/* ns: time of the state with which it begins, and of the one
				 * after it */
	int64_t last;		/* ns: of its last record; set only for a judge that decides
				 * whether to skip */
	struct summary_row *row; /* ascending path */
	size_t row_n, row_cap;
	int64_t *metric;	/* [row * metrics of the trace + metric]: growth while the path
				 * was innermost */
	size_t metric_cap;	/* rows */
	int64_t *value, *then;	/* values of the metrics at begin and end */
	struct counter_stats
		samples;        /* path: the context, all open regions without the root; 0: over
				 * all contexts */
	struct stacks stacks;	/* context: the innermost path */
	uint64_t repaired, resumed, folded; /* see struct callstack */
	struct level_sum *level;	/* ascending row; only for summaries of processes, which
					 * have nothing else */
	size_t level_n, level_cap;
};

/* metric_n: number of metrics of the trace. Release s. */
void summary_init(struct summary *s, size_t metric_n);
void summary_release(struct summary *s);
/* Empties it, and keeps its memory. */
void summary_clear(struct summary *s);
/*
 * Adds the next row, whose path must be larger than that of the row before. Its metric_n values are
 * at s->metric + row * metric_n. Valid until the next call.
 */
struct summary_row *summary_row_add(struct summary *s, uint32_t path, size_t metric_n);
/* Adds the summary that follows `into` directly. */
void summary_append(struct summary *into, const struct summary *from, size_t metric_n);

#endif
