/*
 * spans.h: the spans of time of which the windows of a trace consist: per window, the same for all
 * processes or one list per process.
 */
#ifndef SPANS_H
#define SPANS_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/base/note.h"

/* [begin, end) in ns; end INT64_MAX: without a limit. */
struct window_span {
	int64_t begin, end;
};
struct window_spans {
	struct window_span *v;	/* ascending, disjoint */
	size_t v_n, v_cap;
};

/* One window of a trace. */
struct window {
	char *text;		/* its name; where possible, reading it again as text gives the
				 * same window */
	struct window_spans *of;	/* by process, or one list for all processes */
	size_t of_n;
	int series;		/* one of several windows that one text selects */
};

struct windows {
	struct window *v;
	size_t v_n, v_cap;
	struct note *note; /* what the user should know about the windows: NOTE_WINDOW */
	size_t note_n, note_cap;
	size_t outside; /* number of texts that select only time outside of the run; a note
			 * reports it */
};

/* The spans of the window in a process. */
static inline const struct window_spans *window_spans(const struct window *w, size_t process)
{
	return &w->of[w->of_n == 1 ? 0 : process];
}

#endif
