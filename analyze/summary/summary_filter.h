/*
 * summary_filter.h: filters summaries of chunks as if only some regions had been recorded.
 *
 * A call path becomes the path of its selected regions, so the time of the others goes to the
 * region around them, and sums by path remain sums. Samples with a path are selected or not by this
 * path. Messages and some events are recorded without a path, and count while a selected region is
 * open: sums are sufficient only if such a region is open all the time, or never; if neither is
 * certain, the chunks must be read.
 */
#ifndef SUMMARY_FILTER_H
#define SUMMARY_FILTER_H

#include "analyze/stream/counters.h"
#include "analyze/summary/summary.h"

/* "a => b": sets of regions, the outermost first. */
struct filter_cursor_chain {
	unsigned char **set;	/* by element, then by region */
	size_t set_n, set_cap;
	int from_root;		/* the first one has no parent */
};

/* The selected regions. */
struct filter_selected {
	uint32_t region_n;
	unsigned char *region;	/* by region: selected by its name and groups */
	struct filter_cursor_chain *chain;
	size_t chain_n, chain_cap;
	struct names kept;	/* counters that count independent of open regions: those of
				 * memory */
	int unclear;		/* a counter is of memory and also of other events, so the sums
				 * are not sufficient */
	struct names pathless;	/* counters whose events are never recorded by path */
};
void filter_selected_counters(struct filter_selected *f, struct trace *t);
void filter_selected_release(struct filter_selected *f);

/* Is a selected region open? */
enum filter_cursor_open { FOCUS_UNKNOWN, FOCUS_NONE, FOCUS_SOME };

struct filter_cursor_path {
	uint32_t to;		/* the path of its selected regions */
	uint32_t kept;		/* number of these regions */
	char inside;		/* it is inside a selected call path, or there are no such paths */
	char meant;		/* its last region is selected */
};

struct summary_filter {
	const struct filter_selected *meant;
	size_t metric_n;
	enum filter_cursor_open
		open; /* at the begin of the next summary; summary_filter_may() updates it */
	struct summary_names names; /* paths are the filtered ones, all others are those of the
				     * reader */
	struct summary out;
	struct filter_cursor_path *path; /* by path of the reader */
	size_t path_n;
	char *counter;		/* by counter: how its samples are recorded */
	size_t counter_n;
};
void summary_filter_init(struct summary_filter *x, const struct filter_selected *f,
			 size_t metric_n);
void summary_filter_release(struct summary_filter *x);

/*
 * For struct trace_judge. 1: x->out is the filtered summary, with the names x->names. 0: its chunks
 * must be read.
 */
int summary_filter_may(void *sums, const struct summary_names *names, const struct summary *s);

#endif
