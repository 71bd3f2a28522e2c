/*
 * ompt.h: the interface for tools of the OpenMP runtime of LLVM (OMPT): the types and numbers of OpenMP 5.1, chapter 4, that ompt.c uses.
 */
#ifndef OMPT_H
#define OMPT_H

#include <stdint.h>

/* The tool's own, as long as the object of the runtime exists; 0 at first. */
union ompt_data {
	uint64_t value;
	const void *ptr;
};

enum ompt_callback {
	OMPT_THREAD_END = 2, OMPT_PARALLEL_BEGIN, OMPT_PARALLEL_END, OMPT_TASK_CREATE, OMPT_TASK_SCHEDULE, OMPT_IMPLICIT_TASK,
	OMPT_SYNC_REGION_WAIT = 16, OMPT_MUTEX_RELEASED, OMPT_WORK = 20, OMPT_MASKED, OMPT_SYNC_REGION = 23,
	OMPT_MUTEX_ACQUIRE = 26, OMPT_MUTEX_ACQUIRED
};

enum { OMPT_BEGIN = 1, OMPT_END = 2 };
enum { OMPT_PARALLEL_LEAGUE = 0x40000000 };
enum { OMPT_TASK_INITIAL = 1, OMPT_TASK_EXPLICIT = 4 };
/* How a task leaves its thread: the others come back to it. */
enum { OMPT_TASK_COMPLETE = 1, OMPT_TASK_CANCEL = 3, OMPT_TASK_DETACH = 4 };

enum ompt_sync {
	OMPT_BARRIER = 1, OMPT_BARRIER_IMPLICIT, OMPT_BARRIER_EXPLICIT, OMPT_BARRIER_IMPLEMENTATION, OMPT_TASKWAIT,
	OMPT_TASKGROUP, OMPT_REDUCTION, OMPT_BARRIER_WORKSHARE, OMPT_BARRIER_PARALLEL, OMPT_BARRIER_TEAMS, OMPT_SYNCS
};

enum ompt_work {
	OMPT_LOOP = 1, OMPT_SECTIONS, OMPT_SINGLE, OMPT_SINGLE_OTHER, OMPT_WORKSHARE, OMPT_DISTRIBUTE, OMPT_TASKLOOP,
	OMPT_SCOPE, OMPT_LOOP_STATIC = 10, OMPT_LOOP_DYNAMIC, OMPT_LOOP_GUIDED, OMPT_LOOP_OTHER, OMPT_WORKS
};

enum ompt_mutex { OMPT_CRITICAL = 5, OMPT_ATOMIC, OMPT_ORDERED, OMPT_MUTEXES };

typedef void (*ompt_function)(void);
typedef ompt_function (*ompt_lookup)(const char *name);
typedef int (*ompt_set)(int callback, ompt_function function);

struct ompt_tool {
	int (*initialize)(ompt_lookup lookup, int device, union ompt_data *tool); /* 0: no tool */
	void (*finalize)(union ompt_data *tool);
	union ompt_data tool;
};

/* Has LLVM's library started our tool? 0 also before it has started any. */
int ompt_is_ours(void);

#endif
