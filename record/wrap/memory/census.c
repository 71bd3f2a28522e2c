/*
 * census.c: the walk over all live blocks at the entry of finalize, and the numbers about it.
 *
 * The component libraries, and the class descriptors in them, are unloaded later, so this is the last moment at which
 * everything can be typed. All gates are taken: other threads wait at their next call.
 */
#include <stdio.h>
#include <string.h>
#include "area.h"
#include "block.h"
#include "budget.h"
#include "census.h"
#include "class.h"
#include "kind.h"
#include "library.h"
#include "live.h"
#include "metadata.h"
#include "node.h"
#include "stack.h"
#include "tau.h"
#include "thread.h"
#include "slab.h"

#define HEAD_WORDS 64	/* inspected for classes that were not registered */

struct count {
	struct census *c;
	size_t n;
};

static int count_one(void *arg, const struct live_block *b)
{
	(void)b;
	((struct count *)arg)->n++;
	return 0;
}

static int collect_one(void *arg, const struct live_block *b)
{
	struct count *k = arg;

	if (k->c->n == k->n)
		return 1;
	k->c->at[k->c->n++] = (struct census_block){
		.address = b->address,
		.size = b->size,
		.node = b->node,
		.now = b->node,
		.kind = b->kind,
		.library = library_of_node(b->node),
	};
	return 0;
}

/* Heap sort: no memory, no worst case, and qsort may allocate. */
static void sift(struct census_block *at, size_t i, size_t n)
{
	struct census_block t = at[i];
	size_t child;

	while ((child = 2 * i + 1) < n) {
		child += child + 1 < n && at[child + 1].address > at[child].address;
		if (at[child].address <= t.address)
			break;
		at[i] = at[child];
		i = child;
	}
	at[i] = t;
}

static void sort(struct census_block *at, size_t n)
{
	size_t i;

	for (i = n / 2; i-- > 0;)
		sift(at, i, n);
	for (i = n; i-- > 1;) {
		struct census_block t = at[0];

		at[0] = at[i];
		at[i] = t;
		sift(at, 0, i);
	}
}

#define PAGE_BITS 12
#define PAGES	  4096u

/* Those in the regions of the table are in order already, and come before the others. */
void census_sort(struct census *c)
{
	struct census_block *at = c->at, *rest;
	size_t n = c->n, i, k, bytes;

	if (n < UINT32_MAX)
		c->page = area_map(PAGES * sizeof(*c->page));
	for (i = 1; i < n && at[i - 1].address <= at[i].address; i++)
		;
	if (i >= n)
		return;
	k = n - i;
	bytes = k * sizeof(*rest);
	rest = area_map(bytes);
	sort(rest ? at + i : at, rest ? k : n);
	if (!rest)
		return;
	memcpy(rest, at + i, bytes);
	while (k) {
		if (i && at[i - 1].address > rest[k - 1].address)
			at[--n] = at[--i];
		else
			at[--n] = rest[--k];
	}
	area_unmap(rest, bytes);
}

static void check(unsigned seen, unsigned constructed)
{
	tally.claims++;
	tally.missed += !seen;
	tally.wrong += seen && seen != constructed;
}

/* Types what is still untyped, and checks what a constructor has typed against what the block now holds. */
static void type_one(struct read_window *w, struct census_block *b)
{
	struct node n = nodes[b->node];
	uint64_t head[HEAD_WORDS] = { 0 };
	size_t bytes = b->size < sizeof(head) ? b->size : sizeof(head);
	int runtime = library_get(b->library)->flags != 0;
	unsigned class;

	if (b->size < 16 || (n.kind == NODE_UNTYPED && !runtime && b->size >= class_largest + 16))
		return;
	if (census_read_block(head, b, 0, bytes) != bytes)
		return;
	class = class_discover(head, b->size);
	if (n.kind == NODE_CLASS) {
		if (classes[n.id].family < FAMILIES)
			check(class, n.id);
	} else if (class_fits(class, b->size)) {
		b->now = node_change(b->node, NODE_CLASS, class, n.owner);
		tally.unchecked++;
	} else if (b->size >= SLAB_SMALLEST && runtime) {
		class_discover_words(head, HEAD_WORDS, b->size);
		class = slab_class(w, b->address, b->size);
		if (n.kind == NODE_SLAB) {
			check(class, n.id);
		} else if (class) {
			b->now = node_change(b->node, NODE_SLAB, class, n.owner);
			tally.unchecked++;
		}
	}
}

static void type_all(struct census *c)
{
	struct read_window *w = window_new();
	size_t i;

	if (!w)
		return;
	for (i = 0; i < c->n; i++)
		type_one(w, &c->at[i]);
	window_free(w);
}

/* Blocks of one size that go from one type to another: they are reported together. */
struct moved {
	size_t size;
	uint32_t from, to;
	uint32_t n, next; /* next: in the list of its slot, plus 1 */
};
struct moves {
	struct moved *at;
	uint32_t n;
	uint32_t *slot, mask;
};

static void move_add(struct moves *m, const struct census_block *b)
{
	uint64_t h = ((uint64_t)b->node << 32 | b->now) * 0x9e3779b97f4a7c15ULL + b->size;
	uint32_t *slot = &m->slot[h * 0x9e3779b97f4a7c15ULL >> 32 & m->mask], i;

	for (i = *slot; i; i = m->at[i - 1].next) {
		struct moved *k = &m->at[i - 1];

		if (k->from == b->node && k->to == b->now && k->size == b->size) {
			k->n++;
			return;
		}
	}
	m->at[m->n] = (struct moved){b->size, b->node, b->now, 1, *slot};
	*slot = ++m->n;
}

static void moves_report(const struct moves *m)
{
	uint32_t i;

	for (i = 0; i < m->n; i++)
		event_retype(m->at[i].from, m->at[i].to, m->at[i].size, m->at[i].n);
}

#define MOVE_SLOTS 2048u

static void apply(const struct census *c)
{
	size_t bytes = c->n * sizeof(struct moved) + MOVE_SLOTS * sizeof(uint32_t), i;
	struct moves m = {.at = area_map(bytes), .mask = MOVE_SLOTS - 1};
	uint64_t mask;

	m.slot = m.at ? (uint32_t *)(m.at + c->n) : NULL;
	tau_defining(&mask);
	for (i = 0; i < c->n; i++) {
		const struct census_block *b = &c->at[i];

		if (b->now == b->node)
			continue;
		if (!m.at)
			block_retype(b->address, b->size, b->node, b->now);
		else if (live_retype(b->address, b->now))
			move_add(&m, b);
	}
	if (m.at)
		moves_report(&m);
	tau_defined(&mask);
	if (m.at)
		area_unmap(m.at, bytes);
}

void census_write(const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	tau_meta(name, text);
}

/* Bytes: all, of objects and slabs, of slabs alone, untyped but owned by an object, untyped and held by variables only. */
struct census_sums {
	uint64_t all, typed, slabs, owned, rooted;
};

static void sums_add(struct census_sums *s, const struct census_block *b)
{
	const struct node *n = &nodes[b->now];

	s->all += b->size;
	if (n->kind != NODE_UNTYPED)
		s->typed += b->size;
	if (n->kind == NODE_SLAB)
		s->slabs += b->size;
	if (n->kind != NODE_UNTYPED)
		return;
	if (n->owner && nodes[n->owner].kind != NODE_VARIABLE)
		s->owned += b->size;
	else if (n->owner || b->rooted)
		s->rooted += b->size;
}

static void sums_write(const char *what, const struct census_sums *s)
{
	static const char *const names[] = { "", " Typed", " Slab", " Owned", " Global" };
	const uint64_t values[] = { s->all, s->typed, s->slabs, s->owned, s->rooted };
	char name[64];
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(*values); i++) {
		snprintf(name, sizeof(name), TAU_META_MEMORY "%s%s Bytes", what, names[i]);
		census_write(name, values[i]);
	}
}

/* ns: CPU time of the census, which is part of the overhead. */
static void report(const struct census *c, uint64_t ns)
{
	struct census_sums live = { 0 }, runtime = { 0 }, pmix = { 0 };
	size_t i;

	for (i = 0; i < c->n; i++) {
		unsigned flags = library_get(c->at[i].library)->flags;

		sums_add(&live, &c->at[i]);
		if (flags)
			sums_add(&runtime, &c->at[i]);
		if (flags & LIBRARY_PMIX)
			sums_add(&pmix, &c->at[i]);
	}
	census_write(TAU_META_MEMORY_LIVE_BYTES, live.all);
	census_write(TAU_META_MEMORY_LIVE_BLOCKS, c->n);
	sums_write("Runtime", &runtime);
	sums_write("PMIx", &pmix);
	census_write(TAU_META_MEMORY_UNREAD_BYTES, c->bytes_unread);
	census_write(TAU_META_MEMORY_POINTERS, c->edges);
	census_write(TAU_META_MEMORY_OWNER_AGREEMENTS, c->agree);
	census_write(TAU_META_MEMORY_OWNER_DISAGREEMENTS, c->disagree);
	census_write(TAU_META_MEMORY_CENSUS_US, ns / 1000);
	if (c->of)
		census_write(TAU_META_MEMORY_CENSUS_OF, c->of);
}

static void report_tally(void)
{
	uint32_t stacks_n, stacks_cut;

	if (stacks) {
		stacks_n = stack_count(&stacks_cut);
		census_write(TAU_META_MEMORY_STACKS, stacks_n);
		census_write(TAU_META_MEMORY_STACKS_CUT, stacks_cut);
	}
	census_write(TAU_META_MEMORY_CLASSES, class_n);
	census_write(TAU_META_MEMORY_CLAIMS, tally.claims);
	census_write(TAU_META_MEMORY_WRONG_CLAIMS, tally.wrong);
	census_write(TAU_META_MEMORY_MISSED_CLAIMS, tally.missed);
	census_write(TAU_META_MEMORY_UNCHECKED_CLAIMS, tally.unchecked);
	census_write(TAU_META_MEMORY_CONSTRUCTED_OBJECTS, tally.constructed);
	census_write(TAU_META_MEMORY_LOST_FREES, tally.lost_frees);
	census_write(TAU_META_MEMORY_UNTRACKED_BLOCKS, tally.untracked);
}

int census_collect(struct census *c)
{
	struct count k = {c, 0};

	census_read_begin();
	live_walk(count_one, &k);
	c->room = k.n + 1;
	c->at = area_map(c->room * sizeof(*c->at));
	if (!c->at) {
		census_read_end();
		return -1;
	}
	area_fill(c->at, c->room * sizeof(*c->at));
	live_walk(collect_one, &k);
	return 0;
}

void census_release(struct census *c)
{
	area_unmap(c->at, c->room * sizeof(*c->at));
	if (c->page)
		area_unmap(c->page, PAGES * sizeof(*c->page));
	census_read_end();
}

/* The first of the blocks from low to before high that does not end before the address; if there is none, high. */
static size_t ends_after(const struct census *c, uintptr_t address, size_t low, size_t high)
{
	while (low < high) {
		size_t mid = (low + high) / 2;

		if (c->at[mid].address + (c->at[mid].size ? c->at[mid].size : 1) <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void page_look_up(const struct census *c, struct census_page *p, uintptr_t page)
{
	size_t low = ends_after(c, page << PAGE_BITS, 0, c->n), high;

	for (high = low; high < c->n && c->at[high].address >> PAGE_BITS <= page; high++)
		;
	*p = (struct census_page){page + 1, (uint32_t)low, (uint32_t)high};
}

struct census_block *census_block_at(const struct census *c, uintptr_t address)
{
	uintptr_t page = address >> PAGE_BITS;
	struct census_page *p = c->page ? &c->page[page % PAGES] : NULL;
	size_t i;

	if (p && p->page != page + 1)
		page_look_up(c, p, page);
	i = ends_after(c, address, p ? p->low : 0, p ? p->high : c->n);
	return i < c->n && c->at[i].address <= address ? &c->at[i] : NULL;
}

static void search(struct census *c)
{
	census_sort(c);
	if (library_any_flags())
		type_all(c);
	foreign_find(c);
	owner_find(c);
}

/* The gates are held. */
static void census(void)
{
	struct census c = {0};
	uint64_t begin = budget_cpu();
	enum share_part part;

	if (census_collect(&c) < 0)
		return;
	part = share_begin(&c);
	if (part != SHARE_GIVEN)
		search(&c);
	if (part == SHARE_FIRST)
		share_publish(&c);
	apply(&c);
	report(&c, budget_cpu() - begin);
	census_release(&c);
}

/*
 * Its region shows what it costs, and is the one moment at which everything is typed and nothing is freed yet: a window
 * that ends with it, ":.TAU memory census#1", is "live before finalize".
 */
void census_run(void)
{
	uint32_t region = tau_region(TAU_REGION_CENSUS, "TAU_UTILITY", NULL, 0);
	uint64_t cpu = budget_cpu();
	struct slot *s;
	unsigned i;

	busy_begin();
	tau_enter(region);
	/* Its lock belongs to the dynamic linker: ask before the others are stopped, one of them may hold it. */
	segments_now();
	thread_stop_all();
	for (i = 0; (s = thread_slot(i)); i++)
		pending_flush(s);
	census();
	report_tally();
	thread_resume_all();
	budget_walked(cpu);
	tau_leave(region);
	busy_end();
}
