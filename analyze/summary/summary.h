/*
 * summary.h: what one stream did from the beginning of one chunk to that of a later one, as sums that add up: so what a
 * long window needs of its inside can be kept, and read instead of the events (summary_build.h makes it, summary_apply.h uses it).
 *
 * All that a profile shows of regions and call paths follows from calls and exclusive times of whole paths, and these
 * are all that is kept. Numbers are those of the stretch's names, which all stretches of a stream share.
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
/* Memory of a process: how far a row of counters->level rose at most, and how far it had risen at the end. */
struct level_sum {
	uint32_t row;
	struct level peak, gain;
};

struct summary {
	int64_t begin, end;	/* time of the snapshot that it begins with, and of the one behind it */
	int64_t last;		/* of its last record; only where somebody is asked whether it may be left out */
	struct summary_row *row; /* ascending path */
	size_t row_n, row_cap;
	int64_t *metric;	/* [row * metrics of the trace + metric]: gained while innermost */
	size_t metric_cap;	/* rows */
	int64_t *value, *then;	/* of the metrics at begin and end */
	struct counter_stats
		samples;        /* path: the context, all that was open but the root; 0 over all */
	struct stacks stacks;	/* context: the path that was innermost */
	uint64_t repaired, resumed, folded; /* see struct callstack */
	struct level_sum *level;	/* ascending row; only stretches of whole processes have them, and have nothing else */
	size_t level_n, level_cap;
};

/* metric_n: metrics of the trace. */
void summary_init(struct summary *s, size_t metric_n);
void summary_release(struct summary *s);
/* Empties it, and keeps its room. */
void summary_clear(struct summary *s);
/* The next row, whose path is larger than that of the one before. metric_n values stand behind: s->metric + row * metric_n. */
struct summary_row *summary_row_add(struct summary *s, uint32_t path, size_t metric_n);
/* What follows `into` directly is added to it. */
void summary_append(struct summary *into, const struct summary *from, size_t metric_n);

#endif
