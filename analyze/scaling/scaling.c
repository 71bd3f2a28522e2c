/* scaling.c: searches the model space and decides on the verdict. Formulas: scaling.h. */
#include "analyze/scaling/scaling.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyze/base/base.h"
#include "analyze/scaling/scaling_series.h"

#define CONTRIBUTION_MIN 0.0005	/* Extra-P: a term that is smaller than this share of every value
				 * is dropped */
#define ROUNDING 1e-12		/* share of the largest value: smaller differences are rounding
				 * errors */
#define EXACT_SHARE 1e-6	/* share of the change: smaller residuals count as none */
#define STEP_SHARE 0.001		/* share of the change: a curve that misses equal values
					 * by less explains them */
#define BASE_SHARE 0.001	/* share of the change: a curve without a base that misses by
				 * more needs the base */
#define BASE_LOSS 4	/* limit of the error of a curve without base, as a multiple of that with
			 * base */
#define STEP_GAIN 10		/* squared error of the curve must be at least this multiple of
				 * that of levels */
#define LEVELS_MAX 6
#define R2_MIN 0.95
#define NOISE_MAX 0.2	/* share of the value */
#define CONSTANT_SHARE 0.05	/* share of the mean: variation of a constant */
#define STILL_SHARE 0.01	/* share of the mean: a constant, even with a trend */
#define NOISE_SHARE 0.2	/* share of the mean: noise of a constant without a trend */
#define REACH 4		/* a credible model is judged at this multiple of the largest p */
#define DOUBT_MAX 4	/* largest factor between the ends of the interval there */
#define DOUBT_NEAR 10	/* the same for a curve with small residuals: the orders show what is
			 * uncertain */
#define NEAR_SHARE 0.025	/* share of the change: small residuals, also the limit for 4
				 * points */
#define SETTLED_MIN 3	/* equal values from the second p on, at least */
#define POINTS_FEW 5	/* up to this number of points, a good range is required even for exact
			 * fits */
#define RANGE_MIN 2
#define RANGE_GOOD 4

static const struct scaling_term constant_term = { 0, 1, 0 };

/* One summand of the SMAPE, in percent. */
static double smape_part(const struct series *s, double f, double y)
{
	return fabs(f - y) <= ROUNDING * s->largest ? 0 : 200 * fabs(f - y) / (fabs(f) + fabs(y));
}

static double adjusted_r2(const struct series *s, double rss)
{
	return 1 - rss / (double)(s->n - 2) / (s->tss / (double)(s->n - 1));
}

/* Computes the numbers that all models have, when c0, c1 and the term are known. */
static void measure(const struct series *s, struct scaling_model *m)
{
	m->rss = m->smape_pct = m->cv_smape_pct = m->worst = 0;
	for (size_t i = 0; i < s->n; i++) {
		double x = scaling_term_value(&m->term, s->p[i]), d = x - m->x_mean;
		double f = m->c0 + m->c1 * x, r = s->y[i] - f;
		double h = m->c1 != 0 ? 1 / (double)s->n + d * d / m->x_spread : 0;
		double left_out = r / (1 - h);

		m->rss += r * r;
		m->smape_pct += smape_part(s, f, s->y[i]) / (double)s->n;
		m->cv_smape_pct += smape_part(s, s->y[i] - left_out, s->y[i]) / (double)s->n;
		m->worst = fmax(m->worst, fabs(r));
	}
}

static void fit_constant(const struct series *s, struct scaling_model *m)
{
	m->term = constant_term;
	m->c0 = s->mean;
	m->c1 = 0;
	m->x_mean = 1;
	m->x_spread = 0;
	m->noise = 0;
	m->adjusted_r2 = NAN;
	measure(s, m);
}

/*
 * Least squares with one term. Returns 0 if the points do not determine c1, or the term is too
 * small to matter.
 */
static int fit_term(const struct series *s, struct scaling_model *m)
{
	double sxy = 0, contribution = 0;

	m->x_mean = m->x_spread = 0;
	for (size_t i = 0; i < s->n; i++)
		m->x_mean += scaling_term_value(&m->term, s->p[i]) / (double)s->n;
	for (size_t i = 0; i < s->n; i++) {
		double d = scaling_term_value(&m->term, s->p[i]) - m->x_mean;

		m->x_spread += d * d;
		sxy += d * (s->y[i] - s->mean);
	}
	m->c1 = sxy / m->x_spread;
	m->c0 = s->mean - m->c1 * m->x_mean;
	if (!isfinite(m->c1) || !isfinite(m->c0) || m->c1 == 0)
		return 0;
	if (fabs(m->c0) <= 1e-9 * s->largest)
		m->c0 = 0;
	/* Rounding errors turn whole bytes into 119.99999999999999. */
	if (fabs(m->c0 - round(m->c0)) <= ROUNDING * s->largest)
		m->c0 = round(m->c0);
	if (fabs(m->c1 - round(m->c1)) <= ROUNDING * fabs(m->c1))
		m->c1 = round(m->c1);
	for (size_t i = 0; i < s->n; i++)
		contribution = fmax(contribution,
				    fabs(m->c1 * scaling_term_value(&m->term, s->p[i]) / s->y[i]));
	if (contribution < CONTRIBUTION_MIN)
		return 0;
	measure(s, m);
	m->adjusted_r2 = adjusted_r2(s, m->rss);
	return isfinite(m->cv_smape_pct);
}

static void search(const struct series *s, unsigned options, struct scaling_model *best)
{
	struct scaling_model m = *best;

	fit_constant(s, best);
	if (s->n < 3 || best->smape_pct == 0)
		return;
	for (size_t k = 0; scaling_term_get(k, options, &m.term); k++)
		if (fit_term(s, &m) && m.cv_smape_pct < best->cv_smape_pct)
			*best = m;
}

/* ---- verdict ---- */

/*
 * Smallest sum of squared errors of `levels` constants over consecutive points, relative to the
 * values: without that, a steep curve would look like levels, because its low end is small compared
 * with the high one. begins[i]: a level begins at point i.
 */
static double levels_rss(const struct series *s, size_t levels, char *begins)
{
	size_t width = s->n + 1;
	double *least = mem_alloc((levels + 1) * width * sizeof(*least)), result;
	size_t *from = mem_alloc((levels + 1) * width * sizeof(*from));

	for (size_t end = 1; end < width; end++)
		least[end] = INFINITY;
	for (size_t k = 1; k <= levels; k++)
		for (size_t end = 0; end < width; end++) {
			double mean = 0, rss = 0, weight = 0, *best = &least[k * width + end];

			*best = INFINITY;
			for (size_t i = end; i--;) {
				double w = series_weight(s, s->y[i]), d = s->y[i] - mean;

				weight += w;
				mean += w * d / weight;
				rss += w * d * (s->y[i] - mean);
				if (rss + least[(k - 1) * width + i] < *best) {
					*best = rss + least[(k - 1) * width + i];
					from[k * width + end] = i;
				}
			}
		}
	result = least[levels * width + s->n];
	memset(begins, 0, s->n);
	for (size_t k = levels, end = s->n; k && isfinite(result); k--) {
		end = from[k * width + end];
		begins[end] = 1;
	}
	free(least);
	free(from);
	return result;
}

/*
 * Do levels, at most one per two points, fit far better than every curve? Compared by
 * squared error per remaining degree of freedom; a curve has three parameters (c0, c1, term), L
 * levels have 2 L - 1 (values and borders).
 */
static int levels_beat(const struct series *s, unsigned options, char *begins)
{
	size_t most = s->n / 2 < LEVELS_MAX ? s->n / 2 : LEVELS_MAX;
	double curve = series_least_rss(s, options) / (double)(s->n - 3);

	for (size_t levels = 2; levels <= most; levels++)
		if (levels_rss(s, levels, begins) / (double)(s->n + 1 - 2 * levels) *
			    STEP_GAIN <
		    curve)
			return 1;
	return 0;
}

/* Are two neighbouring values equal, which no term of the space explains? */
static int stands_still(const struct series *s, char *begins)
{
	int still = 0;

	for (size_t i = 0; i < s->n; i++) {
		begins[i] = !i || fabs(s->y[i] - s->y[i - 1]) > ROUNDING * s->largest;
		still |= !begins[i];
	}
	return still;
}

/*
 * A step function is constant several times; late growth is constant once and then grows at every
 * number of PEs. Returns the first point of the growth, 0: steps. A single jump at the end may be
 * either, and counts as a step.
 */
static size_t grows_late(const struct series *s, const char *begins)
{
	size_t plateaus = 0, last = 0;

	for (size_t i = 1; i < s->n; i++) {
		plateaus += !begins[i] && begins[i - 1];
		last = begins[i] ? last : i;
	}
	for (size_t i = last + 1; i < s->n; i++)
		if (s->y[i] <= s->y[i - 1])
			return 0;
	return plateaus == 1 && s->n - last > 2 ? last + 1 : 0;
}

static void conclude(struct scaling_model *m, enum scaling_verdict verdict, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void conclude(struct scaling_model *m, enum scaling_verdict verdict, const char *format, ...)
{
	va_list args;

	m->verdict = verdict;
	va_start(args, format);
	vsnprintf(m->why, sizeof(m->why), format, args);
	va_end(args);
}

/*
 * Decides between steps and late growth for values that are constant in part or, with noise, have
 * levels. 0: neither.
 */
static int judge_steps(const struct series *s, unsigned options, struct scaling_model *m)
{
	char *begins = mem_alloc(s->n);
	int found = m->worst > STEP_SHARE * m->change &&
		    (stands_still(s, begins) || levels_beat(s, options, begins));
	size_t late = found ? grows_late(s, begins) : 0;

	if (late)
		conclude(m, SCALING_LATE, "no growth up to %g, growth from %g on", s->p[late - 1],
			 s->p[late]);
	else if (found)
		conclude(m, SCALING_STEPS, "steps, not a curve");
	free(begins);
	return found;
}

static void judge_few(const struct series *s, struct scaling_model *m)
{
	if (s->n > 1 && m->change <= ROUNDING * s->largest)
		conclude(m, SCALING_CONSTANT, "%zu points", s->n);
	else
		conclude(m, SCALING_NOT_CREDIBLE, "%zu point%s", s->n, s->n == 1 ? "" : "s");
}

/* Noise seldom goes in one direction only. */
static int is_monotone(const struct series *s)
{
	int up = 1, down = 1;

	for (size_t i = 1; i < s->n; i++) {
		up &= s->y[i] > s->y[i - 1];
		down &= s->y[i] < s->y[i - 1];
	}
	return up || down;
}

static void judge_constant(const struct series *s, unsigned options, struct scaling_model *m)
{
	double share = m->change / fabs(s->mean);

	if (m->worst <= ROUNDING * s->largest)
		conclude(m, SCALING_CONSTANT, "%s", "");
	else if (share <= CONSTANT_SHARE)
		conclude(m, SCALING_CONSTANT, "varies by %.1g %%", 100 * share);
	else if (judge_steps(s, options, m))
		return;
	else if (is_monotone(s))
		conclude(m, SCALING_NOT_CREDIBLE, "varies by %.0f %%, always in one direction",
			 100 * share);
	else if (share <= NOISE_SHARE)
		conclude(m, SCALING_CONSTANT, "varies by %.0f %%", 100 * share);
	else
		conclude(m, SCALING_NOT_CREDIBLE, "varies by %.0f %% without a trend", 100 * share);
}

/*
 * Is the value constant from the second number of PEs on? The smallest run may differ, for example
 * if only there each PE has a core. No, if a model describes all points better.
 */
static int judge_settled(const struct series *s, struct scaling_model *m)
{
	struct series tail = { .p = s->p + 1, .y = s->y + 1, .n = s->n - 1 };
	double low = INFINITY, high = -INFINITY;

	if (tail.n < SETTLED_MIN || s->p[s->n - 1] < RANGE_GOOD * tail.p[0])
		return 0;
	for (size_t i = 0; i < tail.n; i++) {
		low = fmin(low, tail.y[i]);
		high = fmax(high, tail.y[i]);
		tail.mean += tail.y[i] / (double)tail.n;
		tail.largest = fmax(tail.largest, fabs(tail.y[i]));
	}
	if (high - low > STILL_SHARE * fabs(tail.mean) ||
	    fabs(s->y[0] - tail.mean) <= CONSTANT_SHARE * fabs(tail.mean))
		return 0;
	fit_constant(&tail, m);
	m->settled = 1;
	m->p_min = tail.p[0];
	m->change = high - low;
	conclude(m, SCALING_CONSTANT, "from %g on", m->p_min);
	return 1;
}

/* A curve that fits well is not credible if very different curves fit equally well. */
static void judge_reach(const struct series *s, unsigned options, struct scaling_model *m)
{
	double far = REACH * m->p_max, low, high;
	double doubt = m->worst <= NEAR_SHARE * m->change ? DOUBT_NEAR : DOUBT_MAX;

	series_interval(s, options, far, &low, &high);
	if (low > 0 && high < doubt * low)
		conclude(m, SCALING_CREDIBLE, "%s", s->n == SCALING_POINTS_MIN ? "4 points" : "");
	else if (low > 0)
		conclude(m, SCALING_NOT_CREDIBLE,
			 "other curves fit too: a factor of %.0f between them at %g", high / low,
			 far);
	else
		conclude(m, SCALING_NOT_CREDIBLE, "other curves fit too, up to falling ones at %g",
			 far);
}

static void judge_growth(const struct series *s, unsigned options, struct scaling_model *m)
{
	double range = m->p_max / m->p_min;

	m->noise = sqrt(series_rss(s, &m->term) / (double)(s->n - 2));
	if (range < RANGE_MIN)
		conclude(m, SCALING_NOT_CREDIBLE, "range %g to %g spans less than a factor of %d",
			 m->p_min, m->p_max, RANGE_MIN);
	else if (s->n <= POINTS_FEW && range < RANGE_GOOD)
		conclude(m, SCALING_NOT_CREDIBLE,
			 "%zu points, %g to %g span less than a factor of %d", s->n, m->p_min,
			 m->p_max, RANGE_GOOD);
	else if (m->worst <= EXACT_SHARE * m->change && range < RANGE_GOOD)
		conclude(m, SCALING_EXACT, "%zu points, %g to %g", s->n, m->p_min, m->p_max);
	else if (m->worst <= EXACT_SHARE * m->change)
		conclude(m, SCALING_EXACT, "%s", s->n == SCALING_POINTS_MIN ? "4 points" : "");
	else if (judge_steps(s, options, m))
		return;
	else if (range < RANGE_GOOD)
		conclude(m, SCALING_NOT_CREDIBLE, "range %g to %g spans less than a factor of %d",
			 m->p_min, m->p_max, RANGE_GOOD);
	else if (s->n == SCALING_POINTS_MIN && m->worst > NEAR_SHARE * m->change)
		conclude(m, SCALING_NOT_CREDIBLE,
			 "%zu points, residuals up to %.*f %% of the change", s->n,
			 m->worst < 0.1 * m->change, 100 * m->worst / m->change);
	else if (m->adjusted_r2 < R2_MIN)
		conclude(m, SCALING_NOT_CREDIBLE, "residuals too large (adjusted R^2 %.2f)",
			 m->adjusted_r2);
	else if (m->noise > NOISE_MAX)
		conclude(m, SCALING_NOT_CREDIBLE, "residuals too large (%.0f %% of the value)",
			 100 * m->noise);
	else
		judge_reach(s, options, m);
}

/*
 * Values that hardly change and have no credible curve are a constant with noise. But if a curve
 * explains most of the small change, there is a trend whose form is unknown.
 */
static void judge_curve(const struct series *s, unsigned options, struct scaling_model *m)
{
	double share = m->change / fabs(s->mean);

	judge_growth(s, options, m);
	/* A small decrease that ends immediately is one point that differs. */
	if (m->verdict == SCALING_CREDIBLE && m->term.i_over < 0 && share <= CONSTANT_SHARE)
		m->verdict = SCALING_NOT_CREDIBLE;
	else if (scaling_credible(m) || share > NOISE_SHARE ||
		 (share > CONSTANT_SHARE && is_monotone(s)))
		return;
	if (share > CONSTANT_SHARE &&
	    (m->verdict == SCALING_STEPS || m->verdict == SCALING_LATE))
		return;
	if (share > STILL_SHARE && m->adjusted_r2 >= R2_MIN && m->term.i_over >= 0)
		return;
	fit_constant(s, m);
	judge_constant(s, options, m);
}

/*
 * The base is the limit of a decreasing curve for large p, and determines the order of the whole
 * job. Values are whole bytes, so 1000000 / p gets a base of a fraction of a byte: the base is
 * dropped if the curve without it is as good as rounding allows.
 */
static void drop_base(const struct series *s, struct scaling_model *m)
{
	struct scaling_model bare = *m;
	double xy = 0, xx = 0;

	if (m->term.i_over >= 0 || m->c0 == 0 || m->worst <= ROUNDING * s->largest)
		return;
	for (size_t i = 0; i < s->n; i++) {
		double x = scaling_term_value(&m->term, s->p[i]);

		xy += x * s->y[i];
		xx += x * x;
	}
	bare.c0 = 0;
	bare.c1 = xy / xx;
	measure(s, &bare);
	bare.adjusted_r2 = adjusted_r2(s, bare.rss);
	if (bare.worst <= BASE_SHARE * m->change &&
	    (bare.worst <= BASE_LOSS * m->worst || bare.worst <= 1))
		*m = bare;
}

void scaling_fit(const struct scaling_point *point, size_t n, unsigned options,
		 struct scaling_model *m)
{
	struct series s;
	double low = INFINITY, high = -INFINITY;

	memset(m, 0, sizeof(*m));
	series_make(&s, point, n);
	m->points = s.n;
	m->term = constant_term;
	if (!s.n) {
		conclude(m, SCALING_NOT_CREDIBLE, "no points");
		series_release(&s);
		return;
	}
	for (size_t i = 0; i < s.n; i++) {
		low = fmin(low, s.y[i]);
		high = fmax(high, s.y[i]);
	}
	m->change = high - low;
	m->p_min = s.p[0];
	m->p_max = s.p[s.n - 1];
	search(&s, options, m);
	if (s.n < SCALING_POINTS_MIN)
		judge_few(&s, m);
	else if (m->c1 == 0)
		judge_constant(&s, options, m);
	else
		judge_curve(&s, options, m);
	if (s.n >= SCALING_POINTS_MIN && !scaling_credible(m))
		judge_settled(&s, m);
	if (scaling_credible(m))
		drop_base(&s, m);
	m->least = m->most = m->term;
	if (m->verdict == SCALING_CREDIBLE)
		series_orders(&s, options, m);
	else if (m->verdict == SCALING_NOT_CREDIBLE && m->points >= SCALING_POINTS_MIN &&
		 m->c1 > 0 && m->term.i_over >= 0 && is_monotone(&s) &&
		 m->p_max >= RANGE_GOOD * m->p_min)
		m->ranged = series_likely(&s, NOISE_MAX, m);
	series_release(&s);
}

int scaling_credible(const struct scaling_model *m)
{
	return m->verdict == SCALING_EXACT || m->verdict == SCALING_CREDIBLE ||
	       m->verdict == SCALING_CONSTANT;
}

double scaling_value(const struct scaling_model *m, double p)
{
	return m->c1 != 0 ? m->c0 + m->c1 * scaling_term_value(&m->term, p) : m->c0;
}

unsigned scaling_options(const struct scaling_point *point, size_t n)
{
	struct series s;
	unsigned options;

	series_make(&s, point, n);
	options = s.n && s.y[s.n - 1] < s.y[0] ? SCALING_NEGATIVE : 0;
	series_release(&s);
	return options;
}
