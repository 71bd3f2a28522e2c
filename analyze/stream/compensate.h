/*
 * compensate.h: what recording itself cost a stream, region by region, so that it can be taken from the times.
 *
 * A recorded call costs `inside` between the times of its enter and its leave, and `outside` in the region that made
 * it. So a clock that goes `outside` ahead just before an enter and `inside` just after it, and stands still otherwise,
 * shows between any two moments what recording cost there (and it goes ahead by the time in which a chunk was
 * stored); a second stack machine, played with that clock, yields for
 * regions, call paths and windows what is to be taken from the times of the first.
 */
#ifndef COMPENSATE_H
#define COMPENSATE_H

#include "analyze/stream/callstack.h"

struct compensator {
	struct callstack callstack;             /* its times are ps of cost */
	int64_t inside, outside, spread;	/* ps a call; spread: how much that may be wrong */
	int64_t folded;		/* ps of a folded call, its part inside included */
	int64_t now;		/* the clock */
	int on;			/* 0: nothing is known of the costs, or nobody asked */
};

/* Costs are in the metadata of the process that recorded (tau-trace(5)). */
void compensator_init(struct compensator *c, const struct trace_process *p, uint32_t region_n,
		      struct callstack_paths *paths);
void compensator_release(struct compensator *c);

void compensator_state(struct compensator *c, const struct event_state *s);
/* For so many ns nothing but recording went on. */
void compensator_pass(struct compensator *c, int64_t ns);
void compensator_play(struct compensator *c, const struct event_batch *b, size_t at, size_t n);
void compensator_begin(struct compensator *c);
void compensator_end(struct compensator *c);
void compensator_finish(struct compensator *c);

#endif
