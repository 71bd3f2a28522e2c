/*
 * window.h: the language of time windows: what a text means, and which spans of time it is in a given trace.
 * The language is described in tau-trace2profile(1), WINDOWS.
 */
#ifndef WINDOW_H
#define WINDOW_H

#include "trace.h"

enum window_point_kind {
	POINT_OPEN,		/* left out */
	POINT_TIME,		/* value: ns since the start of the run */
	POINT_SHARE,		/* value: percent of the run, times 10^9 */
	POINT_REGION,		/* an instance of a region: its enter as begin, its leave as end */
};

struct window_point {
	enum window_point_kind kind;
	int64_t value;
	char *region;		/* as written, without "#..." */
	uint64_t instance;	/* counted from 1; 0: all of them */
	int64_t rank;		/* whose instance; -1: each process its own */
};

struct window {
	char *text;
	struct window_point begin, end;
	int single;		/* a region alone: begin and end are the same instance, or all instances */
};

/* ERROR_USAGE: it cannot be understood. Does not look at a trace. */
int window_parse(const char *text, struct window *out, struct error *e);
void window_release(struct window *w);

/* [begin, end) in ns; end INT64_MAX: not bounded. */
struct window_span {
	int64_t begin, end;
};
struct window_spans {
	struct window_span *v;	/* ascending, disjoint */
	size_t v_n, v_cap;
};

/*
 * What the windows are in each process: out[process * n + window], allocated here. Region instances need a pass
 * over the streams that hold them. ERROR_INPUT: no such region or instance, or the end lies before the begin.
 */
int window_resolve(struct trace *t, const struct window *w, size_t n, struct window_spans **out, struct error *e);
void window_spans_free(struct window_spans *s, size_t n);

#endif
