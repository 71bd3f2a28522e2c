/* ticks.h: the rate of the processor's counter. */
#ifndef TICKS_H
#define TICKS_H

/*
 * The first call begins a measurement and returns 0; a second one waits until it has lasted 2 ms, and returns ticks per second. 0: there is
 * no such counter.
 */
unsigned long long ticks_hz(void);

#endif
