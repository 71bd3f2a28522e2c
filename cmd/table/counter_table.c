/* counter_table.c: tables of counters. */
#include "cmd/table/counter_table.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/profile/derived_threads.h"
#include "cmd/table/table_fields.h"

struct ranked_counter {
	double sum;
	size_t index;
};

/* Largest sum first; equal ones as they were defined. */
static int rank_order(const void *x, const void *y)
{
	const struct ranked_counter *a = x, *b = y;

	if (a->sum != b->sum)
		return (a->sum < b->sum) - (a->sum > b->sum);
	return (a->index > b->index) - (a->index < b->index);
}

/* One row, a member for each column. */
struct counter_cells {
	const char *counter;
	double samples, sum, mean, max, min, deviation;
};

/* clang-format off: one column, one paragraph */
static const struct table_field fields[] = {
	{FIELD(struct counter_cells, counter), TABLE_TEXT, "counter", NULL,
	 .meaning = "name of the counter"},
	{FIELD(struct counter_cells, samples), TABLE_NUMBER, "samples", NULL,
	 .meaning = "number of its values"},
	{FIELD(struct counter_cells, sum), TABLE_NUMBER, "sum", NULL,
	 .meaning = "sum of the values"},
	{FIELD(struct counter_cells, mean), TABLE_NUMBER, "mean", NULL, .meaning = "their mean"},
	{FIELD(struct counter_cells, max), TABLE_NUMBER, "max", NULL, .meaning = "the largest"},
	{FIELD(struct counter_cells, min), TABLE_NUMBER, "min", NULL, .meaning = "the smallest"},
	{FIELD(struct counter_cells, deviation), TABLE_NUMBER, "deviation", NULL,
	 .meaning = "their standard deviation"},
	{0},
};
/* clang-format on */

/* Digits after the point: fewer if all values are whole. */
static void precisions_set(struct table *t, const struct profile_thread *of)
{
	int whole = 1;

	for (size_t i = 0; i < of->sample_n; i++) {
		const struct profile_sample *s = &of->sample[i];

		whole &= s->max == rint(s->max) && s->min == rint(s->min);
	}
	table_field_precision(t, offsetof(struct counter_cells, sum), 3 * !whole);
	table_field_precision(t, offsetof(struct counter_cells, mean), 1 + 2 * !whole);
	table_field_precision(t, offsetof(struct counter_cells, max), 3 * !whole);
	table_field_precision(t, offsetof(struct counter_cells, min), 3 * !whole);
	table_field_precision(t, offsetof(struct counter_cells, deviation), 1 + 2 * !whole);
}

static void row_put(struct table *t, const struct profile *p, const struct profile_sample *v)
{
	char *name = profile_sample_text(p, v);

	table_row(t);
	table_put_fields(t, &(struct counter_cells){
				    .counter = name,
				    .samples = v->n,
				    .sum = v->n * v->mean,
				    .mean = v->mean,
				    .max = v->max,
				    .min = v->min,
				    .deviation = derived_deviation(v),
			    });
	free(name);
}

struct table *counter_table(const struct profile *p, const struct profile_thread *t,
			    const char *title, size_t top, int contexts)
{
	struct ranked_counter *r = mem_alloc((t->sample_n + 1) * sizeof(*r));
	struct table *table = table_new(title);
	size_t n = 0, shown;

	table_fields(table, fields, 0, NULL);
	precisions_set(table, t);
	for (size_t i = 0; i < t->sample_n; i++)
		if (contexts || t->sample[i].path == PROFILE_FLAT)
			r[n++] = (struct ranked_counter){t->sample[i].n * t->sample[i].mean, i};
	if (n)
		qsort(r, n, sizeof(*r), rank_order);
	shown = top && top < n ? top : n;
	for (size_t i = 0; i < shown; i++)
		row_put(table, p, &t->sample[r[i].index]);
	if (shown < n)
		table_remark(table, "%zu of %zu counters", shown, n);
	free(r);
	return table;
}
