/*
 * pool.h: memory of the wrapper's own, mapped and never taken from the program's heap.
 *
 * Blocks come in powers of two from 64 bytes on; freed ones wait in a list of their size. Nothing
 * is given back to the system. Safe in any thread.
 */
#ifndef TAU_WRAP_MPI_POOL_H
#define TAU_WRAP_MPI_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "own/own.h"

void *pool_get(size_t bytes);             /* zeroed; NULL when there is no memory */
void pool_put(void *block, size_t bytes); /* bytes as passed to pool_get(); block may be NULL */

/* A lock that is held for a few instructions. */
static inline void spin_lock(uint32_t *lock)
{
	while (__builtin_expect(__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE), 0))
		while (__atomic_load_n(lock, __ATOMIC_RELAXED))
			cpu_pause();
}

static inline void spin_unlock(uint32_t *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

#endif
