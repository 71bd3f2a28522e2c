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
#include <stdlib.h>
#include <time.h>
#include "area.h"
#include "block.h"
#include "budget.h"
#include "kind.h"
#include "live.h"
#include "../now.h"
#include "real.h"
#include "sieve.h"
#include "tau.h"
#include "thread.h"

#define TRIAL_SIZE 40
#define TRIAL_CALLER 16	/* no address of code */
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

static uint64_t slow(uint64_t *blocks)
{
	const struct slot *s = self.slot;

	*blocks = s ? s->slow_n : 0;
	return s ? s->slow_ns : 0;
}

/* ---- blocks that are only counted ---- */

static void passing_begin(void)
{
	int wanted = PASSING_WANTED;
	struct slot *s;
	unsigned i;

	for (i = 0; (s = thread_slot(i)); i++)
		pending_flush(s);
	sieve_make();
	/* If not, a command has come meanwhile that enters blocks again. */
	if (!__atomic_compare_exchange_n(&passing, &wanted, PASSING, 0, __ATOMIC_SEQ_CST,
					 __ATOMIC_SEQ_CST))
		sieve_leave();
}

/*
 * Reports all pending blocks, then stops entering new ones. Does nothing while this thread has a
 * gate open, because others wait for that gate.
 */
int budget_stopped(void)
{
	if (passing == PASSING)
		return 1;
	if (ready < 3 || is_busy() || tau_inside() || (self.slot && self.slot->gate))
		return 0;
	busy_begin();
	thread_stop_all();
	if (passing == PASSING_WANTED)
		passing_begin();
	thread_resume_all();
	busy_end();
	return passing == PASSING;
}

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
static void track(int on, enum tau_memory_reason why)
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
	if (tau_look && !is_busy() && !(self.slot && self.slot->gate))
		tau_look();
}

static uint64_t passed(int all, uint64_t *bytes)
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

	return passed(1, &bytes) != 0;
}

/* What a command has switched off stays off. */
void budget_after_fork(void)
{
	reasons &= TAU_MEMORY_COMMAND;
	passing = reasons ? PASSING_WANTED : PASSING_NONE;
	sieve_forget();
}

/* ---- what the short way takes ---- */

static __attribute__((noinline)) int trial_new(size_t size)
{
	return pass_ahead(size);
}

static __attribute__((noinline)) int trial_free(uintptr_t p)
{
	return !sieve_has(sieve_words(), (const void *)p);
}

/*
 * The cost of n blocks that are only counted, their frees included. The first is not timed, because
 * its memory is not in the cache.
 */
static uint64_t run_passing(void *p, unsigned n)
{
	int (*const volatile call[2])(size_t) = {trial_new, trial_free};
	uint64_t begin = 0;

	for (unsigned i = 0; i <= n; i++) {
		if (!call[0](TRIAL_SIZE) || !call[1]((uintptr_t)p))
			return 0;
		if (i == 0)
			begin = now_ns();
	}
	return now_ns() - begin;
}

static uint64_t run_short(void *p, unsigned n)
{
	uint64_t begin = 0;

	for (unsigned i = 0; i <= n; i++) {
		if (!block_new_short(p, TRIAL_SIZE, TRIAL_CALLER, 0) || !block_free_short(p))
			return 0;
		__asm__ volatile("" ::: "memory");
		if (i == 0)
			begin = now_ns();
	}
	return now_ns() - begin;
}

/*
 * Runs with a slot and cells of its own, and a block at the end of the addresses that a program can
 * use, where no real block can be: no other thread touches it, and no walk over the table sees it.
 */
static uint64_t run(uint32_t block, unsigned n)
{
	static struct slot slot;
	const uint64_t hash = kind_hash(TRIAL_CALLER, TRIAL_SIZE);
	uint64_t *kind = &kind_cache[hash >> (64 - KIND_CACHE_BITS)], kind_was = *kind;
	uint16_t **region = &live_regions[LIVE_REGIONS - 1], *none = NULL;
	uint16_t *cells = area_map(LIVE_CELLS * sizeof(*cells));
	void *p = (void *)((uintptr_t)LIVE_REGIONS << LIVE_REGION_SHIFT) - 64;
	struct thread was = self;
	uint64_t took = 0;

	if (cells && __atomic_compare_exchange_n(region, &none, cells, 0, __ATOMIC_ACQ_REL,
						 __ATOMIC_ACQUIRE)) {
		self.slot = &slot;
		self.passed = slot.passed;
		self.closed = 0;
		if (block) {
			__atomic_store_n(kind, hash << KIND_CACHE_BITS | block, __ATOMIC_RELEASE);
			took = run_short(p, n);
			__atomic_store_n(kind, kind_was, __ATOMIC_RELEASE);
		} else {
			took = run_passing(p, n);
		}
		self = was;
		__atomic_store_n(region, NULL, __ATOMIC_RELEASE);
	}
	if (cells)
		area_unmap(cells, LIVE_CELLS * sizeof(*cells));
	return took;
}

void budget_init(const char *ours, size_t bytes)
{
	static const struct tau_memory_teller teller = {run, slow, track, passed};

	if (!tau_memory_teller || heap_counted || ready < 3 || sieve_init(ours, bytes))
		return;
	budget_timed = getenv("TAU_RECORD_BUDGET") != NULL;
	tau_memory_teller(&teller);
}
