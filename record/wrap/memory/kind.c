/* kind.c: kinds of blocks, each a node and a size, and the cache from who asks for how much to the kind. */
#include <string.h>
#include "area.h"
#include "class.h"
#include "hints.h"
#include "kind.h"
#include "library.h"
#include "node.h"
#include "tau.h"

#define HASH_FIRST 4096	/* always a power of two */

struct kind *kinds;
uint64_t *kind_cache;
/*
 * A hash of kinds, 0 = free. A larger one replaces it when half is used, as that of nodes: what is
 * looked up for each block should be in few pages. The smaller stays, because other threads may be
 * searching there; they search again with the lock.
 */
struct kind_hash {
	uint32_t mask, used;
	uint16_t at[];
};
static struct kind_hash *hash;
static uint32_t kind_n = KIND_DIRECT, direct_n = 1; /* the next of each */
static int kind_lock;
/* The slots of kind_cache that have been set, perhaps more than once each. More than CACHE_USED: any. */
#define CACHE_USED 16384u
static uint16_t cache_used[CACHE_USED];
static uint32_t cache_used_n;
#define KINDS_MANY 512	/* a process with that many has most pages of the tables that are hashed */

static struct kind_hash *hash_new(uint32_t size)
{
	struct kind_hash *h = area_map(sizeof(*h) + size * sizeof(*h->at));

	if (h)
		h->mask = size - 1;
	return h;
}

int kind_init(void)
{
	if (!kinds)
		kinds = area_map(KIND_MAX * sizeof(*kinds));
	if (!hash)
		hash = hash_new(HASH_FIRST);
	if (!kind_cache && kinds && hash)
		kind_cache = area_map(sizeof(*kind_cache) << KIND_CACHE_BITS);
	return kinds && hash && kind_cache ? 0 : -1;
}

static uint32_t place(const struct kind_hash *h, uint32_t node, uint32_t size)
{
	return (uint32_t)(((uint64_t)node << 32 | size) * 0x9e3779b97f4a7c15ULL >> 40) & h->mask;
}

/* The kind, or 0 and the free slot where it belongs in *at. */
static uint32_t find(const struct kind_hash *h, uint32_t *at, uint32_t node, uint32_t size)
{
	uint32_t k;

	*at = place(h, node, size);
	for (; (k = __atomic_load_n(&h->at[*at], __ATOMIC_ACQUIRE)); *at = (*at + 1) & h->mask)
		if (kinds[k].node == node && kinds[k].size == size)
			return k;
	return 0;
}

/* The lock is held. Room for one more kind? A kind that another one has replaced has no place. */
static int hash_grow(void)
{
	struct kind_hash *larger;
	uint32_t i, at;

	if (hash->used <= hash->mask / 2)
		return 1;
	larger = hash_new(2 * (hash->mask + 1));
	if (!larger)
		return hash->used < hash->mask;
	larger->used = hash->used;
	for (i = 0; i <= hash->mask; i++) {
		const struct kind *k = &kinds[hash->at[i]];

		if (!hash->at[i])
			continue;
		for (at = place(larger, k->node, k->size); larger->at[at];
		     at = (at + 1) & larger->mask)
			;
		larger->at[at] = hash->at[i];
	}
	__atomic_store_n(&hash, larger, __ATOMIC_RELEASE);
	return 1;
}

static void last_set(uint32_t kind)
{
	const struct kind *k = &kinds[kind];

	__atomic_store_n(&nodes[k->node].kind_of_size, (uint32_t)k->size << 16 | kind,
			 __ATOMIC_RELAXED);
}

/* The lock is held. It takes the place of the kind that is there, if there is one. */
static uint32_t make(uint32_t node, uint32_t size, uint32_t *next, uint32_t end)
{
	uint32_t k, at;

	if (*next == end || !hash_grow())
		return 0;
	hash->used += !find(hash, &at, node, size);
	k = (*next)++;
	kinds[k] = (struct kind){ .node = node, .size = (uint16_t)size };
	if (unlikely(k == KIND_DIRECT + KINDS_MANY))
		area_fill(kind_cache, sizeof(*kind_cache) << KIND_CACHE_BITS);
	__atomic_store_n(&hash->at[at], k, __ATOMIC_RELEASE);
	last_set(k);
	return k;
}

uint32_t kind_get(uint32_t node, size_t size)
{
	uint32_t last = __atomic_load_n(&nodes[node].kind_of_size, __ATOMIC_RELAXED), at, k;

	if (size >= KIND_SIZE)
		return 0;
	if (last >> 16 == size && last & 0xffff)
		return last & 0xffff;
	k = find(__atomic_load_n(&hash, __ATOMIC_ACQUIRE), &at, node, (uint32_t)size);
	if (likely(k)) {
		last_set(k);
		return k;
	}
	lock_acquire(&kind_lock);
	k = find(hash, &at, node, (uint32_t)size);
	if (!k)
		k = make(node, (uint32_t)size, &kind_n, KIND_MAX);
	lock_release(&kind_lock);
	return k;
}

unsigned library_of_node(uint32_t node)
{
	const struct node *n = &nodes[node];

	return n->kind == NODE_UNTYPED ? n->id : classes[n->id].library;
}

/* A kind that came again gets a number of the recorder's, if the next of both is the same. */
static uint32_t make_direct(uint32_t kind)
{
	struct kind k = kinds[kind];
	uint32_t memtype = node_memtype(k.node), direct = 0, at, now;

	lock_acquire(&kind_lock);
	now = find(hash, &at, k.node, k.size);
	if (now != kind)
		direct = now;	/* another thread was faster */
	else if (direct_n < KIND_DIRECT && tau_block(memtype, k.size) == direct_n)
		direct = make(k.node, k.size, &direct_n, KIND_DIRECT);
	lock_release(&kind_lock);
	return direct;
}

static void slot_set(uint32_t slot, uint64_t value)
{
	if (!kind_cache[slot]) {
		uint32_t n = __atomic_fetch_add(&cache_used_n, 1, __ATOMIC_RELAXED);

		if (n < CACHE_USED)
			__atomic_store_n(&cache_used[n], (uint16_t)slot, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&kind_cache[slot], value, __ATOMIC_RELEASE);
}

uint32_t kind_seen(uint32_t kind, uintptr_t caller, int text)
{
	const struct node *n = &nodes[kinds[kind].node];
	uint64_t h = kind_hash(caller, kinds[kind].size);

	if (kind >= KIND_DIRECT) {
		if (kinds[kind].seen == 2)
			return kind;
		kinds[kind].seen++;
		if (kinds[kind].seen < 2 || n->kind != NODE_UNTYPED || n->owner ||
		    (library_get(n->id)->flags && !text))
			return kind;
		kind = make_direct(kind) ?: kind;
		if (kind >= KIND_DIRECT)
			return kind;
	}
	slot_set((uint32_t)(h >> (64 - KIND_CACHE_BITS)), h << KIND_CACHE_BITS | kind);
	return kind;
}

/* Whose blocks a slot of the cache is for: kind_hash() the other way round. */
static uintptr_t slot_caller(uint32_t slot, uint64_t value)
{
	uint64_t h = (uint64_t)slot << (64 - KIND_CACHE_BITS) | value >> KIND_CACHE_BITS;

	return (uintptr_t)(h * 0xf1de83e19937733dULL & ((1ull << 47) - 1));
}

/* Calls f for each slot that is set; those for which it returns non-zero are cleared. */
static void slots_clear(int (*f)(const void *of, uint32_t slot, uint64_t value), const void *of)
{
	uint32_t n = __atomic_load_n(&cache_used_n, __ATOMIC_ACQUIRE), i, slot;
	int all = n > CACHE_USED;

	for (i = 0; i < (all ? 1u << KIND_CACHE_BITS : n); i++) {
		uint64_t v;

		slot = all ? i : __atomic_load_n(&cache_used[i], __ATOMIC_RELAXED);
		v = __atomic_load_n(&kind_cache[slot], __ATOMIC_ACQUIRE);
		if (v && f(of, slot, v))
			__atomic_store_n(&kind_cache[slot], 0, __ATOMIC_RELEASE);
	}
}

struct codes_gone {
	const struct code_gone *at;
	size_t n;
};

static int is_of_ranges(const void *of, uint32_t slot, uint64_t value)
{
	const struct codes_gone *r = of;

	return range_has(r->at, r->n, slot_caller(slot, value) - 1);
}

void kind_forget_callers(const struct code_gone *gone, size_t n)
{
	slots_clear(is_of_ranges, &(struct codes_gone){gone, n});
}

static int is_of_library(const void *of, uint32_t slot, uint64_t value)
{
	(void)slot;
	return library_of_node(kinds[value & (KIND_MAX - 1)].node) == *(const unsigned *)of;
}

void kind_of_classes(unsigned library)
{
	uint32_t k, fresh, n, at;

	lock_acquire(&kind_lock);
	for (k = 1, n = direct_n; k < n; k++) {
		if (library_of_node(kinds[k].node) != library ||
		    find(hash, &at, kinds[k].node, kinds[k].size) != k)
			continue;
		fresh = make(kinds[k].node, kinds[k].size, &kind_n, KIND_MAX);
		if (fresh)
			kinds[fresh].seen = 2;
	}
	lock_release(&kind_lock);
	slots_clear(is_of_library, &library);
}

void kind_unlock(void)
{
	kind_lock = 0;
}
