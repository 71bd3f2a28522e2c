/*
 * scaling_interval.c: predicts the value at a number of PEs from all curves of the space together.
 * Formulas: scaling.h.
 */
#include <math.h>
#include <string.h>

#include "analyze/base/base.h"
#include "analyze/scaling/scaling.h"
#include "analyze/scaling/scaling_series.h"

#define POINTS_MIN     4
#define ROUNDS         3     /* of fitting, with weights from the curve of the round before */
#define ARITHMETIC     1e-15 /* smaller relative residuals count as 0 */
#define WEIGHT_FLOOR   1e-9  /* share of the most probable curve: smaller weights cannot move a
			      * percentile */
#define BISECTIONS     60
#define LIKELY	       16    /* the likelihood of the best curve over that of a likely one, at most */
#define GOOD_SHARE     0.95 /* share of the weight that good curves have together */

/* One term, fitted with noise in proportion to its own curve. */
struct relative_fit {
	double c0, c1;
	double rss;                      /* weighted */
	double x_mean, x_spread, weight; /* weighted mean, squared deviations, sum of weights */
};

/* The prediction of one curve at p: Student's t about a centre. */
struct curve {
	struct scaling_term term;
	double log_weight, weight, centre, scale;
};

struct mixture {
	struct curve *v;
	size_t n, df;
};

/* Memory for one value and one weight per point. */
struct interval_room {
	double *x, *w;
};

static void room_init(struct interval_room *r, const struct series *s)
{
	r->x = mem_alloc(2 * s->n * sizeof(*r->x));
	r->w = r->x + s->n;
}

static int fit_weighted(const struct series *s, const struct interval_room *r,
			struct relative_fit *f)
{
	double sxy = 0, y_mean = 0;

	memset(f, 0, sizeof(*f));
	for (size_t i = 0; i < s->n; i++) {
		f->weight += r->w[i];
		f->x_mean += r->w[i] * r->x[i];
		y_mean += r->w[i] * s->y[i];
	}
	f->x_mean /= f->weight;
	y_mean /= f->weight;
	for (size_t i = 0; i < s->n; i++) {
		double d = r->x[i] - f->x_mean;

		f->x_spread += r->w[i] * d * d;
		sxy += r->w[i] * d * (s->y[i] - y_mean);
	}
	f->c1 = sxy / f->x_spread;
	f->c0 = y_mean - f->c1 * f->x_mean;
	for (size_t i = 0; i < s->n; i++) {
		double rest = s->y[i] - f->c0 - f->c1 * r->x[i];

		f->rss += r->w[i] * rest * rest;
	}
	return isfinite(f->rss) && isfinite(f->c0) && isfinite(f->c1);
}

/*
 * Noise is in proportion to the curve, not to the noisy value, so the weights come from the curve
 * of the round before; a curve that crosses zero must not make a point exact.
 */
static int fit_curve(const struct series *s, const struct scaling_term *t,
		     const struct interval_room *r, struct relative_fit *f)
{
	for (size_t i = 0; i < s->n; i++) {
		r->x[i] = scaling_term_value(t, s->p[i]);
		r->w[i] = series_weight(s, s->y[i]);
	}
	if (!fit_weighted(s, r, f))
		return 0;
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < s->n; i++) {
			double curve = f->c0 + f->c1 * r->x[i];

			r->w[i] = series_weight(s, fmax(fabs(curve), fabs(s->y[i]) / 2));
		}
		if (!fit_weighted(s, r, f))
			return 0;
	}
	return 1;
}

double series_rss(const struct series *s, const struct scaling_term *t)
{
	struct relative_fit f;
	struct interval_room r;
	int fits;

	room_init(&r, s);
	fits = fit_curve(s, t, &r, &f);
	free(r.x);
	return fits ? f.rss : INFINITY;
}

double series_least_rss(const struct series *s, unsigned options)
{
	double least = INFINITY;
	struct scaling_term t;

	for (size_t k = 0; scaling_term_get(k, options, &t); k++)
		least = fmin(least, series_rss(s, &t));
	return least;
}

static void mixture_make(const struct series *s, unsigned options, double p, struct mixture *m)
{
	double best = -INFINITY, sum = 0;
	size_t terms = 0, kept = 0;
	struct relative_fit f;
	struct scaling_term t;
	struct interval_room r;

	room_init(&r, s);
	while (scaling_term_get(terms, options, &t))
		terms++;
	m->v = mem_alloc(terms * sizeof(*m->v));
	m->n = 0;
	m->df = s->n - 2;
	for (size_t k = 0; scaling_term_get(k, options, &t); k++) {
		struct curve *c = &m->v[m->n];
		double x = scaling_term_value(&t, p), d, rss;

		if (!isfinite(x) || !fit_curve(s, &t, &r, &f))
			continue;
		d = x - f.x_mean;
		rss = fmax(f.rss, (double)s->n * ARITHMETIC * ARITHMETIC);
		c->term = t;
		c->centre = f.c0 + f.c1 * x;
		c->scale = sqrt(rss / (double)m->df * (1 / f.weight + d * d / f.x_spread));
		c->log_weight = -0.5 * (double)m->df * log(rss) - log(t.i_under);
		for (size_t i = 0; i < s->n; i++)
			c->log_weight += 0.5 * log(r.w[i]);
		best = fmax(best, c->log_weight);
		m->n++;
	}
	for (size_t k = 0; k < m->n; k++) {
		m->v[k].weight = exp(m->v[k].log_weight - best);
		if (m->v[k].weight < WEIGHT_FLOOR)
			continue;
		sum += m->v[k].weight;
		m->v[kept++] = m->v[k];
	}
	m->n = kept;
	for (size_t k = 0; k < m->n; k++)
		m->v[k].weight /= sum;
	free(r.x);
}

static int compare_weights(const void *a, const void *b)
{
	const struct curve *x = a, *y = b;

	return x->weight > y->weight ? -1 : x->weight < y->weight;
}

void series_orders(const struct series *s, unsigned options, struct scaling_model *m)
{
	struct mixture all;
	double sum = 0;

	mixture_make(s, options, m->p_max, &all);
	if (all.n)
		qsort(all.v, all.n, sizeof(*all.v), compare_weights);
	for (size_t k = 0; k < all.n && sum < GOOD_SHARE; k++) {
		const struct scaling_term *t = &all.v[k].term;

		sum += all.v[k].weight;
		m->least = scaling_term_compare(t, &m->least) < 0 ? *t : m->least;
		m->most = scaling_term_compare(t, &m->most) > 0 ? *t : m->most;
	}
	free(all.v);
}

int series_likely(const struct series *s, double noise, struct scaling_model *m)
{
	double limit = series_least_rss(s, 0) * pow(LIKELY, 2. / (double)s->n);
	struct scaling_term t;
	int found = 0;

	limit = fmin(limit, noise * noise * (double)(s->n - 2));
	for (size_t k = 0; scaling_term_get(k, 0, &t); k++) {
		if (!(series_rss(s, &t) <= limit))
			continue;
		m->least = !found || scaling_term_compare(&t, &m->least) < 0 ? t : m->least;
		m->most = !found || scaling_term_compare(&t, &m->most) > 0 ? t : m->most;
		found = 1;
	}
	return found;
}

/*
 * Student's t, 97.5 %: from a table if the expansion about the normal distribution is not exact to
 * 1e-4.
 */
static double student_t(size_t df)
{
	static const double table[] = {0,       12.70620, 4.30265, 3.18245, 2.77645, 2.57058,
				       2.44691, 2.36462,  2.30600, 2.26216, 2.22814};
	double z = 1.959963985, z3 = z * z * z, z5 = z3 * z * z, n = (double)df;

	if (df < sizeof(table) / sizeof(*table))
		return table[df];
	return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
	       (3 * z5 * z * z + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

/*
 * Distribution function of Student's t for whole df: the finite sums of Abramowitz and Stegun
 * 26.7.3 and 26.7.4.
 */
static double student_below(double t, size_t df)
{
	double angle = atan2(t, sqrt((double)df)), c = cos(angle), s = sin(angle);
	double term = df % 2 ? c : 1, sum = 0;

	for (size_t k = df % 2; k + 2 <= df; k += 2) {
		sum += term;
		term *= c * c * (double)(k + 1) / (double)(k + 2);
	}
	sum *= s;
	if (df % 2)
		sum = (angle + sum) * M_2_PI;
	return 0.5 + sum / 2;
}

static double mixture_below(const struct mixture *m, double y)
{
	double sum = 0;

	for (size_t k = 0; k < m->n; k++) {
		const struct curve *c = &m->v[k];

		sum += c->weight * (c->scale > 0 ? student_below((y - c->centre) / c->scale, m->df)
						 : y >= c->centre);
	}
	return sum;
}

/*
 * The 2.5 % end (side -1) or 97.5 % end (side 1) of the mixture. A percentile of a mixture is
 * between the smallest and the largest of those of its members.
 */
static double mixture_end(const struct mixture *m, int side)
{
	double low = INFINITY, high = -INFINITY, share = side < 0 ? 0.025 : 0.975;

	for (size_t k = 0; k < m->n; k++) {
		double end = m->v[k].centre + side * student_t(m->df) * m->v[k].scale;

		low = fmin(low, end);
		high = fmax(high, end);
	}
	for (int i = 0; i < BISECTIONS && low < high; i++) {
		double middle = low + (high - low) / 2;

		if (mixture_below(m, middle) < share)
			low = middle;
		else
			high = middle;
	}
	return side < 0 ? low : high;
}

void series_interval(const struct series *s, unsigned options, double p, double *low, double *high)
{
	struct mixture m;

	mixture_make(s, options, p, &m);
	*low = m.n ? mixture_end(&m, -1) : -INFINITY;
	*high = m.n ? mixture_end(&m, 1) : INFINITY;
	free(m.v);
}

int scaling_interval(const struct scaling_point *point, size_t n, unsigned options, double p,
		     double *low, double *high)
{
	struct series s;
	int rc = -1;

	*low = -INFINITY;
	*high = INFINITY;
	series_make(&s, point, n);
	if (s.n >= POINTS_MIN && s.largest > 0) {
		series_interval(&s, options, p, low, high);
		rc = 0;
	}
	series_release(&s);
	return rc;
}
