/*
 * robust.h: medians and limits that outliers do not move.
 *
 *	MAD = median |x - median|
 *	s = 1.4826 n / (n - 0.8) MAD	estimates the standard deviation of normal values (Croux and Rousseeuw 1992)
 *	limit = t s			t: quantile 1 - a / N of Student's t with 0.37 (n - 1) degrees of freedom
 *
 * 0.37 is the efficiency of the MAD: it is as certain as a standard deviation of that share of the
 * values. With N tests in a run, a run of independent normal values has a value above its limit
 * with a probability of at most about a.
 */
#ifndef ROBUST_H
#define ROBUST_H

#include <stddef.h>

#define ROBUST_ALARMS 0.01 /* a: one run in a hundred */

/* The median of n > 0 values. Sorts v. */
double robust_median(double *v, size_t n);
/* s above, for the MAD of n values. */
double robust_deviation(double mad, size_t n);
/* t above; n: values of the sample; tests: N. */
double robust_limit(size_t n, size_t tests);

#endif
