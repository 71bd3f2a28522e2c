/* draw.h: numbers drawn from a seed: the same on every machine, so that a test that fails can be run again. */
#ifndef DRAW_H
#define DRAW_H

#include <math.h>
#include <stddef.h>

#include "seed.h"

static unsigned long long draw_state;

/* TAU_TEST_SEED, or the test's own; printed. */
static inline void draw_seed(unsigned long long seed)
{
	draw_state = test_seed(seed);
}

/* xorshift: (0, 1) */
static inline double draw_uniform(void)
{
	draw_state ^= draw_state << 13;
	draw_state ^= draw_state >> 7;
	draw_state ^= draw_state << 17;
	return ((double)(draw_state >> 11) + 0.5) / 9007199254740992.0;
}

static inline size_t draw_below(size_t n)
{
	return (size_t)(draw_uniform() * (double)n);
}

/* Box-Muller: mean 0, deviation 1 */
static inline double draw_gauss(void)
{
	double radius = sqrt(-2 * log(draw_uniform()));

	return radius * cos(2 * 3.14159265358979323846 * draw_uniform());
}

#endif
