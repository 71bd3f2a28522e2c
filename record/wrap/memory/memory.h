/*
 * memory.h: what the files of the memory wrapper share.
 *
 * memory.c     the interposed allocator functions
 * cxx.c        the operators new and delete of C++
 * block.c      the life of a block, and what is reported about it; the bytes that are live
 * library.c    which loaded object an address belongs to
 * class.c      class descriptors: registered, or found by looking at an object
 * construct.c  hooks around constructors: which object is under construction, and what was built where
 * node.c       types as small numbers: class, slab of a class, or untyped of a library, each with an owner and a site
 * kind.c       what most blocks are: a node and a size, as a small number
 * live.c       the table of live blocks
 * sieve.c      bits for the begins of the blocks in the table, when no more are entered
 * thread.c     per-thread slots: the pending block, the gate, fork
 * slab.c       blocks that hold many objects
 * owner.c      the pointer graph between blocks
 * variable.c   names of the global variables that point to blocks
 * holder.c     the block or variable that all paths to a block lead through
 * claim.c      the class that points to all blocks of a type and call site
 * foreign.c    objects of C++ and CPython, and those that rules identify
 * vtable.c     the class name and object sizes of a C++ virtual table
 * rule.c       the user's rules for other object systems
 * census.c     the walk over all live blocks, and the numbers about it
 * leak.c       what is live at the end, and what leads to it
 * walk.c       walks the stack of the calling thread
 * stack.c      call stacks, each stored once
 * map.c        what is mapped
 * budget.c     the cost of a block, and the end of recording new ones
 *
 * Nothing here uses the program's heap: all memory comes from mmap. Everything works in any thread and at any time
 * after the dynamic linker has relocated the program, which is before any constructor ran.
 */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/single_threaded.h>
#include <sys/types.h>
#include "tau.h"
#include "format.h"
#include "hints.h"
#include "live.h"

#pragma GCC visibility push(hidden)

/* ---- memory and locks of our own (thread.c) ---- */

/* Zeroed pages, address space only until touched; NULL when there are none. Keeps errno. */
void *area_map(size_t bytes);
void area_unmap(void *area, size_t bytes);
/* A few bytes that are never given back: names, small arrays. NULL when there is no memory. */
void *area_bytes(size_t bytes);

void lock_wait(int *lock);

/* While the process has one thread the lock costs a store: pthread_create is where that ends, and none is held there. */
static inline void lock_take(int *lock)
{
	if (__libc_single_threaded) {
		*(volatile int *)lock = 1;
		return;
	}
	if (unlikely(__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE)))
		lock_wait(lock);
}

static inline int lock_try(int *lock)
{
	return !__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE);
}

static inline void lock_drop(int *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

/* ---- libraries (library.c) ---- */

enum library_flag {
	LIBRARY_RUNTIME = 1,	/* part of Open MPI, OpenSHMEM, PMIx, or of what they bring along */
	LIBRARY_CLASSES = 2,	/* has registered a class */
	LIBRARY_PMIX = 4,	/* of these, PMIx and its plugins */
};

#define LIBRARY_MAX 2048
struct library {
	char name[62];		/* file name without folders, "gups" for the program itself */
	uint8_t flags;
	uint8_t objects;	/* its code has objects of C++, CPython or of rules, as the census found */
	uint8_t searched;	/* the census follows the pointers in its memory, in a program with the runtime */
};
struct segment {
	uintptr_t begin, end;
	uint32_t library;
	uint32_t writable;
	uintptr_t base;		/* what is added to the addresses in the object's file */
	const void *headers;	/* its program headers */
	uint32_t header_n;
};
struct segments {
	unsigned n;
	uint64_t adds, subs;	/* as dl_iterate_phdr counted when last asked */
	size_t bytes;
	struct segment at[];	/* by address */
};

/* Number of the loaded object that `address` is in, 0 when it is in none. Log of the number of segments. */
unsigned library_of(uintptr_t address);
struct library *library_get(unsigned library);	/* 0 gives one named "unknown" */
/* The segment, or NULL. Valid for ever, true until the object is unloaded. */
const struct segment *segment_of(uintptr_t address);
/* The whole table. Asks the dynamic linker: not in a hook of an allocation. */
const struct segments *segments_now(void);
/*
 * The same from the table as it is: never waits for the dynamic linker. For a thread that holds other threads' gates.
 */
const struct segment *segment_known(uintptr_t address);
const struct segments *segments_known(void);
/* An object was unloaded: forget what is cached about addresses. */
void library_unloaded(void);
/* Has any library that is loaded, or was, flags? Without one no objects can be expected. */
int library_any_flags(void);
/* Call sites are distinguished: each has nodes of its own. Set from the environment before the first block. */
extern int sites;
/* Node of an untyped block that was allocated by the code that goes on at `address`. One load when
 * seen before. */
uint32_t library_node(uintptr_t address);

/* ---- nodes (node.c) ---- */

/* A variable owns blocks and is none: its site is its name, 0: variables of the library without a name. */
enum node_kind { NODE_UNTYPED = 1, NODE_CLASS = 2, NODE_SLAB = 3, NODE_VARIABLE = 4 };

#define NODE_MAX (1u << 20)
#define NODE_USUAL 65536 /* with call stacks more, see node_room() */
struct node {
	uint8_t kind;
	uint8_t depth;		/* owners above it */
	uint16_t id;		/* class, or library */
	uint32_t owner;		/* node, 0 = none */
	uint32_t memtype;	/* 0 until it was needed */
	uintptr_t site; /* return address of the allocating call, 0 = not distinguished; or a struct stack */
};
extern struct node *nodes;

int node_init(void);
/* Makes room for NODE_MAX. While there is one thread. */
int node_room(void);
uint32_t node_get(unsigned kind, unsigned id, uint32_t owner);
/* The same for blocks from one site. */
uint32_t node_get_at(unsigned kind, unsigned id, uint32_t owner, uintptr_t site);
/* Another type or owner for a block of a node: the site stays. */
uint32_t node_change(uint32_t node, unsigned kind, unsigned id, uint32_t owner);
/* Defines the node for tau.h; returns its memtype. flags: besides its own (enum tau_memtype_flag). */
uint32_t node_define(uint32_t node, unsigned flags);
uint32_t node_memtype_slow(uint32_t node);
/* The child of a fork has a recorder of its own: all memtypes are defined anew. */
void node_forget_memtypes(void);

static inline uint32_t node_memtype(uint32_t node)
{
	uint32_t m = __atomic_load_n(&nodes[node].memtype, __ATOMIC_RELAXED);

	return likely(m) ? m : node_memtype_slow(node);
}

/* ---- kinds of blocks (kind.c) ---- */

/*
 * A kind is a node and a size: all that is known of most blocks, in 15 bits. A kind that came twice, and whose blocks
 * need no inspection, becomes direct: its number is the recorder's number for it, and kind_cache finds it by caller
 * and size.
 */
#define KIND_MAX 32768u		/* kinds are 1 ... KIND_MAX - 1 */
#define KIND_DIRECT (TAU_BLOCK_MAX + 1u)	/* those below this one are direct */
#define KIND_SIZE 16384u	/* blocks of this size and more have none */
#define KIND_CACHE_BITS 15

struct kind {
	uint32_t node;
	uint16_t size, seen;	/* seen: 2 = it has been tried to make it direct */
};
extern struct kind *kinds;
extern uint64_t *kind_cache;

int kind_init(void);
/* The kind, made when it is new; 0: there is no room, or the blocks are too large. */
uint32_t kind_get(uint32_t node, size_t size);
/* A block of that kind was allocated by `caller`. Returns the kind that it has from now on. */
uint32_t kind_seen(uint32_t kind, uintptr_t caller);
/* What was cached about addresses of code is no longer true. */
void kind_forget_callers(void);
/* A library has classes after all: its blocks are looked into from now on. */
void kind_of_classes(unsigned library);
/* In the child of a fork. */
void kind_unlock(void);

/*
 * The cache is exact: the product of (size, caller), which is 64 bits, with an odd number is one to one; its upper 15
 * bits choose the slot, its other 49 bits are stored in the slot, above the kind.
 */
static inline uint64_t kind_hash(uintptr_t caller, size_t size)
{
	return ((uint64_t)caller | (uint64_t)size << 47) * 0x9e3779b97f4a7c15ULL;
}

/* 0: not there. size < KIND_SIZE. */
static inline uint32_t kind_find(uintptr_t caller, size_t size)
{
	uint64_t h = kind_hash(caller, size);
	uint64_t k = __atomic_load_n(&kind_cache[h >> (64 - KIND_CACHE_BITS)], __ATOMIC_ACQUIRE) ^
		     h << KIND_CACHE_BITS;

	return likely(k < KIND_MAX) ? (uint32_t)k : 0;
}

/* ---- classes (class.c) ---- */

/* A class descriptor as Open MPI 4 and PMIx 3 to 5 lay it out. */
struct descriptor {
	const char *name;
	struct descriptor *parent;
	void (*construct)(void *);
	void (*destruct)(void *);
	int initialized;
	int depth;
	void (**construct_array)(void *);
	void (**destruct_array)(void *);
	size_t size;
};
/*
 * The first two have descriptors, with class_find() and members; objects of the others are identified only in a
 * census.
 */
enum class_family { FAMILY_OPAL, FAMILY_PMIX, FAMILIES, FAMILY_CXX = FAMILIES, FAMILY_PYTHON, FAMILY_RULE };

#define CLASS_MAX 4096
struct class {
	const struct descriptor *descriptor;	/* only its address is used: the object that holds it may be unloaded */
	const char *name;	/* our copy */
	size_t size;
	uint32_t parent;	/* class, 0 = none */
	uint16_t library;	/* that holds the descriptor */
	uint8_t family;
	uint8_t dead;		/* the descriptor was unloaded */
	uint8_t found;		/* by looking at an object, not by registration */
};
extern struct class *classes;
extern unsigned class_n;	/* classes are 1 ... class_n */
extern size_t class_largest;	/* size of the largest */
extern unsigned family_offset[FAMILIES];	/* of the class pointer in an object, bytes */

int class_init(void);
/* Class of a descriptor, 0 when unknown. */
unsigned class_find(const void *descriptor);
/* Registers a descriptor that has been initialized; returns its class, 0 when there is no room. */
unsigned class_add(const struct descriptor *d, unsigned family);
/* Enters a class that has no descriptor: it is found by its name only. Returns the class, 0 without room. */
unsigned class_add_foreign(uintptr_t key, const char *name, unsigned family);
/* Class of the object at p (readable for `size` bytes), 0 when there is no known class pointer. */
unsigned class_of_object(const void *p, size_t size);
/* The same by full inspection of what the first words point to; registers what it finds. Only in a census. */
unsigned class_discover(const void *p, size_t size);
/* Registers every class that the words point to and that fits into `size` bytes. Only in a census. */
void class_discover_words(const uint64_t *word, size_t n, size_t size);
/* Is a block of `size` bytes one object of the class? Allocators of objects ask for exactly its size. */
static inline int class_fits(unsigned class, size_t size)
{
	return class && classes[class].size <= size && size < classes[class].size + 16;
}
void class_unloaded(void);

/* ---- stacks of calls (walk.c, stack.c) ---- */

#define WALK_MOST 127
#define WALK_RANGES 4
#define WALK_SLACK 24
#define WALK_FRAMES (WALK_MOST + 16 + 2 * WALK_SLACK)
#define WALK_SEARCHES 256 /* a thread that runs on more stacks than that is known by call sites only */

struct walk_range {
	uintptr_t low, high;
};
struct walk_registers {
	uintptr_t pc, sp, fp; /* after a call */
};
/* A frame that was walked, and where it has what it hands out: its end, the frame pointer and the return address; 0: nowhere. */
struct walk_frame {
	struct walk_registers registers;
	uintptr_t end_at, fp_at, pc_at;
};
/* The last walk of a thread. */
struct walk {
	uintptr_t tls; /* its thread pointer */
	unsigned searches;
	uint32_t generation;
	uintptr_t high; /* end of the stack that it was on */
	int whole;	/* the outermost frame was reached */
	int cut;	/* there was no end of it */
	int same;	/* as the one before */
	unsigned n;
	uintptr_t pc[WALK_FRAMES]; /* outermost first */
	uint64_t hash[WALK_FRAMES]; /* of each with those before it */
	uintptr_t caller;
	struct stack *stack; /* what it was taken for, with this caller */
	struct walk_range range[WALK_RANGES];
	struct walk_frame frame[WALK_FRAMES], fresh[WALK_FRAMES];
};

static inline uint64_t stack_hash(uint64_t outer, uintptr_t pc)
{
	return (outer ^ pc) * 0x9e3779b97f4a7c15ULL;
}

int walk_init(void);
/*
 * Walks from those registers on, for at least `least` frames if there are that many. 1: all is as after the last
 * walk.
 */
int walk(struct walk *w, struct walk_registers r, size_t least);
/* What was worked out about code is no longer true. */
void walk_forget(void);
void walk_unlock(void);

struct stack {
	struct stack *next;
	uint64_t hash;
	uint32_t node; /* of untyped blocks from there, 0 = not yet needed */
	uint16_t n;
	uint16_t whole; /* the first of them has no caller; 0: it is not known */
	uintptr_t pc[]; /* outermost first, each a return address */
};
extern unsigned stacks; /* calls that are distinguished; 0: none, or sites only */

/* Sets `stacks`. 0, or -1 without memory. */
int stack_init(unsigned most);
/* By which calls the code at `caller` came to ask for memory. NULL without memory. Busy. */
struct stack *stack_here(uintptr_t caller);
uint32_t stack_node(struct stack *s);
/* The recorder's number. */
uint32_t stack_number(const struct stack *s);
void stack_say(void); /* what is known of all, as metadata */
void stack_unlock(void);

/* ---- threads (thread.c) ---- */

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
 * closed: 0 the short way is open. Otherwise below CLOSED_SLOW how often we are at work in this thread, one in the other: calls from
 * below pass through then.
 */
#define CLOSED_SLOW 0x10000	/* something pends in the slot, or not all is reported: the long way */
#define CLOSED_ASIDE 0x20000	/* the short way is that of block.c: the heap is counted, or nothing is reported yet */
struct thread {
	volatile int closed;
	struct slot *slot;
	uintptr_t caller;	/* caller of the function that calls malloc; 0 = malloc's caller counts */
	/* Blocks that were only counted, and their bytes: in the slot if it is the thread's own; otherwise NULL. */
	uint64_t *passed;
};
extern __thread struct thread self;

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

static inline void gate_leave(struct slot *s)
{
	__asm__ volatile("" ::: "memory");
	--*(volatile int *)&s->gate;
}

/* The recorder and its events write over errno nowhere, but our own slow paths make system calls. */
struct slot *thread_enter(void);
void thread_leave(struct slot *s);

/* ---- constructors (construct.c) ---- */

/* Puts our hooks around the constructors of a class that has just been initialized. */
void construct_hook(struct descriptor *d, unsigned family);
/* An object of a class is being constructed at that address. The slot's gate is held. */
void construct_seen(struct slot *s, uintptr_t object, unsigned class);
uint32_t construct_owner_slow(struct slot *s);
/* Node of the object that is being constructed by the thread, 0 when none is. */
static inline uint32_t construct_owner(struct slot *s)
{
	return likely(!s->building) ? 0 : construct_owner_slow(s);
}

/* ---- blocks (block.c) ---- */

/* Counters that end as metadata. */
struct tally {
	uint64_t claims;	/* typed by content while the constructor was seen too: the two can be compared */
	uint64_t wrong;		/* of these, the constructor had said another class */
	uint64_t missed;	/* constructor seen, but the content did not show it */
	uint64_t unchecked;	/* typed by content, no constructor was seen */
	uint64_t lost_frees;	/* address came again without a free */
	uint64_t untracked;	/* no memory for the table, or a signal handler's that came between */
	uint64_t constructed;	/* constructors seen on whole blocks */
};
extern struct tally tally;
extern int recording;		/* every block in the table has been reported */
extern int census_only;		/* until the census nothing is reported, there all that is live */
extern int heap_counted;	/* field heap of the slots is right: known before the first short way is open */
extern int64_t heap_shared;	/* what no slot has of the same: changed by any thread */

static inline void tally_add(uint64_t *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

extern volatile int ready;	/* 0 not yet, 1 in progress, 2 the real functions are found, 3 and there are tables */

/* The allocator that is next in the search order, which need not be libc's; NULL while not yet found. */
struct real {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void (*free)(void *);
	void *(*memalign)(size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*valloc)(size_t);
	void *(*pvalloc)(size_t);
	int (*vasprintf)(char **, const char *, va_list);
	int (*vasprintf_chk)(char **, int, const char *, va_list);
	int (*dlclose)(void *);
	void *(*mmap)(void *, size_t, int, int, int, off_t);
	int (*munmap)(void *, size_t);
	int (*brk)(void *);
	void *(*sbrk)(intptr_t);
};
extern struct real real;
/* Is malloc() ours? A program may bring its own. */
int malloc_is_ours(void);

/* fresh: the content is not the program's yet. caller: an address in the code that asked. */
void block_new_slow(void *p, size_t size, uintptr_t caller, int fresh);
/* Takes a block out of the table and reports it as freed. 0 when it was not there. Before the real free. */
int block_gone(void *p, struct live_block *b);
/*
 * The same in two steps, for a call that may fail: the block is taken out before the call, so that no other thread
 * can get the address first; then it is reported as freed (gone), or put back unchanged. taken: what block_take()
 * returned; 0: it was not in the table.
 */
int block_take(void *p, struct live_block *b);
void block_taken(const struct live_block *b, int taken, int gone);
/* Whichever of block_gone and what goes while the recorder is at work in this thread it takes, if any. */
void block_free_slow(void *p);
/* A free while the recorder is at work in this thread: reported later, and nothing here waits. */
void block_gone_inside(void *p);

/* ---- what it may cost (budget.c) ---- */

enum passing { PASSING_NONE, PASSING_WANTED, PASSING };
extern volatile int passing;	/* new blocks are counted and not taken in, or are to be soon */
/* Was a block not taken in? */
int budget_passed(void);
extern int budget_timed;	/* the long way is timed */
/* ours: memory of `bytes` bytes that holds blocks which are not the allocator's but may be freed. */
void budget_init(const char *ours, size_t bytes);
void budget_after_fork(void);
/* While passing is not PASSING_NONE: 1: it is PASSING now. */
int budget_stopped(void);
void pass_slow(size_t size);

#define PASS_LOOKS 1023 /* one of 1,024 blocks that are only counted looks for commands */
void pass_look(void);

/* 0: it is not counted yet, and the long way has to do it. */
static inline int pass_short(size_t size)
{
	uint64_t *passed = self.passed;

	if (unlikely(!passed || is_busy()))
		return 0;
	passed[0] += 1;
	__asm__ volatile("" ::: "memory"); /* two steps are less than one of a vector */
	passed[1] += size;
	if (unlikely(!(passed[0] & PASS_LOOKS)))
		pass_look();
	return 1;
}

/* A new block while passing is PASSING: it is counted. */
static inline void pass(size_t size)
{
	if (unlikely(!pass_short(size)))
		pass_slow(size);
}

/*
 * Counts a block that is still to be allocated, so that nothing has to be kept around the real call. One that is so small and yet finds
 * no memory counts, too. 0: it is not counted, and is to be once it is there.
 */
#define PASS_AHEAD 4096
static inline int pass_ahead(size_t size)
{
	return likely(size < PASS_AHEAD) && likely(pass_short(size));
}

/* CPU time of the thread, in ns; a walk over all blocks has used it since. */
uint64_t budget_cpu(void);
void budget_walked(uint64_t cpu_begin);
uint64_t budget_begin(void);
void budget_end(uint64_t begin);

/* ---- the ways of a block that is new or freed (block.c) ---- */

/* Was the block never entered, so that its end is not reported? */
static inline int block_is_unknown(const void *p)
{
	uint64_t *words = sieve_now();

	return words && (!sieve_has(words, p) || !live_known((uintptr_t)p));
}

/* The gate, for a block that shall enter the table. 0: it is not entered, and none shall any more. */
static inline int gate_enter_new(struct slot *s)
{
	gate_enter(s);
	if (likely(passing != PASSING))
		return 1;
	gate_leave(s);
	return 0;
}

/* The short ways where more is to be done, or less. 0: it must go the long way. */
int block_new_aside(void *p, size_t size, uintptr_t caller, int fresh);
int block_free_aside(void *p);

extern unsigned rule_n;
/* Clears the words that the rules look at (rule.c). */
void rule_clear(void *p, size_t size);
static inline void block_clear(void *p, size_t size)
{
	if (size >= sizeof(uintptr_t))
		*(volatile uintptr_t *)p = 0;
	if (unlikely(rule_n))
		rule_clear(p, size);
}

/*
 * The short way of a new block, where its kind is known and nothing pends in the thread. Its first word is cleared when its
 * content is not the program's yet, lest the class pointer of an earlier object in the same place be believed. 0: it must go
 * the long way.
 */
static inline int block_new_short(void *p, size_t size, uintptr_t caller, int fresh)
{
	uint16_t *cell;
	uint32_t kind;

	if (unlikely(self.closed || !p || size >= KIND_SIZE))
		return 0;
	kind = kind_find(caller, size);
	cell = live_cell((uintptr_t)p);
	if (unlikely(!kind || !cell || *cell))
		return 0;
	if (unlikely(!gate_enter_new(self.slot)))
		return 0;
	if (fresh)
		block_clear(p, size);
	if (likely(tau_block_alloc(kind)))
		*(volatile uint16_t *)cell = live_cell_value((uintptr_t)p, kind);
	gate_leave(self.slot);
	return 1;
}

static inline void block_take_in(void *p, size_t size, uintptr_t caller, int fresh)
{
	if (unlikely(self.caller))
		caller = self.caller;
	if (unlikely(!block_new_short(p, size, caller, fresh)))
		block_new_slow(p, size, caller, fresh);
}

/* Enters an allocated block, or only counts it; p may be NULL. */
static inline void block_new(void *p, size_t size, uintptr_t caller, int fresh)
{
	if (likely(!passing) || (passing != PASSING && !budget_stopped()))
		block_take_in(p, size, caller, fresh);
	else if (p)
		pass(size);
}

/* 0: it must go the long way. */
static inline int block_free_short(void *p)
{
	uint16_t *cell;
	uint32_t kind;
	int done;

	if (unlikely(self.closed))
		return self.closed == CLOSED_ASIDE && block_free_aside(p);
	cell = live_cell((uintptr_t)p);
	if (unlikely(!cell))
		return 0;
	kind = live_cell_kind(cell, (uintptr_t)p);
	if (unlikely(kind - 1 >= KIND_DIRECT - 1))
		return 0;
	gate_enter(self.slot);
	done = tau_block_free(kind);
	if (likely(done))
		*(volatile uint16_t *)cell = 0;
	gate_leave(self.slot);
	return done;
}

static inline void block_free(void *p)
{
	if (unlikely(sieve_now() || !block_free_short(p)))
		block_free_slow(p);
}

/*
 * Bytes that are live now (block.c). Exact if no other thread allocates meanwhile: each block of other threads is
 * included or not. If the heap is not counted the table is walked.
 */
uint64_t heap_bytes(void);

void recording_begin(void);
void event_alloc(uint32_t node, size_t size, uint32_t kind);
void event_free(uint32_t node, size_t size, uint32_t kind);
void event_retype(uint32_t from, uint32_t to, size_t size);
/* Enters the pending block of a slot that is held, and reports it. */
void pending_flush(struct slot *s);
/* Changes the type of a live block and reports it. */
void block_retype(uintptr_t address, size_t size, uint32_t from, uint32_t to);

/* ---- address space (map.c) ---- */

extern int maps; /* wanted */
int map_init(void);
/* All that is mapped is reported: the recorder has started. */
void map_report_all(void);
void map_forget(void);

/* ---- the walk over live blocks (census.h), leaks (leak.c) ---- */

/* All gates are taken inside. */
void census_run(void);
/* A number as metadata. */
void census_say(const char *name, uint64_t value);
/* Takes the rules of tau-record (rule.c), NULL: none. */
void rule_init(const char *lines);
/* Finds the real operators of C++. (cxx.c) */
void operators_find(void);
/* Is the function the operator delete with a size? (cxx.c) */
int cxx_is_delete(uintptr_t function);
/* Reports all live blocks, and whether pointers lead to them. */
void leak_run(void);

#pragma GCC visibility pop
#endif
