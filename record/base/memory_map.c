/*
 * memory_map.c: memory of the recorder: pages from the kernel.
 */
#include "record/base/memory_map.h"
#include "record/api.h"
#include "record/base/process.h"
#include "record/own/own.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* Above programs and their heaps, because OpenSHMEM treats writable memory below them as the program's data; below mmap's area. */
#define MAPS_BEGIN  0x680000000000ul
#define MAPS_CHANCE 0x3fffffffu	/* pages */
#define PAGE 65536u		/* no processor has larger ones, and the reserve is large enough */
#define SMALL_PAGE 4096u	/* the smallest */
#define RESERVE (64u << 20)
#define POPULATE_WRITE 23	/* MADV_POPULATE_WRITE, of Linux 5.14; before, nothing happens */

/* Defined by sanitizers that divide the address space between program and shadow memory. */
extern char __tsan_init __attribute__((weak)), __msan_init __attribute__((weak));

#define FILES_BEGIN (1ul << 40)	/* of mapped files after the begin of memory: between pieces of it, they would split it */

static struct {
	uintptr_t begin, next;
} area[2];			/* of our mappings: memory, files; 0: there is none */
static bool unlocked;			/* mlockall(MCL_FUTURE) */
static uintptr_t reserve, reserve_end;	/* of addresses without pages, mapped before that */

/* Places mappings one after another, from an address on that an attacker cannot guess. */
static void *place(bool file, size_t bytes)
{
	if (&__tsan_init || &__msan_init)
		return NULL;
	if (!__atomic_load_n(&area[file].next, __ATOMIC_RELAXED)) {
		const void *random = (const void *)getauxval(AT_RANDOM);	/* may be unaligned */
		uintptr_t none = 0, first = MAPS_BEGIN + (file ? FILES_BEGIN : 0);
		uint32_t chance = 0;

		if (random)
			memcpy(&chance, random, sizeof(chance));
		first += (uintptr_t)(chance & MAPS_CHANCE) << 12;
		__atomic_store_n(&area[file].begin, first, __ATOMIC_RELAXED);
		__atomic_compare_exchange_n(&area[file].next, &none, first, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
	}
	return (void *)__atomic_fetch_add(&area[file].next, (bytes + 4095) & ~(size_t)4095,
					  __ATOMIC_RELAXED);
}

static bool is_in(bool file, uintptr_t at)
{
	return at >= __atomic_load_n(&area[file].begin, __ATOMIC_RELAXED) &&
	       at < __atomic_load_n(&area[file].next, __ATOMIC_RELAXED);
}

bool map_is_own(uintptr_t at)
{
	return is_in(false, at) || is_in(true, at);
}

/* Later mappings would count against the limit of locked memory, if only until they are unlocked. */
void maps_stay_unlocked(void)
{
	struct rlimit limit;
	void *p;

	if (__atomic_exchange_n(&unlocked, true, __ATOMIC_RELAXED) ||
	    getrlimit(RLIMIT_AS, &limit) < 0 || limit.rlim_cur != RLIM_INFINITY)
		return;
	p = (void *)system_call(SYS_mmap, place(false, RESERVE), (size_t)RESERVE, (long)PROT_NONE,
				(long)(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE), -1L, 0L);
	if (p == MAP_FAILED)
		return;
	reserve = (uintptr_t)p;
	__atomic_store_n(&reserve_end, reserve + RESERVE, __ATOMIC_RELEASE);
}

/* Pages of the reserve; NULL: there are not as many. */
static void *reserve_claim(size_t bytes, int protection)
{
	uintptr_t end = __atomic_load_n(&reserve_end, __ATOMIC_ACQUIRE),
		  at = __atomic_load_n(&reserve, __ATOMIC_RELAXED);

	bytes = (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
	do
		if (end - at < bytes)
			return NULL;
	while (!__atomic_compare_exchange_n(&reserve, &at, at + bytes, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED));
	return system_call(SYS_mprotect, at, bytes, (long)protection) == 0 ? (void *)at : NULL;
}

/* ---- freed memory ---- */

/*
 * Memory that was freed stays mapped, without pages, and is used again: an area without holes is one piece to programs that list
 * what is mapped, as OpenSHMEM does, which takes no more than 32, and to the kernel, which has a limit as well. Where the program's
 * address space is limited, and where other memory is between, it is unmapped.
 */
#define FREED 64

static struct {
	uintptr_t begin, end;
} freed[FREED];		/* no two of them are adjacent */
static int freed_lock;	/* held for some instructions */

/* False after a while: a signal handler may have interrupted the thread that holds it, which does without then. */
static bool freed_begin(void)
{
	for (int i = 0; i < 2000; i++)
		if (!__atomic_load_n(&freed_lock, __ATOMIC_RELAXED) &&
		    !__atomic_exchange_n(&freed_lock, 1, __ATOMIC_ACQUIRE))
			return true;
	return false;
}

static void freed_end(void)
{
	__atomic_store_n(&freed_lock, 0, __ATOMIC_RELEASE);
}

static size_t whole_pages(size_t bytes)
{
	return (bytes + SMALL_PAGE - 1) & ~(size_t)(SMALL_PAGE - 1);
}

/* Zeroed memory that was freed, from the smallest part that is large enough; NULL: there is none. */
static void *freed_claim(size_t bytes)
{
	int best = -1;
	void *p = NULL;

	bytes = whole_pages(bytes);
	if (!bytes || !freed_begin())
		return NULL;
	for (int i = 0; i < FREED; i++) {
		size_t size = freed[i].end - freed[i].begin;

		if (size >= bytes && (best < 0 || size < freed[best].end - freed[best].begin))
			best = i;
	}
	if (best >= 0) {
		p = (void *)freed[best].begin;
		freed[best].begin += bytes;
	}
	freed_end();
	return p;
}

/* Keeps memory without its pages. False: there is no place for more. */
static bool freed_put(uintptr_t begin, uintptr_t end)
{
	int at = -1;

	if (!freed_begin())
		return false;
	for (int i = 0; i < FREED; i++) {
		if (freed[i].begin == freed[i].end) {
			at = at < 0 ? i : at;
		} else if (freed[i].end == begin || freed[i].begin == end) {
			begin = freed[i].begin < begin ? freed[i].begin : begin;
			end = freed[i].end > end ? freed[i].end : end;
			freed[i].begin = freed[i].end = 0;
			at = i;
		}
	}
	if (at >= 0) {
		freed[at].begin = begin;
		freed[at].end = end;
	}
	freed_end();
	return at >= 0;
}

static bool is_limited(int resource)
{
	struct rlimit limit;

	return getrlimit(resource, &limit) < 0 || limit.rlim_cur != RLIM_INFINITY;
}

/* New pages in place of the old ones do not count as memory that the system has promised. */
static bool keep(void *p, size_t bytes)
{
	uintptr_t at = (uintptr_t)p;

	bytes = whole_pages(bytes);
	if (!is_in(false, at) || __atomic_load_n(&unlocked, __ATOMIC_RELAXED) ||
	    is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA))
		return false;
	return system_call(SYS_mmap, p, bytes, (long)(PROT_READ | PROT_WRITE),
			   (long)(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED), -1L,
			   0L) == (long)at &&
	       freed_put(at, at + bytes);
}

/* ---- new memory ---- */

/*
 * At its place and nowhere else, if that is possible: with an address that is only a hint, Linux looks for 2 MB more than a large
 * mapping of a file has, so another thread's mapping after it would move it to where the program maps, or has unmapped.
 */
static void *map_in_place(size_t bytes, int protection, int flags, int fd, off_t offset)
{
	void *at = place(fd >= 0, bytes), *p;

	p = (void *)system_call(SYS_mmap, at, bytes, (long)protection,
				(long)(flags | (at ? MAP_FIXED_NOREPLACE : 0)), (long)fd,
				(long)offset);
	if (p != MAP_FAILED || !at)
		return p;
	return (void *)system_call(SYS_mmap, at, bytes, (long)protection, (long)flags, (long)fd,
				   (long)offset);
}

/* Pages that cannot be accessed are not allocated with a locked mapping. */
void *map_at(size_t bytes, int protection, int flags, int fd, off_t offset)
{
	bool unlock = __atomic_load_n(&unlocked, __ATOMIC_RELAXED);
	bool none = flags & MAP_ANONYMOUS && protection == (PROT_READ | PROT_WRITE);
	void *p = unlock && fd < 0 ? reserve_claim(bytes, protection)
		  : !unlock && none ? freed_claim(bytes)
				    : NULL;

	if (p)
		return p;
	p = map_in_place(bytes, unlock ? PROT_NONE : protection, flags, fd, offset);
	if (p == MAP_FAILED || !unlock)
		return p;
	if (system_call(SYS_munlock, p, bytes) == 0 &&
	    system_call(SYS_mprotect, p, bytes, (long)protection) == 0)
		return p;
	munmap(p, bytes);
	errno = ENOMEM;
	return MAP_FAILED;
}

void *tau_map(size_t bytes)
{
	int saved = errno;
	void *p = map_at(bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	errno = saved;
	return p == MAP_FAILED ? NULL : p;
}

/* The recorder's memory comes from the kernel, never from the program's allocator. */
void *map_alloc(size_t bytes)
{
	void *p = map_at(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void map_populate(void *p, size_t bytes)
{
	int saved = errno;

	system_call(SYS_madvise, p, bytes, POPULATE_WRITE);
	errno = saved;
}

void map_free(void *p, size_t bytes)
{
	if (!((uintptr_t)p & (SMALL_PAGE - 1)) && !keep(p, bytes))
		munmap(p, bytes);
}

void tau_unmap(void *p, size_t bytes)
{
	int saved = errno;

	map_free(p, bytes);
	errno = saved;
}

void *map_larger(const void *p, size_t *cap, size_t size, size_t want)
{
	size_t page = SMALL_PAGE / size, n = *cap > page ? *cap : page;
	void *q;

	while (n < want)
		n *= 2;
	q = map_alloc(n * size);
	if (!q)
		return NULL;
	if (p)
		memcpy(q, p, *cap * size);
	*cap = n;
	return q;
}

void *map_grow(void *p, size_t *cap, size_t size, size_t want)
{
	size_t old = *cap * size;
	void *q = map_larger(p, cap, size, want);

	if (q && p)
		map_free(p, old);
	return q;
}

char *arena_copy(const void *bytes, size_t length)
{
	char *p;

	if (length > process.arena_left) {
		size_t size = length > 65536 ? (length + 4095) & ~(size_t)4095 : 65536;

		p = map_alloc(size);
		if (!p)
			return NULL;
		process.arena = p;
		process.arena_left = size;
	}
	p = process.arena;
	process.arena += length;
	process.arena_left -= length;
	return memcpy(p, bytes, length);
}
