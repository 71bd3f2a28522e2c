/*
 * path.h: call paths of the calls that start work on devices.
 */
#ifndef WRAP_CUDA_PATH_H
#define WRAP_CUDA_PATH_H

#include <stdint.h>

#include "tau.h"

/* The innermost regions that were open, outermost first. */
#define PATH_DEPTH TAU_DEVICE_CALLERS
struct path {
	uint32_t n;
	uint64_t caller[PATH_DEPTH];	/* as of tau_callers() */
};

/* That of the calling thread, kept until the process ends; NULL: no region is open, or there are too many paths. */
const struct path *path_here(void);

#endif
