/* profile_sum.c: adds up the profiles of consecutive windows. */
#include "analyze/base/map.h"
#include "analyze/profile/profile_sum.h"

#include <string.h>

/* The rows and samples of one thread: by path, and by counter and path. */
struct sum_places {
	uint32_t *row; /* 1 + index; 0: none so far */
	struct map sample;
};

static void values_add(double *to, const double *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] += from[i];
}

/* Adds all rows of a path to the first one; the places of the other values remain unused. */
static void rows_fold(const struct profile *p, struct profile_thread *t, struct sum_places *at)
{
	size_t width = 2 * p->metric_n, kept = 0, row_n = t->row_n;
	double *values = mem_alloc((t->row_n * width + 1) * sizeof(*values));
	double *squares = p->squares ? mem_alloc((t->row_n * p->metric_n + 1) * sizeof(*squares))
				     : NULL;

	for (size_t i = 0; i < t->row_n; i++) {
		struct profile_row r = t->row[i];
		const double *from = &t->values[r.first], *own = profile_squares(t, &r);
		uint32_t *place = &at->row[r.path];

		if (!*place) {
			*place = (uint32_t)kept + 1;
			r.first = kept * width;
			memcpy(&values[r.first], from, width * sizeof(*values));
			if (squares)
				memcpy(&squares[r.first / 2], own, p->metric_n * sizeof(*own));
			t->row[kept++] = r;
			continue;
		}
		t->row[*place - 1].calls += r.calls;
		t->row[*place - 1].subrs += r.subrs;
		values_add(&values[t->row[*place - 1].first], from, width);
		if (squares)
			values_add(&squares[t->row[*place - 1].first / 2], own, p->metric_n);
	}
	for (size_t i = 0; i < kept; i++)
		at->row[t->row[i].path] = 0;
	free(t->values);
	t->values = values;
	t->values_n = kept * width;
	t->values_cap = t->row_n * width + 1;
	t->row_n = kept;
	if (!squares)
		return;
	free(t->squares);
	t->squares = squares;
	t->squares_n = kept * p->metric_n;
	t->squares_cap = row_n * p->metric_n + 1;
}

static void event_add(struct profile_sample *to, const struct profile_sample *from)
{
	double n = to->n + from->n;

	if (!from->n)
		return;
	if (!to->n || from->max > to->max)
		to->max = from->max;
	if (!to->n || from->min < to->min)
		to->min = from->min;
	to->mean = (to->mean * to->n + from->mean * from->n) / n;
	to->sumsq += from->sumsq;
	to->n = n;
}

static void sample_add(struct profile_sample *to, const struct profile_sample *from, uint32_t kind)
{
	if (kind == COUNTER_EVENT)
		event_add(to, from);
	else if (kind == COUNTER_LEVEL || from->max > to->max)
		*to = *from;
}

static void samples_fold(const struct profile *p, struct profile_thread *t, struct sum_places *at)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->sample_n; i++) {
		struct profile_sample s = t->sample[i];
		uint64_t key = (uint64_t)s.counter << 32 | s.path;
		uint32_t place = map_get(&at->sample, key);

		if (place == MAP_NONE) {
			map_set(&at->sample, key, (uint32_t)kept);
			t->sample[kept++] = s;
		} else {
			sample_add(&t->sample[place], &s, p->counter[s.counter].kind);
		}
	}
	t->sample_n = kept;
	map_release(&at->sample);
	at->sample = (struct map){0};
}

void profile_add_window(struct profile *into, const struct profile *next)
{
	struct sum_places at = {0};

	if (!into->metric_n) {
		into->squares = next->squares;
		for (size_t i = 0; i < next->metric_n; i++)
			profile_add_metric(into, next->metric[i].name);
		into->begin_us = next->begin_us;
	}
	profile_join(into, next);
	into->end_us = next->end_us;
	at.row = mem_alloc((into->path_n + 1) * sizeof(*at.row));
	for (size_t i = 0; i < into->thread_n; i++) {
		rows_fold(into, &into->thread[i], &at);
		samples_fold(into, &into->thread[i], &at);
	}
	free(at.row);
	profile_sort(into);
}
