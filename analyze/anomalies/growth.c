/* growth.c: tests the blocks of instances of each region and thread for a trend. */
#include "analyze/anomalies/growth.h"

#include <math.h>
#include <string.h>

#include "analyze/anomalies/instance_times.h"
#include "analyze/anomalies/loop_times.h"
#include "analyze/anomalies/robust.h"
#include "analyze/compare/change_points.h"
#include "analyze/compare/two_samples.h"

#define LEAST_GROWTH 0.03 /* share of the median */
#define EXPLAINED    0.5
#define NORMAL	     1e6 /* degrees of freedom from which Student's t is the normal distribution */

/* The sum of the correction for ties. */
static double ties_of(const double *y, size_t n)
{
	double ties = 0;

	for (size_t i = 0; i < n; i++) {
		size_t same = 1, seen = 0;

		for (size_t j = 0; j < i; j++)
			seen += y[j] == y[i];
		for (size_t j = i + 1; j < n && !seen; j++)
			same += y[j] == y[i];
		if (!seen)
			ties += (double)same * ((double)same - 1) * (2 * (double)same + 5);
	}
	return ties;
}

/* The z of the trend test. */
static double kendall(const double *y, size_t n)
{
	double variance;
	int64_t s = 0;

	for (size_t i = 0; i + 1 < n; i++)
		for (size_t j = i + 1; j < n; j++)
			s += (y[j] > y[i]) - (y[j] < y[i]);
	if (s <= 0)
		return 0;
	variance = ((double)n * ((double)n - 1) * (2 * (double)n + 5) - ties_of(y, n)) / 18;
	return variance > 0 ? ((double)s - 1) / sqrt(variance) : 0;
}

static double slope_of(const double *y, size_t n)
{
	double *v = mem_alloc(n * (n - 1) / 2 * sizeof(*v)), slope;
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			v[k++] = (y[j] - y[i]) / (double)(j - i);
	slope = robust_median(v, k);
	free(v);
	return slope;
}

/* The first block after the only change of the series; 0: no change or several. */
static size_t jump_of(const double *y, size_t n, size_t tests)
{
	struct change_points c = {0};
	size_t at;

	change_points_find(&c, y, n, tests);
	at = c.v_n == 1 && c.v[0].change > 0 ? c.v[0].at : 0;
	change_points_release(&c);
	return at;
}

static void jump_put(struct anomaly *a, const struct instance_series *s, const double *y,
		     size_t n, size_t at)
{
	double sorted[INSTANCE_BLOCKS];
	uint64_t before = (uint64_t)at << s->block_power;

	memcpy(sorted, y, at * sizeof(*y));
	a->typical = robust_median(sorted, at);
	memcpy(sorted, y + at, (n - at) * sizeof(*y));
	a->value = robust_median(sorted, n - at);
	a->first = s->first + before;
	a->begin = s->block_begin[at];
	a->cost = (a->value - a->typical) * (double)(s->n - before);
	a->jump = 1;
}

/* Tests a series; limit: of the z of the trend test. 1: it grows. */
static int series_find(const struct instance_series *s, double limit, size_t tests,
		       struct anomaly *out)
{
	double y[INSTANCE_BLOCKS], sorted[INSTANCE_BLOCKS], median, growth;
	size_t n = instance_blocks(s, y), at;

	if (kendall(y, n) <= limit)
		return 0;
	memcpy(sorted, y, n * sizeof(*y));
	median = robust_median(sorted, n);
	growth = slope_of(y, n) * (double)(n - 1);
	if (growth < LEAST_GROWTH * median)
		return 0;
	*out = (struct anomaly){.kind = ANOMALY_GROWTH,
				.region = s->region,
				.stream = s->stream,
				.streams = 1,
				.loop = s->loop,
				.first = s->first,
				.last = s->first + s->n - 1,
				.begin = s->block_begin[0],
				.end = s->end,
				.value = median + growth / 2,
				.typical = fmax(0, median - growth / 2)};
	out->cost = (out->value - out->typical) / 2 * (double)s->n;
	at = jump_of(y, n, tests);
	if (at)
		jump_put(out, s, y, n, at);
	return 1;
}

/* Is an instance of `inner` ever inside one of `outer`? */
static int is_inside(const struct messages *m, uint32_t inner, uint32_t outer)
{
	const struct callstack_path *v = m->paths.v;

	for (size_t i = 1; i < m->paths.v_n; i++) {
		if (v[i].region != inner)
			continue;
		for (uint32_t p = v[i].parent; p; p = v[p].parent)
			if (v[p].region == outer)
				return 1;
	}
	return 0;
}

struct found_anomalies {
	struct anomaly *v;
	size_t v_n, v_cap;
};

static int explained(const struct messages *m, const struct found_anomalies *f, size_t at)
{
	const struct anomaly *x = &f->v[at];

	for (size_t i = 0; i < f->v_n; i++) {
		const struct anomaly *y = &f->v[i];

		if (y->stream == x->stream && y->region != x->region &&
		    y->cost >= EXPLAINED * x->cost && is_inside(m, y->region, x->region) &&
		    !is_inside(m, x->region, y->region))
			return 1;
	}
	return 0;
}

/*
 * Adds an anomaly; the threads of one region are one anomaly, with the instances of the worst
 * thread.
 */
static void region_add(struct anomalies *a, const struct anomaly *one)
{
	for (size_t i = a->v_n - a->n[ANOMALY_GROWTH]; i < a->v_n; i++) {
		struct anomaly *x = &a->v[i];
		double cost = x->cost + one->cost;
		uint32_t streams = x->streams + 1;

		if (x->region != one->region || x->loop != one->loop)
			continue;
		if (one->value - one->typical > x->value - x->typical)
			*x = *one;
		x->cost = cost;
		x->streams = streams;
		return;
	}
	anomaly_add(a, one, 0);
}

void growth_find(struct anomalies *a, const struct instance_times *x)
{
	double y[INSTANCE_BLOCKS], limit;
	struct found_anomalies f = {0};
	size_t tests;

	for (size_t i = 0; i < x->v_n; i++)
		a->tests[ANOMALY_GROWTH] += instance_is_tested(&x->v[i], 1, LOOP_EVEN) &&
					    instance_blocks(&x->v[i], y) >= GROWTH_LEAST;
	tests = a->tests[ANOMALY_GROWTH];
	limit = tests ? student_percentile(1 - ROBUST_ALARMS / (double)tests, NORMAL) : 0;
	for (size_t i = 0; i < x->v_n; i++) {
		struct anomaly one;

		if (instance_is_tested(&x->v[i], 1, LOOP_EVEN) &&
		    instance_blocks(&x->v[i], y) >= GROWTH_LEAST &&
		    series_find(&x->v[i], limit, tests, &one))
			*array_add(&f, v) = one;
	}
	for (size_t i = 0; i < f.v_n; i++)
		if (!explained(x->m, &f, i))
			region_add(a, &f.v[i]);
	free(f.v);
}
