/*
 * limit.h: stops recording a region, or folds its calls, in the file of the calling thread.
 */
#ifndef LIMIT_H
#define LIMIT_H

#include "record/format.h"

#include <stdint.h>

/* Excludes a dropped function that has no open call: from now on its slot marks it as excluded. */
void keep_out(uint64_t key);
/* The calling thread's stream stops recording the region (TAU_LIMIT_FOLD: folds its calls), and writes that to its file. */
void filtered_limit(uint32_t region, enum tau_limit why);

#endif
