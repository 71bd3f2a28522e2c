/* block.h: the life of a block: the short ways of a new and of a freed one, and what is reported about it. */
#ifndef BLOCK_H
#define BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "budget.h"
#include "kind.h"
#include "rule_table.h"
#include "sieve.h"
#include "tau.h"
#include "thread.h"

#pragma GCC visibility push(hidden)

/* Counters that end as metadata. */
struct memory_tally {
	uint64_t claims;	/* typed by content while the constructor was seen too: the two can be compared */
	uint64_t wrong;		/* of these, the constructor had said another class */
	uint64_t missed;	/* constructor seen, but the content did not show it */
	uint64_t unchecked;	/* typed by content, no constructor was seen */
	uint64_t lost_frees;	/* address came again without a free */
	uint64_t untracked;	/* no memory for the table, or a signal handler's that came between */
	uint64_t constructed;	/* constructors seen on whole blocks */
};
extern struct memory_tally tally;

static inline void tally_add(uint64_t *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* fresh: the content is not the program's yet. caller: an address in the code that asked. */
void block_new_slow(void *p, size_t size, uintptr_t caller, int fresh);
/* Takes a block out of the table and reports it as freed. 0 when it was not there. Before the real free. */
int block_gone(void *p, struct live_block *b);
/*
 * The same in two steps, for a call that may fail: the block is taken out before the call, so that no other thread
 * can get the address first; then it is reported as freed (gone), or put back unchanged. taken: what block_detach()
 * returned; 0: it was not in the table.
 */
int block_detach(void *p, struct live_block *b);
void block_detached(const struct live_block *b, int taken, int gone);
/* Whichever of block_gone and what goes while the recorder is at work in this thread it takes, if any. */
void block_free_slow(void *p);
/* A free while the recorder is at work in this thread: reported later, and nothing here waits. */
void block_gone_inside(void *p);

/*
 * Bytes that are live now (block.c). Exact if no other thread allocates meanwhile: each block of other threads is
 * included or not. If the heap is not counted the table is walked.
 */
uint64_t heap_bytes(void);
void heap_publish(void);	/* where others find the count, if there is one */

void recording_begin(void);
extern void (*recording_begun)(void);	/* called after it; NULL: nothing is */
void event_alloc(uint32_t node, size_t size, uint32_t kind);
void event_free(uint32_t node, size_t size, uint32_t kind);
void event_retype(uint32_t from, uint32_t to, size_t size, size_t n);
/* Enters the pending block of a slot that is held, and reports it. */
void pending_flush(struct slot *s);
/* Changes the type of a live block and reports it. */
void block_retype(uintptr_t address, size_t size, uint32_t from, uint32_t to);

/* While passing is not PASSING_NONE: 1: it is PASSING now. */
int blocks_stopped(void);

/* ---- the ways of a block that is new or freed ---- */

/* Was the block never entered, so that its end is not reported? */
static inline int block_is_unknown(const void *p)
{
	uint64_t *words = sieve_now();

	return words && (!sieve_has(words, p) || !live_known((uintptr_t)p));
}

/* The gate, for a block that shall enter the table. 0: it is not entered, and none shall any more. */
static inline int gate_enter_new(struct slot *s)
{
	gate_enter(s);
	if (likely(passing != PASSING))
		return 1;
	gate_leave(s);
	return 0;
}

/* The short ways where more is to be done, or less. 0: it must go the long way. */
int block_new_aside(void *p, size_t size, uintptr_t caller, int fresh);
int block_free_aside(void *p);

static inline void block_clear(void *p, size_t size)
{
	if (size >= sizeof(uintptr_t))
		*(volatile uintptr_t *)p = 0;
	if (unlikely(rule_n))
		rule_clear(p, size);
}

/*
 * The short way of a new block, where its kind is known and nothing pends in the thread. Its first word is cleared when its
 * content is not the program's yet, lest the class pointer of an earlier object in the same place be believed. 0: it must go
 * the long way.
 */
static inline int block_new_short(void *p, size_t size, uintptr_t caller, int fresh)
{
	uint16_t *cell;
	uint32_t kind;

	if (unlikely(self.closed || !p || size >= KIND_SIZE))
		return 0;
	kind = kind_find(caller, size);
	cell = live_cell((uintptr_t)p);
	if (unlikely(!kind || !cell || *cell))
		return 0;
	if (unlikely(!gate_enter_new(self.slot)))
		return 0;
	if (fresh)
		block_clear(p, size);
	if (likely(tau_block_alloc(kind)))
		*(volatile uint16_t *)cell = live_cell_value((uintptr_t)p, kind);
	gate_leave(self.slot);
	return 1;
}

static inline void block_add_in(void *p, size_t size, uintptr_t caller, int fresh)
{
	if (unlikely(self.caller))
		caller = self.caller;
	if (unlikely(!block_new_short(p, size, caller, fresh)))
		block_new_slow(p, size, caller, fresh);
}

/* Enters an allocated block, or only counts it; p may be NULL. */
static inline void block_new(void *p, size_t size, uintptr_t caller, int fresh)
{
	if (likely(!passing) || (passing != PASSING && !blocks_stopped()))
		block_add_in(p, size, caller, fresh);
	else if (p)
		pass(size);
}

/* 0: it must go the long way. */
static inline int block_free_short(void *p)
{
	uint16_t *cell;
	uint32_t kind;
	int done;

	if (unlikely(self.closed))
		return self.closed == CLOSED_ASIDE && block_free_aside(p);
	cell = live_cell((uintptr_t)p);
	if (unlikely(!cell))
		return 0;
	kind = live_cell_kind(cell, (uintptr_t)p);
	if (unlikely(kind - 1 >= KIND_DIRECT - 1))
		return 0;
	gate_enter(self.slot);
	done = tau_block_free(kind);
	if (likely(done))
		*(volatile uint16_t *)cell = 0;
	gate_leave(self.slot);
	return done;
}

static inline void block_free(void *p)
{
	if (unlikely(sieve_now() || !block_free_short(p)))
		block_free_slow(p);
}

#pragma GCC visibility pop
#endif
