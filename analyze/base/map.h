/*
 * map.h: hash table from 64-bit keys to 32-bit numbers, with open addressing. A table that is all
 * zero is empty. Values are below MAP_NONE.
 */
#ifndef MAP_H
#define MAP_H

#include <stdint.h>

#include "analyze/base/base.h"

#define MAP_NONE UINT32_MAX

struct map_slot {
	uint64_t key;
	uint32_t value;		/* MAP_NONE: empty */
};

struct map {
	struct map_slot *slot;
	size_t n, slots;	/* slots: power of two */
};

/* The slot of the key, or the free slot where it belongs. The table must have slots. */
static inline struct map_slot *map_find(const struct map *m, uint64_t key)
{
	size_t i = (key * 0x9e3779b97f4a7c15u >> 32) & (m->slots - 1);

	while (m->slot[i].value != MAP_NONE && m->slot[i].key != key)
		i = (i + 1) & (m->slots - 1);
	return &m->slot[i];
}

/* The value of the key; MAP_NONE: the table does not have the key. O(1). */
static inline uint32_t map_get(const struct map *m, uint64_t key)
{
	return m->slots ? map_find(m, key)->value : MAP_NONE;
}

/* Continues the FNV-1a hash h over n bytes; HASH_FIRST begins one. */
#define HASH_FIRST 0xcbf29ce484222325u
uint64_t hash_bytes(uint64_t h, const void *p, size_t n);

/* Adds the key or replaces its value. O(1) on average. */
void map_set(struct map *m, uint64_t key, uint32_t value);
/* Empties the table. It keeps memory if most of it was in use. */
void map_clear(struct map *m);
void map_release(struct map *m);

#endif
