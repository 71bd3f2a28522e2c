/*
 * memory_map.h: memory of the recorder: pages from the kernel, never from the program's allocator.
 */
#ifndef MEMORY_MAP_H
#define MEMORY_MAP_H

#include <stddef.h>

/* Zeroed pages; NULL on failure. */
void *map_alloc(size_t bytes);
void map_free(void *p, size_t bytes);
/* Grows an array of *cap entries to at least `want` and frees the old one; NULL on failure, and the old one stays. */
void *map_grow(void *p, size_t *cap, size_t size, size_t want);
/* The same, but never frees the old array. */
void *map_larger(const void *p, size_t *cap, size_t size, size_t want);
/* A copy that is never freed. The lock is held. NULL on failure. */
char *arena_copy(const void *bytes, size_t length);

#endif
