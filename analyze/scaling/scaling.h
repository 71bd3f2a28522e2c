/*
 * scaling.h: how a value grows with the number of processing elements: Extra-P's model search, and
 * a verdict on how far the model is credible.
 *
 * Model:  f(p) = c0 + c1 * p^i * log2(p)^j,  or f(p) = c0.
 *
 * Search (that of Extra-P, so that models can be compared): values measured at the same p are
 * averaged. For each of the 42 (i, j), in the order of its list, least squares give c0 and c1. The
 * error of a term is the SMAPE of leave-one-out predictions, that of the constant is the SMAPE of
 * its residuals. A term must contribute at least 0.0005 of some value. The term with the smallest
 * error is used, of equal ones the first. A constant that fits without error ends the search.
 *
 *   SMAPE = 100 / n * sum 2 |f - y| / (|f| + |y|)      in percent; differences of rounding errors count as 0
 *   leave-one-out residual = residual / (1 - h),  h = 1 / n + (x - mean x)^2 / sum (x - mean x)^2
 *
 * Verdict. A model is used for values of p that were not measured, so it is withheld if the
 * evidence is weak:
 *   - fewer than 4 values of p: never credible, unless 2 or 3 values are equal, which is a constant;
 *   - a curve over a range of less than a factor of 2, or over 5 values or fewer in a range of less than a factor of 4:
 *     never credible;
 *   - residuals of the size of rounding errors (1e-6 of the change): exact, which is no coincidence on 4 points;
 *   - values that are equal to 1 % from the second p on, at least 3 over a factor of 4: constant from there on (the
 *     smallest run is often special: only there each PE has a core);
 *   - values that are constant and then jump, or that levels describe far better than the curve: steps; but late growth
 *     if they are constant only once and then grow at every p, at least two;
 *   - otherwise credible with an adjusted R^2 of at least 0.95, noise (below) of at most 20 %, a range of a factor of 4,
 *     and, at four times the largest p, a 95 % interval whose ends are positive and differ by less than a factor of 4, or
 *     10 if no residual is more than 2.5 % of the change; 4 points require such residuals, because one of 42 terms is
 *     near any curve;
 *   - a constant may vary by 5 % of its value; so may values without a credible curve, and by 20 % as noise (which
 *     is not monotonic), unless a curve explains most of the variation (adjusted R^2 as above) and that is
 *     more than 1 %.
 *
 * Base. For a credible curve that decreases, c0 determines the value of a whole job, p f(p). c0 is
 * excluded, and c1 is fitted alone, if the curve without c0 misses no value by more than 0.001 of
 * the change, and by no more than 1 (values are whole bytes or objects) or 4 times as much as with
 * c0; it is kept if the curve with c0 fits every value.
 *
 * Orders. Good curves are the most probable ones that together have 95 % of the weight (below). If
 * all of them have the same order, it is reported, otherwise the smallest and the largest order
 * among them.
 *
 * Values that grow at every p, at least 4 over a factor of 4, but have no credible formula, still have a range of orders: those of
 * all curves with noise of at most 20 % that have at least 1/16 of the likelihood of the best one (a likelihood interval: Royall 1997,
 * Statistical Evidence, who uses 1/8 to 1/32):
 *
 *   R_k <= 16^(2 / n) * min R
 *
 * Interval. It is computed from all terms together, not only from the selected one, because the
 * selection is the largest source of error. Noise is assumed to be in proportion to the curve, and
 * n is the number of distinct p. Before the measurement, a term P^(a/b) log^j P has the probability
 * weight 1 / b, because programs have whole powers more often than fractional ones, independent of
 * its change over the points (a uniform prior over c0 and c1 in orthonormal coordinates; 1 / sigma
 * for the noise). Then term k, with fitted curve f_k, has
 *
 *   weight   1 / b_k * R_k^(-(n - 2) / 2) * product 1 / f_k(p_i),   R_k = sum ((y_i - f_k(p_i)) / f_k(p_i))^2
 *   predicts f_k(p) + Student's t with n - 2 degrees of freedom, times its standard error at p
 *
 * and the interval is from the 2.5th to the 97.5th percentile of the weighted mixture: Bayesian
 * model averaging (Hoeting, Madigan, Raftery and Volinsky 1999, Statistical Science 14) over
 * Extra-P's space. If the true curve is from that space, the interval contains the true value in 95
 * % of cases, also among those that a verdict selects by their data: there are no tuned parameters.
 * tests/unit/coverage.c measures how often it does.
 *
 * Grain. A value may consist of units that are added one at a time, such as blocks of memory.
 * Points that fit a law exactly do not exclude one more or one less unit that has not been added so
 * far: they only exclude that this happens more often than once in as many doublings of p as they
 * span. So beyond the points the interval is wider at both ends by
 *
 *   grain * max(1, log2(p / p_max) / log2(p_max / p_min))
 *
 * but its lower end does not become negative if it was not negative before.
 */
#ifndef SCALING_H
#define SCALING_H

#include "analyze/scaling/scaling_series.h"
#include "analyze/scaling/scaling_types.h"

/*
 * Fits n measurements in any order; several may have the same p. options: of enum scaling_option.
 * Always fills *m. n may be 0. Cost: O(n log n) for the measurements, and O(d^2) for d values of p.
 */
void scaling_fit(const struct scaling_point *point, size_t n, unsigned options,
		 struct scaling_model *m);

/*
 * The law c + a / p (Amdahl 1967), which is assumed, not found by a search: 3 values of p allow no
 * more. Least squares of relative residuals, c >= 0. 1: the values decrease, and *m is the law,
 * with the largest relative residual as noise and without SMAPEs; its verdict is never credible,
 * because it was not compared with other laws. 0: fewer than 3 values of p, values that are not
 * positive or do not decrease, or a residual of more than 10 %.
 */
int scaling_fit_amdahl(const struct scaling_point *point, size_t n, struct scaling_model *m);

/* Is the model exact, credible or constant? A sum has no model to use, only its parts have. */
int scaling_credible(const struct scaling_model *m);
/* c0 + c1 * term at p, credible or not. */
double scaling_value(const struct scaling_model *m, double p);

/* SCALING_NEGATIVE if the value at the largest p is smaller than at the smallest, otherwise 0. */
unsigned scaling_options(const struct scaling_point *point, size_t n);

/*
 * 95 % interval of the mean value at p, inside or beyond the points (see above). Returns 0; or -1,
 * and an unlimited interval, for fewer than 4 values of p, or if all values are 0.
 */
int scaling_interval(const struct scaling_point *point, size_t n, unsigned options, double p,
		     double *low, double *high);

/*
 * The value of a model at p, and whether it is credible: only if the model is credible, both ends
 * of the interval are positive, they differ by at most a factor of 10, and no fewer PEs had more
 * although the model grows from there to p. The value is then between
 * the ends, and the grain (above; 0: there is none) is added. A constant with noise has an interval
 * for the growth that the noise can hide. A constant without noise, or from the second p on, has an
 * interval of its value plus and minus its change; it is credible beyond the points if there are at
 * least 4 of them over a factor of 2. m: of the same points and options.
 */
struct scaling_forecast {
	double p, value;
	double low, high;	/* 95 %; -INFINITY and INFINITY if the points give no limit */
	int credible;
	char why[160];		/* if not credible: the reason */
};
void scaling_forecast(const struct scaling_point *point, size_t n, unsigned options,
		      const struct scaling_model *m, double grain, double p,
		      struct scaling_forecast *f);

/*
 * Adds up forecasts at one p: their values, and their intervals as those of independent errors: the
 * root of the sum of the squares of the distances to each end. Parts that are not credible are
 * excluded. *sum must be all 0 at first.
 */
struct scaling_sum {
	double value, below, above; /* below, above: squared distances to the ends */
	size_t parts, refused;
};
void scaling_sum_add(struct scaling_sum *sum, const struct scaling_forecast *part);
/* The sum as a forecast at p: credible if at least one part is. */
void scaling_sum_forecast(const struct scaling_sum *sum, double p, struct scaling_forecast *f);

/*
 * As text. All functions write at most size bytes, with the terminating 0, and return buf.
 *   scaling_term_text    "P", "P^(3/2) log2 P", "log2^2 P", "1"
 *   scaling_order_text   "O(P)", "O(P^(3/2) log P)", "O(1)"
 *   scaling_orders_text  of a model: "O(P)", or "O(P^(3/4)) to O(P log P)" if good curves differ
 *   scaling_model_text   "120 B x P", "2.10 KiB + 232 B x P", "4.07": number() writes the size of a coefficient with
 *                        its unit; its result is not used
 */
typedef char *scaling_number(double value, char *buf, size_t size);
char *scaling_term_text(const struct scaling_term *t, char *buf, size_t size);
char *scaling_order_text(const struct scaling_term *t, char *buf, size_t size);
char *scaling_orders_text(const struct scaling_model *m, char *buf, size_t size);
char *scaling_model_text(const struct scaling_model *m, scaling_number *number, char *buf,
			 size_t size);

#endif
