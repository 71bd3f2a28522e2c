/*
 * construct.h: the regions of OpenMP's constructs, each at its place in the code.
 */
#ifndef CONSTRUCT_H
#define CONSTRUCT_H

#include <stdint.h>

/* In the order of construct.c's table. */
enum construct {
	PARALLEL, PARALLEL_FOR, PARALLEL_SECTIONS, TEAMS, IDLE, IMPLICIT_BARRIER,
	FOR, SECTIONS, SINGLE, TASK, TASKLOOP, TASKWAIT, TASKGROUP, BARRIER, CRITICAL, ORDERED, LOCK,
	CRITICAL_BODY, ATOMIC, TASKYIELD,
	IMPLICIT_TASK, TASK_BODY, MASKED, WORKSHARE, DISTRIBUTE, SCOPE, TARGET, TARGET_DATA, TARGET_UPDATE, CONSTRUCTS
};

/*
 * The region of a construct whose call returns to `site` (NULL: unknown). 0: nothing is recorded, or not this construct
 * (tau-record --openmp). Takes no lock once the pair is known.
 */
uint32_t construct_region(enum construct what, const void *site);
/* Is what the level of --openmp needs? */
int construct_wanted(enum construct what);

#endif
