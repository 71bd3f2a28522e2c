/*
 * window.h: time windows: which spans of time a text means in a given trace. The language is described in
 * tau-trace2profile(1), WINDOWS; how a text is read is in window_read.h.
 */
#ifndef WINDOW_H
#define WINDOW_H

#include "analyze/trace/filter.h"
#include "analyze/trace/spans.h"
#include "analyze/trace/index_policy.h"

#define WINDOWS_MAX 100000	/* more than anybody looks at, and a profile each */

/* Cuts each window into a series. At most one is not 0. */
struct window_series {
	int64_t every_ns;	/* slices of this length, the last one shorter */
	uint64_t every_n;	/* so many instances or iterations in each */
	uint64_t slices;	/* so many of equal length */
};

/* ERROR_USAGE: the text can mean no window, whatever the trace. */
int window_check(const char *text, struct error *e);

/* As it is written after --every: a time with its unit, or a number. ERROR_USAGE. */
int window_every(const char *text, struct window_series *out, struct error *e);

struct window_options {
	const char *const *text;
	size_t n;
	struct window_series series;
	const struct filter *only; /* processes that count; NULL: all */
	unsigned threads;	/* that look for instances side by side */
	enum index_policy index;
	void (*tick)(void *to);	/* called now and then on the caller's thread while they are looked for; may be NULL */
	void *tick_to;
};

/*
 * The windows that n texts are in a trace, in order; one text may be several. Region instances need a pass over the
 * lowest thread of each process. ERROR_INPUT: no such region or instance, or the end lies before the begin. ERROR_USAGE:
 * the text cannot be understood. On failure nothing is left to release.
 */
int windows_resolve(struct trace *t, const struct window_options *o, struct windows *out, struct error *e);
void windows_release(struct windows *w);

#endif
