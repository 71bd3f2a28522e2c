/*
 * shmem.c: the OpenSHMEM wrapper. The rows of shmem.list give the functions; this file holds the
 * actions around the calls of each class: transfers, collective operations and their active sets,
 * the symmetric heap, start and end.
 *
 * Transfers count at the call, with the requested bytes: a non-blocking one is complete only at the
 * next quiet, and the completion of each is not reported. A strided one counts the elements, not
 * the gaps.
 *
 * Collective operations count the bytes that this PE sends and receives:
 *
 *   broadcast          root: n, 0          others: 0, n
 *   collect            n, 0 (the arguments do not contain the sizes of the others)
 *   fcollect           n, n * PE_size
 *   alltoall(s)        n * PE_size, n * PE_size
 *   X_to_all           n, n
 *   barrier, sync      0, 0
 *
 * The symmetric heap gives these events, in bytes, beside the regions of its functions:
 *
 *   Symmetric heap allocate    each allocation; realloc counts as free of the old and allocation of
 *                              the new
 *   Symmetric heap free        each release, with the bytes that were requested
 *   Symmetric heap used        the bytes in use after each of both
 *   Symmetric heap refused     each request that got no memory
 */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <sched.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "format.h"
#include "metadata.h"
#include "own/own.h"
#include "tau.h"

#include "shmem.gen.c"

/* ---- finding the library ---- */

/* What a call of a function does that no library has: there is no right answer, but the process lives. */
static long absent(void)
{
	return 0;
}

/* `symbol` is the profiling name; some functions have only the plain one. */
void *wrap_find(const char *symbol)
{
	const char *plain = symbol + (symbol[0] == 'p');
	void *real;

	real = own_next(symbol);
	if (!real)
		real = own_next(plain);
	return real ? real : (void *)absent;
}

/* A library of the user's that defines the function, too, comes between the program and OpenSHMEM:
 * it calls the pshmem_ function. */
void *wrap_find_below(struct wrap_function *f)
{
	void *real = wrap_real(f), *library, *below;
	Dl_info a, b;

	tau_hide();
	library = own_next(f->symbol);
	below = library ? own_next(f->plain) : NULL;
	if (!below || !dladdr(library, &a) || !dladdr(below, &b) || a.dli_fbase == b.dli_fbase)
		below = real;
	tau_show();
	return below;
}

/* ---- active sets ---- */

#define SETS 1024
#define SET_RANKS 1024	/* ranks that fit on the stack */

/* One slot a set: key 0 = free; id is valid once `ready` is set. Slots are never freed. */
static struct set {
	_Atomic uint64_t key;
	_Atomic uint32_t ready;
	uint32_t id;
} sets[SETS];

static _Atomic int world;	/* number of PEs, 0 = not asked yet */

static int set_world(void)
{
	int n = atomic_load_explicit(&world, memory_order_relaxed);

	if (n <= 0) {
		n = real_shmem_n_pes();
		atomic_store_explicit(&world, n, memory_order_relaxed);
	}
	return n;
}

/* Active sets are called by the arguments that every program has for them. */
static uint32_t set_define(int start, int stride, int size, uint32_t *ranks)
{
	char name[64];

	for (int i = 0; i < size; i++)
		ranks[i] = (uint32_t)(start + i * stride);
	if (stride > 0 && !(stride & (stride - 1)))
		snprintf(name, sizeof(name), "PE_start %d logPE_stride %d PE_size %d", start,
			 __builtin_ctz((unsigned)stride), size);
	else
		snprintf(name, sizeof(name), "PE_start %d stride %d PE_size %d", start, stride,
			 size);
	return tau_comm(name, ranks, (uint32_t)size);
}

static uint32_t set_define_any(int start, int stride, int size)
{
	uint32_t few[SET_RANKS], *many, id;
	size_t bytes = (size_t)size * sizeof(*many);

	if (size <= SET_RANKS)
		return set_define(start, stride, size, few);
	many = tau_map(bytes);
	if (!many)
		return 0;
	id = set_define(start, stride, size, many);
	tau_unmap(many, bytes);
	return id;
}

/* 0: numbers of PEs too large for a key. */
static uint64_t set_key(int start, int stride, int size)
{
	int64_t most = 1 << 21;

	if (start >= most || stride >= most || stride <= -most || size >= most)
		return 0;
	return (uint64_t)start << 43 | (uint64_t)(stride + most) << 21 | (uint64_t)size;
}

/*
 * Communicator of the PEs start, start + stride, ... Two threads that meet a new set at once both define
 * it, with different ids for equal members; so does a set for which the table has no place.
 */
static uint32_t set_strided(int start, int stride, int size)
{
	int64_t last = start + (int64_t)(size - 1) * stride;
	uint64_t key, old;
	unsigned at;
	uint32_t id;

	if (start == 0 && stride == 1 && size == set_world())
		return 0;
	if (start < 0 || start >= set_world() || size <= 0 || last < 0 || last >= set_world())
		return 0;	/* the library will refuse it */
	key = set_key(start, stride, size);
	at = (unsigned)((key * 0x9e3779b97f4a7c15u) >> 54);
	for (unsigned n = 0; key && n < SETS; n++, at = (at + 1) % SETS) {
		old = atomic_load_explicit(&sets[at].key, memory_order_relaxed);
		if (!old && atomic_compare_exchange_strong(&sets[at].key, &old, key)) {
			sets[at].id = id = set_define_any(start, stride, size);
			atomic_store_explicit(&sets[at].ready, 1, memory_order_release);
			return id;
		}
		if (old == key && atomic_load_explicit(&sets[at].ready, memory_order_acquire))
			return sets[at].id;
		if (old == key)
			break;
	}
	return set_define_any(start, stride, size);
}

static uint32_t set_of(int start, int stride_log, int size)
{
	return stride_log < 0 || stride_log > 30 ? 0 : set_strided(start, 1 << stride_log, size);
}

/* The PE at index `place` of a set. */
static int set_member(int place, int start, int stride_log)
{
	return start + (int)((unsigned)place << (stride_log & 31));
}

#ifdef SHMEM_TEAM_INVALID	/* OpenSHMEM 1.5 */
/* All teams are strided sets: they are parts of the world that splits by strides made. */

static int team_size(shmem_team_t team)
{
	int n = team == SHMEM_TEAM_INVALID ? 0 : real_shmem_team_n_pes(team);

	return n > 0 ? n : 0;
}

/* The PE in the world, -1 for none. The handle is data of the library, or of a program that has a copy. */
static int team_member(shmem_team_t team, int place)
{
	static shmem_team_t *whole;

	if (!whole)
		whole = own_first("oshmem_team_world");
	if (!whole || team == SHMEM_TEAM_INVALID)
		return -1;
	return real_shmem_team_translate_pe(team, place, *whole);
}

static uint32_t team_set(shmem_team_t team)
{
	int size = team_size(team), start = team_member(team, 0);

	return set_strided(start, size > 1 ? team_member(team, 1) - start : 1, size);
}
#endif

#define SET set_of(PE_start, logPE_stride, PE_size)
#define ALL 0
#define REDUCED(type) (nreduce > 0 ? (uint64_t)nreduce * sizeof(type) : 0)

/* ---- the symmetric heap ---- */

#define BLOCKS 8192
#define BLOCK_GONE ((void *)1)

/* Sizes of what is allocated, by address; open addressing. A full table loses sizes, not calls. */
static struct symmetric_block {
	void *at;
	size_t size;
} blocks[BLOCKS];
static size_t blocks_used;
static atomic_flag blocks_lock = ATOMIC_FLAG_INIT;

static void blocks_enter(void)
{
	while (atomic_flag_test_and_set_explicit(&blocks_lock, memory_order_acquire))
		sched_yield();
}

static void blocks_leave(void)
{
	atomic_flag_clear_explicit(&blocks_lock, memory_order_release);
}

static unsigned block_slot(const void *at)
{
	return ((uintptr_t)at * 0x9e3779b97f4a7c15u) >> 51;
}

/* Bytes in use afterwards. */
static size_t block_add(void *at, size_t size)
{
	size_t used;

	blocks_enter();
	for (unsigned n = 0, i = block_slot(at); n < BLOCKS; n++, i = (i + 1) % BLOCKS) {
		if (blocks[i].at && blocks[i].at != BLOCK_GONE)
			continue;
		blocks[i].at = at;
		blocks[i].size = size;
		blocks_used += size;
		break;
	}
	used = blocks_used;
	blocks_leave();
	return used;
}

/* 1 and the size when it was known. */
static int block_remove(const void *at, size_t *size, size_t *used)
{
	int found = 0;

	blocks_enter();
	for (unsigned n = 0, i = block_slot(at); n < BLOCKS; n++, i = (i + 1) % BLOCKS) {
		if (!blocks[i].at)
			break;
		if (blocks[i].at != at)
			continue;
		*size = blocks[i].size;
		blocks_used -= *size;
		blocks[i].at = blocks[(i + 1) % BLOCKS].at ? BLOCK_GONE : NULL;
		found = 1;
		break;
	}
	*used = blocks_used;
	blocks_leave();
	return found;
}

static void heap_event(_Atomic uint32_t *event, const char *name, size_t bytes)
{
	uint32_t id = atomic_load_explicit(event, memory_order_relaxed);

	if (!id) {
		id = tau_event(name, 0);
		atomic_store_explicit(event, id, memory_order_relaxed);
	}
	tau_trigger(id, (double)bytes);
}

static _Atomic uint32_t heap_allocate, heap_free, heap_used, heap_refused;

/* As memory, where what is mapped counts as memory: the heap is mapped, and the pieces of it count instead. */
static void heap_memory(const void *at, size_t size)
{
	static _Atomic uint32_t memtype;
	uint32_t type = memtype;

	if (!tau_mapped_piece || !getenv("TAU_MEMORY_MAPS"))
		return;
	if (!type)
		memtype = type = tau_memtype("symmetric heap", 0, TAU_MEM_CLASS | TAU_MEM_MAPPED, 0,
					     NULL);
	if (at) {
		tau_mapped_piece(at);
		tau_mem_alloc(type, size);
	} else {
		tau_mem_free(type, size);
	}
}

static void heap_grow(void *at, size_t size)
{
	size_t used = block_add(at, size);

	heap_memory(at, size);
	heap_event(&heap_allocate, "Symmetric heap allocate", size);
	heap_event(&heap_used, TAU_EVENT_SYMMETRIC_HEAP_USED, used);
}

/* A size of 0 has no memory to get. */
static void heap_refuse(size_t size)
{
	if (size)
		heap_event(&heap_refused, TAU_EVENT_SYMMETRIC_HEAP_REFUSED, size);
}

static size_t heap_shrink(void *at)
{
	size_t size = 0, used;

	if (!at || !block_remove(at, &size, &used))
		return 0;
	heap_memory(NULL, size);
	heap_event(&heap_free, "Symmetric heap free", size);
	heap_event(&heap_used, TAU_EVENT_SYMMETRIC_HEAP_USED, used);
	return size;
}

struct grow_call {
	size_t size;
};

static inline void grow_before(struct grow_call *h, size_t size)
{
	h->size = size;
}

static inline void grow_after(struct grow_call *h, void *at)
{
	if (at)
		heap_grow(at, h->size);
	else
		heap_refuse(h->size);
}

/* The block leaves the table before the library has it back: another thread may be given it at once. */
struct shrink_call {
	char unused;
};

static inline void shrink_before(struct shrink_call *h, void *at)
{
	(void)h;
	heap_shrink(at);
}

static inline void shrink_after(struct shrink_call *h, int done)
{
	(void)h, (void)done;
}

struct regrow_call {
	void *old;
	size_t old_size, size;
};

static inline void regrow_before(struct regrow_call *h, void *old, size_t size)
{
	h->old = old;
	h->old_size = heap_shrink(old);
	h->size = size;
}

/* A failed realloc leaves the old block where it was. */
static inline void regrow_after(struct regrow_call *h, void *at)
{
	if (at) {
		heap_grow(at, h->size);
		return;
	}
	heap_refuse(h->size);
	if (h->old_size && h->size)
		heap_grow(h->old, h->old_size);
}

/* ---- transfers ---- */

#define TRANSFER(class, kind)									\
	struct class##_call {									\
		char unused;									\
	};											\
	static inline int class##_enter(struct class##_call *h, uint32_t region, int pe,	\
					uint64_t bytes)						\
	{											\
		(void)h;									\
		return tau_call_rma(region, kind, pe, bytes);					\
	}											\
	static inline void class##_after(struct class##_call *h, int done)			\
	{											\
		(void)h, (void)done;								\
	}
TRANSFER(put, TAU_RMA_PUT)
TRANSFER(get, TAU_RMA_GET)
TRANSFER(atomic, TAU_RMA_ATOMIC)

/* ---- collective operations ---- */

struct coll_call {
	char unused;
};

static inline void coll_before(struct coll_call *h, unsigned kind, uint32_t set, uint64_t sent,
			       uint64_t received)
{
	(void)h;
	tau_coll(kind, set, -1, sent, received);
}

static inline void coll_after(struct coll_call *h, int done)
{
	(void)h, (void)done;
}

struct broadcast_call {
	char unused;
};

static inline void broadcast_before(struct broadcast_call *h, uint32_t set, int root,
				    uint64_t bytes)
{
	int mine = root == real_shmem_my_pe();

	(void)h;
	tau_coll(TAU_COLL_BROADCAST, set, root, mine ? bytes : 0, mine ? 0 : bytes);
}

static inline void broadcast_after(struct broadcast_call *h, int done)
{
	(void)h, (void)done;
}

/* ---- start and end ---- */

struct start_call {
	char unused;
};

static inline void start_before(struct start_call *h)
{
	(void)h;
}

/*
 * Metadata that the library reports: "OpenSHMEM Version", "OpenSHMEM Library", "OpenSHMEM Thread
 * Level".
 */
static void start_meta(void)
{
	static const char *const level_name[] = { "single", "funneled", "serialized", "multiple" };
	char vendor[SHMEM_MAX_NAME_LEN + 1] = "", version[32];
	int major = 0, minor = 0, level = -1;

	real_shmem_info_get_version(&major, &minor);
	real_shmem_info_get_name(vendor);
	real_shmem_query_thread(&level);
	vendor[SHMEM_MAX_NAME_LEN] = 0;
	snprintf(version, sizeof(version), "%d.%d", major, minor);
	if (major > 0)
		tau_meta(TAU_META_OPENSHMEM_VERSION, version);
	if (vendor[0])
		tau_meta(TAU_META_OPENSHMEM_LIBRARY, vendor);
	if (level >= 0 && level < 4)
		tau_meta(TAU_META_OPENSHMEM_THREAD_LEVEL, level_name[level]);
}

static inline void start_after(struct start_call *h, int done)
{
	int n;

	(void)h;
	if (!done)
		return;
	n = set_world();
	if (n > 0)
		tau_rank((uint32_t)real_shmem_my_pe(), (uint32_t)n, TAU_RANK_SHMEM);
	start_meta();
}

static _Atomic int finished;

struct finish_call {
	char unused;
};

static inline void finish_before(struct finish_call *h)
{
	(void)h;
	atomic_store(&finished, 1);
	tau_finalizing();
}

static inline void finish_after(struct finish_call *h, int done)
{
	(void)h, (void)done;
}

#define WRAP_ENTRIES
#include "shmem.gen.c"

/*
 * A program that ends without shmem_finalize is finalized by Open MPI, from an exit handler that calls this
 * name. It calls it after an explicit shmem_finalize too; that one is no call of the program's, nor has it an effect.
 */
WRAP_EXPORT void pshmem_finalize(void)
{
	if (atomic_load(&finished))
		real_shmem_finalize();
	else
		shmem_finalize();
}
