/* correlation.c: Pearson's and Spearman's correlation, and p corrected for many tests. */
#include "analyze/compare/correlation.h"

#include <math.h>
#include <string.h>

#include "analyze/base/base.h"
#include "analyze/compare/two_samples.h"

#define NORMAL_95 1.959963985
#define EQUAL	  1e-12 /* share of the mean: a smaller deviation is rounding */

static double mean_of(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i] / (double)n;
	return sum;
}

/* NaN: one side is constant. */
static double product_moment(const double *x, const double *y, size_t n)
{
	double mx = mean_of(x, n), my = mean_of(y, n), xx = 0, yy = 0, xy = 0, r;

	for (size_t i = 0; i < n; i++) {
		xx += (x[i] - mx) * (x[i] - mx);
		yy += (y[i] - my) * (y[i] - my);
		xy += (x[i] - mx) * (y[i] - my);
	}
	if (sqrt(xx / (double)n) <= EQUAL * fabs(mx) || sqrt(yy / (double)n) <= EQUAL * fabs(my))
		return NAN;
	r = xy / sqrt(xx) / sqrt(yy);
	return fmax(-1, fmin(1, r));
}

static double probability(double r, size_t n)
{
	double df = (double)n - 2, rest = 1 - r * r;

	if (isnan(r))
		return NAN;
	return rest > 0 ? 2 * student_probability(-fabs(r) * sqrt(df / rest), df) : 0;
}

/* |sum of products - what it is on average| of ranks from 1 to n */
static double rank_products(const double *a, const double *b, size_t n)
{
	double sum = -(double)n * ((double)n + 1) * ((double)n + 1) / 4;

	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return fabs(sum);
}

/*
 * Of all orders of b, the share with a correlation at least as far from 0 as this one (Heap's algorithm); b is in another order
 * afterwards.
 */
static double orders_share(const double *a, double *b, size_t n)
{
	double least = rank_products(a, b, n) - 1e-9, found = 1, all = 1;
	size_t turn[CORRELATION_EXACT] = {0}, i = 1;

	while (i < n) {
		size_t with = i % 2 ? turn[i] : 0;
		double kept = b[with];

		if (turn[i] >= i) {
			turn[i++] = 0;
			continue;
		}
		b[with] = b[i];
		b[i] = kept;
		turn[i]++;
		i = 1;
		all++;
		found += rank_products(a, b, n) >= least;
	}
	return found / all;
}

/* Of Spearman's r, of the ranks a and b; b is in another order afterwards. */
static double rank_probability(double r, const double *a, double *b, size_t n)
{
	double least = 2;

	if (isnan(r))
		return NAN;
	if (n <= CORRELATION_EXACT)
		return orders_share(a, b, n);
	for (size_t i = 2; i <= n; i++)
		least /= (double)i;
	return fmax(probability(r, n), least);
}

struct sorted {
	double v;
	size_t at;
};

static int ascending(const void *va, const void *vb)
{
	const struct sorted *a = va, *b = vb;

	return a->v < b->v ? -1 : a->v > b->v;
}

/* Ranks from 1, equal values with their mean rank. */
static void ranks_make(const double *v, size_t n, struct sorted *s, double *rank)
{
	for (size_t i = 0; i < n; i++)
		s[i] = (struct sorted){v[i], i};
	qsort(s, n, sizeof(*s), ascending);
	for (size_t i = 0, to; i < n; i = to) {
		for (to = i + 1; to < n && s[to].v == s[i].v; to++)
			;
		for (size_t k = i; k < to; k++)
			rank[s[k].at] = (double)(i + 1 + to) / 2;
	}
}

void correlation_make(struct correlation *c, const double *x, const double *y, size_t n)
{
	double *v = mem_alloc((4 * n + 1) * sizeof(*v)), *a = v, *b = v + n, half;
	struct sorted *s = mem_alloc((n + 1) * sizeof(*s));

	*c = (struct correlation){0, NAN, NAN, NAN, NAN, NAN, NAN};
	for (size_t i = 0; i < n; i++)
		if (isfinite(x[i]) && isfinite(y[i])) {
			a[c->n] = x[i];
			b[c->n++] = y[i];
		}
	if (c->n >= CORRELATION_PAIRS) {
		c->pearson = product_moment(a, b, c->n);
		c->p = probability(c->pearson, c->n);
		half = NORMAL_95 / sqrt((double)c->n - 3);
		c->low = tanh(atanh(c->pearson) - half);
		c->high = tanh(atanh(c->pearson) + half);
		ranks_make(a, c->n, s, v + 2 * n);
		ranks_make(b, c->n, s, v + 3 * n);
		c->spearman = product_moment(v + 2 * n, v + 3 * n, c->n);
		c->p_spearman = rank_probability(c->spearman, v + 2 * n, v + 3 * n, c->n);
	}
	free(v);
	free(s);
}

static double *p_at(struct correlation *c, size_t i, size_t stride, int spearman)
{
	struct correlation *at = (struct correlation *)((char *)c + i * stride);

	return spearman ? &at->p_spearman : &at->p;
}

void correlations_correct(struct correlation *c, size_t n, size_t stride)
{
	struct sorted *s = mem_alloc((n + 1) * sizeof(*s));

	for (int spearman = 0; spearman < 2; spearman++) {
		double least = 1;
		size_t m = 0;

		for (size_t i = 0; i < n; i++)
			if (!isnan(*p_at(c, i, stride, spearman)))
				s[m++] = (struct sorted){*p_at(c, i, stride, spearman), i};
		if (m)
			qsort(s, m, sizeof(*s), ascending);
		for (size_t k = m; k-- > 0;) {
			least = fmin(least, s[k].v * (double)m / (double)(k + 1));
			*p_at(c, s[k].at, stride, spearman) = least;
		}
	}
	free(s);
}
