/* change_points.c: E-divisive with permutations, and the test that every change has to pass. */
#include "analyze/compare/change_points.h"

#include <math.h>
#include <string.h>

#include "analyze/base/base.h"
#include "analyze/compare/two_samples.h"

#define PERMUTATIONS 100
#define LEVEL        0.05
#define P_MOST       0.001
#define FAMILY       0.05
#define SEED         0x9e3779b97f4a7c15u

/*
 * The largest Q of a window, and its position. Sums of distances are updated as the split moves by
 * one value.
 */
static double best_split(const double *v, size_t n, size_t *at)
{
	double xx = 0, yy = 0, xy = 0, best = -INFINITY;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			yy += fabs(v[i] - v[k]);
	for (size_t i = 0; i + CHANGE_SIDE < n; i++) {
		double left = 0, right = 0, x = (double)(i + 1), y = (double)(n - i - 1), q;

		for (size_t k = 0; k < n; k++)
			*(k <= i ? &left : &right) += fabs(v[i] - v[k]);
		/* v[i] moves from Y to X. */
		xx += 2 * left;
		yy -= 2 * right;
		xy += right - left;
		if (i + 1 < CHANGE_SIDE)
			continue;
		q = x * y / (x + y) * (2 * xy / (x * y) - xx / (x * x) - yy / (y * y));
		if (q > best) {
			best = q;
			*at = i + 1;
		}
	}
	return best;
}

static size_t draw(unsigned long long *state, size_t n)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (size_t)((*state >> 11) % n);
}

static int is_change(const double *v, size_t n, double q, unsigned long long *state)
{
	double *mixed = mem_copy(v, n, sizeof(*v));
	size_t as_large = 1, at;

	for (int i = 0; i < PERMUTATIONS; i++) {
		for (size_t k = n; k > 1; k--) {
			size_t other = draw(state, k);
			double swap = mixed[k - 1];

			mixed[k - 1] = mixed[other];
			mixed[other] = swap;
		}
		as_large += best_split(mixed, n, &at) >= q * (1 - 1e-12);
	}
	free(mixed);
	return (double)as_large / (PERMUTATIONS + 1) <= LEVEL;
}

static void divide(struct change_points *c, const double *v, size_t from, size_t to,
		   unsigned long long *state)
{
	size_t at = 0;
	double q;

	if (to - from < 2 * CHANGE_SIDE)
		return;
	q = best_split(v + from, to - from, &at);
	if (!(q > 0) || !is_change(v + from, to - from, q, state))
		return;
	divide(c, v, from, from + at, state);
	*array_add(c, v) = (struct change_point){.at = from + at};
	divide(c, v, from + at, to, state);
}

static void test(struct change_points *c, const double *v, size_t n)
{
	for (size_t i = 0; i < c->v_n; i++) {
		struct change_point *p = &c->v[i];
		struct two_samples s;

		p->from = i ? c->v[i - 1].at : 0;
		p->to = i + 1 < c->v_n ? c->v[i + 1].at : n;
		two_samples_compare(v + p->from, p->at - p->from, v + p->at, p->to - p->at,
				    TEST_WELCH, &s);
		p->change = s.change;
		p->low = s.low;
		p->high = s.high;
		p->p = fmin(1, 2 * fmin(s.p_more, s.p_less));
	}
}

void change_points_find(struct change_points *c, const double *value, size_t n, size_t tests)
{
	double most = fmin(P_MOST, FAMILY / ((double)tests * (double)n));
	unsigned long long state = SEED;

	memset(c, 0, sizeof(*c));
	for (size_t i = 0; i < n; i++)
		if (!(value[i] > 0))
			return;
	divide(c, value, 0, n, &state);
	for (;;) {
		size_t weakest = 0;

		test(c, value, n);
		for (size_t i = 1; i < c->v_n; i++)
			weakest = c->v[i].p > c->v[weakest].p ? i : weakest;
		if (!c->v_n || c->v[weakest].p < most)
			return;
		memmove(&c->v[weakest], &c->v[weakest + 1], (--c->v_n - weakest) * sizeof(*c->v));
	}
}

void change_points_release(struct change_points *c)
{
	free(c->v);
	memset(c, 0, sizeof(*c));
}
