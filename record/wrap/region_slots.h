/*
 * region_slots.h: a table from 64-bit keys (places in the code) to regions that threads share without a lock, for hooks.
 *
 * Open addressing; a key that is there stays. A region follows its key, so if it is 0, it is defined again.
 */
#ifndef WRAP_REGION_SLOTS_H
#define WRAP_REGION_SLOTS_H

#include <stddef.h>
#include <stdint.h>

#define REGION_SLOTS_TRIES 16

struct region_slot {
	uint64_t key;	 /* 0: free */
	uint32_t region; /* 0: not defined yet */
};

/* The slot of a key that is not 0, in a table of 2 to the power of `bits`; NULL: there is no room for it. */
static inline struct region_slot *region_slot_find(struct region_slot *slots, unsigned bits, uint64_t key)
{
	uint64_t at = key * 0x9e3779b97f4a7c15u >> (64 - bits);

	for (unsigned i = 0; i < REGION_SLOTS_TRIES; i++, at++) {
		struct region_slot *s = &slots[at & (((uint64_t)1 << bits) - 1)];
		uint64_t seen = __atomic_load_n(&s->key, __ATOMIC_ACQUIRE);

		if (!seen && __atomic_compare_exchange_n(&s->key, &seen, key, 0, __ATOMIC_ACQ_REL,
							 __ATOMIC_ACQUIRE))
			return s;
		if (seen == key)
			return s;
	}
	return NULL;
}

/* The region of a slot; 0: region_slot_set() must be called with it. */
static inline uint32_t region_slot_get(const struct region_slot *s)
{
	return __atomic_load_n(&s->region, __ATOMIC_RELAXED);
}

static inline void region_slot_set(struct region_slot *s, uint32_t region)
{
	__atomic_store_n(&s->region, region, __ATOMIC_RELAXED);
}

#endif
