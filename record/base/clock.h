/*
 * clock.h: the clock of the trace: ticks of the time stamp counter, or nanoseconds of CLOCK_MONOTONIC.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include "record/base/compiler.h"
#include "record/base/frame.h"
#include "record/base/thread.h"

#include <stdint.h>
#include <time.h>

#define SHIFT_MONOTONIC 255
/*
 * A tick is 8 cycles of the time stamp counter, 2 to 5 ns: reading the counter costs and jitters more, and the bits below are noise
 * that would be most of the file (0.50 bytes per event against 0.33 on sqlite's benchmark). As a constant it costs the hooks less.
 */
#define TSC_SHIFT 3

static inline uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#if defined(__x86_64__)
/* The clock of the plain path, which is used only if the time stamp counter is the clock. */
static inline uint64_t ticks_plain(void)
{
	return __builtin_ia32_rdtsc() >> TSC_SHIFT;
}

static inline uint64_t ticks(uint8_t shift)
{
	return likely(shift != SHIFT_MONOTONIC) ? __builtin_ia32_rdtsc() >> shift : clock_ns(CLOCK_MONOTONIC);
}
#else
static inline uint64_t ticks(uint8_t shift __attribute__((unused)))
{
	return clock_ns(CLOCK_MONOTONIC);
}
#define ticks_plain() clock_ns(CLOCK_MONOTONIC)
#endif

/* Reads three clocks at one moment; of some tries the one that took the least time is used. */
static inline void clocks_read(uint8_t shift, uint64_t *tick, uint64_t *mono, uint64_t *real)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 4; i++) {
		uint64_t a = ticks(shift), m = clock_ns(CLOCK_MONOTONIC),
			 b = ticks(shift);

		if (b - a < best) {
			best = b - a;
			*tick = a + (b - a) / 2;
			*mono = m;
			*real = clock_ns(CLOCK_REALTIME);
		}
	}
}

/* The time of a record that a wrapper writes right after it entered a region: the time of the enter, without reading the clock. */
static inline uint64_t ticks_entered(void)
{
	return self.top[-1].time == self.live->last_tick ? self.top[-1].time : ticks(self.shift);
}

#endif
