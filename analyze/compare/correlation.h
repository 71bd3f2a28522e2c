/*
 * correlation.h: tests whether one number depends on another over several runs.
 *
 * Of the n pairs (x, y) where both are known:
 *
 * Pearson (1896): r = sum (x - mx)(y - my) / sqrt(sum (x - mx)^2 sum (y - my)^2). Its 95 % interval after Fisher (1921):
 * tanh(atanh r -+ 1.96 / sqrt(n - 3)).
 * Spearman (1904): the same r of the ranks; equal values have their mean rank.
 *
 * p, two-sided, of no correlation: t = r sqrt((n - 2) / (1 - r^2)) with n - 2 degrees of freedom (Student). Of Spearman's r of
 * up to CORRELATION_EXACT pairs: the share of all orders of the ranks with an r at least as far from 0 (ties included), so 4 pairs
 * have no p below 1/12; of more pairs Student's t is an approximation, and p is at least 2 / n!, that of an r of 1. Many rows are many tests: p is corrected after Benjamini and Hochberg (1995), p'(i) = min over k >= i of p(k) m / k
 * for sorted p.
 */
#ifndef CORRELATION_H
#define CORRELATION_H

#include <stddef.h>

#define CORRELATION_PAIRS 4 /* at least this number */
#define CORRELATION_EXACT 7

struct correlation {
	size_t n;	    /* pairs */
	double pearson;	    /* NaN: fewer than CORRELATION_PAIRS pairs, or one side is constant */
	double low, high;   /* 95 % interval of pearson */
	double p;	    /* of pearson; correlations_correct() corrects it */
	double spearman, p_spearman;
};

/* Fills c from n pairs. NaN in x or y: unknown, the pair is excluded. */
void correlation_make(struct correlation *c, const double *x, const double *y, size_t n);
/*
 * Corrects p and p_spearman of n rows, each for the number of rows that have one. stride: bytes
 * from one struct correlation to the next.
 */
void correlations_correct(struct correlation *c, size_t n, size_t stride);

#endif
