/*
 * scaling_assumed.c: fits the law c + a / P, which is assumed, not found by a search. Formulas:
 * scaling.h.
 */
#include "analyze/scaling/scaling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/base/base.h"
#include "analyze/scaling/scaling_series.h"

#define POINTS_MIN 3
#define NOISE_MAX  0.1 /* share of the value */

/* Least squares with weights 1 / y^2. base: with c; otherwise c is 0. */
static void fit(const struct series *s, int base, struct scaling_model *m)
{
	double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;

	for (size_t i = 0; i < s->n; i++) {
		double weight = 1 / (s->y[i] * s->y[i]), x = 1 / s->p[i];

		w += weight;
		wx += weight * x;
		wy += weight * s->y[i];
		wxx += weight * x * x;
		wxy += weight * x * s->y[i];
	}
	m->c1 = base ? (w * wxy - wx * wy) / (w * wxx - wx * wx) : wxy / wxx;
	m->c0 = base ? (wy - m->c1 * wx) / w : 0;
}

int scaling_fit_amdahl(const struct scaling_point *point, size_t n, struct scaling_model *m)
{
	struct series s;
	int fits;

	memset(m, 0, sizeof(*m));
	series_make(&s, point, n);
	fits = s.n >= POINTS_MIN && s.y[s.n - 1] < s.y[0];
	for (size_t i = 0; i < s.n; i++)
		fits &= s.y[i] > 0;
	if (fits) {
		m->points = s.n;
		m->p_min = s.p[0];
		m->p_max = s.p[s.n - 1];
		m->term = m->least = m->most = (struct scaling_term){-1, 1, 0};
		fit(&s, 1, m);
		if (m->c0 < 0)
			fit(&s, 0, m);
		m->adjusted_r2 = NAN;
		for (size_t i = 0; i < s.n; i++) {
			double rest = fabs(scaling_value(m, s.p[i]) - s.y[i]);

			m->rss += rest * rest;
			m->worst = fmax(m->worst, rest);
			m->noise = fmax(m->noise, rest / s.y[i]);
			m->change = fmax(m->change, fabs(s.y[0] - s.y[i]));
		}
		m->verdict = SCALING_NOT_CREDIBLE;
		snprintf(m->why, sizeof(m->why), "assumed: %zu points, residuals up to %.1f %%",
			 s.n, 100 * m->noise);
		fits = m->c1 > 0 && m->noise <= NOISE_MAX;
	}
	series_release(&s);
	return fits;
}
