/*
 * scaling.h: how a number grows with the count of processing elements: Extra-P's model search, and a verdict
 * on how far the model found may be believed.
 *
 * Model:  f(p) = c0 + c1 * p^i * log2(p)^j,  or f(p) = c0.
 *
 * Search (Extra-P's, so that models can be compared): values measured at the same p are averaged; for each of
 * the 42 (i, j) in the order of its list c0 and c1 come from least squares; the error of a term is the SMAPE of
 * leave-one-out predictions, that of the constant the SMAPE of its residuals; a term must contribute at least
 * 0.0005 of some value; the smallest error wins and the first found wins ties. A constant that fits without error
 * ends the search.
 *
 *   SMAPE = 100 / n * sum 2 |f - y| / (|f| + |y|)      in percent, differences at rounding level count as none
 *   leave-one-out residual = residual / (1 - h),  h = 1 / n + (x - mean x)^2 / sum (x - mean x)^2
 *
 * Verdict. A model is a statement about p that nobody measured, so it is withheld where the evidence is thin:
 *   - fewer than 4 values of p, a range of less than a factor of 2, or 5 values or fewer in a range of less than a
 *     factor of 4: never credible;
 *   - residuals at rounding level (1e-6 of the change): exact, which chance does not do on 4 points;
 *   - values that are equal to 1 % from the second p on, at least 3 over a factor of 4: constant from there on (the
 *     smallest run is often special: it alone has a core for each PE);
 *   - values that stand still and then jump, or that levels describe far better than the curve: steps; but late growth
 *     where they stand still only once and then grow at every p, at least two;
 *   - otherwise an adjusted R^2 of at least 0.95, noise (below) of at most 20 %, a range that spans a factor of 4, and at
 *     four times the largest p a 95 % interval whose ends are positive and less than a factor of 4 apart, or 10 where no
 *     residual is more than 2.5 % of the change; 4 points need such residuals, as some of 42 terms comes near any curve;
 *   - a constant may vary by 5 % of its value; so may values without credible curve, and by 20 % as noise (which
 *     does not go one way only), unless a curve explains most of the variation (adjusted R^2 as above) and that is
 *     more than 1 %.
 *
 * Base. Of a credible curve that falls, c0 decides what a whole job does, p f(p). It is left out, and c1 fitted alone, where
 * the curve alone misses no value by more than 0.001 of the change, and by no more than 1 (values are whole bytes or
 * objects) or 4 times as much as with c0; not where the curve with c0 meets every value.
 *
 * Orders. Good curves are the likeliest ones that together have 95 % of the weight (below); the order that is reported
 * is the one that all of them share, otherwise the least and the largest among them.
 *
 * Interval. What the points say about another p, all terms together, not the chosen one alone: choosing is where most
 * of the error is. Noise is taken to be in proportion to the curve, n is the number of distinct p, and a term
 * P^(a/b) log^j P is beforehand as likely as 1 / b, as programs have whole powers more often than broken ones, whatever it
 * changes over the points (a uniform prior over c0 and c1 in orthonormal coordinates; 1 / sigma for the noise). Then term k, with fitted curve f_k, has
 *
 *   weight   1 / b_k * R_k^(-(n - 2) / 2) * product 1 / f_k(p_i),   R_k = sum ((y_i - f_k(p_i)) / f_k(p_i))^2
 *   say      f_k(p) + Student's t with n - 2 degrees of freedom, times its standard error there
 *
 * and the interval is from the 2.5th to the 97.5th percentile of the weighted mixture: Bayesian model averaging
 * (Hoeting, Madigan, Raftery and Volinsky 1999, Statistical Science 14) over Extra-P's space. If nature draws from that
 * space, the interval holds the truth in 95 % of draws, also among those that a verdict picks by their data: nothing in
 * it is tuned. How often it does is measured in tests/unit/coverage.c.
 *
 * Grain. What a value is made of comes in pieces, as memory comes in blocks. Points that meet a law without error do not
 * exclude a piece more or less that has not come yet: they exclude only that this happens more often than once in as many
 * doublings of p as they span. So beyond the points the interval is wider at both ends by
 *
 *   grain * max(1, log2(p / p_max) / log2(p_max / p_min))       but does not go below 0 for values that are not
 */
#ifndef SCALING_H
#define SCALING_H

#include <stddef.h>

struct scaling_point {
	double p;	/* > 0 */
	double value;
};

enum scaling_verdict {
	SCALING_EXACT,		/* residuals at rounding level */
	SCALING_CREDIBLE,
	SCALING_CONSTANT,	/* does not depend on p: exactly, or within 5 % */
	SCALING_STEPS,		/* levels and jumps: no curve describes it */
	SCALING_LATE,		/* stands still up to some p and grows from there on */
	SCALING_NOT_CREDIBLE,
	SCALING_SUM,		/* of parts with models of their own: it has none, and term is the fastest of theirs */
};

/* p^(i_over / i_under) * log2(p)^j; all three 0/1/0 for a constant. */
struct scaling_term {
	int i_over, i_under, j;
};

struct scaling_model {
	size_t points;			/* distinct p */
	double p_min, p_max;		/* what the model describes: p_min is the second p of a constant from there on */
	struct scaling_term term;
	int settled;			/* constant from the second p on */
	struct scaling_term least, most; /* orders of the good curves (see above); both are term without any */
	double c0, c1;			/* c1 is 0 for a constant */
	double rss;			/* sum of squared residuals, in squared units of the value */
	double adjusted_r2;		/* 1 - (rss / (n - 2)) / (tss / (n - 1)); NAN for a constant */
	double smape_pct;		/* of the residuals */
	double cv_smape_pct;		/* of the leave-one-out residuals: what decided */
	double worst;			/* largest |residual| */
	double noise;			/* relative standard deviation about the term, as in the interval; 0 for constants */
	double change;			/* largest minus smallest mean value */
	double x_mean, x_spread;	/* mean of the term over the points, sum of squared deviations from it */
	enum scaling_verdict verdict;
	char why[160];			/* the reason, or the caveat, in words: "3 points"; "" when there is none */
};

enum scaling_option {
	SCALING_NEGATIVE = 1,	/* also try p^-i: values that fall with p (strong scaling) */
};

/*
 * Fits n measurements in any order; the same p may stand several times. Always fills *m. n may be 0.
 * Cost: O(n log n + 42 n).
 */
void scaling_fit(const struct scaling_point *point, size_t n, unsigned options,
		 struct scaling_model *m);

/*
 * The law c + a / p (Amdahl 1967), assumed and not searched for: all that 3 values of p allow. Least squares of relative residuals,
 * c >= 0. 1: it falls, and *m holds it, with the largest relative residual as noise; its verdict is never credible, as nothing
 * was compared with it. 0: fewer than 3 values of p, values that are not positive or do not fall, or a residual of more than 10 %.
 */
int scaling_fit_amdahl(const struct scaling_point *point, size_t n, struct scaling_model *m);

/* The model may be used: exact, credible or constant. A sum has no model to use: its parts have. */
int scaling_credible(const struct scaling_model *m);
double scaling_value(const struct scaling_model *m, double p);

/* SCALING_NEGATIVE for values that are smaller at the largest p than at the smallest, otherwise 0. */
unsigned scaling_options(const struct scaling_point *point, size_t n);

/*
 * 95 % interval for the mean value at p, inside or beyond the points (see above). Returns -1, and an endless interval,
 * for fewer than 4 points and for nothing but zeros.
 */
int scaling_interval(const struct scaling_point *point, size_t n, unsigned options, double p,
		     double *low, double *high);

/*
 * What a model says at a p, and whether that may be believed: credible only where the model is, both ends are positive,
 * and they are less than a factor of 10 apart; the grain (above; 0: there is none) is added afterwards. The value lies
 * between the ends. A constant with noise is as doubtful as what growth its noise can hide.
 */
struct scaling_forecast {
	double p, value;
	double low, high;	/* 95 %; -INFINITY and INFINITY where the points bound nothing */
	int credible;
	char why[160];		/* the reason why not */
};
void scaling_forecast(const struct scaling_point *point, size_t n, unsigned options,
		      const struct scaling_model *m, double grain, double p,
		      struct scaling_forecast *f);

/*
 * Adds up forecasts at one p: their values, and their intervals as those of independent errors, that is, the root of the sum
 * of the squares of the distances to each end. Parts that are not credible are left out. *sum begins as all zeros.
 */
struct scaling_sum {
	double value, below, above; /* below, above: squared distances to the ends */
	size_t parts, refused;
};
void scaling_sum_add(struct scaling_sum *sum, const struct scaling_forecast *part);
/* The sum as a forecast at p: credible when any part is. */
void scaling_sum_forecast(const struct scaling_sum *sum, double p, struct scaling_forecast *f);

/* Number k of Extra-P's list (from 0), with SCALING_NEGATIVE the mirrored ones after it. 0: there is no such term. */
int scaling_term_get(size_t k, unsigned options, struct scaling_term *t);
/* Which of two terms grows faster: < 0, 0 or > 0 as the first is slower, the same or faster. */
int scaling_term_compare(const struct scaling_term *a, const struct scaling_term *b);
/* p^i * log2(p)^j */
double scaling_term_value(const struct scaling_term *t, double p);

/*
 * In words. All write at most size bytes and return buf.
 *   scaling_term_text    "P", "P^(3/2) log2 P", "log2^2 P", "1"
 *   scaling_order_text   "O(P)", "O(P^(3/2) log P)", "O(1)"
 *   scaling_orders_text  of a model: "O(P)", or "O(P^(3/4)) to O(P log P)" where good curves differ
 *   scaling_model_text   "120 B x P", "2.10 KiB + 232 B x P", "4.07": number() writes a coefficient with its unit
 */
typedef char *scaling_number(double value, char *buf, size_t size);
char *scaling_term_text(const struct scaling_term *t, char *buf, size_t size);
char *scaling_order_text(const struct scaling_term *t, char *buf, size_t size);
char *scaling_orders_text(const struct scaling_model *m, char *buf, size_t size);
char *scaling_model_text(const struct scaling_model *m, scaling_number *number, char *buf,
			 size_t size);

#endif
