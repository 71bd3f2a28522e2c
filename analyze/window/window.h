/*
 * window.h: time windows: the spans of time that a text selects in a trace. tau-trace2profile(1),
 * WINDOWS, describes the language; window_read.h describes how a text is parsed.
 */
#ifndef WINDOW_H
#define WINDOW_H

#include "analyze/trace/filter.h"
#include "analyze/trace/spans.h"
#include "analyze/trace/index_policy.h"

#define WINDOWS_MAX 100000	/* limit of windows, because each has a profile */

/* Cuts each window into a series. At most one field is not 0. */
struct window_series {
	int64_t every_ns;	/* slices of this length, the last one shorter */
	uint64_t every_n;	/* number of instances or iterations in each window */
	uint64_t slices;	/* number of slices of equal length */
};

/* ERROR_USAGE: the text is not a window in any trace. */
int window_check(const char *text, struct error *e);

/*
 * Parses the argument of --every into out, which is all 0: a time with its unit, or a number.
 * ERROR_USAGE: it is neither.
 */
int window_every(const char *text, struct window_series *out, struct error *e);

struct window_options {
	const char *const *text;
	size_t n;
	struct window_series series;
	const struct filter *only; /* selected processes; NULL: all */
	unsigned threads;	/* threads that search for instances in parallel */
	enum index_policy index;
	void (*tick)(void *to);	/* called now and then on the caller's thread during the search;
				 * may be NULL */
	void *tick_to;
};

/*
 * Makes the windows for n texts in a trace, in order; one text may be several windows. Instances of
 * regions require a pass over the lowest thread of each process. ERROR_INPUT: there is no such
 * region or instance, or the end is before the begin. ERROR_USAGE: the text cannot be parsed, or a
 * series cannot cut it because it has several spans. Errors of reading are possible, too. On
 * failure there is nothing to release; otherwise release out.
 */
int windows_resolve(struct trace *t, const struct window_options *o, struct windows *out, struct error *e);
/* The same, but if all of the windows are outside of the run, this is ERROR_INPUT, too. */
int windows_resolve_inside(struct trace *t, const struct window_options *o, struct windows *out, struct error *e);
void windows_release(struct windows *w);

#endif
