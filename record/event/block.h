/*
 * block.h: blocks that are allocated and freed: one token per type and size.
 */
#ifndef BLOCK_H
#define BLOCK_H

#include <stdint.h>

/* The current time, for a memory record that does not share a time. */
uint64_t memory_ticks(void);

#endif
