/* lock_record.c: numbers for the locks that threads wait for. */
#include "lock_record.h"

#include <errno.h>
#include <stdint.h>

#include "tau.h"

#define SLOTS 4096 /* locks with a number of their own, at most; a power of two */
#define LOOKS 16   /* slots in which a lock may be */

static struct lock_slot {
	uintptr_t lock; /* 0: free; never changed afterwards */
	uint32_t id;    /* 0: not known yet */
} slots[SLOTS];

/* The slot of a lock; NULL: all its slots are occupied. */
static struct lock_slot *slot_of(uintptr_t lock)
{
	size_t first = (size_t)((uint64_t)lock * 0x9e3779b97f4a7c15u >> 40);

	for (size_t i = 0; i < LOOKS; i++) {
		struct lock_slot *s = &slots[(first + i) % SLOTS];
		uintptr_t there = __atomic_load_n(&s->lock, __ATOMIC_RELAXED);

		if (!there && __atomic_compare_exchange_n(&s->lock, &there, lock, 0,
							  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return s;
		if (there == lock)
			return s;
	}
	return NULL;
}

/* Threads that wait at once for a lock without a number may give it several, which name the same lock. */
static uint32_t number_of(const char *kind, const void *lock, const void *site)
{
	struct lock_slot *s = slot_of((uintptr_t)lock);
	uint32_t id = s ? __atomic_load_n(&s->id, __ATOMIC_RELAXED) : 0;

	if (id)
		return id;
	if (!s)
		return tau_lock(kind, NULL, NULL);
	id = tau_lock(kind, lock, site ? (const char *)site - 1 : NULL);
	__atomic_store_n(&s->id, id, __ATOMIC_RELAXED);
	return id;
}

void lock_record(const char *kind, const void *lock, int holder, const void *site)
{
	int saved = errno;

	tau_trigger(number_of(kind, lock, site), holder);
	errno = saved;
}
