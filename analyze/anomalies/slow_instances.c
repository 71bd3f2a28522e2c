/* slow_instances.c: compares the longest instances of each region and thread with the usual ones.
 */
#include "analyze/anomalies/slow_instances.h"

#include <math.h>
#include <string.h>

#include "analyze/anomalies/instance_times.h"
#include "analyze/anomalies/loop_times.h"
#include "analyze/anomalies/robust.h"

#define LEAST_SPREAD 0.01
#define MANY	     4000000 /* instances; with fewer, limits are larger */
#define RARE	     20   /* q: one of this many instances exceeds it */
#define EXPLAINED    0.5  /* share of the cost that a slow instance inside must have */

struct found_anomalies {
	struct anomaly *v;
	size_t v_n, v_cap;
};

/* least: no t of these tests is less. For most series, that shows that no instance is slow. */
static void series_find(const struct instance_series *s, double least, size_t tests,
			struct found_anomalies *out)
{
	double median, mad, limit, upper, spread, longest;

	upper = instance_exceeded(s, fmax(1, floor((double)s->n / RARE)));
	longest = s->longest_n ? log((double)s->longest[0].own) : 0;
	if (!(longest > upper + least * LEAST_SPREAD))
		return;
	instance_spread(s, &median, &mad);
	upper = fmax(median, upper);
	spread = fmax(robust_deviation(mad, s->n), LEAST_SPREAD);
	if (longest <= upper + least * spread)
		return;
	limit = upper + robust_limit(s->n, tests) * spread;
	for (size_t i = 0; i < s->longest_n; i++) {
		const struct instance *x = &s->longest[i];

		if (x->own < 1 || log((double)x->own) <= limit)
			break;
		if (s->loop && x->nth == s->seen)
			continue;
		*array_add(out, v) = (struct anomaly){.kind = ANOMALY_INSTANCE,
						      .region = s->region,
						      .stream = s->stream,
						      .streams = 1,
						      .loop = s->loop,
						      .first = x->nth,
						      .last = x->nth,
						      .begin = x->begin,
						      .end = x->end,
						      .value = (double)x->own,
						      .typical = exp(median),
						      .cost = (double)x->own - exp(median)};
	}
}

static int by_stream(const void *va, const void *vb)
{
	const struct anomaly *a = va, *b = vb;

	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return (a->end < b->end) - (a->end > b->end);
}

/* Is a later one in the list, which begins inside this one, the reason? */
static int explained(const struct found_anomalies *f, size_t at)
{
	const struct anomaly *x = &f->v[at];

	for (size_t i = at + 1; i < f->v_n; i++) {
		const struct anomaly *y = &f->v[i];

		if (y->stream != x->stream || y->begin >= x->end)
			break;
		if (y->end <= x->end && y->cost >= EXPLAINED * x->cost)
			return 1;
	}
	return 0;
}

/*
 * Counts slow first instances: their regions, and the time of those that are not inside another
 * one. f is sorted by stream and begin.
 */
static void first_sum(struct anomalies *a, const struct found_anomalies *f, size_t regions)
{
	char *seen = mem_alloc(regions + 1);
	const struct anomaly *outer = NULL;

	for (size_t i = 0; i < f->v_n; i++) {
		const struct anomaly *x = &f->v[i];

		if (x->first != 1)
			continue;
		a->first_regions += !seen[x->region];
		seen[x->region] = 1;
		if (outer && outer->stream == x->stream && x->begin < outer->end)
			continue;
		a->first_ns += x->cost;
		outer = x;
	}
	free(seen);
}

void slow_instances_find(struct anomalies *a, const struct instance_times *x)
{
	struct found_anomalies f = {0};
	double least;

	for (size_t i = 0; i < x->v_n; i++)
		if (instance_is_tested(&x->v[i], SLOW_LEAST, LOOP_REGULAR)) {
			a->tests[ANOMALY_INSTANCE] += x->v[i].n;
			a->regions++;
		}
	least = 0.99 * robust_limit(MANY, a->tests[ANOMALY_INSTANCE]);
	for (size_t i = 0; i < x->v_n; i++)
		if (instance_is_tested(&x->v[i], SLOW_LEAST, LOOP_REGULAR))
			series_find(&x->v[i], least, a->tests[ANOMALY_INSTANCE], &f);
	if (f.v_n)
		qsort(f.v, f.v_n, sizeof(*f.v), by_stream);
	first_sum(a, &f, x->m->trace->region_n);
	for (size_t i = 0; i < f.v_n; i++)
		if (f.v[i].first != 1 && !explained(&f, i))
			anomaly_add(a, &f.v[i], 1);
	free(f.v);
}
