/*
 * construct.c: the regions of OpenMP's constructs, each at its place in the code: a table from
 * (construct, address) to regions.
 */
#include "construct.h"

#include <stdlib.h>
#include <string.h>

#include "wrap/region_slots.h"
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
	[TARGET] = {"omp target", 1},
	[TARGET_DATA] = {"omp target data", 2},
	[TARGET_UPDATE] = {"omp target update", 2},
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

#define SLOT_BITS 12
static struct region_slot slots[1 << SLOT_BITS]; /* the key: address << 8 | construct + 1 */

static uint32_t region_define(enum construct what, const void *site)
{
	return tau_region_at(constructs[what].name, "OPENMP", site ? (const char *)site - 1 : NULL);
}

uint32_t construct_region(enum construct what, const void *site)
{
	uint64_t key = (uint64_t)(uintptr_t)site << 8 | ((uint64_t)what + 1);
	struct region_slot *slot;
	uint32_t region;

	if (!construct_wanted(what) || !tau_active())
		return 0;
	slot = region_slot_find(slots, SLOT_BITS, key);
	if (!slot)
		return region_define(what, site);
	region = region_slot_get(slot);
	if (!region)
		region_slot_set(slot, region = region_define(what, site));
	return region;
}
