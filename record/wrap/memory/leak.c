/*
 * leak.c: what is live at the end of the process, and what pointers still lead to.
 *
 * From the roots (writable data of loaded objects, stacks and thread-local data, the registers of
 * the thread that ends the process) every word that points into a block, at its beginning or
 * inside, reaches it; so does every word in a reached block. Blocks that are not reached are lost.
 * Lost blocks that other lost blocks point to are counted separately; of a ring of them one counts
 * as lost. Memory that the program has mapped itself is not scanned.
 */
#include <link.h>
#include <string.h>
#include "area.h"
#include "block.h"
#include "census.h"
#include "format.h"
#include "leak.h"
#include "library.h"
#include "metadata.h"
#include "node.h"
#include "own/own.h"
#include "real.h"
#include "tau.h"
#include "thread.h"
#include "census_read.h"

#define BLOCK_SCAN_MAX (64u << 20) /* bytes looked at in one block */
#define STACK_MOST                                                                                 \
	(1u << 30)      /* a stack further from the thread pointer than this is not below it */
#define TCB        2304 /* bytes that the C library keeps at a thread pointer */
#define DTV_MOST   4096u
#define PAGE       4096u
#define LOCAL_MOST (1u << 20)
#define SAVED      56

extern void *__libc_stack_end; /* of the first thread's stack; a word of the dynamic linker's */

enum reach { LOST = 0, INDIRECT = 1, REACHED = 2 };

struct leak_search {
	struct census *c;
	uint8_t *reach;  /* by block: enum reach */
	uint32_t *stack; /* blocks still to be scanned */
	size_t stack_n;
	uintptr_t low, high;
	int allocator; /* the words are the allocator's */
	uintptr_t local_bytes; /* of thread-local data below each thread pointer */
	struct read_window *w;
	uint64_t bytes[3], blocks[3];
};

static const unsigned leak_flags[] = {[LOST] = TAU_MEM_LOST,
				      [INDIRECT] = TAU_MEM_LOST | TAU_MEM_REACHABLE,
				      [REACHED] = TAU_MEM_REACHABLE};

/* A word that points into a block makes it `to`, unless it is more than that already. */
static void leak_word(struct leak_search *l, uint64_t word, enum reach to, uint32_t from)
{
	struct census_block *b;
	uint32_t i;

	if (word < l->low || word > l->high)
		return;
	b = census_block_at(l->c, word);
	if (!b || (l->allocator && census_is_rest(b, word)))
		return;
	i = (uint32_t)(b - l->c->at);
	if (l->reach[i] >= to || i == from)
		return;
	l->reach[i] = (uint8_t)to;
	/* A lost block that has been followed as the head of a ring is only moved: what it leads to
	 * is known. */
	if (to == REACHED || !b->scanned) {
		b->scanned = 1;
		l->stack[l->stack_n++] = i;
	}
}

static void leak_range(struct leak_search *l, uintptr_t begin, uintptr_t end, enum reach to,
		       uint32_t from)
{
	uintptr_t at;
	int good = 1;

	begin = (begin + 7) & ~(uintptr_t)7;
	end &= ~(uintptr_t)7;
	l->w->whole = 0;
	for (at = begin; at < end && good; at += 8)
		leak_word(l, window_word(l->w, at, end, &good), to, from);
	if (!good)
		l->c->bytes_unread += end - at;
}

static void leak_follow(struct leak_search *l, enum reach to, uint32_t head)
{
	while (l->stack_n) {
		const struct census_block *b = &l->c->at[l->stack[--l->stack_n]];
		size_t bytes = b->size < BLOCK_SCAN_MAX ? b->size : BLOCK_SCAN_MAX;

		leak_range(l, b->address, b->address + bytes, to, head);
		l->c->bytes_unread += b->size - bytes;
	}
}

/*
 * Scans the data of loaded objects. Those of the recorder are skipped, because its tables hold
 * addresses of all blocks. Pointers of the allocator lead to free memory, too (census_is_rest).
 */
static void leak_globals(struct leak_search *l)
{
	const struct library_segments *s = segments_known();
	const struct library_segment *allocator = segment_known((uintptr_t)real.malloc);
	unsigned i;

	for (i = 0; s && i < s->n; i++) {
		l->allocator = allocator && s->at[i].library == allocator->library;
		if (s->at[i].writable && strncmp(library_get(s->at[i].library)->name, "libtau", 6))
			leak_range(l, s->at[i].begin, s->at[i].end, REACHED, UINT32_MAX);
	}
	l->allocator = 0;
}

/* A thread: its stack from the deepest place seen up to its thread pointer, thread-local data just
 * below that. */
static void leak_thread(struct leak_search *l, uintptr_t stack, uintptr_t tls)
{
	const uintptr_t *tcb = (const uintptr_t *)tls, *dtv = (const uintptr_t *)tcb[1];
	uintptr_t local = tls - l->local_bytes;

	if (stack < tls && tls - stack < STACK_MOST)
		leak_range(l, stack, tls + TCB, REACHED, UINT32_MAX);
	else
		leak_range(l, local, tls + TCB, REACHED, UINT32_MAX);
	/*
	 * Thread-local data of libraries that were loaded later: pairs, whose number is in front of
	 * them.
	 */
	if (dtv && dtv[-2] < DTV_MOST)
		leak_range(l, (uintptr_t)dtv, (uintptr_t)(dtv + 2 * dtv[-2] + 2), REACHED,
			   UINT32_MAX);
}

/*
 * The stack of this thread begins at `here`, those of others at the deepest place seen, less a page
 * for what they have called since. The first thread's stack does not end at its thread pointer.
 */
static void leak_stacks(struct leak_search *l, uintptr_t here)
{
	uintptr_t top = (uintptr_t)__libc_stack_end, tls;
	struct slot *s;
	unsigned i;

	for (i = 1; (s = thread_slot(i)); i++) {
		if (!s->used || !s->tls)
			continue;
		tls = s->tls;
		if (s == self.slot && s->stack < tls && tls - s->stack < STACK_MOST)
			leak_thread(l, here, tls);
		else
			leak_thread(l, s->stack - PAGE, tls);
		if (s->stack < top && top - s->stack < STACK_MOST)
			leak_range(l, s == self.slot ? here : s->stack - PAGE, top, REACHED,
				   UINT32_MAX);
	}
}

/* The dynamic linker keeps what it needs where we do not look: in the stacks of threads that have
 * ended. */
static void leak_linker(struct leak_search *l)
{
	size_t i;

	for (i = 0; i < l->c->n; i++)
		if (!strncmp(library_get(l->c->at[i].library)->name, "ld-linux", 8))
			leak_word(l, l->c->at[i].address, REACHED, UINT32_MAX);
}

static void leak_sort_out(struct leak_search *l, uintptr_t here)
{
	size_t i;

	for (i = 0; i < l->c->n; i++)
		l->c->at[i].scanned = 0;
	leak_globals(l);
	leak_stacks(l, here);
	leak_linker(l);
	leak_follow(l, REACHED, UINT32_MAX);
	for (i = 0; i < l->c->n; i++)
		l->c->at[i].scanned = 0;
	for (i = 0; i < l->c->n; i++) {
		if (l->reach[i] != LOST || l->c->at[i].scanned)
			continue;
		l->c->at[i].scanned = 1;
		l->stack[l->stack_n++] = (uint32_t)i;
		leak_follow(l, INDIRECT, (uint32_t)i);
	}
}

static void leak_report(struct leak_search *l)
{
	uint32_t(*memtype)[3] = area_map(NODE_MAX * sizeof(*memtype));
	size_t i;

	for (i = 0; memtype && i < l->c->n; i++) {
		const struct census_block *b = &l->c->at[i];
		enum reach r = l->reach[i];

		l->bytes[r] += b->size;
		l->blocks[r]++;
		if (!memtype[b->node][r])
			memtype[b->node][r] = node_define(b->node, leak_flags[r]);
		tau_mem_alloc(memtype[b->node][r], b->size);
	}
	if (memtype)
		area_unmap(memtype, NODE_MAX * sizeof(*memtype));
	census_write(TAU_META_MEMORY_LOST_BYTES, l->bytes[LOST] + l->bytes[INDIRECT]);
	census_write(TAU_META_MEMORY_LOST_BLOCKS, l->blocks[LOST] + l->blocks[INDIRECT]);
	census_write(TAU_META_MEMORY_STILL_REACHABLE_BYTES, l->bytes[REACHED]);
	census_write(TAU_META_MEMORY_STILL_REACHABLE_BLOCKS, l->blocks[REACHED]);
	census_write(TAU_META_MEMORY_LEAK_UNREAD_BYTES, l->c->bytes_unread);
}

/* The gates are held. */
static __attribute__((noinline)) void leaks(uintptr_t here, uintptr_t local_bytes)
{
	struct census c = {0};
	struct leak_search l = {.c = &c, .local_bytes = local_bytes};

	if (census_collect(&c) < 0)
		return;
	census_sort(&c);
	l.reach = area_map(c.n + 1);
	l.stack = area_map((c.n + 1) * sizeof(*l.stack));
	l.w = window_new();
	if (l.reach && l.stack && l.w && c.n) {
		l.low = c.at[0].address;
		l.high = c.at[c.n - 1].address + c.at[c.n - 1].size;
		leak_sort_out(&l, here);
		leak_report(&l);
	}
	if (l.w)
		window_free(l.w);
	if (l.stack)
		area_unmap(l.stack, (c.n + 1) * sizeof(*l.stack));
	if (l.reach)
		area_unmap(l.reach, c.n + 1);
	census_release(&c);
}

/* How far below the thread pointer the data of a module of this thread begins; those elsewhere were
 * loaded later. */
static int local_one(struct dl_phdr_info *i, size_t size, void *arg)
{
	uintptr_t *most = arg,
		  far = thread_pointer() - (uintptr_t)i->dlpi_tls_data;

	if (size >= sizeof(*i) && i->dlpi_tls_data && far < LOCAL_MOST && far > *most)
		*most = far;
	return 0;
}

void leak_run(void)
{
	uintptr_t local_bytes = 0, here = (uintptr_t)__builtin_frame_address(0) - SAVED;
	uint32_t region = tau_region(".TAU memory leaks", "TAU_UTILITY", NULL, 0);
	struct slot *s;
	unsigned i;

	busy_begin();
	tau_enter(region);
	/* Both ask the dynamic linker: before the others are stopped, one of them may hold its
	 * lock. */
	segments_now();
	dl_iterate_phdr(local_one, &local_bytes);
	thread_stop_all();
	for (i = 0; (s = thread_slot(i)); i++)
		pending_flush(s);
	/* The registers that calls keep lie on our stack now; what is below it is our own. */
	__builtin_unwind_init();
	leaks(here, local_bytes);
	thread_resume_all();
	tau_leave(region);
	busy_end();
}
