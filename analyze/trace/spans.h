/* spans.h: the spans of time that windows of a trace are: per window, for all processes or for each of them. */
#ifndef SPANS_H
#define SPANS_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/base/note.h"

/* [begin, end) in ns; end INT64_MAX: not bounded. */
struct window_span {
	int64_t begin, end;
};
struct window_spans {
	struct window_span *v;	/* ascending, disjoint */
	size_t v_n, v_cap;
};

/* One window of a trace. */
struct window {
	char *text;		/* its name, which means the same window when it is read again if that can be */
	struct window_spans *of;	/* by process, or one for all of them */
	size_t of_n;
	int series;		/* one of several that the same text is */
};

struct windows {
	struct window *v;
	size_t v_n, v_cap;
	struct note *note; /* what the user should know of them: NOTE_WINDOW */
	size_t note_n, note_cap;
	size_t outside; /* number of texts outside of the run; a note reports it */
};

static inline const struct window_spans *window_spans(const struct window *w, size_t process)
{
	return &w->of[w->of_n == 1 ? 0 : process];
}

#endif
