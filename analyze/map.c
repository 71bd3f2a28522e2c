/* map.c: the slow half of the hash table. */
#include "map.h"

#include <string.h>

static void map_rehash(struct map *m)
{
	struct map old = *m;

	m->slots = old.slots ? old.slots * 2 : 64;
	m->key = mem_alloc(m->slots * sizeof(*m->key));
	m->value = mem_alloc(m->slots * sizeof(*m->value));
	memset(m->value, 0xff, m->slots * sizeof(*m->value));
	for (size_t i = 0; i < old.slots; i++) {
		size_t to;

		if (old.value[i] == MAP_NONE)
			continue;
		to = map_slot(m, old.key[i]);
		m->key[to] = old.key[i];
		m->value[to] = old.value[i];
	}
	free(old.key);
	free(old.value);
}

void map_set(struct map *m, uint64_t key, uint32_t value)
{
	size_t i;

	if (m->n * 2 >= m->slots)
		map_rehash(m);
	i = map_slot(m, key);
	m->n += m->value[i] == MAP_NONE;
	m->key[i] = key;
	m->value[i] = value;
}

void map_release(struct map *m)
{
	free(m->key);
	free(m->value);
	memset(m, 0, sizeof(*m));
}
