/*
 * window.h: time windows: the spans of time that a text selects in a trace. tau-trace2profile(1),
 * WINDOWS, describes the language; window_read.h describes how a text is parsed.
 */
#ifndef WINDOW_H
#define WINDOW_H

#include "analyze/window/window_read.h"
#include "analyze/window/window_types.h"

/* ERROR_USAGE: the text is not a window in any trace. */
int window_check(const char *text, struct error *e);

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
