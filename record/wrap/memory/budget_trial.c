/* budget_trial.c: measures what the short way of a block takes, and registers what answers the recorder's budget. */
#include <stdlib.h>
#include "area.h"
#include "block.h"
#include "budget.h"
#include "budget_trial.h"
#include "kind.h"
#include "live.h"
#include "../now.h"
#include "real.h"
#include "sieve.h"
#include "tau.h"
#include "thread.h"

#define TRIAL_SIZE 40
#define TRIAL_CALLER 16	/* no address of code */

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
	struct memory_thread was = self;
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
	static const struct tau_memory_teller teller = {run, budget_slow, budget_track,
							budget_counted};

	if (!tau_memory_teller || heap_counted || ready < 3 || sieve_init(ours, bytes))
		return;
	budget_timed = getenv("TAU_RECORD_BUDGET") != NULL;
	tau_memory_teller(&teller);
}
