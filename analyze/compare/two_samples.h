/*
 * two_samples.h: tests whether one sample of times is larger than another, and estimates by how
 * much.
 *
 * Everything is computed from logarithms, so that changes are ratios and noise is relative. With n1
 * values before and n2 after:
 *
 * Rank test (Mann and Whitney 1947): U = number of pairs with after > before, equal ones half. p is the exact probability, over all
 * C(n1 + n2, n1) ways to divide the values, of a U at least as large; ties have their mean ranks. For more than 60 values, the
 * normal approximation with the correction for ties. Estimate: the median of all n1 n2 differences (Hodges and Lehmann 1963); its
 * 95 % interval: from the k-th smallest to the k-th largest difference, k - 1 = the largest u with P(U <= u) <= 0.025.
 *
 * Welch's t (1947): t = (m2 - m1) / sqrt(v1 / n1 + v2 / n2), degrees of freedom after Welch and Satterthwaite, interval
 * m2 - m1 +- t(0.975) sqrt(v1 / n1 + v2 / n2).
 *
 * Values of 0 have no logarithm: if there are any, the rank test is used, which needs only the order of the values.
 *
 * The rank test assumes nothing about the noise, but its smallest p is 1 / C(n1 + n2, n1): 5 + 5 runs cannot show 0.00025, as 200
 * regions require. So it is used where its smallest p is at most the level divided by the number of tests, otherwise Welch's t.
 * This depends on the numbers of runs and tests only, never on the values.
 */
#ifndef TWO_SAMPLES_H
#define TWO_SAMPLES_H

#include <stddef.h>

enum two_test { TEST_NONE, TEST_RANK, TEST_WELCH };

struct two_samples {
	enum two_test test;	/* NONE: fewer than 2 values on a side, or a value that is negative */
	double change;		/* after / before - 1, estimated; with values of 0: of the medians, INFINITY if that before is 0 */
	double low, high;	/* 95 % interval of it; with values of 0: unknown */
	double p_more, p_less;	/* probability under no change, against more and against less */
	double noise[2];	/* standard deviation of the logarithms of each side; NaN for fewer than 2 */
	int constant;		/* no value of either side differs: p and the interval are not of noise */
};

/* Chooses the test for n1 and n2 values and this number of tests, at this one-sided level. */
enum two_test two_samples_choose(size_t n1, size_t n2, size_t tests, double level);

/* Compares n1 values before with n2 values after. test: the choice of two_samples_choose(). */
void two_samples_compare(const double *before, size_t n1, const double *after, size_t n2, enum two_test test,
			 struct two_samples *out);

/* P(T <= t) for Student's t with df degrees of freedom, which need not be whole. */
double student_probability(double t, double df);
/* The value with probability p, 0 < p < 1. */
double student_percentile(double p, double df);

#endif
