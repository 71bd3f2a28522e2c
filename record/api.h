/*
 * api.h: the public interface (tau.h) for the files that implement it: the functions are defined here, not weak references.
 */
#ifndef API_H
#define API_H

#define TAU_IMPLEMENTATION
#include "record/TAU.h"

/* An allocation of `bytes`. `inner` bytes of them are in allocations that are recorded themselves. */
void tau_mem_alloc_around(uint32_t memtype, size_t bytes, size_t inner);

/* An event that tau_event() gave has another name now, for earlier values, too. */
void tau_event_rename(uint32_t event, const char *name);

#endif
