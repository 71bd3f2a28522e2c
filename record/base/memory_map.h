/*
 * memory_map.h: memory of the recorder: pages from the kernel, never from the program's allocator.
 */
#ifndef MEMORY_MAP_H
#define MEMORY_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* As mmap(), in an area of ours: pages of a file, or of none (fd -1). MAP_FAILED and errno. */
void *map_at(size_t bytes, int protection, int flags, int fd, off_t offset);
/* Is the address in the area of such mappings? */
bool map_is_own(uintptr_t at);
/* The program locks all that is mapped from now on; mappings of the recorder are unlocked again, before they have pages. */
void maps_stay_unlocked(void);
/* Zeroed pages; NULL on failure. */
void *map_alloc(size_t bytes);
void map_free(void *p, size_t bytes);	/* nothing happens if p is not at the begin of a page: it is part of another mapping */
void map_populate(void *p, size_t bytes);	/* gives the pages memory now: all at once takes a tenth of the time; keeps errno */
/* Grows an array of *cap entries to at least `want` and frees the old one; NULL on failure, and the old one stays. */
void *map_grow(void *p, size_t *cap, size_t size, size_t want);
/* The same, but never frees the old array. */
void *map_larger(const void *p, size_t *cap, size_t size, size_t want);
/* A copy that is never freed. The lock is held. NULL on failure. */
char *arena_copy(const void *bytes, size_t length);

#endif
