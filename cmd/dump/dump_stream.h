/* dump_stream.h: prints one stream of our own format, record by record. */
#ifndef DUMP_STREAM_H
#define DUMP_STREAM_H

#include "analyze/window/window.h"
#include "cmd/shared/option.h"

enum dump_show {
	SHOW_FILES = 1,
	SHOW_CHUNKS = 2,
	SHOW_DEFINITIONS = 4,
	SHOW_SNAPSHOTS = 8,
	SHOW_RECORDS = 16,
	SHOW_INDEX = 32,
	SHOW_ALL = 63
};

/*
 * Prints what `show` selects (enum dump_show) of a stream whose trace is a run of ours, as far as it is inside the span. 0, or the code
 * of an error that it has printed.
 */
int dump_stream(const struct program *program, struct trace *t, const struct trace_stream *s,
		unsigned show, struct window_span span);

#endif
