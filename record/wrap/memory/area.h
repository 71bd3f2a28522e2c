/* area.h: memory of the wrapper itself, and its locks. */
#ifndef AREA_H
#define AREA_H

#include <stddef.h>
#include <sys/single_threaded.h>

#include "hints.h"

#pragma GCC visibility push(hidden)

/* Zeroed pages, address space only until touched; NULL when there are none. Keeps errno. */
void *area_map(size_t bytes);
void area_unmap(void *area, size_t bytes);
/* Of an area that will be written throughout: its pages at once, which costs less than a fault for each. Keeps what is in them. */
void area_fill(void *area, size_t bytes);
/* A few bytes that are never given back: names, small arrays. NULL when there is no memory. */
void *area_bytes(size_t bytes);

/* In the child of a fork. */
void area_unlock(void);

void lock_wait(int *lock);

/* While the process has one thread the lock costs a store: pthread_create is where that ends, and none is held there. */
static inline void lock_acquire(int *lock)
{
	if (__libc_single_threaded) {
		*(volatile int *)lock = 1;
		return;
	}
	if (unlikely(__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE)))
		lock_wait(lock);
}

static inline int lock_try(int *lock)
{
	return !__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE);
}

static inline void lock_release(int *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

#pragma GCC visibility pop
#endif
