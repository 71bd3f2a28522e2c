/* look_carry.h: what open calls have spent before the part of a run that a look reads, so that each call counts once in sums of squares. */
#ifndef LOOK_CARRY_H
#define LOOK_CARRY_H

#include "analyze/stream/squares.h"
#include "analyze/trace/trace.h"

/* By thread. Zero it first. */
struct look_carry {
	struct names thread;
	struct squares_carry *v;
	size_t v_n, v_cap;
};

/* By stream of this look, for replay_options.carry; what it holds stays with x. */
struct squares_carry *look_carry_begin(struct look_carry *x, const struct trace *t);
/* Keeps what the replay has left in it, and frees it. */
void look_carry_end(struct look_carry *x, const struct trace *t, struct squares_carry *by_stream);
void look_carry_release(struct look_carry *x);

#endif
