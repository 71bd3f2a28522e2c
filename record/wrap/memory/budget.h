/* budget.h: what blocks cost, and the end of recording new ones. */
#ifndef BUDGET_H
#define BUDGET_H

#include <stddef.h>
#include <stdint.h>

#include "hints.h"
#include "tau.h"
#include "thread.h"

#pragma GCC visibility push(hidden)

enum passing { PASSING_NONE, PASSING_WANTED, PASSING };
extern volatile int passing;	/* new blocks are counted and not taken in, or are to be soon */
/* Was a block not taken in? */
int budget_passed(void);
extern int budget_timed;	/* the long way is timed */
void budget_after_fork(void);
/* As in struct tau_memory_teller. */
uint64_t budget_slow(uint64_t *blocks);
void budget_track(int on, enum tau_memory_reason why);
uint64_t budget_counted(int all, uint64_t *bytes);
void pass_slow(size_t size);

#define PASS_LOOKS 1023 /* one of 1,024 blocks that are only counted looks for commands */
void pass_look(void);

/* 0: it is not counted yet, and the long way has to do it. */
static inline int pass_short(size_t size)
{
	uint64_t *passed = self.passed;

	if (unlikely(!passed || is_busy()))
		return 0;
	passed[0] += 1;
	__asm__ volatile("" ::: "memory"); /* two steps are less than one of a vector */
	passed[1] += size;
	if (unlikely(!(passed[0] & PASS_LOOKS)))
		pass_look();
	return 1;
}

/* A new block while passing is PASSING: it is counted. */
static inline void pass(size_t size)
{
	if (unlikely(!pass_short(size)))
		pass_slow(size);
}

/*
 * Counts a block that is still to be allocated, so that nothing has to be kept around the real call. One that is so small and yet finds
 * no memory counts, too. 0: it is not counted, and is to be once it is there.
 */
#define PASS_AHEAD 4096
static inline int pass_ahead(size_t size)
{
	return likely(size < PASS_AHEAD) && likely(pass_short(size));
}

/* CPU time of the thread, in ns; a walk over all blocks has used it since. */
uint64_t budget_cpu(void);
void budget_walked(uint64_t cpu_begin);
uint64_t budget_begin(void);
void budget_end(uint64_t begin);

#pragma GCC visibility pop
#endif
