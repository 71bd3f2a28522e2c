/*
 * current_timer.h: the innermost timer of a thread, and the parameter that splits it.
 */
#ifndef CURRENT_TIMER_H
#define CURRENT_TIMER_H

#include <stdint.h>

/* The timer is about to be stopped: stops the region of its parameter, if it has one. */
void parameter_stop(uint32_t timer);

#endif
