/* ticks.c: the rate of the clock ticks that the recorder counts. */
#include "cmd/record/launch/ticks.h"

#include <time.h>

#if defined(__x86_64__)
/* Rate of the time stamp counter, from a baseline of 2 ms that the start-up gives mostly for nothing. */
unsigned long long ticks_hz(void)
{
	static unsigned long long tick, ns;
	struct timespec t;
	unsigned long long now_tick, now;

	do {
		clock_gettime(CLOCK_MONOTONIC, &t);
		now_tick = __builtin_ia32_rdtsc();
		now = (unsigned long long)t.tv_sec * 1000000000u + (unsigned long long)t.tv_nsec;
		if (!tick) {
			tick = now_tick;
			ns = now;
			return 0;
		}
	} while (now - ns < 2000000);
	return (unsigned long long)((double)(now_tick - tick) * 1e9 / (double)(now - ns));
}
#else
unsigned long long ticks_hz(void)
{
	return 0;
}
#endif
