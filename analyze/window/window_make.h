/*
 * window_make.h: shared by the files that make windows: window.c decides what must be searched in a
 * trace, window_make.c and window_instances.c make the windows, window_cut.c cuts them into series.
 */
#ifndef WINDOW_MAKE_H
#define WINDOW_MAKE_H

#include "analyze/window/instances.h"
#include "analyze/window/window_read.h"
#include "analyze/window/window_types.h"

struct resolver {
	struct trace *trace;
	const struct window_options *options;
	struct instances_selected selected;
	struct names name;	/* of regions that are searched */
	size_t *slot;		/* by name */
	size_t slot_n, slot_cap;
	size_t *process;	/* the selected processes, and those whose instances define the
				 * windows of all */
	size_t process_n;
	struct instances *found;	/* by process; empty: it was not searched */
	struct error *error;	/* by process, while it is searched */
	struct windows *out;
};

/* Appends the windows of one text to x->out. Returns 0 or a negative code. */
int windows_append(struct resolver *x, const struct window_text *r, struct error *e);

/* ---- window_cut.c ---- */

/* One window before it is cut into a series; if it is cut, it has at most one span per process. */
struct window_base {
	const struct window_text *reading;
	struct window window;
	char *instance;		/* "solve#3" or "iter=3" if the window is one instance; NULL: it
				 * is not */
};

/* Adds the window, or its slices; takes over the content of b. */
int window_base_cut(struct resolver *x, struct window_base *b, struct error *e);
void window_base_release(struct window_base *b);

/* Adds a note about the window; takes over the text. */
void window_note(struct resolver *x, const struct window_text *r, char *text);
/* ERROR_INPUT: n additional windows are too many. */
int window_too_many(const struct resolver *x, const struct window_text *r, uint64_t n,
		    struct error *e);
/* Appends a span; adjacent spans become one. */
void window_span_add(struct window_spans *s, struct window_span span);
/* "817.665123ms", exactly. */
void window_time_text(char *out, size_t size, int64_t ns);

/* ---- window_instances.c ---- */

/* The instances or iterations that were found in a process, borrowed. */
const struct window_spans *window_found(const struct resolver *x, const struct window_text_of *of,
					size_t process);
/* The process of a rank. ERROR_INPUT: the trace has no such rank. */
int window_rank(const struct resolver *x, const struct window_text *r, int64_t rank, size_t *out,
		struct error *e);

/* Notes which loop was found. */
void window_note_loop(struct resolver *x, const struct window_text *r,
		      const struct window_text_of *of);
int windows_append_counted(struct resolver *x, const struct window_text *r, struct error *e);
int windows_append_phases(struct resolver *x, const struct window_text *r, struct error *e);

/* ---- window_snapshots.c ---- */

/*
 * From the start or a snapshot to a snapshot, in each process at its own times. Requires a pass
 * over the streams.
 */
int windows_append_snapshots(struct resolver *x, const struct window_text *r, struct error *e);

#endif
