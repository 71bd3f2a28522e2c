/*
 * memory.c: memory by object type of unmodified programs: the interposed allocator functions, and
 * the actions at the start and the end of the process.
 *
 * The interposers find the real functions, which need not be libc's. They pass each new block to
 * block.c after the real call, and each block that ends before it. A block is attributed to the
 * code that called the interposed function: strdup's block to the caller of strdup.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "memory/block.h"
#include "memory/budget.h"
#include "memory/budget_trial.h"
#include "memory/caller.h"
#include "memory/census.h"
#include "memory/class.h"
#include "memory/cxx.h"
#include "memory/hints.h"
#include "memory/kind.h"
#include "memory/leak.h"
#include "memory/library.h"
#include "memory/live.h"
#include "memory/map.h"
#include "memory/node.h"
#include "memory/real.h"
#include "memory/rule_table.h"
#include "memory/sieve.h"
#include "memory/stack.h"
#include "memory/thread.h"
#include "metadata.h"
#include "tau.h"
#include "own/own.h"

#define BOOTSTRAP 65536
#define CALLER ((uintptr_t)__builtin_return_address(0))

struct real real;
volatile int ready;
static int leaks_wanted; /* TAU_TRACK_MEMORY_LEAKS */

/* Memory for the calls that dlsym makes while it looks for the real functions. Never given back. */
static char bootstrap[BOOTSTRAP] __attribute__((aligned(16)));
static size_t bootstrap_used;

static void *bootstrap_allocate(size_t alignment, size_t size)
{
	size_t at = (__atomic_load_n(&bootstrap_used, __ATOMIC_RELAXED) + alignment - 1) &
		    ~(alignment - 1);

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
	{ "mmap", (void **)&real.mmap },
	{ "munmap", (void **)&real.munmap },
	{ "brk", (void **)&real.brk },
	{ "sbrk", (void **)&real.sbrk },
};

/* The next allocator in the search order, which need not be libc's. The first call comes from the linker, in one thread. */
static void find_real(void)
{
	size_t i;

	if (ready)
		return;
	ready = 1;
	busy_begin();
	for (i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		*functions[i].where = own_next(functions[i].name);
	if (!tau_permitted())
		ready = 0;	/* or not yet: begin() asks again */
	else
		ready = node_init() || live_init() || class_init(kind_of_classes) ||
					thread_init() || kind_init()
				? 2
				: 3;
	busy_end();
}

int malloc_is_ours(void)
{
	void *first = own_first("malloc");

	return library_of((uintptr_t)first) == library_of((uintptr_t)find_real);
}

/* ---- blocks that are only counted, and not before the call ---- */

static inline void *passed(void *p, size_t size)
{
	if (likely(p))
		pass(size);
	return p;
}

static void *malloc_recorded(size_t size, uintptr_t caller);

static __attribute__((noinline)) void *malloc_passing(size_t size, uintptr_t caller)
{
	return blocks_stopped() ? passed(real.malloc(size), size) : malloc_recorded(size, caller);
}

static __attribute__((noinline)) void *calloc_passing(size_t n, size_t size)
{
	return passed(real.calloc(n, size), n * size);
}

static __attribute__((noinline)) void *realloc_passing(void *p, size_t size)
{
	return passed(real.realloc(p, size), size);
}

/* ---- the interposed functions ---- */

static __attribute__((noinline)) void *malloc_recorded(size_t size, uintptr_t caller)
{
	void *p;

	if (unlikely(!real.malloc)) {
		find_real();
		if (!real.malloc)
			return bootstrap_allocate(16, size);
	}
	p = real.malloc(size);
	block_add_in(p, size, caller, 1);
	return p;
}

EXPORT void *malloc(size_t size)
{
	int way = passing;

	if (likely(way == PASSING_NONE))
		return malloc_recorded(size, CALLER);
	if (likely(way == PASSING) && likely(pass_ahead(size)))
		return real.malloc(size);
	return malloc_passing(size, CALLER);
}

static __attribute__((noinline)) void *calloc_recorded(size_t n, size_t size, uintptr_t caller)
{
	void *p;

	if (unlikely(!real.calloc)) {
		find_real();
		if (!real.calloc)
			return n && size > BOOTSTRAP / n ? NULL : bootstrap_allocate(16, n * size);
	}
	p = real.calloc(n, size);
	block_new(p, n * size, caller, 0);
	return p;
}

EXPORT void *calloc(size_t n, size_t size)
{
	size_t bytes;

	if (likely(passing != PASSING))
		return calloc_recorded(n, size, CALLER);
	if (likely(!__builtin_mul_overflow(n, size, &bytes)) && likely(pass_ahead(bytes)))
		return real.calloc(n, size);
	return calloc_passing(n, size);
}

static __attribute__((noinline)) void *realloc_recorded(void *p, size_t size, uintptr_t caller)
{
	struct live_block b;
	int had = 0;
	void *q;

	if (unlikely(!real.realloc))
		find_real();
	if (unlikely(in_bootstrap(p)))
		return bootstrap_again(p, size);
	if (unlikely(!real.realloc))
		return p ? NULL : bootstrap_allocate(16, size);
	if (unlikely(is_busy() || ready < 3))
		return real.realloc(p, size);
	if (unlikely(passing) && (!p || block_is_unknown(p))) {
		q = real.realloc(p, size);
		if (q)
			block_new(q, size, caller, !p);
		return q;
	}
	if (unlikely(tau_inside() || (self.slot && self.slot->gate))) {
		if (p)
			block_gone_inside(p);
		return real.realloc(p, size);
	}
	if (p)
		had = block_detach(p, &b);
	q = real.realloc(p, size);
	if (had)
		block_detached(&b, had, q || !size);	/* where it failed the old block lives on */
	if (q)
		block_new(q, size, caller, !p);
	return q;
}

EXPORT void *realloc(void *p, size_t size)
{
	uint64_t *words = sieve_now();

	if (likely(!words) || unlikely(sieve_has(words, p)))
		return realloc_recorded(p, size, CALLER);
	if (likely(size) && likely(pass_ahead(size)))
		return real.realloc(p, size);
	return realloc_passing(p, size);
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

static __attribute__((noinline)) void free_slow(void *p)
{
	if (!p || unlikely(in_bootstrap(p)))
		return;
	if (block_is_unknown(p)) {
		real.free(p);
		return;
	}
	if (unlikely(!real.free)) {
		find_real();
		if (!real.free)
			return;
	}
	block_free_slow(p);
	real.free(p);
}

static __attribute__((noinline)) void free_recorded(void *p)
{
	if (likely(block_free_short(p)))
		real.free(p);
	else
		free_slow(p);
}

EXPORT void free(void *p)
{
	uint64_t *words = sieve_now();

	if (likely(!words))
		free_recorded(p);
	else if (likely(!sieve_has(words, p)))
		real.free(p);
	else
		free_slow(p);
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
				return bootstrap_allocate(alignment, size); \
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

struct outer {
	uintptr_t caller;
	int text;
};

static inline struct outer text_begin(uintptr_t caller)
{
	struct outer outer = {self.caller, self.text};

	self.caller = caller;
	self.text = 1;
	__asm__ volatile("" ::: "memory");
	return outer;
}

static inline void text_end(struct outer outer)
{
	__asm__ volatile("" ::: "memory");
	self.caller = outer.caller;
	self.text = outer.text;
}

static char *duplicate(const char *text, size_t n, uintptr_t caller)
{
	struct outer outer = text_begin(caller);
	char *p;

	p = malloc(n + 1);
	text_end(outer);
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
	struct outer outer;
	int n;

	if (unlikely(!real.vasprintf))
		find_real();
	outer = text_begin(caller);
	if (flag >= 0 && real.vasprintf_chk)
		n = real.vasprintf_chk(out, flag, format, args);
	else
		n = real.vasprintf(out, format, args);
	text_end(outer);
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
	const struct library_segments *before = segments_known();
	int result, e;

	if (unlikely(!real.dlclose))
		find_real();
	result = real.dlclose(handle);
	if (!is_busy() && ready == 3) {
		busy_begin();
		e = errno;
		if (callers_forget(before))
			class_unloaded();
		errno = e;
		busy_end();
	}
	return result;
}

/* ---- begin and end ---- */

static int finalized;

static void at_finalize(void)
{
	if (!finalized && ready == 3 && !is_busy() && tau_active()) {
		if (!recording)
			recording_begin();
		finalized = 1;
		census_run();
	}
}

static int is_on(const char *name)
{
	const char *v = getenv(name);

	return v && *v && strcmp(v, "0") && strcmp(v, "off") && strcmp(v, "no");
}

/* A positive number, at least 1. */
static unsigned number(const char *name)
{
	unsigned long v = strtoul(getenv(name), NULL, 10);

	return v < 1 ? 1 : v > 1000 ? 1000 : (unsigned)v;
}

static __attribute__((constructor)) void begin(void)
{
	find_real();
	if (ready < 3)
		return;
	operators_find();
	segments_now();
	leaks_wanted = is_on("TAU_TRACK_MEMORY_LEAKS");
	if (is_on("TAU_MEMORY_STACKS") && ready == 3) {
		node_room();
		stack_init(number("TAU_MEMORY_STACKS"));
	}
	sites = !stacks &&
		(leaks_wanted || !getenv("TAU_MEMORY_SITES") || is_on("TAU_MEMORY_SITES"));
	census_only = is_on("TAU_MEMORY_CENSUS");
	rule_init(getenv("TAU_RECORD_TYPES"));
	heap_counted = is_on("TAU_TRACK_HEAP") || is_on("TAU_RECORD_HEAP");
	tau_heap_meter(heap_bytes);
	heap_publish();
	budget_init(bootstrap, sizeof(bootstrap));
	if (is_on("TAU_MEMORY_MAPS") && ready == 3)
		map_init();
	tau_on_finalize(at_finalize);
	/* The recorder has started before: what libraries have allocated until then is not to wait for the program's next call. */
	if (!recording && !census_only && tau_active())
		recording_begin();
}

/* Programs without a runtime to finalize: at the end. What is still pending is entered in any case. */
static __attribute__((destructor)) void finish(void)
{
	struct slot *s;
	unsigned i;

	if (!finalized)
		at_finalize();
	share_end();
	if (ready < 3 || is_busy() || tau_inside())
		return;
	if (leaks_wanted && budget_passed())
		census_write(TAU_META_MEMORY_LEAKS_NOT_LOOKED_FOR, 1);
	else if (leaks_wanted && tau_active() && finalized)
		leak_run();
	busy_begin();
	thread_stop_all();
	for (i = 0; (s = thread_slot(i)); i++)
		pending_flush(s);
	thread_resume_all();
	busy_end();
}
