/*
 * trace_write.h: the writers of traces, and what they share. Each takes a trace of any format and a window; each leaves its
 * whole result at `to`, or nothing.
 */
#ifndef TRACE_WRITE_H
#define TRACE_WRITE_H

#include "analyze/window/window.h"
#include "convert/io/whole_file.h"

/* What a target cannot hold, besides events of whole kinds, counted while writing. */
enum loss {
	LOSS_OPEN, LOSS_METRIC, LOSS_PATH, LOSS_BYTES, LOSS_TEXT, LOSS_THREAD, LOSS_LIVE, LOSS_NAN, LOSS_OFFSET, LOSS_NAMES, LOSS_INNER, LOSSES
};
struct write_options {
	uint64_t streams;	/* out: number of streams written */
	const struct filter *only;      /* selected ranks and threads; NULL: all */
	/* by process; end <= begin: exclude the process. NULL: everything */
	const struct window_span *span;
	const int64_t *begin;	/* ns, by stream: in place of that of its process's span; NULL */
	/* of our own format: records of a chunk, at most; 0: the default */
	uint32_t chunk_records;
	uint64_t loss[LOSSES];
	uint64_t lost[EVENT_KINDS];	/* events that the target cannot hold */
};

/* "3 of this, 5 of that" of what got lost; NULL: nothing. Free it. */
char *write_losses(const struct write_options *o);

/* Counts the stacks of allocations, for targets that hold none. */
void write_paths_lost(const struct trace *t, struct write_options *o);

/* ERROR_INPUT when no stream had anything to write, otherwise 0: what every writer ends with. */
int write_nothing(const struct trace *t, const struct write_options *o, struct error *e);

/*
 * Is a stream without events written? Not with a window or a selection of regions, which may
 * exclude all its events.
 */
int write_idle(const struct write_options *o);

/* The window of a stream's process; 0: the stream is excluded. */
int write_span(const struct trace *t, const struct write_options *o, uint32_t stream, struct window_span *out);

/* The writers: one file for each format. */
int native_write(struct trace *t, const char *to, struct write_options *o, struct error *e);
int otf2_write(struct trace *t, const char *to, struct write_options *o, struct error *e);
int json_write(struct trace *t, const char *to, struct write_options *o, struct error *e);
int csv_write(struct trace *t, const char *to, struct write_options *o, struct error *e);

#endif
