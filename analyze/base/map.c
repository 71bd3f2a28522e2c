/* map.c: the slow half of the hash table. */
#include "analyze/base/map.h"

#include <string.h>

static void map_rehash(struct map *m)
{
	struct map old = *m;

	m->slots = old.slots ? old.slots * 2 : 64;
	m->slot = mem_resize(NULL, m->slots, sizeof(*m->slot));
	memset(m->slot, 0xff, m->slots * sizeof(*m->slot));
	for (size_t i = 0; i < old.slots; i++)
		if (old.slot[i].value != MAP_NONE)
			*map_find(m, old.slot[i].key) = old.slot[i];
	free(old.slot);
}

void map_set(struct map *m, uint64_t key, uint32_t value)
{
	struct map_slot *s;

	if (m->n * 2 >= m->slots)
		map_rehash(m);
	s = map_find(m, key);
	m->n += s->value == MAP_NONE;
	*s = (struct map_slot){key, value};
}

void map_clear(struct map *m)
{
	if (m->n < m->slots / 16) {
		map_release(m);
		return;
	}
	if (m->slots)
		memset(m->slot, 0xff, m->slots * sizeof(*m->slot));
	m->n = 0;
}

void map_release(struct map *m)
{
	free(m->slot);
	memset(m, 0, sizeof(*m));
}

uint64_t hash_bytes(uint64_t h, const void *p, size_t n)
{
	const unsigned char *c = p;

	while (n--)
		h = (h ^ *c++) * 0x100000001b3u;
	return h;
}
