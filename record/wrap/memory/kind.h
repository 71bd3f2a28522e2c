/* kind.h: what most blocks are: a node and a size, as a small number. */
#ifndef KIND_H
#define KIND_H

#include <stddef.h>
#include <stdint.h>

#include "format.h"
#include "hints.h"

#pragma GCC visibility push(hidden)

/*
 * A kind is a node and a size: all that is known of most blocks, in 15 bits. A kind that came twice, and whose blocks
 * need no inspection, becomes direct: its number is the recorder's number for it, and kind_cache finds it by caller
 * and size.
 */
#define KIND_MAX 32768u		/* kinds are 1 ... KIND_MAX - 1 */
#define KIND_DIRECT (TAU_BLOCK_MAX + 1u)	/* those below this one are direct */
#define KIND_SIZE 16384u	/* blocks of this size and more have none */
#define KIND_CACHE_BITS 15

struct kind {
	uint32_t node;
	uint16_t size, seen;	/* seen: 2 = it has been tried to make it direct */
};
extern struct kind *kinds;
extern uint64_t *kind_cache;

int kind_init(void);
/* The kind, made when it is new; 0: there is no room, or the blocks are too large. */
uint32_t kind_get(uint32_t node, size_t size);
/* A block of that kind was allocated by `caller`, text: for characters. Returns the kind that it has from now on. */
uint32_t kind_seen(uint32_t kind, uintptr_t caller, int text);
/* What was cached about these n ranges of code is no longer true. */
struct code_gone;
void kind_forget_callers(const struct code_gone *gone, size_t n);
/* A library has classes after all: its blocks are looked into from now on. */
void kind_of_classes(unsigned library);
/* In the child of a fork. */
void kind_unlock(void);
/* The library of the code that allocated the blocks of an untyped node, or that defines the class of another one. */
unsigned library_of_node(uint32_t node);

/*
 * The cache is exact: the product of (size, caller), which is 64 bits, with an odd number is one to one; its upper 15
 * bits choose the slot, its other 49 bits are stored in the slot, above the kind.
 */
static inline uint64_t kind_hash(uintptr_t caller, size_t size)
{
	return ((uint64_t)caller | (uint64_t)size << 47) * 0x9e3779b97f4a7c15ULL;
}

/* 0: not there. size < KIND_SIZE. */
static inline uint32_t kind_find(uintptr_t caller, size_t size)
{
	uint64_t h = kind_hash(caller, size);
	uint64_t k = __atomic_load_n(&kind_cache[h >> (64 - KIND_CACHE_BITS)], __ATOMIC_ACQUIRE) ^
		     h << KIND_CACHE_BITS;

	return likely(k < KIND_MAX) ? (uint32_t)k : 0;
}

#pragma GCC visibility pop
#endif
