/*
 * thread.h: the state of the calling thread that each record needs, in thread-local storage.
 *
 * `ready` is 0 while a thread is inside the recorder, so that a signal handler or an interposed function called from there
 * is not recorded.
 */
#ifndef THREAD_H
#define THREAD_H

#include "record/core/frame.h"
#include "record/core/stream.h"
#include "record/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ready {
	READY_BUSY = 0,			/* no stream yet, or inside the recorder */
	READY_OPEN = 1,			/* may record */
	READY_OFF = 2,			/* has written OFF; an ON record must come before anything else */
};

/* The live header holds where the next record goes and the time of the last one. */
struct thread {
	int ready;			/* enum ready */
	uint8_t shift;			/* 255: clock is CLOCK_MONOTONIC */
	bool ended;			/* its stream has been handed on */
	bool inherits;			/* in a forked child: its stream, and what is open, is its parent's */
	uint8_t *end;			/* what follows a record in column TIMES that begins here or later: chunk_reached() */
	uint8_t *full;			/* the chunk is full when such a record begins here; not before end */
	struct tau_live_header *live;
	struct frame *top, *frames_end;	/* next free frame; end of the array */
	uint64_t sp;			/* of what called the recorder, while it is busy with a record */
	const uint64_t *slots;
	struct local *local;
	size_t local_cap;
	uint8_t *args_end;		/* the chunk is full when column ARGS passes this */
	struct stream *stream;
	struct class_stack *classes;	/* open class allocations */
	int64_t *net;			/* block.c: of the stream */
	size_t net_cap;
	uint32_t memory_skip, memory_rest;	/* records of a burst that share a time; of these, still to come */
	int hidden;			/* tau_hide() depth */
	int hidden_ready;		/* what ready was before it */
	bool sample_held;		/* it believes that it blocks the signal of --sample */
	uint64_t out;			/* calls of excluded functions */
	uint64_t silent;		/* other calls that came to the hooks and were not recorded */
	uint32_t unseen;		/* calls of disabled regions, and folded ones: they write no record */
	uint64_t looked;		/* the tick when it looked for commands after a pause */
	uint32_t flushes;		/* of control.flushes, seen */
	int64_t own_read, own_written;	/* bytes that the recorder moved in it, which are none of the program's */
};
extern __thread struct thread self;

#endif
