/*
 * work.h: what devices did: kernels, copies and memsets, which wait until they are written. Callers hold a lock.
 */
#ifndef WRAP_CUDA_WORK_H
#define WRAP_CUDA_WORK_H

#include <stddef.h>
#include <stdint.h>

#include "path.h"

/*
 * By how many ns CLOCK_MONOTONIC is ahead of the clock of records, and of CUPTI's own clock, which some records keep. 0: no
 * memory.
 */
int work_start(int64_t ahead, int64_t own_ahead);
/* Call number `correlation` was made in this call path; NULL: in none. Without the lock. */
void work_called(uint32_t correlation, const struct path *path);
/* A record of CUPTI's. */
void work_add(const void *record);
void work_lost(uint64_t records);
/* Writes what began before this time of CLOCK_MONOTONIC. Returns how many records were lost so far. */
uint64_t work_write(uint64_t before);

#endif
