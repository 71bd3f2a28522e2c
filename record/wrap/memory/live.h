/* live.h: the table of live blocks. */
#ifndef LIVE_H
#define LIVE_H

#include <stddef.h>
#include <stdint.h>

#include "hints.h"
#include "live_block.h"

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

extern uint16_t **live_regions;

int live_init(void);
/*
 * Enters a block. 1 = done; 2 = done, and *old is a block at the same address whose free was never seen;
 * 0 = no memory for the table.
 */
int live_put(const struct live_block *b, struct live_block *old);
/* Takes a block out; 0 when it is not there. */
int live_detach(uintptr_t address, struct live_block *out);
int live_find(uintptr_t address, struct live_block *out);
/* Is a block there that has no cell? */
int live_hashed(uintptr_t address);
/* Changes the node of a live block; 0 when it is not live. */
int live_retype(uintptr_t address, uint32_t node);
/* Calls f for every block, those with a cell first and in order; nothing may change meanwhile. Stops when f returns non-zero. */
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


#pragma GCC visibility pop
#endif
