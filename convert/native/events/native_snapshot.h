/* native_snapshot.h: what holds when a chunk begins. */
#ifndef NATIVE_SNAPSHOT_H
#define NATIVE_SNAPSHOT_H

#include "convert/io/bytes.h"
#include "convert/native/native_run.h"

/*
 * Snapshot at the head of a chunk's arguments. Returns 0, or -1 when it is damaged: then *state holds a part. rest: the
 * arguments after it. state->metric: receives the values of a chunk with metrics, by metric of the trace; NULL: there are none.
 * Arrays of *state grow; the caller frees them.
 */
int native_snapshot(const struct native_stream *s, const struct native_clock *clock,
		    const struct native_columns *c, struct event_state *state, struct bytes *rest);

#endif
