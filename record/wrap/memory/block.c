/*
 * block.c: the life of a block, from the call that made it to its free, and what is reported about
 * it.
 *
 * Each block is entered in a table of live blocks with a type, and reported through tau.h as
 * allocated, freed, or moved to another type. A small block of a library that has classes waits in
 * its thread's slot until the thread's next call ("pending"): by then its constructor has run, and
 * its first words identify its class. Until a type is known a block is "untyped" of the library
 * that allocated it. Sizes are the requested bytes; a realloc is a free and an allocation.
 *
 * Blocks from before the recorder started are entered too, and reported all at once when it starts.
 * The child of a fork starts with an empty table: what its parent allocated is neither its
 * allocation nor its free.
 *
 * The order of steps must be kept: a block enters the table after the real malloc and leaves it
 * before the real free, so no two threads ever handle the same address. The gate of a thread's slot
 * is entered only while its tables change, never around the real allocator. The dynamic linker is
 * never called inside a gate, see library.c.
 */
#include "block.h"
#include "budget.h"
#include "class.h"
#include "format.h"
#include "hints.h"
#include "kind.h"
#include "library.h"
#include "live.h"
#include "node.h"
#include "real.h"
#include "sieve.h"
#include "stack.h"
#include "tau.h"
#include "thread.h"
#include "caller.h"

#define PENDING_MOST 1024 /* larger blocks are looked at in other ways */

struct memory_tally tally;
void (*recording_begun)(void);

/* ---- events ---- */

static int report_one(void *arg, const struct live_block *b)
{
	(void)arg;
	tau_mem_alloc(node_memtype(b->node), b->size);
	return 0;
}

/* The recorder has just started: what is in the table is reported as if allocated now. */
void recording_begin(void)
{
	struct slot *s;
	unsigned i;

	busy_begin();
	/* Asks the dynamic linker how it finds modules, once: not below. */
	if (sites || stacks)
		tau_memtype_at("untyped", 0, TAU_MEM_UNTYPED, 0, "unknown",
			       (uintptr_t)__builtin_return_address(0));
	thread_stop_all();
	if (!recording && tau_active()) {
		for (i = 0; (s = thread_slot(i)); i++)
			pending_flush(s);
		live_walk(report_one, NULL);
		recording = 1;
	}
	thread_resume_all();
	if (recording_begun)
		recording_begun();
	busy_end();
}

/* The first of its node, which is defined in the process and in the thread's file. */
static __attribute__((noinline)) void event_first(uint32_t node, size_t size)
{
	uint64_t mask;

	tau_defining(&mask);
	tau_mem_alloc(node_memtype(node), size);
	tau_defined(&mask);
}

void event_alloc(uint32_t node, size_t size, uint32_t kind)
{
	if (unlikely(!recording))
		return;
	if (likely(kind && kind < KIND_DIRECT))
		tau_block_alloc(kind);
	else if (likely(nodes[node].memtype))
		tau_mem_alloc(nodes[node].memtype, size);
	else
		event_first(node, size);
}

void event_free(uint32_t node, size_t size, uint32_t kind)
{
	if (unlikely(!recording))
		return;
	if (likely(kind && kind < KIND_DIRECT))
		tau_block_free(kind);
	else
		tau_mem_free(node_memtype(node), size);
}

void event_retype(uint32_t from, uint32_t to, size_t size, size_t n)
{
	if (unlikely(!recording))
		return;
	if (n == 1)
		tau_mem_retype(node_memtype(from), node_memtype(to), size);
	else
		tau_mem_retypes(node_memtype(from), node_memtype(to), size, n);
}

void block_retype(uintptr_t address, size_t size, uint32_t from, uint32_t to)
{
	if (live_retype(address, to))
		event_retype(from, to, size, 1);
}

/* ---- the short way where the heap is counted, or nothing is reported yet ---- */

int block_new_aside(void *p, size_t size, uintptr_t caller, int fresh)
{
	struct slot *s = self.slot;
	uint16_t *cell;
	uint32_t kind;

	if (unlikely(!p || size >= KIND_SIZE))
		return 0;
	kind = kind_find(caller, size);
	cell = live_cell((uintptr_t)p);
	if (unlikely(!kind || !cell || *cell))
		return 0;
	if (unlikely(!gate_enter_new(s)))
		return 0;
	if (fresh)
		block_clear(p, size);
	if (likely(recording ? tau_block_alloc(kind) : !tau_inside())) {
		*(volatile uint16_t *)cell = live_cell_value((uintptr_t)p, kind);
		*(volatile int64_t *)&s->heap = s->heap + (int64_t)size;
	}
	gate_leave(s);
	return 1;
}

int block_free_aside(void *p)
{
	struct slot *s = self.slot;
	uint16_t *cell = live_cell((uintptr_t)p);
	uint32_t kind;
	int done;

	if (unlikely(!cell))
		return 0;
	kind = live_cell_kind(cell, (uintptr_t)p);
	if (unlikely(kind - 1 >= KIND_DIRECT - 1))
		return 0;
	gate_enter(s);
	done = recording ? tau_block_free(kind) : !tau_inside();
	if (likely(done)) {
		*(volatile uint16_t *)cell = 0;
		*(volatile int64_t *)&s->heap = s->heap - (int64_t)kinds[kind].size;
	}
	gate_leave(s);
	return done;
}

static int size_add(void *sum, const struct live_block *b)
{
	*(uint64_t *)sum += b->size;
	return 0;
}

static uint64_t heap_walk(void)
{
	uint64_t sum = 0;
	struct slot *s;
	unsigned i;

	busy_begin();
	thread_stop_all();
	for (i = 0; (s = thread_slot(i)); i++)
		sum += s->pending.address ? s->pending.size : 0;
	live_walk(size_add, &sum);
	thread_resume_all();
	busy_end();
	return sum;
}

uint64_t heap_bytes(void)
{
	int64_t sum = __atomic_load_n(&heap_shared, __ATOMIC_RELAXED);
	struct slot *s;
	unsigned i;

	if (ready < 3)
		return 0;
	if (!heap_counted)
		return heap_walk();
	for (i = 0; (s = thread_slot(i)); i++)
		sum += __atomic_load_n(&s->heap, __ATOMIC_RELAXED);
	return sum > 0 ? (uint64_t)sum : 0;
}

void heap_publish(void)
{
	struct tau_heap_parts parts = {.shared = &heap_shared, .size = sizeof(struct slot)};

	if (!heap_counted || ready < 3)
		return;
	parts.part = &slots->heap;
	parts.parts = thread_slots();
	tau_heap_parts(&parts);
}

/* ---- the life of a block ---- */

/* What is at the address: one object of a class, or still of no known type. What its constructor said counts more. */
static uint32_t block_judge(const void *p, size_t size, uint32_t node, unsigned constructed)
{
	unsigned seen;

	if (!class_n || size < 16 || size >= class_largest + 16)
		return node;
	seen = class_of_object(p, size);
	if (!class_fits(seen, size))
		seen = 0;
	if (constructed) {
		tally_add(&tally.claims);
		if (seen != constructed)
			tally_add(seen ? &tally.wrong : &tally.missed);
		seen = constructed;
	} else if (seen) {
		tally_add(&tally.unchecked);
	}
	return seen ? node_change(node, NODE_CLASS, seen, nodes[node].owner) : node;
}

/*
 * Into the table, on behalf of a slot that is held and has the block in its heap. A block that was there already was
 * freed where we could not see it.
 */
static void block_enter(struct slot *s, uintptr_t address, size_t size, uint32_t node,
			uint32_t kind)
{
	struct live_block b = { address, size, node, kind }, old;

	event_alloc(node, size, kind);
	switch (live_put(&b, &old)) {
	case 2:
		tally_add(&tally.lost_frees);
		event_free(old.node, old.size, old.kind);
		s->heap -= (int64_t)old.size;
		break;
	case 0:
		tally_add(&tally.untracked);
		event_free(node, size, kind);
		s->heap -= (int64_t)size;
		break;
	}
}

void pending_flush(struct slot *s)
{
	struct pending *p = &s->pending;
	uint32_t node;

	if (!p->address)
		return;
	node = block_judge((const void *)p->address, p->size, p->node, p->class);
	block_enter(s, p->address, p->size, node, kind_get(node, p->size));
	__atomic_store_n(&p->address, 0, __ATOMIC_RELEASE);
}

static void deferred_report(struct slot *s)
{
	while (s->deferred_n) {
		s->deferred_n--;
		event_free(s->deferred[s->deferred_n].node, s->deferred[s->deferred_n].size,
			   s->deferred[s->deferred_n].kind);
	}
}

/* May a block hold an object of a class that would be known by looking into it? */
static int may_be_object(uint32_t node, size_t size)
{
	unsigned flags;

	if (size >= PENDING_MOST || nodes[node].kind != NODE_UNTYPED)
		return 0;
	flags = library_get(nodes[node].id)->flags;
	return flags && !(flags & LIBRARY_MPICH);
}

/* A signal handler has come between the entry and the exit of a gate of its own thread. */
static int nested(void)
{
	return self.slot && self.slot->gate;
}

/* Node of the object that the thread is constructing; there is one. */
static uint32_t building_owner(struct slot *s)
{
	unsigned n = s->building < CONSTRUCT_DEPTH ? s->building : CONSTRUCT_DEPTH;
	uint32_t owner = 0;

	for (unsigned i = 0; i < n; i++) {
		struct built *b = &s->built[i];

		if (!b->node)
			b->node = node_get(NODE_CLASS, b->class, owner);
		owner = b->node;
	}
	return owner;
}

/* A block of a kind that may become direct now: then that is defined in the process and in the thread's file. */
static void kind_enter(struct slot *s, void *p, uint32_t kind, uintptr_t caller)
{
	const struct kind k = kinds[kind];
	int defines = kind >= KIND_DIRECT && k.seen == 1;
	uint64_t mask;

	if (defines)
		tau_defining(&mask);
	kind = kind_seen(kind, caller, self.text);
	block_enter(s, (uintptr_t)p, k.size, k.node, kind);
	if (defines)
		tau_defined(&mask);
}

static void block_new_long(void *p, size_t size, uintptr_t caller, int fresh)
{
	struct stack *stack = NULL;
	uint32_t node, kind;
	struct slot *s;

	if (self.closed == CLOSED_ASIDE && !stacks && block_new_aside(p, size, caller, fresh))
		return;
	if (unlikely(!p || ready < 3))
		return;
	if (unlikely(nested())) {
		tally_add(&tally.untracked);
		return;
	}
	if (unlikely(is_busy() || tau_inside()))
		return;
	if (stacks) {
		busy_begin();
		stack = stack_here(caller);
		busy_end();
		if (likely(stack) &&
		    likely(self.closed == CLOSED_ASIDE
				   ? block_new_aside(p, size, (uintptr_t)stack, fresh)
				   : block_new_short(p, size, (uintptr_t)stack, fresh)))
			return;
	}
	if (unlikely(!recording) && !census_only && tau_active())
		recording_begin();
	if (fresh) {
		block_clear(p, size);
		/* Where PMIx has the class. */
		if (size >= sizeof(pthread_mutex_t) + 16)
			*(volatile uintptr_t *)((char *)p + sizeof(pthread_mutex_t)) = 0;
	}
	busy_begin();
	node = stack ? caller_stack_node(stack) : caller_node(caller);
	busy_end();
	s = thread_enter();
	if (unlikely(passing == PASSING)) {
		thread_leave(s);
		pass(size);
		return;
	}
	if (unlikely(s->building))
		node = node_change(node, nodes[node].kind, nodes[node].id, building_owner(s));
	if (unlikely(s->deferred_n))
		deferred_report(s);
	pending_flush(s);
	s->heap += (int64_t)size;
	if (!self.text && may_be_object(node, size)) {
		s->pending.size = size;
		s->pending.node = node;
		s->pending.class = 0;
		__atomic_store_n(&s->pending.address, (uintptr_t)p, __ATOMIC_RELEASE);
	} else {
		kind = kind_get(node, size);
		if (kind && (recording || (census_only && tau_active())))
			kind_enter(s, p, kind, stack ? (uintptr_t)stack : caller);
		else
			block_enter(s, (uintptr_t)p, size, node, kind);
		if (size >= PENDING_MOST)
			s->filling = (struct filling){ .address = (uintptr_t)p, .size = size };
	}
	thread_leave(s);
}

void block_new_slow(void *p, size_t size, uintptr_t caller, int fresh)
{
	uint64_t begin;

	if (likely(!budget_timed)) {
		block_new_long(p, size, caller, fresh);
		return;
	}
	begin = budget_begin();
	block_new_long(p, size, caller, fresh);
	budget_end(begin);
}

/* A last look before a free: something constructed late, or read too early, is typed after all. */
static inline void block_last_look(struct live_block *b)
{
	uint32_t node;

	if (likely(!class_n) || nodes[b->node].kind != NODE_UNTYPED)
		return;
	node = block_judge((const void *)b->address, b->size, b->node, 0);
	if (node == b->node)
		return;
	event_retype(b->node, node, b->size, 1);
	b->node = node;
	b->kind = kind_get(node, b->size);
}

/* A block that never entered the table. */
static struct live_block judged(const struct pending *p)
{
	uint32_t node = block_judge((const void *)p->address, p->size, p->node, p->class);
	uint32_t kind = kind_get(node, p->size);

	event_alloc(node, p->size, kind);
	return (struct live_block){ p->address, p->size, node, kind };
}

/* Pending in another thread, or never seen. The own gate is not entered. */
static int block_steal(uintptr_t address, struct live_block *b)
{
	struct pending p;

	if (thread_steal(address, &p)) {
		*b = judged(&p);
		return 1;
	}
	/* It may have entered the table while we looked. */
	return live_detach(address, b);
}

/*
 * Takes a block out of the table, and reports it as freed if the last argument is set. 0: it was
 * not there; 1: it was; 2: it was, and its allocation had been reported.
 */
static int block_out(void *p, struct live_block *b, int report)
{
	struct slot *s = thread_enter();
	int found = 1;

	if (unlikely(s->deferred_n))
		deferred_report(s);
	if (s->pending.address == (uintptr_t)p) {
		*b = judged(&s->pending);
		s->pending.address = 0;
	} else {
		/* Its allocation came before this free: reported later, the peak would be missed. */
		pending_flush(s);
		if (unlikely(s->filling.address == (uintptr_t)p))
			s->filling.address = 0;
		found = live_detach((uintptr_t)p, b);
		if (unlikely(!found)) {
			gate_leave(s);
			found = block_steal((uintptr_t)p, b);
			gate_enter(s);
		}
		if (likely(found))
			block_last_look(b);
	}
	if (likely(found)) {
		if (report)
			event_free(b->node, b->size, b->kind);
		s->heap -= (int64_t)b->size;
		if (unlikely(sieve_now()))
			sieve_drop(b->address);
		found += recording;
	}
	thread_leave(s);
	return found;
}

int block_gone(void *p, struct live_block *b)
{
	return block_out(p, b, 1) != 0;
}

int block_detach(void *p, struct live_block *b)
{
	return block_out(p, b, 0);
}

void block_detached(const struct live_block *b, int taken, int gone)
{
	struct slot *s = thread_enter();
	struct live_block old;

	/*
	 * taken 1: if recording began meanwhile, the report of all live blocks did not contain this
	 * one.
	 */
	if (!gone && taken == 1)
		event_alloc(b->node, b->size, b->kind);
	if (!gone && sieve_now())
		sieve_add(b->address);
	if (!gone && live_put(b, &old))
		s->heap += (int64_t)b->size;
	else if (!gone || taken == 2)
		event_free(b->node, b->size, b->kind);
	thread_leave(s);
}

/*
 * A free while the recorder is at work in this thread: reported later. It may hold locks, so nothing here waits. Below a
 * signal handler the gate may be entered already.
 */
void block_gone_inside(void *p)
{
	struct slot *s = self.slot;
	struct live_block b;
	int entered;

	if (thread_drop((uintptr_t)p, &b.size)) {
		__atomic_fetch_sub(&heap_shared, (int64_t)b.size, __ATOMIC_RELAXED);
		return;
	}
	if (!s || s == thread_slot(0))
		return;
	entered = s->gate;
	busy_begin();
	++*(volatile int *)&s->gate;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if ((entered || !s->stop) && s->deferred_n < DEFERRED && live_detach((uintptr_t)p, &b)) {
		s->deferred[s->deferred_n++] = b;
		s->heap -= (int64_t)b.size;
		if (sieve_now())
			sieve_drop(b.address);
		self.closed |= CLOSED_SLOW;
	}
	gate_leave(s);
	busy_end();
}

void block_free_slow(void *p)
{
	struct live_block b;

	if (unlikely(is_busy() || ready != 3 || block_is_unknown(p)))
		return;
	if (unlikely(tau_inside() || nested()))
		block_gone_inside(p);
	else
		block_gone(p, &b);
}

/* ---- no new blocks ---- */

static void passing_begin(void)
{
	int wanted = PASSING_WANTED;
	struct slot *s;
	unsigned i;

	for (i = 0; (s = thread_slot(i)); i++)
		pending_flush(s);
	sieve_make();
	/* If not, a command has come meanwhile that enters blocks again. */
	if (!__atomic_compare_exchange_n(&passing, &wanted, PASSING, 0, __ATOMIC_SEQ_CST,
					 __ATOMIC_SEQ_CST))
		sieve_leave();
}

/*
 * Reports all pending blocks, then stops entering new ones. Does nothing while this thread has a
 * gate open, because others wait for that gate.
 */
int blocks_stopped(void)
{
	if (passing == PASSING)
		return 1;
	if (ready < 3 || is_busy() || tau_inside() || (self.slot && self.slot->gate))
		return 0;
	busy_begin();
	thread_stop_all();
	if (passing == PASSING_WANTED)
		passing_begin();
	thread_resume_all();
	busy_end();
	return passing == PASSING;
}
