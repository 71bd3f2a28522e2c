/*
 * scaling_forecast.c: predicts the value of a model at a number of PEs; sums of forecasts.
 * Formulas: scaling.h.
 */
#include "analyze/scaling/scaling.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define POINTS_MIN 4
#define RANGE_MIN 2
#define STILL 1e-12	/* share of the value: smaller differences are rounding errors */
#define FORECAST_DOUBT 10 /* largest factor between the ends of a useful interval */

static void refuse(struct scaling_forecast *f, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void refuse(struct scaling_forecast *f, const char *format, ...)
{
	va_list args;

	f->credible = 0;
	va_start(args, format);
	vsnprintf(f->why, sizeof(f->why), format, args);
	va_end(args);
}

/* By how much units that were not observed so far widen the interval (Grain, scaling.h). */
static double grain_reach(const struct scaling_model *m, double grain, double p)
{
	double seen = log2(m->p_max / m->p_min), beyond = log2(p / m->p_max);

	return beyond > 0 && seen > 0 ? grain * fmax(1, beyond / seen) : 0;
}

static void widen(struct scaling_forecast *f, double reach)
{
	double low = f->low - reach;

	f->low = f->low >= 0 ? fmax(low, 0) : low;
	f->high += reach;
}

/*
 * The forecast of a constant: without noise, or with the variation from the second number of PEs
 * on.
 */
static void forecast_still(const struct scaling_model *m, double p, struct scaling_forecast *f)
{
	f->low = f->value - m->change;
	f->high = f->value + m->change;
	if (p > m->p_max && (m->points < POINTS_MIN || m->p_max < RANGE_MIN * m->p_min))
		refuse(f, "constant on %zu points, %.10g to %.10g, only", m->points, m->p_min,
		       m->p_max);
}

/* The mean at the number of PEs of one point. */
static double mean_at(const struct scaling_point *point, size_t n, double p)
{
	double sum = 0;
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		if (point[i].p == p) {
			sum += point[i].value;
			at++;
		}
	return at ? sum / (double)at : NAN;
}

/* A model that grows from a measured number of PEs to p, but has less at p than was measured there, is contradicted. */
static void check_measured(const struct scaling_point *point, size_t n,
			   const struct scaling_model *m, struct scaling_forecast *f)
{
	for (size_t i = 0; i < n && f->credible; i++)
		if (point[i].p < f->p && scaling_value(m, point[i].p) < f->value &&
		    f->value < mean_at(point, n, point[i].p))
			refuse(f, "less than measured on %.10g", point[i].p);
}

void scaling_forecast(const struct scaling_point *point, size_t n, unsigned options,
		      const struct scaling_model *m, double grain, double p,
		      struct scaling_forecast *f)
{
	memset(f, 0, sizeof(*f));
	f->p = p;
	f->value = scaling_value(m, p);
	f->credible = 1;
	if (m->verdict == SCALING_CONSTANT && (m->settled || m->change <= STILL * fabs(m->c0))) {
		forecast_still(m, p, f);
		widen(f, grain_reach(m, grain, p));
		return;
	}
	scaling_interval(point, n, options, p, &f->low, &f->high);
	if (!scaling_credible(m)) {
		refuse(f, "%s", m->why);
	} else if (!(f->low > 0)) {
		refuse(f, "curves that fit fall to nothing at %.10g", p);
	} else if (f->high > FORECAST_DOUBT * f->low) {
		refuse(f, "curves that fit are a factor of %.2g apart at %.10g", f->high / f->low,
		       p);
	} else {
		f->low = fmin(f->low, f->value);
		f->high = fmax(f->high, f->value);
		widen(f, grain_reach(m, grain, p));
		check_measured(point, n, m, f);
	}
}

void scaling_sum_add(struct scaling_sum *sum, const struct scaling_forecast *part)
{
	if (!part->credible) {
		sum->refused++;
		return;
	}
	sum->parts++;
	sum->value += part->value;
	sum->below += (part->value - part->low) * (part->value - part->low);
	sum->above += (part->high - part->value) * (part->high - part->value);
}

void scaling_sum_forecast(const struct scaling_sum *sum, double p, struct scaling_forecast *f)
{
	memset(f, 0, sizeof(*f));
	f->p = p;
	f->credible = sum->parts > 0;
	f->value = sum->value;
	f->low = f->credible ? sum->value - sqrt(sum->below) : -INFINITY;
	f->high = f->credible ? sum->value + sqrt(sum->above) : INFINITY;
	if (!f->credible)
		refuse(f, "none of its %zu parts has a forecast", sum->refused);
}
