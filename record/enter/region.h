/*
 * region.h: entering and leaving regions of the API.
 */
#ifndef REGION_H
#define REGION_H

#include <stdint.h>

/* tau_call() and tau_enter() for a caller whose stack pointer is sp. */
int region_call(uint32_t region, uint64_t sp);
void region_enter(uint32_t region, uint64_t sp);
/* tau_begin(). */
void region_begin(uint32_t region);

#endif
