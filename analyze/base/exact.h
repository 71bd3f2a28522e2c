/*
 * exact.h: sums of doubles that do not depend on the order of addition, so that windows add up exactly.
 *
 * Whole numbers up to 2^53 (almost all samples) go into 128 bits; all other values go into a list of
 * partial sums that do not overlap, as in J. R. Shewchuk, "Adaptive Precision Floating-Point
 * Arithmetic and Fast Robust Geometric Predicates", 1997, algorithm Grow-Expansion. The value is
 * the true sum, rounded once. A struct exact that is all zero is an empty sum.
 */
#ifndef EXACT_H
#define EXACT_H

#include <stddef.h>

struct exact {
	__int128 whole;
	double *part;		/* ascending magnitude, no overlap */
	size_t part_n, part_cap;
	double special;		/* sum of infinities, NaNs and sums outside of the range of doubles; 0: none */
};

/* O(1) for whole numbers up to 2^53, otherwise O(parts). */
void exact_add(struct exact *x, double v);
/* Adds v * v, not rounded (unless it leaves the range of doubles). */
void exact_add_square(struct exact *x, double v);
void exact_merge(struct exact *into, const struct exact *from);
double exact_value(const struct exact *x);
void exact_release(struct exact *x);

#endif
