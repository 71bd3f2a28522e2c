/*
 * block.h: blocks that are allocated and freed: one token per type and size.
 */
#ifndef BLOCK_H
#define BLOCK_H

#include <stdint.h>

/* The time of a record of memory that has its own, now. */
uint64_t memory_ticks(void);

#endif
