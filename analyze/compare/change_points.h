/*
 * change_points.h: finds where a series of measurements changes its level.
 *
 * E-divisive (Matteson and James 2014; formula of MongoDB's signal processing): for a split of a
 * window into X (n values) and Y (m values)
 *
 *	Q = n m / (n + m) (2 mean |X - Y| - mean |X - X'| - mean |Y - Y'|)
 *
 * with means over all pairs, also those of a value with itself.
 *
 * The split with the largest Q is a change if at most 5 % of 101 orders, the real one and 100
 * permutations of the window, have as large a Q; its two sides are then searched in the same way.
 * Then, as in Apache Otava (hunter), the weakest change is dropped until Welch's t test of the
 * logarithms of the two sides has p < min(0.001, 0.05 / (tests n)) at all changes, because each of
 * the n places in each of `tests` series could have been the change. Sides have at least
 * CHANGE_SIDE values. Permutations use a fixed seed, so that the same series always has the same
 * changes.
 */
#ifndef CHANGE_POINTS_H
#define CHANGE_POINTS_H

#include <stddef.h>

#define CHANGE_SIDE 3

struct change_point {
	size_t at;		/* first value after the change */
	size_t from, to;	/* its sides: [from, at) and [at, to) */
	double change;		/* after / before - 1, of geometric means */
	double low, high;	/* its 95 % interval */
	double p;		/* Welch's t, two-sided */
};

struct change_points {
	struct change_point *v;	/* ascending */
	size_t v_n, v_cap;
};

/*
 * Finds the changes of n values. tests: number of series that are searched together. If a value is
 * not positive, nothing is found. O(n^2) for each permutation. Release c.
 */
void change_points_find(struct change_points *c, const double *value, size_t n, size_t tests);
void change_points_release(struct change_points *c);

#endif
