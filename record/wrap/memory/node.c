/* node.c: types as small numbers, each a class, a slab of a class or a library's untyped memory, and who owns it. */
#include "area.h"
#include "class.h"
#include "format.h"
#include "library.h"
#include "node.h"
#include "stack.h"
#include "tau.h"

#define OWNERS_MAX 6	/* deeper chains name their nearest owner only */
#define HASH_FIRST 4096	/* always a power of two */

struct node *nodes;
static uint32_t node_n = 1;
/*
 * A hash of node numbers, 0 = free; entries never change once set. A larger one replaces it when half is used: pages that are not
 * needed cost more than copying. The smaller stays, because other threads may be searching there; they search again with the lock.
 */
struct node_hash {
	uint32_t mask;
	uint32_t at[];
};
static struct node_hash *hash;
static uint32_t node_most = NODE_USUAL;
static int node_lock;

static struct node_hash *hash_new(uint32_t size)
{
	struct node_hash *h = area_map(sizeof(*h) + size * sizeof(*h->at));

	if (h)
		h->mask = size - 1;
	return h;
}

int node_init(void)
{
	if (!nodes)
		nodes = area_map(NODE_MAX * sizeof(*nodes));
	if (!hash)
		hash = hash_new(HASH_FIRST);
	return nodes && hash ? 0 : -1;
}

void node_room(void)
{
	node_most = NODE_MAX;
}

static uint64_t node_mix(unsigned kind, unsigned id, uint32_t owner, uintptr_t site, uint32_t place)
{
	return (((uint64_t)owner << 20 | id << 2 | kind) ^ (uint64_t)site << 17 ^
		(uint64_t)place << 24) *
		       0x9e3779b97f4a7c15ULL >>
	       40;
}

/* The lock is held. Room for one more node? */
static int hash_grow(void)
{
	struct node_hash *larger;
	uint32_t n, at;

	if (node_n <= hash->mask / 2)
		return 1;
	larger = hash_new(2 * (hash->mask + 1));
	if (!larger)
		return 0;
	for (n = 1; n < node_n; n++) {
		const struct node *k = &nodes[n];

		at = (uint32_t)node_mix(k->kind, k->id, k->owner, k->site, k->place);
		for (at &= larger->mask; larger->at[at]; at = (at + 1) & larger->mask)
			;
		larger->at[at] = n;
	}
	__atomic_store_n(&hash, larger, __ATOMIC_RELEASE);
	return 1;
}

/* 0: *at is the free slot where it belongs. */
static uint32_t node_find(const struct node_hash *h, uint32_t *at, unsigned kind, unsigned id,
			  uint32_t owner, uintptr_t site, uint32_t place)
{
	uint32_t n;

	*at = (uint32_t)node_mix(kind, id, owner, site, place) & h->mask;
	for (; (n = __atomic_load_n(&h->at[*at], __ATOMIC_ACQUIRE)); *at = (*at + 1) & h->mask)
		if (nodes[n].kind == kind && nodes[n].id == id && nodes[n].owner == owner &&
		    nodes[n].site == site && nodes[n].place == place)
			return n;
	return 0;
}

uint32_t node_get(unsigned kind, unsigned id, uint32_t owner)
{
	return node_get_at(kind, id, owner, 0, 0);
}

uint32_t node_change(uint32_t node, unsigned kind, unsigned id, uint32_t owner)
{
	uint32_t last = __atomic_load_n(&nodes[node].changed, __ATOMIC_RELAXED);

	if (last && nodes[last].kind == kind && nodes[last].id == id && nodes[last].owner == owner)
		return last;
	last = node_get_at(kind, id, owner, nodes[node].site, nodes[node].place);
	__atomic_store_n(&nodes[node].changed, last, __ATOMIC_RELAXED);
	return last;
}

uint32_t node_get_at(unsigned kind, unsigned id, uint32_t owner, uintptr_t site, uint32_t place)
{
	uint32_t at, n;
	int room;

	if (owner && nodes[owner].depth >= OWNERS_MAX)
		owner = node_get(nodes[owner].kind, nodes[owner].id, 0);
	n = node_find(__atomic_load_n(&hash, __ATOMIC_ACQUIRE), &at, kind, id, owner, site, place);
	if (n)
		return n;
	lock_acquire(&node_lock);
	room = node_n < node_most && hash_grow();
	n = node_find(hash, &at, kind, id, owner, site, place);
	if (!n && room) {
		n = node_n++;
		nodes[n] = (struct node){
			.kind = kind,
			.id = id,
			.owner = owner,
			.depth = owner ? nodes[owner].depth + 1 : 0,
			.site = site,
			.place = place,
		};
		__atomic_store_n(&hash->at[at], n, __ATOMIC_RELEASE);
	}
	lock_release(&node_lock);
	/* Full: the type without its site or owner is still right, and the first node is better
	 * than none. */
	if (!n)
		n = site ? node_get(kind, id, owner) : owner ? node_get(kind, id, 0) : 1;
	return n;
}

static const uint8_t family_written[] = {
	[FAMILY_OPAL] = TAU_FAMILY_OPAL,     [FAMILY_PMIX] = TAU_FAMILY_PMIX,
	[FAMILY_CXX] = TAU_FAMILY_CXX,	     [FAMILY_PYTHON] = TAU_FAMILY_PYTHON,
	[FAMILY_RULE] = TAU_FAMILY_RULE,
};

uint32_t node_define(uint32_t node, unsigned flags)
{
	const struct node *n = &nodes[node];
	uint32_t owner = n->owner ? node_memtype(n->owner) : 0;
	const struct class *c = &classes[n->kind == NODE_CLASS || n->kind == NODE_SLAB ? n->id : 0];
	struct stack *stack = stacks && n->kind != NODE_VARIABLE ? (struct stack *)n->site : NULL;
	uint32_t number = stack ? stack_number(stack) : 0;
	uintptr_t site = stack ? stack->pc[stack->n - 1] : n->site;

	if (n->kind == NODE_VARIABLE)
		return tau_memtype_in(n->site ? (const char *)n->site : "", 0,
				      TAU_MEM_FAMILY(TAU_FAMILY_VARIABLE) | flags, 0,
				      library_get(n->id)->name, 0, 0, 0);
	if (n->kind == NODE_UNTYPED)
		return tau_memtype_in("untyped", owner, TAU_MEM_UNTYPED | flags, 0,
				      library_get(n->id)->name, site, number, n->place);
	if (c->family == FAMILY_CXX)
		flags |= TAU_MEM_MANGLED;
	flags |= TAU_MEM_CLASS | (n->kind == NODE_SLAB ? TAU_MEM_SLAB : 0) |
		 TAU_MEM_FAMILY(family_written[c->family]);
	return tau_memtype_in(c->name, owner, flags, c->size,
			      c->library ? library_get(c->library)->name : NULL, site, number,
			      n->place);
}

uint32_t node_memtype_slow(uint32_t node)
{
	uint32_t m = node_define(node, 0);

	__atomic_store_n(&nodes[node].memtype, m, __ATOMIC_RELAXED);
	return m;
}

void node_forget_memtypes(void)
{
	uint32_t n;

	node_lock = 0;
	for (n = 1; n < node_n; n++)
		nodes[n].memtype = 0;
}
