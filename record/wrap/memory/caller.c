/*
 * caller.c: the node of an untyped block by the code or the call stack that allocated it.
 *
 * A cache leads from the page of the code to the node: segments begin on pages, so one page has one library.
 */
#include <errno.h>
#include "area.h"
#include "caller.h"
#include "hints.h"
#include "kind.h"
#include "library.h"
#include "node.h"
#include "stack.h"
#include "walk.h"

#define CACHE_BITS 12
#define CACHE (1u << CACHE_BITS)
#define SITE_BITS 14
#define SITES (1u << SITE_BITS)
#define SITES_MANY 256 /* a process with that many call sites has most pages of their cache */
#define GONE 16 /* ranges of addresses of what is unloaded at once */
#define PAGE_BITS 15 /* pages of code, by their lowest bits */

int sites;
/* page << 24 | generation << 16 | node, so that one load answers. A node has 16 bits, a user page 35. */
static uint64_t cache[CACHE];
static uint32_t generation;
/* address << 16 | node, if call sites are distinguished. A user address has 47 bits. */
static uint64_t site_cache[SITES];
/* The places in site_cache that have been set, perhaps more than once each. More than SITES: any. */
static uint16_t site_used[SITES];
static uint32_t site_used_n;
/*
 * Pages of code that have allocated. Most components that MPI unloads never have, and the caches need not be searched for them.
 */
static uint8_t page_used[1u << (PAGE_BITS - 3)];

static void page_use(uintptr_t address)
{
	uint32_t page = address >> 12 & ((1u << PAGE_BITS) - 1);

	__atomic_fetch_or(&page_used[page >> 3], (uint8_t)(1u << (page & 7)), __ATOMIC_RELEASE);
}

/* A return address may be the first after the code. */
static int is_used(const struct code_gone *gone)
{
	uintptr_t page = gone->begin >> 12, last = gone->end >> 12;

	if ((last - page) >> PAGE_BITS)
		return 1;
	for (; page <= last; page++)
		if (__atomic_load_n(&page_used[page >> 3 & (sizeof(page_used) - 1)],
				    __ATOMIC_ACQUIRE) >> (page & 7) & 1)
			return 1;
	return 0;
}

static void site_set(uint64_t *slot, uint64_t value)
{
	uint32_t n;

	if (!*slot) {
		n = __atomic_load_n(&site_used_n, __ATOMIC_RELAXED);
		if (n <= SITES)
			n = __atomic_fetch_add(&site_used_n, 1, __ATOMIC_RELAXED);
		if (n == SITES_MANY)
			area_fill(site_cache, sizeof(site_cache));
		if (n < SITES)
			__atomic_store_n(&site_used[n], (uint16_t)(slot - site_cache),
					 __ATOMIC_RELAXED);
	}
	__atomic_store_n(slot, value, __ATOMIC_RELEASE);
}

static void sites_forget(const struct code_gone *gone, size_t n)
{
	uint32_t used = __atomic_load_n(&site_used_n, __ATOMIC_ACQUIRE), i;
	int all = used > SITES;

	for (i = 0; i < (all ? SITES : used); i++) {
		uint64_t *slot = &site_cache[all ? i : site_used[i]],
			 v = __atomic_load_n(slot, __ATOMIC_RELAXED);

		if (v && range_has(gone, n, (v >> 16) - 1))
			__atomic_store_n(slot, 0, __ATOMIC_RELEASE);
	}
}

int callers_forget(const struct library_segments *before)
{
	struct code_gone gone[GONE];
	size_t all = segments_drop(before, gone, GONE), n = 0, i;

	for (i = 0; i < all; i++)
		if (stacks || is_used(&gone[i]))
			gone[n++] = gone[i];
	if (!n)
		return all > 0;
	__atomic_fetch_add(&generation, 1, __ATOMIC_ACQ_REL);
	sites_forget(gone, n);
	kind_forget_callers(gone, n);
	stacks_forget();
	walk_forget();
	return 1;
}

static inline unsigned cache_slot(uint64_t page)
{
	return (unsigned)(page * 0x9e3779b97f4a7c15ULL >> (64 - CACHE_BITS));
}

static uint32_t page_node_slow(uintptr_t address)
{
	int e = errno;
	uint64_t g = __atomic_load_n(&generation, __ATOMIC_ACQUIRE) & 0xff;
	uint64_t page = (address >> 12) & 0xffffffffffULL;
	uint32_t node = node_get(NODE_UNTYPED, library_of(address), 0);

	page_use(address);
	if (node && node <= UINT16_MAX)
		__atomic_store_n(&cache[cache_slot(page)], page << 24 | g << 16 | node,
				 __ATOMIC_RELEASE);
	errno = e;
	return node;
}

static uint32_t page_node(uintptr_t address)
{
	uint64_t g = __atomic_load_n(&generation, __ATOMIC_RELAXED) & 0xff;
	uint64_t page = (address >> 12) & 0xffffffffffULL;
	uint64_t v = __atomic_load_n(&cache[cache_slot(page)], __ATOMIC_ACQUIRE);

	return likely(v >> 16 == (page << 8 | g)) ? (uint32_t)(v & 0xffff)
						  : page_node_slow(address);
}

static uint32_t site_node(uintptr_t address)
{
	uint64_t *slot = &site_cache[address * 0x9e3779b97f4a7c15ULL >> (64 - SITE_BITS)],
		 v = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	uint32_t node;
	int e;

	if (likely(v >> 16 == address))
		return (uint32_t)(v & 0xffff);
	e = errno;
	page_use(address);
	node = node_get_at(NODE_UNTYPED, library_of(address - 1), 0, address,
			   library_place(address - 1));
	if (node <= UINT16_MAX)
		site_set(slot, (uint64_t)address << 16 | node);
	errno = e;
	return node;
}

uint32_t caller_node(uintptr_t address)
{
	if (unlikely(sites))
		return site_node(address);
	return page_node(address);
}

uint32_t caller_stack_node(struct stack *s)
{
	uint32_t node = __atomic_load_n(&s->node, __ATOMIC_RELAXED);

	if (likely(node))
		return node;
	node = node_get_at(NODE_UNTYPED, library_of(s->pc[s->n - 1] - 1), 0, (uintptr_t)s,
			   library_place(s->pc[s->n - 1] - 1));
	__atomic_store_n(&s->node, node, __ATOMIC_RELAXED);
	return node;
}
