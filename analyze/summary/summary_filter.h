/*
 * summary_filter.h: what chunks add up to, as if only some regions had been recorded.
 *
 * A call path becomes the path of those of its regions that are meant, so the time of the others goes to the region around them,
 * and sums by path stay sums. Of samples by path it is known whether they count. Messages and some events are not told by path, and
 * count where a region that is meant is open: sums tell that only where one is all along, or none is; where neither is certain,
 * the chunks have to be read.
 */
#ifndef SUMMARY_FILTER_H
#define SUMMARY_FILTER_H

#include "analyze/stream/counters.h"
#include "analyze/summary/summary.h"

/* "a => b": sets of regions, the outermost first. */
struct filter_cursor_chain {
	unsigned char **set;	/* by element, then by region */
	size_t set_n, set_cap;
	int from_root;		/* nothing is around the first */
};

/* What is meant. */
struct filter_selected {
	uint32_t region_n;
	unsigned char *region;	/* by region: as its name and groups have it */
	struct filter_cursor_chain *chain;
	size_t chain_n, chain_cap;
	struct names kept;	/* counters that count wherever they are met: those of memory */
	int unclear;		/* some counter is one of memory, and of something else, too: nothing can be said */
	struct names pathless;	/* those of events that never say on which path they were met */
};
void filter_selected_counters(struct filter_selected *f, struct trace *t);
void filter_selected_release(struct filter_selected *f);

/* Is a region that is meant open? */
enum filter_cursor_open { FOCUS_UNKNOWN, FOCUS_NONE, FOCUS_SOME };

struct filter_cursor_path {
	uint32_t to;		/* the path of those of its regions that are meant */
	uint32_t kept;		/* so many they are */
	char inside;		/* of a chain, or there are none */
	char meant;		/* its last region is */
};

struct summary_filter {
	const struct filter_selected *meant;
	size_t metric_n;
	enum filter_cursor_open
		open; /* where the next stretch begins; summary_filter_may() follows it */
	struct summary_names names; /* paths are those that are meant, the others the reader's */
	struct summary out;
	struct filter_cursor_path *path; /* by path of the reader */
	size_t path_n;
	char *counter;		/* by counter: how its samples are told */
	size_t counter_n;
};
void summary_filter_init(struct summary_filter *x, const struct filter_selected *f,
			 size_t metric_n);
void summary_filter_release(struct summary_filter *x);

/* For struct trace_judge: 1, and x->out is what is meant of the stretch, by x->names; 0: its chunks have to be read. */
int summary_filter_may(void *sums, const struct summary_names *names, const struct summary *s);

#endif
