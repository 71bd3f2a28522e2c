/*
 * narrow.h: the mean of repeated times and its 95 % interval, mean +- t(0.975, n - 1) s / sqrt(n), where s is the standard deviation
 * of n times and t a percentile of Student's t.
 */
#ifndef NARROW_H
#define NARROW_H

#include "cmd/experiment/experiment_types.h"

struct cell_times {
	size_t n;	/* runs whose time is known */
	double mean_ns;	/* NaN: there is none */
	double half_ns;	/* half of the interval; NaN for fewer than 2 */
};
void cell_times_of(const struct run_plan *p, size_t cell, struct cell_times *t);

/* Does --until require no further run of the cell? Without --until: 1. */
int cell_is_narrow(const struct run_plan *p, size_t cell);

#endif
