/* scaling_types.h: measurements, terms, and models of scaling.h. */
#ifndef SCALING_TYPES_H
#define SCALING_TYPES_H

#include <stddef.h>

#define SCALING_POINTS_MIN 4	/* distinct p that a model needs, unless the values are constant */

struct scaling_point {
	double p;	/* > 0 */
	double value;	/* finite */
};

enum scaling_verdict {
	SCALING_EXACT,		/* residuals of the size of rounding errors */
	SCALING_CREDIBLE,
	SCALING_CONSTANT,	/* does not depend on p: exactly, or within 5 % */
	SCALING_STEPS,		/* levels and jumps: no curve describes it */
	SCALING_LATE,		/* constant up to some p, and growing from there on */
	SCALING_NOT_CREDIBLE,
	SCALING_SUM,		/* of parts with models of their own: the sum has none, and term
				 * is the fastest one of the parts */
};

/* p^(i_over / i_under) * log2(p)^j; a constant has 0, 1, 0 */
struct scaling_term {
	int i_over, i_under, j;
};

struct scaling_model {
	size_t points;			/* distinct p */
	double p_min, p_max;		/* the range that the model describes: p_min is the
					 * second p if the value is constant from there on */
	struct scaling_term term;
	int settled;			/* constant from the second p on: c0, change and all residuals
					 * are those of the points from there on */
	struct scaling_term least, most; /* orders of the good curves (see above); equal to term
					  * if there are none */
	int ranged;			/* not credible, but least and most are orders of the curves that
					 * are likely */
	double c0, c1;			/* c1 is 0 for a constant */
	double rss;			/* sum of squared residuals, in squared units of the value */
	double adjusted_r2;		/* 1 - (rss / (n - 2)) / (tss / (n - 1)); NAN for a constant */
	double smape_pct;		/* of the residuals */
	double cv_smape_pct;		/* of the leave-one-out residuals: the criterion of the
					 * search */
	double worst;			/* largest |residual| */
	double noise;			/* standard deviation relative to the curve, as in the
					 * interval; 0 for constants */
	double change;			/* largest minus smallest mean value */
	double x_mean, x_spread;	/* mean of the term over the points, sum of squared deviations from it */
	enum scaling_verdict verdict;
	char why[160];			/* the reason, or the restriction, as text: "3 points";
					 * "": there is none */
};

enum scaling_option {
	SCALING_NEGATIVE = 1,	/* also try p^-i: values that decrease with p (strong scaling) */
};

#endif
