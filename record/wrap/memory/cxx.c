/*
 * cxx.c: the operators new and delete of C++, so that a block is attributed to the code that
 * contains the new expression, and so that operators of allocators which do not call malloc are
 * seen.
 *
 * The real operator runs with recording off: the memory that it allocates is not an allocation of
 * its own. The variant that does not throw is called, because an exception would leave recording
 * off. If there is no memory, the variant that throws is called after all, with recording on.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "block.h"
#include "cxx.h"
#include "hints.h"
#include "library.h"
#include "real.h"
#include "sieve.h"
#include "thread.h"
#include "own/own.h"

#define CALLER ((uintptr_t)__builtin_return_address(0))

enum operator{
	NEW,
	NEW_ARRAY,
	NEW_NOTHROW,
	NEW_ARRAY_NOTHROW,
	NEW_ALIGNED,
	NEW_ARRAY_ALIGNED,
	NEW_ALIGNED_NOTHROW,
	NEW_ARRAY_ALIGNED_NOTHROW,
	DELETE,
	DELETE_ARRAY,
	DELETE_ALIGNED,
	DELETE_ARRAY_ALIGNED,
	OPERATORS
};
static const char *const names[OPERATORS] = {
	[NEW] = "_Znwm",
	[NEW_ARRAY] = "_Znam",
	[NEW_NOTHROW] = "_ZnwmRKSt9nothrow_t",
	[NEW_ARRAY_NOTHROW] = "_ZnamRKSt9nothrow_t",
	[NEW_ALIGNED] = "_ZnwmSt11align_val_t",
	[NEW_ARRAY_ALIGNED] = "_ZnamSt11align_val_t",
	[NEW_ALIGNED_NOTHROW] = "_ZnwmSt11align_val_tRKSt9nothrow_t",
	[NEW_ARRAY_ALIGNED_NOTHROW] = "_ZnamSt11align_val_tRKSt9nothrow_t",
	[DELETE] = "_ZdlPv",
	[DELETE_ARRAY] = "_ZdaPv",
	[DELETE_ALIGNED] = "_ZdlPvSt11align_val_t",
	[DELETE_ARRAY_ALIGNED] = "_ZdaPvSt11align_val_t",
};
static void *found[OPERATORS];
static const char nothrow; /* std::nothrow: an empty object, only its address counts */

/* The next in the search order, or in a C++ library that was opened for itself alone. */
static void *find(enum operator o)
{
	void *f = __atomic_load_n(&found[o], __ATOMIC_RELAXED);

	if (likely(f))
		return f;
	busy_begin();
	f = own_next(names[o]);
	busy_end();
	__atomic_store_n(&found[o], f, __ATOMIC_RELAXED);
	return f;
}

/*
 * At the start, because a search takes the loader's lock. What is not there by then is looked for when it is first called: a C++
 * library that is opened later for itself alone.
 */
void operators_find(void)
{
	busy_begin();
	for (int o = 0; o < OPERATORS; o++)
		found[o] = own_next(names[o]);
	busy_end();
}

static void *get(enum operator quiet, size_t size, size_t alignment)
{
	void *f = find(quiet), *p;

	busy_begin();
	__asm__ volatile("" ::: "memory");
	if (!f)
		p = alignment ? aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1))
			      : malloc(size);
	else if (alignment)
		p = ((void *(*)(size_t, size_t, const void *))f)(size, alignment, &nothrow);
	else
		p = ((void *(*)(size_t, const void *))f)(size, &nothrow);
	__asm__ volatile("" ::: "memory");
	busy_end();
	return p;
}

/* GNU's operators are malloc and free by another name: no need to ask them. */
static int plain(enum operator o)
{
	static int known; /* 1: they are, 2: not */
	int k = __atomic_load_n(&known, __ATOMIC_RELAXED);
	void *f;

	if (likely(k))
		return k == 1;
	f = find(o);
	k = f && malloc_is_ours() &&
			    !strncmp(library_get(library_of((uintptr_t)f))->name, "libstdc++.", 10)
		    ? 1
		    : 2;
	if (f)
		__atomic_store_n(&known, k, __ATOMIC_RELAXED);
	return k == 1;
}

static __attribute__((noinline)) void *allocate_slow(enum operator loud, enum operator quiet,
						     size_t size, size_t alignment,
						     uintptr_t caller)
{
	void *p, *f;

	if (likely(!is_busy())) {
		p = get(quiet, size, alignment);
		if (likely(p)) {
			block_new(p, size, caller, 1);
			return p;
		}
	}
	/* Also when a quiet operator calls a loud one, as GNU's do. */
	f = find(loud);
	if (!f)
		return NULL;
	if (loud == quiet)
		return alignment ? ((void *(*)(size_t, size_t, const void *))f)(size, alignment,
										&nothrow)
				 : ((void *(*)(size_t, const void *))f)(size, &nothrow);
	return alignment ? ((void *(*)(size_t, size_t))f)(size, alignment)
			 : ((void *(*)(size_t))f)(size);
}

static inline void *allocate(enum operator loud, enum operator quiet, size_t size, size_t alignment,
			     uintptr_t caller)
{
	void *p;

	if (likely(!alignment && real.malloc && plain(NEW))) {
		p = real.malloc(size);
		if (likely(p)) {
			block_new(p, size, caller, 1);
			return p;
		}
	}
	return allocate_slow(loud, quiet, size, alignment, caller);
}

static void release(enum operator o, void *p, size_t alignment)
{
	void *f;

	if (likely(!alignment && plain(NEW))) {
		if (likely(!sieve_now() && block_free_short(p)))
			real.free(p);
		else
			free(p);
		return;
	}
	if (!p)
		return;
	f = find(o);
	block_free(p);
	busy_begin();
	__asm__ volatile("" ::: "memory");
	if (!f)
		free(p);
	else if (alignment)
		((void (*)(void *, size_t))f)(p, alignment);
	else
		((void (*)(void *))f)(p);
	__asm__ volatile("" ::: "memory");
	busy_end();
}

#define OPERATOR(type, name, symbol, parameters, body)                                             \
	EXPORT type name parameters __asm__(symbol);                                               \
	type name parameters                                                                       \
	{                                                                                          \
		body;                                                                              \
	}

#define N const void *tag __attribute__((unused))

OPERATOR(void *, new_one, "_Znwm", (size_t n), return allocate(NEW, NEW_NOTHROW, n, 0, CALLER))
OPERATOR(void *, new_many, "_Znam", (size_t n),
	 return allocate(NEW_ARRAY, NEW_ARRAY_NOTHROW, n, 0, CALLER))
OPERATOR(void *, new_one_quiet, "_ZnwmRKSt9nothrow_t", (size_t n, N),
	 return allocate(NEW_NOTHROW, NEW_NOTHROW, n, 0, CALLER))
OPERATOR(void *, new_many_quiet, "_ZnamRKSt9nothrow_t", (size_t n, N),
	 return allocate(NEW_ARRAY_NOTHROW, NEW_ARRAY_NOTHROW, n, 0, CALLER))
OPERATOR(void *, new_one_at, "_ZnwmSt11align_val_t", (size_t n, size_t a),
	 return allocate(NEW_ALIGNED, NEW_ALIGNED_NOTHROW, n, a, CALLER))
OPERATOR(void *, new_many_at, "_ZnamSt11align_val_t", (size_t n, size_t a),
	 return allocate(NEW_ARRAY_ALIGNED, NEW_ARRAY_ALIGNED_NOTHROW, n, a, CALLER))
OPERATOR(void *, new_one_at_quiet, "_ZnwmSt11align_val_tRKSt9nothrow_t", (size_t n, size_t a, N),
	 return allocate(NEW_ALIGNED_NOTHROW, NEW_ALIGNED_NOTHROW, n, a, CALLER))
OPERATOR(void *, new_many_at_quiet, "_ZnamSt11align_val_tRKSt9nothrow_t", (size_t n, size_t a, N),
	 return allocate(NEW_ARRAY_ALIGNED_NOTHROW, NEW_ARRAY_ALIGNED_NOTHROW, n, a, CALLER))

OPERATOR(void, delete_one, "_ZdlPv", (void *p), release(DELETE, p, 0))
OPERATOR(void, delete_many, "_ZdaPv", (void *p), release(DELETE_ARRAY, p, 0))
OPERATOR(void, delete_one_sized, "_ZdlPvm", (void *p, size_t n __attribute__((unused))),
	 release(DELETE, p, 0))
OPERATOR(void, delete_many_sized, "_ZdaPvm", (void *p, size_t n __attribute__((unused))),
	 release(DELETE_ARRAY, p, 0))
OPERATOR(void, delete_one_quiet, "_ZdlPvRKSt9nothrow_t", (void *p, N), release(DELETE, p, 0))
OPERATOR(void, delete_many_quiet, "_ZdaPvRKSt9nothrow_t", (void *p, N), release(DELETE_ARRAY, p, 0))
OPERATOR(void, delete_one_at, "_ZdlPvSt11align_val_t", (void *p, size_t a),
	 release(DELETE_ALIGNED, p, a))
OPERATOR(void, delete_many_at, "_ZdaPvSt11align_val_t", (void *p, size_t a),
	 release(DELETE_ARRAY_ALIGNED, p, a))
OPERATOR(void, delete_one_at_sized, "_ZdlPvmSt11align_val_t",
	 (void *p, size_t n __attribute__((unused)), size_t a), release(DELETE_ALIGNED, p, a))
OPERATOR(void, delete_many_at_sized, "_ZdaPvmSt11align_val_t",
	 (void *p, size_t n __attribute__((unused)), size_t a), release(DELETE_ARRAY_ALIGNED, p, a))
OPERATOR(void, delete_one_at_quiet, "_ZdlPvSt11align_val_tRKSt9nothrow_t", (void *p, size_t a, N),
	 release(DELETE_ALIGNED, p, a))
OPERATOR(void, delete_many_at_quiet, "_ZdaPvSt11align_val_tRKSt9nothrow_t", (void *p, size_t a, N),
	 release(DELETE_ARRAY_ALIGNED, p, a))

int cxx_is_delete(uintptr_t function)
{
	return function == (uintptr_t)delete_one_sized ||
	       function == (uintptr_t)delete_one_at_sized;
}
