/*
 * memory.c: memory by object type of unmodified programs: the interposed allocator functions and what happens at each call.
 *
 * Each block is entered in a table of live blocks with a type, and reported through tau.h as allocated, freed, or moved to
 * another type. A small block waits in its thread's slot until the thread's next call ("pending"): by then its
 * constructor has run, and its first words say what it is. Until a type is known a block is "untyped" of the library that
 * asked for it. What the sizes mean: the bytes that were asked for; a realloc is a free and an allocation.
 *
 * Blocks from before the recorder started are entered too, and reported when it starts, at once. The child of a fork
 * starts with an empty table: what its parent allocated is neither its allocation nor its free.
 *
 * Order of things, for whoever changes them: a block enters the table after the real malloc and leaves it before the real
 * free, so no two threads ever have the same address in hand. The gate of a thread's slot is held only while
 * its tables change, never around the real allocator. The dynamic linker is never asked while a gate is held, see library.c.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "memory/memory.h"

#define BOOTSTRAP 65536
#define CALLER ((uintptr_t)__builtin_return_address(0))

struct tally tally;
int recording;

static struct {
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
} real;
static volatile int ready;	/* 0 not yet, 1 in progress, 2 the functions are found, 3 and there are tables */

/* Memory for the calls that dlsym makes while it looks for the real functions. Never given back. */
static char bootstrap[BOOTSTRAP] __attribute__((aligned(16)));
static size_t bootstrap_used;

static void *bootstrap_take(size_t alignment, size_t size)
{
	size_t at = (__atomic_load_n(&bootstrap_used, __ATOMIC_RELAXED) + alignment - 1) & ~(alignment - 1);

	if (size > BOOTSTRAP - 16 || at > BOOTSTRAP - 16 - size) {
		errno = ENOMEM;
		return NULL;
	}
	memcpy(bootstrap + at, &size, sizeof(size));
	__atomic_store_n(&bootstrap_used, at + 16 + size, __ATOMIC_RELAXED);
	return bootstrap + at + 16;
}

static int in_bootstrap(const void *p)
{
	return (const char *)p >= bootstrap && (const char *)p < bootstrap + BOOTSTRAP;
}

static void *bootstrap_again(void *p, size_t size)
{
	size_t old;
	void *q = malloc(size);

	memcpy(&old, (char *)p - 16, sizeof(old));
	if (q)
		memcpy(q, p, old < size ? old : size);
	return q;
}

static const struct {
	const char *name;
	void **where;
} functions[] = {
	{ "malloc", (void **)&real.malloc },
	{ "calloc", (void **)&real.calloc },
	{ "realloc", (void **)&real.realloc },
	{ "free", (void **)&real.free },
	{ "memalign", (void **)&real.memalign },
	{ "aligned_alloc", (void **)&real.aligned_alloc },
	{ "posix_memalign", (void **)&real.posix_memalign },
	{ "valloc", (void **)&real.valloc },
	{ "pvalloc", (void **)&real.pvalloc },
	{ "vasprintf", (void **)&real.vasprintf },
	{ "__vasprintf_chk", (void **)&real.vasprintf_chk },
	{ "dlclose", (void **)&real.dlclose },
};

/* The next allocator in the search order, which need not be libc's. The first call comes from the linker, in one thread. */
static void find_real(void)
{
	size_t i;

	if (ready)
		return;
	ready = 1;
	self.busy++;
	for (i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		*functions[i].where = dlsym(RTLD_NEXT, functions[i].name);
	ready = node_init() || live_init() || class_init() || thread_init() ? 2 : 3;
	self.busy--;
}

/* ---- events ---- */

static int report_one(void *arg, const struct live_block *b)
{
	(void)arg;
	tau_mem_alloc(node_memtype(b->node), b->size);
	return 0;
}

/* The recorder has just started: what is in the table is reported as if allocated now. */
static void recording_begin(void)
{
	struct slot *s;
	unsigned i;

	self.busy = 1;
	thread_stop_all();
	if (!recording && tau_active()) {
		for (i = 0; (s = thread_slot(i)); i++)
			pending_flush(s);
		live_walk(report_one, NULL);
		recording = 1;
	}
	thread_resume_all();
	self.busy = 0;
}

void event_alloc(uint32_t node, size_t size)
{
	if (likely(recording))
		tau_mem_alloc(node_memtype(node), size);
}

void event_free(uint32_t node, size_t size)
{
	if (likely(recording))
		tau_mem_free(node_memtype(node), size);
}

void event_retype(uint32_t from, uint32_t to, size_t size)
{
	if (likely(recording))
		tau_mem_retype(node_memtype(from), node_memtype(to), size);
}

void block_retype(uintptr_t address, size_t size, uint32_t from, uint32_t to)
{
	if (live_retype(address, to))
		event_retype(from, to, size);
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
	return seen ? node_get(NODE_CLASS, seen, nodes[node].owner) : node;
}

/* Into the table. A block that was there already was freed where we could not see it. */
static void block_enter(uintptr_t address, size_t size, uint32_t node)
{
	struct live_block old;

	event_alloc(node, size);
	switch (live_put(address, size, node, &old)) {
	case 2:
		tally_add(&tally.lost_frees);
		event_free(old.node, old.size);
		break;
	case 0:
		tally_add(&tally.untracked);
		event_free(node, size);
		break;
	}
}

void pending_flush(struct slot *s)
{
	struct pending *p = &s->pending;

	if (!p->address)
		return;
	block_enter(p->address, p->size,
		    block_judge((const void *)p->address, p->size, p->node, p->class));
	__atomic_store_n(&p->address, 0, __ATOMIC_RELEASE);
}

static void deferred_report(struct slot *s)
{
	while (s->deferred_n) {
		s->deferred_n--;
		event_free(s->deferred[s->deferred_n].node, s->deferred[s->deferred_n].size);
	}
}

/*
 * A new block. fresh: its content is not the program's yet, so the words where class pointers stand are cleared, lest those of
 * an earlier object in the same place be believed.
 */
static inline void block_new(void *p, size_t size, uintptr_t caller, int fresh)
{
	uint32_t node;
	struct slot *s;

	if (unlikely(!p || self.busy || ready < 3 || tau_inside()))
		return;
	if (unlikely(!recording) && tau_active())
		recording_begin();
	if (fresh && size >= 16) {
		*(volatile uintptr_t *)p = 0;
		if (size >= 56)
			((volatile uintptr_t *)p)[5] = 0;
	}
	self.busy = 1;
	node = library_node(unlikely(self.caller) ? self.caller : caller);
	s = thread_enter();
	if (unlikely(s->building))
		node = node_get(nodes[node].kind, nodes[node].id, construct_owner(s));
	if (unlikely(s->deferred_n))
		deferred_report(s);
	pending_flush(s);
	if (likely(live_is_small((uintptr_t)p, size))) {
		s->pending.size = size;
		s->pending.node = node;
		s->pending.class = 0;
		__atomic_store_n(&s->pending.address, (uintptr_t)p, __ATOMIC_RELEASE);
	} else {
		block_enter((uintptr_t)p, size, node);
		s->filling = (struct filling){ .address = (uintptr_t)p, .size = size };
	}
	thread_leave(s);
}

/* A last look before a free: something constructed late, or read too early, is typed after all. */
static inline uint32_t block_last_look(const struct live_block *b)
{
	uint32_t node;

	if (likely(!class_n) || nodes[b->node].kind != NODE_UNTYPED)
		return b->node;
	node = block_judge((const void *)b->address, b->size, b->node, 0);
	if (node != b->node)
		event_retype(b->node, node, b->size);
	return node;
}

/* Pending in another thread, or never seen. The own gate is not held. */
static int block_steal(uintptr_t address, struct live_block *b)
{
	struct pending p;

	if (thread_steal(address, &p)) {
		*b = (struct live_block){ address, p.size, block_judge((void *)address, p.size, p.node, p.class) };
		event_alloc(b->node, b->size);
		return 1;
	}
	/* It may have entered the table while we looked. */
	return live_take(address, b);
}

/* Takes a block out of the table and reports it as freed. 0 when it was not there. */
static inline int block_gone(void *p, struct live_block *b)
{
	struct slot *s = thread_enter();
	int found = 1;

	if (unlikely(s->deferred_n))
		deferred_report(s);
	if (s->pending.address == (uintptr_t)p) {
		s->pending.address = 0;
		*b = (struct live_block){ (uintptr_t)p, s->pending.size,
					  block_judge(p, s->pending.size, s->pending.node, s->pending.class) };
		event_alloc(b->node, b->size);
	} else {
		/* Its allocation came before this free: reported later, the peak would be missed. */
		pending_flush(s);
		if (unlikely(s->filling.address == (uintptr_t)p))
			s->filling.address = 0;
		found = live_take((uintptr_t)p, b);
		if (unlikely(!found)) {
			lock_drop(&s->gate);
			found = block_steal((uintptr_t)p, b);
			lock_take(&s->gate);
		}
		if (likely(found))
			b->node = block_last_look(b);
	}
	if (likely(found))
		event_free(b->node, b->size);
	thread_leave(s);
	return found;
}

/* A free while the recorder is at work in this thread: reported later. It may hold locks, so nothing here waits. */
static void block_gone_inside(void *p)
{
	struct slot *s = self.slot;
	struct live_block b;

	if (thread_drop((uintptr_t)p) || !s || !lock_try(&s->gate))
		return;
	self.busy = 1;
	if (s->deferred_n < DEFERRED && live_take((uintptr_t)p, &b))
		s->deferred[s->deferred_n++] = b;
	lock_drop(&s->gate);
	self.busy = 0;
}

/* ---- the interposed functions ---- */

EXPORT void *malloc(size_t size)
{
	void *p;

	if (unlikely(!real.malloc)) {
		find_real();
		if (!real.malloc)
			return bootstrap_take(16, size);
	}
	p = real.malloc(size);
	block_new(p, size, CALLER, 1);
	return p;
}

EXPORT void *calloc(size_t n, size_t size)
{
	void *p;

	if (unlikely(!real.calloc)) {
		find_real();
		if (!real.calloc)
			return n && size > BOOTSTRAP / n ? NULL : bootstrap_take(16, n * size);
	}
	p = real.calloc(n, size);
	block_new(p, n * size, CALLER, 0);
	return p;
}

static inline void *reallocate(void *p, size_t size, uintptr_t caller)
{
	struct live_block b;
	int had = 0;
	void *q;

	if (unlikely(!real.realloc))
		find_real();
	if (unlikely(in_bootstrap(p)))
		return bootstrap_again(p, size);
	if (unlikely(!real.realloc))
		return p ? NULL : bootstrap_take(16, size);
	if (unlikely(self.busy || ready < 3))
		return real.realloc(p, size);
	if (unlikely(tau_inside())) {
		if (p)
			block_gone_inside(p);
		return real.realloc(p, size);
	}
	if (p)
		had = block_gone(p, &b);
	q = real.realloc(p, size);
	if (q)
		block_new(q, size, caller, !p);
	else if (had && size)
		block_new(p, b.size, caller, 0);	/* it failed, the old block lives on */
	return q;
}

EXPORT void *realloc(void *p, size_t size)
{
	return reallocate(p, size, CALLER);
}

EXPORT void *reallocarray(void *p, size_t n, size_t size)
{
	uintptr_t outer = self.caller;
	size_t bytes;
	void *q;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	self.caller = CALLER;
	__asm__ volatile("" ::: "memory");
	q = realloc(p, bytes);
	__asm__ volatile("" ::: "memory");
	self.caller = outer;
	return q;
}

EXPORT void free(void *p)
{
	struct live_block b;

	if (!p || unlikely(in_bootstrap(p)))
		return;
	if (unlikely(!real.free)) {
		find_real();
		if (!real.free)
			return;
	}
	if (likely(!self.busy && ready == 3)) {
		if (likely(!tau_inside()))
			block_gone(p, &b);
		else
			block_gone_inside(p);
	}
	real.free(p);
}

/* Aligned allocation that comes before the real functions are known takes what malloc gives there. */
#define ALIGNED(name, parameters, call, size, alignment) \
	EXPORT void *name parameters \
	{ \
		void *p; \
\
		if (unlikely(!real.name)) { \
			find_real(); \
			if (!real.name) \
				return bootstrap_take(alignment, size); \
		} \
		p = real.name call; \
		block_new(p, size, CALLER, 1); \
		return p; \
	}

ALIGNED(memalign, (size_t alignment, size_t size), (alignment, size), size, 16)
ALIGNED(aligned_alloc, (size_t alignment, size_t size), (alignment, size), size, 16)
ALIGNED(valloc, (size_t size), (size), size, 16)
ALIGNED(pvalloc, (size_t size), (size), size, 16)

EXPORT int posix_memalign(void **out, size_t alignment, size_t size)
{
	int result;

	if (unlikely(!real.posix_memalign)) {
		find_real();
		if (!real.posix_memalign)
			return ENOMEM;
	}
	result = real.posix_memalign(out, alignment, size);
	if (result == 0)
		block_new(*out, size, CALLER, 1);
	return result;
}

/*
 * ---- functions of libc that allocate for their caller: the block is the caller's, not libc's ----
 *
 * They call malloc and realloc by name, as libc does: in a program that brings an allocator of its own, those are its.
 */

static char *duplicate(const char *text, size_t n, uintptr_t caller)
{
	uintptr_t outer = self.caller;
	char *p;

	self.caller = caller;
	__asm__ volatile("" ::: "memory");
	p = malloc(n + 1);
	__asm__ volatile("" ::: "memory");
	self.caller = outer;
	if (!p)
		return NULL;
	memcpy(p, text, n);
	p[n] = 0;
	return p;
}

EXPORT char *strndup(const char *text, size_t most)
{
	return duplicate(text, strnlen(text, most), CALLER);
}

EXPORT char *strdup(const char *text)
{
	return duplicate(text, strlen(text), CALLER);
}

static int print(uintptr_t caller, char **out, int flag, const char *format, va_list args)
{
	uintptr_t outer = self.caller;
	int n;

	if (unlikely(!real.vasprintf))
		find_real();
	self.caller = caller;
	__asm__ volatile("" ::: "memory");
	if (flag >= 0 && real.vasprintf_chk)
		n = real.vasprintf_chk(out, flag, format, args);
	else
		n = real.vasprintf(out, format, args);
	__asm__ volatile("" ::: "memory");
	self.caller = outer;
	return n;
}

EXPORT int vasprintf(char **out, const char *format, va_list args)
{
	return print(CALLER, out, -1, format, args);
}

EXPORT int asprintf(char **out, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = print(CALLER, out, -1, format, args);
	va_end(args);
	return n;
}

EXPORT int __vasprintf_chk(char **out, int flag, const char *format, va_list args);
EXPORT int __asprintf_chk(char **out, int flag, const char *format, ...);

int __vasprintf_chk(char **out, int flag, const char *format, va_list args)
{
	return print(CALLER, out, flag, format, args);
}

int __asprintf_chk(char **out, int flag, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = print(CALLER, out, flag, format, args);
	va_end(args);
	return n;
}

/* Addresses of an unloaded library may come to mean something else. */
EXPORT int dlclose(void *handle)
{
	int result, busy = self.busy, e;

	if (unlikely(!real.dlclose))
		find_real();
	result = real.dlclose(handle);
	if (!busy && ready == 3) {
		self.busy = 1;
		e = errno;
		library_unloaded();
		class_unloaded();
		errno = e;
		self.busy = 0;
	}
	return result;
}

/* ---- begin and end ---- */

static int finalized;

static void at_finalize(void)
{
	if (!finalized && ready == 3 && !self.busy && tau_active()) {
		if (!recording)
			recording_begin();
		finalized = 1;
		census_run();
	}
}

static __attribute__((constructor)) void begin(void)
{
	find_real();
	tau_on_finalize(at_finalize);
}

/* Programs without a runtime to finalize: at the end. What is still pending is entered in any case. */
static __attribute__((destructor)) void finish(void)
{
	struct slot *s;
	unsigned i;

	if (!finalized) {
		at_finalize();
		return;
	}
	if (ready < 3 || self.busy || tau_inside())
		return;
	self.busy = 1;
	thread_stop_all();
	for (i = 0; (s = thread_slot(i)); i++)
		pending_flush(s);
	thread_resume_all();
	self.busy = 0;
}
