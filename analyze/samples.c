/* samples.c: statistics of counters. */
#include "samples.h"

#include <string.h>

static struct sample *sample_get(struct samples *s, uint32_t counter, uint32_t path)
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

void samples_add(struct samples *s, uint32_t counter, uint32_t path, double value)
{
	struct sample *x = sample_get(s, counter, path);

	if (!x->n || value > x->max)
		x->max = value;
	if (!x->n || value < x->min)
		x->min = value;
	x->n++;
	exact_add(&x->sum, value);
	exact_add_square(&x->sumsq, value);
}

void samples_merge(struct samples *into, const struct samples *from)
{
	for (size_t i = 0; i < from->v_n; i++) {
		const struct sample *y = &from->v[i];
		struct sample *x = sample_get(into, y->counter, y->path);

		if (!y->n)
			continue;
		if (!x->n || y->max > x->max)
			x->max = y->max;
		if (!x->n || y->min < x->min)
			x->min = y->min;
		x->n += y->n;
		exact_merge(&x->sum, &y->sum);
		exact_merge(&x->sumsq, &y->sumsq);
	}
}

/* Keeps the rows: the same counters will come again. */
void samples_clear(struct samples *s)
{
	for (size_t i = 0; i < s->v_n; i++) {
		struct sample *x = &s->v[i];

		x->n = 0;
		exact_release(&x->sum);
		exact_release(&x->sumsq);
	}
}

void samples_release(struct samples *s)
{
	samples_clear(s);
	free(s->v);
	map_release(&s->index);
	memset(s, 0, sizeof(*s));
}
