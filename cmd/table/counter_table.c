/* counter_table.c: tables of counters. */
#include "cmd/table/counter_table.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/profile/derived_threads.h"

struct ranked {
	double sum;
	size_t index;
};

/* Largest sum first; equal ones as they were defined. */
static int rank_order(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	if (a->sum != b->sum)
		return (a->sum < b->sum) - (a->sum > b->sum);
	return (a->index > b->index) - (a->index < b->index);
}

enum { NAME, SAMPLES, SUM, MEAN, MAX, MIN, DEVIATION };

/* Digits after the point: none in a column of whole numbers. */
static int precision_of(const struct profile_thread *t, size_t column)
{
	int whole = 1;

	for (size_t i = 0; i < t->sample_n; i++) {
		const struct profile_sample *s = &t->sample[i];

		whole &= s->max == rint(s->max) && s->min == rint(s->min);
	}
	return column == MEAN || column == DEVIATION ? 1 + 2 * !whole
	       : column == SAMPLES                   ? 0
						     : 3 * !whole;
}

struct table *counter_table(const struct profile *p, const struct profile_thread *t,
			    const char *title, size_t top, int contexts)
{
	static const char *const column[] = {
		[SAMPLES] = "samples", [SUM] = "sum", [MEAN] = "mean",
		[MAX] = "max",         [MIN] = "min", [DEVIATION] = "deviation"};
	struct ranked *r = mem_alloc((t->sample_n + 1) * sizeof(*r));
	struct table *table = table_new(title);
	size_t n = 0, shown;

	table_column(table, TABLE_TEXT, "counter", NULL, NULL, 0);
	for (size_t i = SAMPLES; i <= DEVIATION; i++)
		table_column(table, TABLE_NUMBER, column[i], NULL, NULL, precision_of(t, i));
	for (size_t i = 0; i < t->sample_n; i++)
		if (contexts || t->sample[i].path == PROFILE_FLAT)
			r[n++] = (struct ranked){t->sample[i].n * t->sample[i].mean, i};
	if (n)
		qsort(r, n, sizeof(*r), rank_order);
	shown = top && top < n ? top : n;
	for (size_t i = 0; i < shown; i++) {
		const struct profile_sample *v = &t->sample[r[i].index];
		char *name = profile_sample_text(p, v);

		table_row(table);
		table_put_text(table, NAME, name);
		table_put_number(table, SAMPLES, v->n);
		table_put_number(table, SUM, v->n * v->mean);
		table_put_number(table, MEAN, v->mean);
		table_put_number(table, MAX, v->max);
		table_put_number(table, MIN, v->min);
		table_put_number(table, DEVIATION, derived_deviation(v));
		free(name);
	}
	if (shown < n)
		table_remark(table, "%zu of %zu counters", shown, n);
	free(r);
	return table;
}
