/* counter_stats.c: statistics of counters. */
#include "analyze/profile/counter_stats.h"

#include <math.h>
#include <string.h>

static struct sample *sample_get(struct counter_stats *s, uint32_t counter, uint32_t path)
{
	uint64_t key = (uint64_t)path << 32 | counter;
	uint32_t at = map_get(&s->index, key);
	struct sample *new;

	if (at != MAP_NONE)
		return &s->v[at];
	map_set(&s->index, key, (uint32_t)s->v_n);
	new = array_add(s, v);
	new->counter = counter;
	new->path = path;
	return new;
}

/*
 * NaN is a limit only if all values are NaN, so that limits do not depend on how samples are
 * grouped.
 */
static void sample_bounds(struct sample *x, double max, double min)
{
	if (!x->n || max > x->max || isnan(x->max))
		x->max = max;
	if (!x->n || min < x->min || isnan(x->min))
		x->min = min;
}

void counter_stats_add(struct counter_stats *s, uint32_t counter, uint32_t path, double value)
{
	struct sample *x = sample_get(s, counter, path);

	sample_bounds(x, value, value);
	x->n++;
	exact_add(&x->sum, value);
	exact_add_square(&x->sumsq, value);
}

void counter_stats_add_sum(struct counter_stats *s, uint32_t counter, uint32_t path,
			   const struct sample *sum)
{
	struct sample *x = sample_get(s, counter, path);

	sample_bounds(x, sum->max, sum->min);
	x->n += sum->n;
	exact_merge(&x->sum, &sum->sum);
	exact_merge(&x->sumsq, &sum->sumsq);
}

void counter_stats_merge(struct counter_stats *into, const struct counter_stats *from)
{
	for (size_t i = 0; i < from->v_n; i++) {
		const struct sample *y = &from->v[i];

		if (y->n)
			counter_stats_add_sum(into, y->counter, y->path, y);
	}
}

/* Keeps the rows, because the same counters will be added again. */
void counter_stats_clear(struct counter_stats *s)
{
	for (size_t i = 0; i < s->v_n; i++) {
		struct sample *x = &s->v[i];

		x->n = 0;
		exact_release(&x->sum);
		exact_release(&x->sumsq);
	}
}

void counter_stats_release(struct counter_stats *s)
{
	counter_stats_clear(s);
	free(s->v);
	map_release(&s->index);
	memset(s, 0, sizeof(*s));
}
