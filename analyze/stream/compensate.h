/*
 * compensate.h: the least and the most that recording cost in one stream, by region, so that the
 * time without it is an interval:
 *
 *	measured - most <= without recording <= measured - least, and not below 0
 *
 * A call's cost depends on what the processor executes beside it, so there is no single value.
 *
 * A recorded call costs `inside` between the times of its enter and its leave, and `outside` in the
 * region that called it. So a clock that advances by `outside` just before an enter, by `inside`
 * just after it, and by the time in which the recorder stored a chunk, shows between any two
 * moments the cost of recording there. A second call stack that is played with that clock returns
 * the cost in regions, call paths and windows. There is such a clock for the least and for the most.
 */
#ifndef COMPENSATE_H
#define COMPENSATE_H

#include "analyze/stream/callstack.h"

enum compensator_limit { COMPENSATOR_LEAST, COMPENSATOR_MOST, COMPENSATOR_LIMITS };

struct cost_clock {
	struct callstack callstack;	/* its times are ps of cost */
	int64_t inside, outside;	/* ps per call */
	int64_t folded;		/* ps per folded call, including its part inside */
	int64_t inside_first, outside_first, folded_first; /* the same when the process started */
	int64_t now;		/* the clock, in ps; it never goes back, and stops at 26 days */
};

struct compensator {
	struct cost_clock limit[COMPENSATOR_LIMITS];
	int64_t first;		/* ps: the cost of a call that was measured when the process
				 * started; those of states replace it */
	int on;			/* 0: the costs are unknown, or it is all 0 because compensation was
				 * not requested */
};

/*
 * Reads the costs from the metadata of the process that recorded (tau-trace(5)). paths: shared with
 * the call stack of the times.
 */
void compensator_init(struct compensator *c, const struct trace_process *p, uint32_t region_n,
		      struct callstack_paths *paths);
void compensator_release(struct compensator *c);

/* The following functions do nothing if c is not on. */
/* Applies a state, with the costs from there on. */
void compensator_state(struct compensator *c, const struct event_state *s);
/* For this time, in ns, the thread only recorded. */
void compensator_pass(struct compensator *c, int64_t ns);
/* Plays the events [at, at + n) of a batch. */
void compensator_play(struct compensator *c, const struct event_batch *b, size_t at, size_t n);
/* As those of the call stack, at the time of the clock. */
void compensator_begin(struct compensator *c);
void compensator_end(struct compensator *c);
void compensator_finish(struct compensator *c);

#endif
