/*
 * moments.h: what a picture of threads over time shows besides regions: marks, times in which nothing was recorded, and ends by a signal.
 */
#ifndef MOMENTS_H
#define MOMENTS_H

#include "analyze/trace/spans.h"
#include "analyze/trace/trace.h"

enum moment_kind {
	MOMENT_MARK,	 /* of a command */
	MOMENT_SNAPSHOT, /* of the program, for a snapshot of its profile */
	MOMENT_OFF,	 /* recording was off */
	MOMENT_LOST,	 /* events were lost at some time of this span */
	MOMENT_SIGNAL,	 /* a signal ended the process */
	MOMENT_KINDS
};

struct stream_moment {
	enum moment_kind kind;
	uint32_t stream;	/* SIGNAL: the first one of its process */
	uint32_t name;		/* MARK, SNAPSHOT: event with its name; else TRACE_NONE */
	int64_t number;		/* MARK, SNAPSHOT: its number; LOST: events; SIGNAL: its number, 0: unknown; OFF: 0 */
	int64_t begin, end;	/* ns; the same for a moment without length. OFF can begin before the window and end after it */
};

struct stream_moments {
	struct stream_moment *v;	/* ascending begin, then stream */
	size_t v_n, v_cap;
};

#define MOMENTS_MOST 4000000 /* of a stream; later ones are not read */

/*
 * Reads those that touch the span of their process (NULL: all) in the streams that `wanted` selects (by stream; NULL: all). Streams in which
 * there can be none are not read, from others what is in the span: if events were lost in one, from its begin. 0, or an error of reading.
 * Release m in any case.
 */
int moments_read(struct stream_moments *m, struct trace *t, const struct window_span *span, const char *wanted, unsigned threads,
		 struct error *e);
void moments_release(struct stream_moments *m);

#endif
