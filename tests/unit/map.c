/* map.c: a hash table holds what was set last, also with keys that collide and after it has grown. */
#include "analyze/base/map.h"

#include "tap.h"

int main(void)
{
	struct map m = {0};
	size_t wrong = 0;

	ok(map_get(&m, 0) == MAP_NONE, "an empty map has nothing");
	map_set(&m, 0, 7);
	map_set(&m, UINT64_MAX, 8);
	ok(map_get(&m, 0) == 7 && map_get(&m, UINT64_MAX) == 8 && m.n == 2, "the smallest and the largest key");
	map_set(&m, 0, 9);
	ok(map_get(&m, 0) == 9 && m.n == 2, "a key that is set again has the new value, and stands once");
	/* Keys in steps of 2^32 share the lower half, neighbours the upper one. */
	for (uint64_t i = 1; i <= 20000; i++)
		map_set(&m, i & 1 ? i << 32 : i, (uint32_t)i);
	for (uint64_t i = 1; i <= 20000; i++)
		wrong += map_get(&m, i & 1 ? i << 32 : i) != i;
	ok(!wrong && m.n == 20002, "20,000 keys more: %zu wrong", wrong);
	ok(map_get(&m, 20001) == MAP_NONE, "a key that was never set");
	ok(m.slots >= m.n && !(m.slots & (m.slots - 1)), "the number of slots is a power of two");
	map_clear(&m);
	ok(!m.n && m.slots && map_get(&m, 0) == MAP_NONE && map_get(&m, 2) == MAP_NONE, "a map that was cleared is empty");
	map_set(&m, 2, 5);
	ok(m.n == 1 && map_get(&m, 2) == 5, "and takes keys again");
	map_clear(&m);
	ok(!m.n && !m.slots && map_get(&m, 2) == MAP_NONE, "a map that was hardly used keeps no memory");
	map_release(&m);
	ok(!m.slots && map_get(&m, 1) == MAP_NONE, "a map that was released is empty");
	return tap_end();
}
