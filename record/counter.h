/*
 * counter.h: the processor's counter, the clock TAU_CLOCK_TSC of a trace: the time stamp counter of x86-64, cntvct_el0 of aarch64.
 * TAU_COUNTER_SHIFT is defined if the processor has one: the recorder's tick is the counter's value >> TAU_COUNTER_SHIFT.
 */
#ifndef RECORD_COUNTER_H
#define RECORD_COUNTER_H

#include <stdint.h>

#if defined(__x86_64__)
/*
 * A tick is 8 cycles of the time stamp counter, 2 to 5 ns: reading the counter costs and jitters more, and the bits below are noise
 * that would be most of the file (0.50 bytes per event against 0.33 on sqlite's benchmark). As a constant it costs the hooks less.
 */
#define TAU_COUNTER_SHIFT 3
#define TAU_COUNTER_NAME "TSC"

static inline uint64_t tau_counter(void)
{
	return __builtin_ia32_rdtsc();
}
#elif defined(__aarch64__)
/* It counts at 1 MHz to 1.05 GHz, the same on all processors of a machine, so all of its bits are needed. */
#define TAU_COUNTER_SHIFT 0
#define TAU_COUNTER_NAME "cntvct_el0"

/* The barrier keeps a read from being made before an earlier one, after which time would go backwards. */
static inline uint64_t tau_counter(void)
{
	uint64_t value;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(value) : : "memory");
	return value;
}
#else
#define TAU_COUNTER_NAME "none"
#endif

#endif
