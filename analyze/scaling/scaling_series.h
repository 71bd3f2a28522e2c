/*
 * scaling_series.h: the measurements of one series, averaged and in order, shared by the files of
 * this folder.
 */
#ifndef SCALING_SERIES_H
#define SCALING_SERIES_H

#include "analyze/scaling/scaling_types.h"

/* Means over the measurements at each p, ascending in p. */
struct series {
	double *p, *y;
	size_t n;
	double mean, largest; /* of y; of |y| */
	double tss;           /* sum of squared deviations from the mean */
};

/* n may be 0. series_release() frees the arrays of s. */
void series_make(struct series *s, const struct scaling_point *point, size_t n);
void series_release(struct series *s);

/*
 * Weight of a residual if noise is in proportion to size; a size near zero has the weight of a
 * limit that depends on the largest value.
 */
double series_weight(const struct series *s, double size);
/*
 * Sum of squared relative residuals of one term, fitted with these weights (R of scaling.h), and
 * the smallest one over all terms. INFINITY: no fit.
 */
double series_rss(const struct series *s, const struct scaling_term *t);
double series_least_rss(const struct series *s, unsigned options);
/* scaling_interval() of a series with at least 4 points, not all 0. */
void series_interval(const struct series *s, unsigned options, double p, double *low, double *high);

/*
 * Extends the orders m->least to m->most, which are m->term at first, to those of all good curves.
 */
void series_orders(const struct series *s, unsigned options, struct scaling_model *m);

/*
 * The same for all likely curves (scaling.h), of growing terms; noise: at most that of each. 0: there is none.
 */
int series_likely(const struct series *s, double noise, struct scaling_model *m);

/*
 * Term k of Extra-P's list (from 0); with SCALING_NEGATIVE the mirrored terms follow. Returns 0 if
 * there is no such term.
 */
int scaling_term_get(size_t k, unsigned options, struct scaling_term *t);
/*
 * Compares the growth of two terms: < 0, 0 or > 0 if the first one grows slower, equally or faster.
 */
int scaling_term_compare(const struct scaling_term *a, const struct scaling_term *b);
/* p^i * log2(p)^j */
double scaling_term_value(const struct scaling_term *t, double p);

#endif
