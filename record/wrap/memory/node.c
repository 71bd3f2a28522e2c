/* node.c: types as small numbers, each a class, a slab of a class or a library's untyped memory, and who owns it. */
#include "area.h"
#include "class.h"
#include "format.h"
#include "library.h"
#include "node.h"
#include "stack.h"
#include "tau.h"

#define OWNERS_MAX 6	/* deeper chains name their nearest owner only */

struct node *nodes;
static uint32_t node_n = 1;
static uint32_t *hash;	/* of node numbers, 0 = free; entries never change once set */
static uint32_t hash_mask = NODE_USUAL * 2 - 1;
static uint32_t node_most = NODE_USUAL;
static int node_lock;

int node_init(void)
{
	if (!nodes)
		nodes = area_map(NODE_MAX * sizeof(*nodes));
	if (!hash)
		hash = area_map((hash_mask + 1ul) * sizeof(*hash));
	return nodes && hash ? 0 : -1;
}

static uint32_t node_hash(unsigned kind, unsigned id, uint32_t owner, uintptr_t site,
			  uint32_t place)
{
	uint64_t h = (((uint64_t)owner << 20 | id << 2 | kind) ^ (uint64_t)site << 17 ^
		      (uint64_t)place << 24) *
		     0x9e3779b97f4a7c15ULL;

	return (uint32_t)(h >> 40) & hash_mask;
}

int node_room(void)
{
	uint32_t *larger, n, at, mask = NODE_MAX * 2 - 1;

	if (node_most == NODE_MAX)
		return 0;
	larger = nodes ? area_map((mask + 1ul) * sizeof(*larger)) : NULL;
	if (!larger)
		return -1;
	hash_mask = mask;
	for (n = 1; n < node_n; n++) {
		at = node_hash(nodes[n].kind, nodes[n].id, nodes[n].owner, nodes[n].site,
			       nodes[n].place);
		while (larger[at])
			at = (at + 1) & mask;
		larger[at] = n;
	}
	hash = larger;
	node_most = NODE_MAX;
	return 0;
}

static uint32_t node_find(uint32_t *at, unsigned kind, unsigned id, uint32_t owner, uintptr_t site,
			  uint32_t place)
{
	uint32_t n;

	for (; (n = __atomic_load_n(&hash[*at], __ATOMIC_ACQUIRE)); *at = (*at + 1) & hash_mask)
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

	if (owner && nodes[owner].depth >= OWNERS_MAX)
		owner = node_get(nodes[owner].kind, nodes[owner].id, 0);
	at = node_hash(kind, id, owner, site, place);
	n = node_find(&at, kind, id, owner, site, place);
	if (n)
		return n;
	lock_acquire(&node_lock);
	n = node_find(&at, kind, id, owner, site, place);
	if (!n && node_n < node_most) {
		n = node_n++;
		nodes[n] = (struct node){
			.kind = kind,
			.id = id,
			.owner = owner,
			.depth = owner ? nodes[owner].depth + 1 : 0,
			.site = site,
			.place = place,
		};
		__atomic_store_n(&hash[at], n, __ATOMIC_RELEASE);
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
