/*
 * memory_map.c: memory of the recorder: pages from the kernel.
 */
#include "record/core/memory_map.h"
#include "record/event/api.h"
#include "record/core/process.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

/* Above programs and their heaps, because OpenSHMEM treats writable memory below them as the program's data; below mmap's area. */
#define MAPS_BEGIN  0x680000000000ul
#define MAPS_CHANCE 0x3fffffffu	/* pages */

/* Defined by sanitizers that divide the address space between program and shadow memory. */
extern char __tsan_init __attribute__((weak)), __msan_init __attribute__((weak));

/* Places mappings one after another, from an address on that an attacker cannot guess. */
void *tau_map_at(size_t bytes)
{
	static uintptr_t next;

	if (&__tsan_init || &__msan_init)
		return NULL;
	if (!__atomic_load_n(&next, __ATOMIC_RELAXED)) {
		const void *random = (const void *)getauxval(AT_RANDOM);	/* may be unaligned */
		uintptr_t none = 0, first = MAPS_BEGIN;
		uint32_t chance = 0;

		if (random)
			memcpy(&chance, random, sizeof(chance));
		first += (uintptr_t)(chance & MAPS_CHANCE) << 12;
		__atomic_compare_exchange_n(&next, &none, first, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
	}
	return (void *)__atomic_fetch_add(&next, (bytes + 4095) & ~(size_t)4095,
					  __ATOMIC_RELAXED);
}

/* The recorder's memory comes from the kernel, never from the program's allocator. */
void *map_alloc(size_t bytes)
{
	void *p = mmap(tau_map_at(bytes), bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void map_free(void *p, size_t bytes)
{
	munmap(p, bytes);
}

void *map_larger(const void *p, size_t *cap, size_t size, size_t want)
{
	size_t n = *cap ? *cap : 4096 / size;
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
		munmap(p, old);
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
