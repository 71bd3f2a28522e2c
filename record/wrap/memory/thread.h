/* thread.h: the slots of threads: the newest block of each, its gate. */
#ifndef THREAD_H
#define THREAD_H

#include <stddef.h>
#include <stdint.h>

#include "hints.h"
#include "live_block.h"
#include "walk.h"

#pragma GCC visibility push(hidden)

#define CONSTRUCT_DEPTH 32
struct built {
	uintptr_t object;
	uint32_t node;		/* its node as an owner; 0 = not yet needed */
	uint16_t class;
	uint16_t unused;
};
/* The newest block of a thread, not yet entered anywhere, so that its first words have time to be written. */
struct pending {
	uintptr_t address;	/* 0 = none */
	size_t size;
	uint32_t node;		/* untyped, of its library, with its owner */
	uint16_t class;		/* a constructor ran on it */
};
/* The newest block too large to be pending: perhaps a slab that is being filled. */
struct filling {
	uintptr_t address;
	size_t size;
	uintptr_t last;		/* newest object inside */
	size_t stride;		/* distance between objects */
	uint32_t n;		/* objects at that distance */
	uint16_t class;
};
#define DEFERRED 16
/*
 * gate: the depth of the owner between enter and leave (a signal handler may come between). Only the owner sets it,
 * with plain stores. A thread that has to look into another's slot sets `stop`, makes all threads see it
 * (membarrier), and waits until the gate is open.
 */
struct slot {
	int gate, stop;
	int used;
	uintptr_t stack, tls; /* deepest place seen of its thread's stack, and its thread pointer */
	struct walk *walk; /* NULL: not yet needed */
	struct pending pending;
	struct filling filling;
	unsigned building;	/* constructors running, innermost last */
	struct built built[CONSTRUCT_DEPTH];
	unsigned deferred_n;	/* frees seen while the recorder was at work in this thread */
	struct live_block deferred[DEFERRED];
	int64_t heap;		/* bytes that its owners have allocated, less those they have freed */
	uint64_t slow_n, slow_ns;	/* budget.c: blocks that went the long way, and what that has taken */
	uint64_t passed[2];	/* blocks that were not taken in: how many, and their bytes */
};
/*
 * closed: 0 the short way is open. Otherwise below CLOSED_SLOW how often we are at work in this
 * thread, one in the other: calls from below pass through then.
 */
#define CLOSED_SLOW 0x10000	/* something pends in the slot, or not all is reported: the long way */
#define CLOSED_ASIDE 0x20000	/* the short way is that of block.c: the heap is counted, or nothing is reported yet */
struct memory_thread {
	volatile int closed;
	int text; /* the block is for characters: it is no object */
	struct slot *slot;
	uintptr_t caller;	/* caller of the function that calls malloc; 0 = malloc's caller counts */
	/* Blocks that were only counted, and their bytes: in the slot if it is the thread's own; otherwise NULL. */
	uint64_t *passed;
};
extern __thread struct memory_thread self;

/* What decides which way is open. */
extern int recording;		/* every block in the table has been reported */
extern int census_only;		/* until the census nothing is reported, there all that is live */
extern int heap_counted;	/* field heap of the slots is right: known before the first short way is open */
extern int64_t heap_shared;	/* what no slot has of the same: changed by any thread */

static inline int is_busy(void)
{
	return self.closed & (CLOSED_SLOW - 1);
}

static inline void busy_begin(void)
{
	self.closed++;
	__asm__ volatile("" ::: "memory");
}

static inline void busy_end(void)
{
	__asm__ volatile("" ::: "memory");
	self.closed--;
}

/* The first is shared by threads that have ended their own or never got one: its gate makes that safe. */
extern struct slot *slots;
int thread_init(void);
/* end is called with the slot of a thread that ends. */
void thread_on_end(void (*end)(void *slot));
/* In the child of a fork, which has one thread. The thread is busy. */
void thread_after_fork(void);
struct slot *thread_slot_slow(void);
void gate_wait(struct slot *s);
/* Somebody else's slot: 1 when it is ours to look into, 0 when its owner is inside (with wait: never). */
int slot_hold(struct slot *s, int wait);
void slot_release(struct slot *s);
/* Holds all slots, the caller's own included; nothing moves until resume. */
void thread_stop_all(void);
void thread_resume_all(void);
/* Visits slots that may hold something. */
struct slot *thread_slot(unsigned i);	/* NULL past the last */
const unsigned *thread_slots(void);	/* how many there are */
/* Takes a block out that is pending in another thread; 0 when there is none at that address. */
int thread_steal(uintptr_t address, struct pending *out);
/* The same without waiting, and without an event: the block was never reported. */
int thread_drop(uintptr_t address, size_t *size);

static inline void gate_enter(struct slot *s)
{
	++*(volatile int *)&s->gate;
	__asm__ volatile("" ::: "memory");
	if (unlikely(__atomic_load_n(&s->stop, __ATOMIC_ACQUIRE)))
		gate_wait(s);
}

/* Who finds the gate open sees what was stored inside. */
static inline void gate_leave(struct slot *s)
{
	__atomic_thread_fence(__ATOMIC_RELEASE);
	--*(volatile int *)&s->gate;
}

/* The recorder and its events write over errno nowhere, but our own slow paths make system calls. */
struct slot *thread_enter(void);
void thread_leave(struct slot *s);

#pragma GCC visibility pop
#endif
