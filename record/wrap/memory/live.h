/* live.h: the table of live blocks (live.c), and where those begin that it has when it takes in no more (sieve.c). */
#ifndef LIVE_H
#define LIVE_H

#include <stddef.h>
#include <stdint.h>

#include "hints.h"

#pragma GCC visibility push(hidden)

/*
 * Blocks on 16-byte boundaries that have a kind live in a shadow: one 16-bit cell for each 32 bytes
 * of address space, in regions that are mapped when first needed. A cell holds the kind, and which
 * of the two places in the 32 bytes. Only the thread that allocates or frees a block changes its
 * cell, so there is no lock. All other blocks, and the second in the same 32 bytes, live in hashed
 * shards with a lock each.
 */
#define LIVE_REGION_SHIFT 26
#define LIVE_CELL_SHIFT 5
#define LIVE_REGIONS (1u << (47 - LIVE_REGION_SHIFT))
#define LIVE_CELLS (1u << (LIVE_REGION_SHIFT - LIVE_CELL_SHIFT))

struct live_block {
	uintptr_t address;
	size_t size;
	uint32_t node;
	uint32_t kind;		/* 0 = none */
};
extern uint16_t **live_regions;

int live_init(void);
/*
 * Enters a block. 1 = done; 2 = done, and *old is a block at the same address whose free was never seen;
 * 0 = no memory for the table.
 */
int live_put(const struct live_block *b, struct live_block *old);
/* Takes a block out; 0 when it is not there. */
int live_take(uintptr_t address, struct live_block *out);
int live_find(uintptr_t address, struct live_block *out);
/* Is a block there that has no cell? */
int live_hashed(uintptr_t address);
/* Changes the node of a live block; 0 when it is not live. */
int live_retype(uintptr_t address, uint32_t node);
/* Calls f for every block; nothing may change meanwhile. Stops when f returns non-zero. */
int live_walk(int (*f)(void *arg, const struct live_block *b), void *arg);
/* Forgets every block. Only for the child of a fork, which has one thread. */
void live_clear(void);

/* NULL if no block can be at the address, or no region is mapped. */
static inline uint16_t *live_cell(uintptr_t address)
{
	uintptr_t turned = address >> 4 | address << 60; /* its low bits are on top */
	uint16_t *region;

	if (unlikely(turned >> (47 - 4)))
		return NULL;
	region = __atomic_load_n(&live_regions[address >> LIVE_REGION_SHIFT], __ATOMIC_ACQUIRE);
	return likely(region != NULL)
		       ? &region[(address >> LIVE_CELL_SHIFT) & (LIVE_CELLS - 1)]
		       : NULL;
}

static inline uint16_t live_cell_value(uintptr_t address, uint32_t kind)
{
	return (uint16_t)(kind << 1 | (address >> (LIVE_CELL_SHIFT - 1) & 1));
}

/* The kind of the block that a cell has at the address, 0: none there. */
static inline uint32_t live_cell_kind(const uint16_t *cell, uintptr_t address)
{
	uint32_t v = __atomic_load_n(cell, __ATOMIC_ACQUIRE);

	return likely((v & 1) == (address >> (LIVE_CELL_SHIFT - 1) & 1)) ? v >> 1 : 0;
}

static inline int live_known(uintptr_t address)
{
	const uint16_t *cell = live_cell(address);

	return (cell && live_cell_kind(cell, address)) || live_hashed(address);
}

/* ---- frees that need only one test (sieve.c) ---- */

#define SIEVE_GRAIN 16
#define SIEVE_WORDS (1u << 18)
/*
 * NULL while new blocks are entered in the table
 */
extern uint64_t *sieve;

/* ours: memory of `bytes` bytes in which a block may begin anywhere. */
int sieve_init(const char *ours, size_t bytes);
/* Adds all blocks of the table. All other threads are stopped. */
void sieve_make(void);
/* A block that is back in the table; one that has left it, before anybody else can have its address. */
void sieve_add(uintptr_t address);
void sieve_drop(uintptr_t address);
/* Blocks are entered again. Frees that have begun may still use the bits: they stay. */
void sieve_leave(void);
/* In the child of a fork. */
void sieve_forget(void);
/* The bits, before there is a sieve: none is set. */
uint64_t *sieve_words(void);

static inline uint64_t sieve_bit(uintptr_t address)
{
	return 1ull << (address / SIEVE_GRAIN % 64);
}

static inline uint64_t *sieve_word(uint64_t *words, uintptr_t address)
{
	return &words[address / SIEVE_GRAIN / 64 % SIEVE_WORDS];
}

static inline uint64_t *sieve_now(void)
{
	return __atomic_load_n(&sieve, __ATOMIC_ACQUIRE);
}

/* 0: no block of the table begins there. Mostly none does nearby. */
static inline int sieve_has(uint64_t *words, const void *p)
{
	uint64_t word = __atomic_load_n(sieve_word(words, (uintptr_t)p), __ATOMIC_RELAXED);

	return unlikely(word) && (word & sieve_bit((uintptr_t)p)) != 0;
}

#pragma GCC visibility pop
#endif
