/*
 * function_slow.h: enters and leaves patched functions if the fast path cannot.
 */
#ifndef FUNCTION_SLOW_H
#define FUNCTION_SLOW_H

#include <stdint.h>

typedef int function_work(uint64_t a, uint64_t b);

/* Calls work(a, b) between saving and restoring the registers of vectors and of floating point. */
int saving_registers(function_work *work, uint64_t a, uint64_t b);

/* tau_function_enter() by any path; 1: a frame of this slot is open now. */
function_work function_enter_slow;
/* Leaves all frames of the slot. */
function_work function_leave_slow;
/* Handles the end of the chunk that record_publish() reported; the thread is busy. */
function_work function_reached;

#endif
