/*
 * function.h: the region of a function of Python, which is kept for its code object, and that of a task of asyncio.
 */
#ifndef FUNCTION_H
#define FUNCTION_H

#include <stddef.h>
#include <stdint.h>

#include "interpreter.h"

/* What is kept for a code object: the region, 0 = none, and: */
#define REGION(kept) ((uint32_t)(kept))
#define COROUTINE    ((uint64_t)1 << 32)
#define EXCLUDED     ((uint64_t)1 << 33)	/* the selection excludes it, and it is no coroutine */
#define HIDDEN       ((uint64_t)1 << 34)	/* of the module tau, which opens and closes regions of the program */
#define PROFILER     ((uint64_t)1 << 35)	/* the program begins to profile itself with Python's module profile */

/* What is kept; 0: nothing can be recorded. */
uint64_t function_of(object *code);
/* The region of the task that is about to go on with the coroutine of this code; 0: there is none. */
uint32_t task_region(object *code);

#endif
