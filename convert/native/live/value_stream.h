/*
 * value_stream.h: a stream of values of a process that is being recorded, which a program outside writes into the run. As with the
 * recorder's own, what was put is in the run at once, and readers may read it meanwhile.
 */
#ifndef VALUE_STREAM_H
#define VALUE_STREAM_H

#include <stdint.h>
#include <sys/types.h>

#include "analyze/base/base.h"

struct value_stream;
/* Whose stream it is, and its clock, as in the other files of the process. */
struct value_stream_of {
	const char *directory, *files; /* of the run; how the names of the process's files begin */
	const char *label;
	uint64_t process_id, ticks_hz, start_tick;
	uint32_t pid, stream;
	uint8_t clock, shift;
	mode_t mode; /* of the file */
};

enum value_kind { VALUE_LEVEL = 0, VALUE_COUNT = 1, VALUE_CONTEXT = 2 }; /* enum tau_event_flag */

/* Creates its files; it begins at that time. NULL: they cannot be created. */
struct value_stream *value_stream_new(const struct value_stream_of *of, uint64_t tick, struct error *e);
/* The time by its clock. */
uint64_t value_stream_now(const struct value_stream *s);
/* A value at a time that is not before that of the last one. */
void value_stream_put(struct value_stream *s, uint64_t tick, enum value_kind kind, const char *name, double value);
/* Metadata of the process. */
void value_stream_meta(struct value_stream *s, const char *name, const char *value);
/* 0, or the code in *e: a chunk could not be written, and nothing is written any more. */
int value_stream_failed(const struct value_stream *s, struct error *e);
/* Completes and releases it. NULL is permitted. Returns as value_stream_failed(). */
int value_stream_close(struct value_stream *s, struct error *e);

#endif
