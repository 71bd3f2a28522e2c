/*
 * limit.h: stops recording a region, or folds its calls, in the file of the calling thread.
 */
#ifndef LIMIT_H
#define LIMIT_H

#include "record/format.h"

#include <stdint.h>

/* A dropped function that is open nowhere: from now on its slot says that it is excluded. */
void keep_out(uint64_t key);
/* The stream of the calling thread records the region no more (TAU_LIMIT_FOLD: folds its calls), and its file says so. */
void filtered_limit(uint32_t region, enum tau_limit why);

#endif
