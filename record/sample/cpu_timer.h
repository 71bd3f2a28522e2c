/*
 * cpu_timer.h: the timers of CPU time of a process's threads.
 */
#ifndef CPU_TIMER_H
#define CPU_TIMER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The calling thread's timer sends it `signal` once per ns of its CPU time (0: once per second of it). self.timer is its number + 1.
 * false, errno: the kernel gives none, or too many threads have one.
 */
bool cpu_timer_begin(int signal, uint64_t ns);
/* The calling thread's ends, if it has one. */
void cpu_timer_end(void);
/* Of all threads. */
void cpu_timers_set(uint64_t ns);
void cpu_timers_end(void);
/* In a forked child: its parent's timers are not its own. */
void cpu_timers_forget(void);

#endif
