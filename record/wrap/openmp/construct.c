/*
 * construct.c: the regions of OpenMP's constructs, each at its place in the code: a table from
 * (construct, address) to regions.
 */
#include "construct.h"

#include <stdlib.h>
#include <string.h>

#include "tau.h"

/* The least level of --openmp that records it: 1 parallel, 2 constructs, 3 all. */
static const struct {
	const char *name;
	int level;
} constructs[CONSTRUCTS] = {
	[PARALLEL] = {"omp parallel", 1},
	[PARALLEL_FOR] = {"omp parallel for", 1},
	[PARALLEL_SECTIONS] = {"omp parallel sections", 1},
	[TEAMS] = {"omp teams", 1},
	[IDLE] = {"omp idle", 1},
	[IMPLICIT_BARRIER] = {"omp implicit barrier", 1},
	[FOR] = {"omp for", 2},
	[SECTIONS] = {"omp sections", 2},
	[SINGLE] = {"omp single", 2},
	[TASK] = {"omp task create", 2},
	[TASKLOOP] = {"omp taskloop", 2},
	[TASKWAIT] = {"omp taskwait", 2},
	[TASKGROUP] = {"omp taskgroup", 2},
	[BARRIER] = {"omp barrier", 2},
	[CRITICAL] = {"omp critical", 2},
	[ORDERED] = {"omp ordered", 2},
	[LOCK] = {"omp lock", 2},
	[CRITICAL_BODY] = {"omp critical body", 3},
	[ATOMIC] = {"omp atomic", 3},
	[TASKYIELD] = {"omp taskyield", 3},
	[IMPLICIT_TASK] = {"omp implicit task", 1},
	[TASK_BODY] = {"omp task", 2},
	[MASKED] = {"omp masked", 2},
	[WORKSHARE] = {"omp workshare", 2},
	[DISTRIBUTE] = {"omp distribute", 2},
	[SCOPE] = {"omp scope", 2},
};

static int level_get(void)
{
	static int level;
	int l = __atomic_load_n(&level, __ATOMIC_RELAXED);
	const char *text;

	if (!l) {
		text = getenv("TAU_RECORD_OPENMP");
		l = text && *text >= '1' && *text <= '3' ? *text - '0' : 2;
		__atomic_store_n(&level, l, __ATOMIC_RELAXED);
	}
	return l;
}

int construct_wanted(enum construct what)
{
	return constructs[what].level <= level_get();
}

/* Open addressing; a key that is there stays. A region follows its key, so one of 0 is looked up
 * again. */
#define SLOTS 4096
#define TRIES 16
static struct slot {
	uint64_t key; /* address << 8 | construct + 1 */
	uint32_t region;
} slots[SLOTS];

static uint32_t region_define(enum construct what, const void *site)
{
	return tau_region_at(constructs[what].name, "OPENMP", site ? (const char *)site - 1 : NULL);
}

uint32_t construct_region(enum construct what, const void *site)
{
	uint64_t key = (uint64_t)(uintptr_t)site << 8 | ((uint64_t)what + 1);
	uint64_t at = key * 0x9e3779b97f4a7c15u >> 52;

	if (!construct_wanted(what) || !tau_active())
		return 0;
	for (unsigned i = 0; i < TRIES; i++, at++) {
		struct slot *s = &slots[at % SLOTS];
		uint64_t seen = __atomic_load_n(&s->key, __ATOMIC_ACQUIRE);
		uint32_t region;

		if (!seen && __atomic_compare_exchange_n(&s->key, &seen, key, 0, __ATOMIC_ACQ_REL,
							 __ATOMIC_ACQUIRE))
			seen = key;
		if (seen != key)
			continue;
		region = __atomic_load_n(&s->region, __ATOMIC_RELAXED);
		if (!region) {
			region = region_define(what, site);
			__atomic_store_n(&s->region, region, __ATOMIC_RELAXED);
		}
		return region;
	}
	return region_define(what, site);
}
