/*
 * budget.c: stops entering new blocks, for --budget or a command from outside, and enters them
 * again; for --budget it measures the cost of a block on the short path and the time of those that
 * took the long one.
 *
 * While none are entered, new blocks are only counted. The table keeps the blocks from before, less those that
 * are freed: the ones that are still live, exactly. After that the frees of blocks that were
 * only counted find nothing in the table, and are not recorded. Pointers in blocks that are not in
 * the table are not followed, so what leads to a block is no longer known.
 *
 * The heap meter requires every block: if the heap is counted, neither can stop the wrapper.
 */
#include <time.h>
#include "budget.h"
#include "../now.h"
#include "real.h"
#include "sieve.h"
#include "tau.h"
#include "thread.h"

#define TIMED_EACH 16
#define TIMED_MOST 20000 /* ns: what takes longer was interrupted */

volatile int passing;
static unsigned reasons;	/* enum tau_memory_reason: why new blocks are not entered */
int budget_timed;

/* ---- the long way, timed now and then ---- */

uint64_t budget_begin(void)
{
	struct slot *s = self.slot;

	return s && !is_busy() && s->slow_n++ % TIMED_EACH == 0 && tau_active() ? now_ns() : 0;
}

void budget_end(uint64_t begin)
{
	uint64_t took = begin ? now_ns() - begin : 0;

	if (begin && took < TIMED_MOST)
		self.slot->slow_ns += took * TIMED_EACH;
}

void budget_walked(uint64_t cpu_begin)
{
	if (budget_timed && self.slot)
		self.slot->slow_ns += budget_cpu() - cpu_begin;
}

uint64_t budget_cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t budget_slow(uint64_t *blocks)
{
	const struct slot *s = self.slot;

	*blocks = s ? s->slow_n : 0;
	return s ? s->slow_ns : 0;
}

/* ---- blocks that are only counted ---- */

/* The first block of a thread, or one after its last. */
void pass_slow(size_t size)
{
	struct slot *s = self.slot;

	if (is_busy())
		return;
	busy_begin();
	s = s ? s : thread_slot_slow();
	if (s != slots)
		self.passed = s->passed;
	busy_end();
	__atomic_add_fetch(&s->passed[0], 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&s->passed[1], size, __ATOMIC_RELAXED);
}

static void passing_change(int from, int to)
{
	__atomic_compare_exchange_n(&passing, &from, to, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/*
 * The sieve is left first: once a block is entered, no free may miss it. Those that run still have
 * the bits of all blocks that were in the table before.
 */
void budget_track(int on, enum tau_memory_reason why)
{
	if (!on)
		__atomic_fetch_or(&reasons, why, __ATOMIC_SEQ_CST);
	else if (__atomic_fetch_and(&reasons, ~(unsigned)why, __ATOMIC_SEQ_CST) != why)
		return;
	if (on) {
		passing_change(PASSING_WANTED, PASSING_NONE);
		if (passing == PASSING) {
			sieve_leave();
			passing_change(PASSING, PASSING_NONE);
		}
	}
	/* Other threads may give another reason at the same time. */
	if (__atomic_load_n(&reasons, __ATOMIC_SEQ_CST))
		passing_change(PASSING_NONE, PASSING_WANTED);
}

/* Lets the recorder execute commands in a program that allocates only. */
void pass_look(void)
{
	if (tau_commands_run && !is_busy() && !(self.slot && self.slot->gate))
		tau_commands_run();
}

uint64_t budget_counted(int all, uint64_t *bytes)
{
	uint64_t n = 0;
	struct slot *s;
	unsigned i;

	*bytes = 0;
	for (i = 0; (s = thread_slot(i)); i++) {
		if (!all && s != self.slot)
			continue;
		n += __atomic_load_n(&s->passed[0], __ATOMIC_RELAXED);
		*bytes += __atomic_load_n(&s->passed[1], __ATOMIC_RELAXED);
	}
	return n;
}

int budget_passed(void)
{
	uint64_t bytes;

	return budget_counted(1, &bytes) != 0;
}

/* What a command has switched off stays off. */
void budget_after_fork(void)
{
	reasons &= TAU_MEMORY_COMMAND;
	passing = reasons ? PASSING_WANTED : PASSING_NONE;
	sieve_forget();
}
