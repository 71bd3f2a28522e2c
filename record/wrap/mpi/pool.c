/* pool.c: power-of-two blocks cut from anonymous mappings. */
#include <string.h>

#include "tau.h"
#include "pool.h"

enum { SMALLEST = 6, CLASSES = 42, ARENA = 1 << 20 };

static uint32_t pool_lock;
static void *pool_free[CLASSES]; /* the first word of a free block is the next one */
static char *arena;
static size_t arena_left;

static unsigned class_of(size_t bytes)
{
	unsigned c = SMALLEST;

	while (c < CLASSES && ((size_t)1 << c) < bytes)
		c++;
	return c;
}

static void *map(size_t bytes)
{
	void *p;

	tau_hide();
	p = tau_map(bytes);
	tau_show();
	return p;
}

/* Under the lock. What is left of an arena that is too small is lost: less than the block asked
 * for. */
static void *cut(size_t size)
{
	void *p;

	if (size >= ARENA)
		return map(size);
	if (arena_left < size) {
		arena = map(ARENA);
		arena_left = arena ? ARENA : 0;
		if (!arena)
			return NULL;
	}
	p = arena;
	arena += size;
	arena_left -= size;
	return p;
}

void *pool_get(size_t bytes)
{
	unsigned c = class_of(bytes);
	void *p;

	if (c >= CLASSES)
		return NULL;
	spin_lock(&pool_lock);
	p = pool_free[c];
	if (p)
		memcpy(&pool_free[c], p, sizeof(p));
	else
		p = cut((size_t)1 << c);
	spin_unlock(&pool_lock);
	if (p)
		memset(p, 0, bytes);
	return p;
}

void pool_put(void *block, size_t bytes)
{
	unsigned c = class_of(bytes);

	if (!block || c >= CLASSES)
		return;
	spin_lock(&pool_lock);
	memcpy(block, &pool_free[c], sizeof(void *));
	pool_free[c] = block;
	spin_unlock(&pool_lock);
}
