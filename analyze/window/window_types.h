/* window_types.h: how windows are cut into series, and what a text becomes windows with. */
#ifndef WINDOW_TYPES_H
#define WINDOW_TYPES_H

#include <stdbool.h>

#include "analyze/trace/filter.h"
#include "analyze/trace/index_policy.h"
#include "analyze/trace/spans.h"

#define WINDOWS_MAX 100000	/* limit of windows, because each has a profile */

/* Cuts each window into a series. At most one field is not 0. */
struct window_series {
	int64_t every_ns;	/* slices of this length, the last one shorter */
	uint64_t every_n;	/* number of instances or iterations in each window */
	uint64_t slices;	/* number of slices of equal length */
};

/* A window that is known without reading a text. */
struct window_between {
	struct window_span span; /* since the start of the run */
	bool shares;		 /* the span is in percent of the run times 10^9, not in ns */
};

struct window_options {
	const char *const *text;
	const struct window_between *between; /* instead of texts */
	size_t n;
	struct window_series series;
	const struct filter *only; /* selected processes; NULL: all */
	unsigned threads;	/* threads that search for instances in parallel */
	enum index_policy index;
	void (*tick)(void *to);	/* called now and then on the caller's thread during the search;
				 * may be NULL */
	void *tick_to;
};

#endif
