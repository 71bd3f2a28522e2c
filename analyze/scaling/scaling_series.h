/* scaling_series.h: what the files of scaling.h share: the measurements, averaged and in order. */
#ifndef SCALING_SERIES_H
#define SCALING_SERIES_H

#include "analyze/scaling/scaling.h"

/* Means over the measurements at each p, ascending in p. */
struct series {
	double *p, *y;
	size_t n;
	double mean, largest; /* of y; of |y| */
	double tss;           /* sum of squared deviations from the mean */
};

void series_make(struct series *s, const struct scaling_point *point, size_t n);
void series_release(struct series *s);

/* Weight of a residual when noise is in proportion to size; sizes near zero weigh no more than the
 * largest allows. */
double series_weight(const struct series *s, double size);
/* Sum of squared relative residuals of one term, fitted so (R of scaling.h), and the least over
 * all. INFINITY: no fit. */
double series_rss(const struct series *s, const struct scaling_term *t);
double series_least_rss(const struct series *s, unsigned options);
/* scaling_interval() of a series with at least 4 points, not all 0. */
void series_interval(const struct series *s, unsigned options, double p, double *low, double *high);

/* Fills m->least and m->most from the good curves, m->term among them. */
void series_orders(const struct series *s, unsigned options, struct scaling_model *m);

#endif
