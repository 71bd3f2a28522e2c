/*
 * thread.h: the state of the calling thread that each record needs, in thread-local storage.
 *
 * `ready` is 0 while a thread is inside the recorder, so that a signal handler or an interposed function called from there
 * is not recorded.
 */
#ifndef THREAD_H
#define THREAD_H

#include "record/base/gate.h"
#include "record/base/stream.h"
#include "record/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ready {
	READY_BUSY = 0,			/* no stream yet, or inside the recorder */
	READY_OPEN = 1,			/* may record */
	READY_OFF = 2,			/* has written OFF; an ON record must come before anything else */
};

/* The live header contains the address of the next record and the time of the last one. */
struct thread {
	int ready;			/* enum ready */
	uint8_t shift;			/* 255: clock is CLOCK_MONOTONIC */
	bool ended;			/* the thread has given up its stream */
	bool inherits;			/* in a forked child: its stream and its open regions are its parent's */
	uint8_t *end;			/* after a record in column TIMES that begins here or later, chunk_reached() is called */
	uint8_t *full;			/* the chunk is full if a record begins here or later; not before `end` */
	struct tau_live_header *live;
	struct frame *top, *frames_end;	/* next free frame; end of the array */
	uint64_t sp;			/* stack pointer of the recorder's caller, while a record is being written */
	const uint64_t *slots;
	struct local *local;
	size_t local_cap;
	uint8_t *args_end;		/* the chunk is full when column ARGS passes this */
	struct stream *stream;
	struct class_stack *classes;	/* open class allocations */
	int64_t *net;			/* block.c: of the stream */
	size_t net_cap;
	uint32_t memory_skip, memory_rest;	/* records of a burst that share a time; those not yet written */
	int hidden;			/* tau_hide() depth */
	int hidden_ready;		/* value of `ready` before tau_hide() */
	uint32_t signals_blocked;	/* sections between signals_block() and signals_restore() */
	uint32_t timer;			/* cpu_timer.h; 0: the thread has none */
	uint32_t timer_change;		/* of process.sample_changes, when it began */
	uint64_t timer_cpu;		/* CPU time of the thread then, ns */
	bool sample_held;		/* the program has blocked the signal of --sample, as far as it can see */
	uint64_t out;			/* calls of excluded functions */
	uint64_t silent;		/* other calls that reached the hooks and were not recorded */
	uint32_t unseen;		/* calls of disabled regions, and folded calls: they write no record */
	uint64_t looked;		/* the tick of its last look for commands after a pause */
	uint32_t request, requests;	/* number of the last request; how many more the thread may number */
	uint32_t flushes;		/* value of control.flushes that this thread has followed */
	uint32_t attach_failed, attach_wait;	/* failures to get a stream; events until the next try */
	int64_t own_read, own_written;	/* bytes that the recorder read and wrote in it, which are not the program's */
};
extern __thread struct thread self;

/* Does this thread have a stack of open regions? */
static inline bool thread_recording(void)
{
	return tau_gate.value != GATE_STRANGER && self.live && tau_gate.value != GATE_FORKED &&
	       tau_gate.value != GATE_DEAD;
}

#endif
