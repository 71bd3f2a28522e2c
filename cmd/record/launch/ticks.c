/* ticks.c: the rate of the clock ticks that the recorder counts. */
#include "cmd/record/launch/ticks.h"
#include "record/counter.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
/*
 * Rate of the time stamp counter, from a baseline of 2 ms that the start-up gives mostly for nothing. The clock is the kernel's,
 * not libc's, which a preloaded library may replace by one that stops or has another rate.
 */
unsigned long long ticks_hz(void)
{
	static unsigned long long tick, ns;
	struct timespec t;
	unsigned long long now_tick, now;

	do {
		if (syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t) < 0)
			return 0;
		now_tick = tau_counter();
		now = (unsigned long long)t.tv_sec * 1000000000u + (unsigned long long)t.tv_nsec;
		if (!tick) {
			tick = now_tick;
			ns = now;
			return 0;
		}
	} while (now - ns < 2000000);
	return (unsigned long long)((double)(now_tick - tick) * 1e9 / (double)(now - ns));
}
#elif defined(__aarch64__)
unsigned long long ticks_hz(void)
{
	unsigned long long rate;

	__asm__("mrs %0, cntfrq_el0" : "=r"(rate));
	return rate;
}
#else
unsigned long long ticks_hz(void)
{
	return 0;
}
#endif
