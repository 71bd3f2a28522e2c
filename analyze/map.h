/*
 * map.h: hash table from 64-bit keys to 32-bit numbers, open addressing. Zero it to begin.
 */
#ifndef MAP_H
#define MAP_H

#include <stdint.h>

#include "base.h"

#define MAP_NONE UINT32_MAX

struct map {
	uint64_t *key;
	uint32_t *value;	/* MAP_NONE: empty slot */
	size_t n, slots;	/* slots: power of two */
};

static inline size_t map_slot(const struct map *m, uint64_t key)
{
	size_t i = (key * 0x9e3779b97f4a7c15u >> 20) & (m->slots - 1);

	while (m->value[i] != MAP_NONE && m->key[i] != key)
		i = (i + 1) & (m->slots - 1);
	return i;
}

static inline uint32_t map_get(const struct map *m, uint64_t key)
{
	return m->slots ? m->value[map_slot(m, key)] : MAP_NONE;
}

void map_set(struct map *m, uint64_t key, uint32_t value);
void map_release(struct map *m);

#endif
