/*
 * path.c: keeps each call path once, so that a call is kept with one address.
 *
 * The table is found by the contents of a path. Paths do not change: readers need no lock.
 */
#include "path.h"

#include <string.h>

#include "tau.h"

#define PATHS (1 << 14)

static struct path paths[PATHS];
static uint32_t path_n;

static size_t hash_of(const struct path *p)
{
	uint64_t h = p->n;

	for (uint32_t i = 0; i < p->n; i++)
		h = (h ^ p->caller[i]) * 0x9E3779B97F4A7C15u;
	return (h ^ h >> 32) % PATHS;
}

static int same(const struct path *a, const struct path *b)
{
	return a->n == b->n && memcmp(a->caller, b->caller, a->n * sizeof(*a->caller)) == 0;
}

/* The place of the path in the table: *n of it is 0 if it is not there. */
static struct path *place_of(const struct path *p, uint32_t *n)
{
	for (size_t i = hash_of(p);; i = (i + 1) % PATHS) {
		*n = __atomic_load_n(&paths[i].n, __ATOMIC_ACQUIRE);
		if (!*n || same(&paths[i], p))
			return &paths[i];
	}
}

static struct path *add(const struct path *p)
{
	static int lock;
	struct path *to;
	uint32_t n;

	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		;
	to = place_of(p, &n);
	if (!n && path_n < PATHS / 4 * 3) {
		path_n++;
		memcpy(to->caller, p->caller, p->n * sizeof(*p->caller));
		__atomic_store_n(&to->n, p->n, __ATOMIC_RELEASE);
	} else if (!n) {
		to = NULL;
	}
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
	return to;
}

const struct path *path_here(void)
{
	static __thread const struct path *last;
	struct path here, *at;
	uint32_t n;

	here.n = (uint32_t)tau_callers(here.caller, PATH_DEPTH);
	if (!here.n)
		return NULL;
	if (last && same(last, &here))
		return last;
	at = place_of(&here, &n);
	if (!n)
		at = add(&here);
	last = at;
	return at;
}
