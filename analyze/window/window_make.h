/*
 * window_make.h: what the files that make windows share: window.c knows what has to be looked for in a trace,
 * window_make.c and window_instances.c what windows it makes, window_cut.c cuts them into series.
 */
#ifndef WINDOW_MAKE_H
#define WINDOW_MAKE_H

#include "analyze/window/instances.h"
#include "analyze/window/window_read.h"

struct resolver {
	struct trace *trace;
	const struct window_options *options;
	struct instances_wanted wanted;
	struct names name;	/* of regions that are looked for */
	size_t *slot;		/* by name */
	size_t slot_n, slot_cap;
	size_t *process;	/* those that count, and those whose instances hold for all */
	size_t process_n;
	struct instances *found;	/* by process; empty: nothing was looked for there */
	struct error *error;	/* by process, while it is being looked through */
	struct windows *out;
};

/* The windows that one text is, appended to x->out. */
int windows_append(struct resolver *x, const struct reading *r, struct error *e);

/* ---- window_cut.c ---- */

/* One window before it is cut into a series: where it is cut it has at most one span in each process. */
struct window_base {
	const struct reading *reading;
	struct window window;
	char *instance;		/* "solve#3" or "iter=3" when it is that; NULL */
};

/* Adds the window, or its slices; takes over what b holds. */
int window_base_cut(struct resolver *x, struct window_base *b, struct error *e);
void window_base_release(struct window_base *b);

/* Takes the text: what is so of the window. */
void window_note(struct resolver *x, const struct reading *r, char *text);
/* ERROR_INPUT: with n windows more there are too many. */
int window_too_many(const struct resolver *x, const struct reading *r, uint64_t n, struct error *e);
/* Appends a span; spans that touch become one. */
void window_span_add(struct window_spans *s, struct window_span span);
/* "817.665123ms", exactly. */
void window_time_text(char *out, size_t size, int64_t ns);

/* ---- window_instances.c ---- */

/* What was found of what is counted, in a process. */
const struct window_spans *window_found(const struct resolver *x, const struct reading_of *of, size_t process);
/* The process of a rank. ERROR_INPUT: there is none. */
int window_rank(const struct resolver *x, const struct reading *r, int64_t rank, size_t *out, struct error *e);

/* Says which loop was found. */
void window_note_loop(struct resolver *x, const struct reading *r, const struct reading_of *of);
int windows_append_counted(struct resolver *x, const struct reading *r, struct error *e);
int windows_append_phases(struct resolver *x, const struct reading *r, struct error *e);

/* ---- window_snapshots.c ---- */

/* Up to a snapshot, or from one to another: in each process its own. Needs a pass over the streams. */
int windows_append_snapshots(struct resolver *x, const struct reading *r, struct error *e);

#endif
