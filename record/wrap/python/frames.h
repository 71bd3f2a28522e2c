/*
 * frames.h: the calls of Python that a thread has entered.
 */
#ifndef FRAMES_H
#define FRAMES_H

#include <stdint.h>

#include "interpreter.h"

/* Once; 0: impossible. */
int frames_start(void);
/*
 * Enters and leaves a call of the function with this code; `id` is an address by which the leave finds its enter: that of the
 * frame, or of the code. kept: of function_of(). frame_is_last(): is the innermost call one with this id?
 */
void frame_enter(const object *id, object *code, uint64_t kept);
void frame_leave(const object *id);
int frame_is_last(const object *id);
/* Leaves all calls of the thread. */
void frames_leave(void);

#endif
