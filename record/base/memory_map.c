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

static uintptr_t area_begin, area_next;	/* of our mappings; 0: there is none */
static bool unlocked;			/* mlockall(MCL_FUTURE) */
static uintptr_t reserve, reserve_end;	/* of addresses without pages, mapped before that */

/* Places mappings one after another, from an address on that an attacker cannot guess. */
static void *place(size_t bytes)
{
	if (&__tsan_init || &__msan_init)
		return NULL;
	if (!__atomic_load_n(&area_next, __ATOMIC_RELAXED)) {
		const void *random = (const void *)getauxval(AT_RANDOM);	/* may be unaligned */
		uintptr_t none = 0, first = MAPS_BEGIN;
		uint32_t chance = 0;

		if (random)
			memcpy(&chance, random, sizeof(chance));
		first += (uintptr_t)(chance & MAPS_CHANCE) << 12;
		__atomic_store_n(&area_begin, first, __ATOMIC_RELAXED);
		__atomic_compare_exchange_n(&area_next, &none, first, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
	}
	return (void *)__atomic_fetch_add(&area_next, (bytes + 4095) & ~(size_t)4095,
					  __ATOMIC_RELAXED);
}

bool map_is_own(uintptr_t at)
{
	return at >= __atomic_load_n(&area_begin, __ATOMIC_RELAXED) &&
	       at < __atomic_load_n(&area_next, __ATOMIC_RELAXED);
}

/* Later mappings would count against the limit of locked memory, if only until they are unlocked. */
void maps_stay_unlocked(void)
{
	struct rlimit limit;
	void *p;

	if (__atomic_exchange_n(&unlocked, true, __ATOMIC_RELAXED) ||
	    getrlimit(RLIMIT_AS, &limit) < 0 || limit.rlim_cur != RLIM_INFINITY)
		return;
	p = (void *)system_call(SYS_mmap, place(RESERVE), (size_t)RESERVE, (long)PROT_NONE,
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

/*
 * At its place and nowhere else, if that is possible: with an address that is only a hint, Linux looks for 2 MB more than a large
 * mapping of a file has, so another thread's mapping after it would move it to where the program maps, or has unmapped.
 */
static void *map_in_place(size_t bytes, int protection, int flags, int fd, off_t offset)
{
	void *at = place(bytes), *p;

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
	void *p = unlock && fd < 0 ? reserve_claim(bytes, protection) : NULL;

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
	if (!((uintptr_t)p & (SMALL_PAGE - 1)))
		munmap(p, bytes);
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
