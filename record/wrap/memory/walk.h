/* walk.h: walks the stack of the calling thread. */
#ifndef WALK_H
#define WALK_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define WALK_MOST 127
#define WALK_RANGES 4
#define WALK_SLACK 24
#define WALK_FRAMES (WALK_MOST + 16 + 2 * WALK_SLACK)
#define WALK_SEARCHES 256 /* a thread that runs on more stacks than that is known by call sites only */

static inline uint64_t stack_hash(uint64_t outer, uintptr_t pc)
{
	return (outer ^ pc) * 0x9e3779b97f4a7c15ULL;
}

struct walk_range {
	uintptr_t low, high;
};
struct walk_registers {
	uintptr_t pc, sp, fp; /* after a call */
};
/* A frame that was walked, and where it has what it hands out: its end, the frame pointer and the return address; 0: nowhere. */
struct walk_frame {
	struct walk_registers registers;
	uintptr_t end_at, fp_at, pc_at;
};
/* The last walk of a thread. */
struct walk {
	uintptr_t tls; /* its thread pointer */
	unsigned searches;
	uint32_t generation;
	uintptr_t high; /* end of the stack that it was on */
	int whole;	/* the outermost frame was reached */
	int cut;	/* there was no end of it */
	int same;	/* as the one before */
	unsigned n;
	uintptr_t pc[WALK_FRAMES]; /* outermost first */
	uint64_t hash[WALK_FRAMES]; /* of each with those before it */
	uintptr_t caller;
	struct stack *stack; /* what it was taken for, with this caller */
	struct walk_range range[WALK_RANGES];
	struct walk_frame frame[WALK_FRAMES], fresh[WALK_FRAMES];
};

int walk_init(void);
/*
 * Walks from those registers on, for at least `least` frames if there are that many. 1: all is as after the last
 * walk.
 */
int walk(struct walk *w, struct walk_registers r, size_t least);
/* What was worked out about code is no longer true. */
void walk_forget(void);
void walk_unlock(void);

#pragma GCC visibility pop
#endif
