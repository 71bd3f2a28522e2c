/*
 * clock.h: the clock of the trace: ticks of the processor's counter, or nanoseconds of CLOCK_MONOTONIC.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include "record/base/compiler.h"
#include "record/base/frame.h"
#include "record/base/thread.h"
#include "record/counter.h"

#include <stdint.h>
#include <time.h>

#define SHIFT_MONOTONIC 255

static inline uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#if defined(TAU_COUNTER_SHIFT)
/* The clock of the plain path, which is used only if the processor's counter is the clock. */
static inline uint64_t ticks_plain(void)
{
	return tau_counter() >> TAU_COUNTER_SHIFT;
}

static inline uint64_t ticks(uint8_t shift)
{
	return likely(shift != SHIFT_MONOTONIC) ? tau_counter() >> shift : clock_ns(CLOCK_MONOTONIC);
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
