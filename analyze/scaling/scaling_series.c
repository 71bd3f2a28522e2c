/* scaling_series.c: the measurements of one series in order, and the terms that a model can have. Formulas: scaling.h. */
#include "analyze/scaling/scaling_series.h"

#include <math.h>
#include <string.h>

#include "analyze/base/base.h"

#define SIZE_FLOOR 1e-4	/* share of the largest value: the resolution of all values */

/* Extra-P's default search space in its order. */
static const struct scaling_term search_space[] = {
	{0, 1, 1}, {0, 1, 2}, {1, 4, 0}, {1, 3, 0}, {1, 4, 1},  {1, 3, 1}, {1, 4, 2},
	{1, 3, 2}, {1, 2, 0}, {1, 2, 1}, {1, 2, 2}, {2, 3, 0},  {3, 4, 0}, {2, 3, 1},
	{3, 4, 1}, {4, 5, 0}, {2, 3, 2}, {3, 4, 2}, {1, 1, 0},  {1, 1, 1}, {1, 1, 2},
	{5, 4, 0}, {5, 4, 1}, {4, 3, 0}, {4, 3, 1}, {3, 2, 0},  {3, 2, 1}, {3, 2, 2},
	{5, 3, 0}, {7, 4, 0}, {2, 1, 0}, {2, 1, 1}, {2, 1, 2},  {9, 4, 0}, {7, 3, 0},
	{5, 2, 0}, {5, 2, 1}, {5, 2, 2}, {8, 3, 0}, {11, 4, 0}, {3, 1, 0}, {3, 1, 1},
};
#define SPACE (sizeof(search_space) / sizeof(*search_space))
#define LOGARITHMS 2	/* number of the first terms, which have no power of p to mirror */

int scaling_term_get(size_t k, unsigned options, struct scaling_term *t)
{
	if (k < SPACE) {
		*t = search_space[k];
		return 1;
	}
	k = k - SPACE + LOGARITHMS;
	if (!(options & SCALING_NEGATIVE) || k >= SPACE)
		return 0;
	*t = search_space[k];
	t->i_over = -t->i_over;
	return 1;
}

double scaling_term_value(const struct scaling_term *t, double p)
{
	double v = t->i_over ? pow(p, (double)t->i_over / t->i_under) : 1;

	for (int j = 0; j < t->j; j++)
		v *= log2(p);
	return v;
}

int scaling_term_compare(const struct scaling_term *a, const struct scaling_term *b)
{
	int x = a->i_over * b->i_under, y = b->i_over * a->i_under;

	return x != y ? x - y : a->j - b->j;
}

static int compare_points(const void *a, const void *b)
{
	const struct scaling_point *x = a, *y = b;

	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	/* the order of repetitions must not change the last bit of their mean */
	return x->value < y->value ? -1 : x->value > y->value;
}

void series_make(struct series *s, const struct scaling_point *point, size_t n)
{
	struct scaling_point *v = mem_alloc(n * sizeof(*v));

	memset(s, 0, sizeof(*s));
	s->p = mem_alloc(n * sizeof(*s->p));
	s->y = mem_alloc(n * sizeof(*s->y));
	if (n)
		memcpy(v, point, n * sizeof(*v));
	qsort(v, n, sizeof(*v), compare_points);
	for (size_t i = 0, end; i < n; i = end) {
		double sum = 0;

		for (end = i; end < n && v[end].p == v[i].p; end++)
			sum += v[end].value;
		s->p[s->n] = v[i].p;
		s->y[s->n++] = sum / (double)(end - i);
	}
	free(v);
	for (size_t i = 0; i < s->n; i++) {
		s->mean += s->y[i] / (double)s->n;
		s->largest = fmax(s->largest, fabs(s->y[i]));
	}
	for (size_t i = 0; i < s->n; i++)
		s->tss += (s->y[i] - s->mean) * (s->y[i] - s->mean);
}

void series_release(struct series *s)
{
	free(s->p);
	free(s->y);
}

double series_weight(const struct series *s, double size)
{
	double floored = fmax(fabs(size), SIZE_FLOOR * s->largest);

	return 1 / (floored * floored);
}
