/*
 * repair.h: frames whose functions ended without a leave.
 */
#ifndef REPAIR_H
#define REPAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Control goes from one stack pointer to another: ends the frames between them. */
void stack_unwind(uint64_t here, uint64_t sp);
/* The number of open frames; SIZE_MAX: unknown here. stack_cut() later ends all frames entered since. */
size_t stack_height(void);
void stack_cut(size_t height, uint64_t here);
/* Ends the innermost n frames without leaves; the thread is busy. */
void frames_lost(size_t n);
/* Drops frames that are certainly dead if a function at sp is being entered. */
void frames_sweep(uint64_t sp);
/* True if a jump to sp left the busy recorder; then repairs the chunk. */
bool recorder_abandoned(uint64_t sp);

#endif
