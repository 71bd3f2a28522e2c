/* profile_sort.c: sorts the threads, rows and samples of a profile, and looks them up. */
#include "analyze/profile/profile.h"

#include <string.h>

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int thread_order(const void *x, const void *y)
{
	const struct profile_thread *a = x, *b = y;

	return a->node != b->node         ? ORDER(a->node, b->node)
	       : a->context != b->context ? ORDER(a->context, b->context)
					  : ORDER(a->thread, b->thread);
}

static int row_order(const void *x, const void *y)
{
	const struct profile_row *a = x, *b = y;

	return ORDER(a->path, b->path);
}

static int sample_order(const void *x, const void *y)
{
	const struct profile_sample *a = x, *b = y;

	return a->counter != b->counter ? ORDER(a->counter, b->counter) : ORDER(a->path, b->path);
}

static int is_sorted(const void *v, size_t n, size_t size, int (*order)(const void *, const void *))
{
	for (size_t i = 1; i < n; i++)
		if (order((const char *)v + (i - 1) * size, (const char *)v + i * size) > 0)
			return 0;
	return 1;
}

/* Most arrays are already sorted: a check in one pass costs less than sorting them again. */
static void sort_array(void *v, size_t n, size_t size, int (*order)(const void *, const void *))
{
	if (!is_sorted(v, n, size, order))
		qsort(v, n, size, order);
}

/*
 * Sorts the rows of a thread by path, with a table of all paths, which is 0 before and after. 0: a
 * path has two rows, or sorting costs less because there are few rows.
 */
static int rows_place(struct profile_thread *t, size_t path_n, uint32_t *at)
{
	struct profile_row *sorted;
	size_t n = 0;

	if (t->row_n < path_n / 8 || t->row_n >= UINT32_MAX)
		return 0;
	sorted = mem_resize(NULL, t->row_cap + 1, sizeof(*sorted));
	for (size_t i = 0; i < t->row_n; i++)
		at[t->row[i].path] = (uint32_t)i + 1;
	for (size_t i = 0; i < path_n; i++) {
		if (at[i])
			sorted[n++] = t->row[at[i] - 1];
		at[i] = 0;
	}
	if (n < t->row_n) {
		free(sorted);
		return 0;
	}
	free(t->row);
	t->row = sorted;
	return 1;
}

/* Sorts the samples of a thread by counter and path. at: room for a number of each counter and one more. */
static void samples_sort(struct profile_thread *t, size_t counter_n, size_t *at)
{
	const size_t n = t->sample_n;
	struct profile_sample *sorted;

	if (is_sorted(t->sample, n, sizeof(*t->sample), sample_order))
		return;
	if (n < counter_n / 8) {
		qsort(t->sample, n, sizeof(*t->sample), sample_order);
		return;
	}
	memset(at, 0, (counter_n + 1) * sizeof(*at));
	for (size_t i = 0; i < n; i++)
		at[t->sample[i].counter + 1]++;
	for (size_t i = 0; i < counter_n; i++)
		at[i + 1] += at[i];
	sorted = mem_resize(NULL, n, sizeof(*sorted));
	for (size_t i = 0; i < n; i++)
		sorted[at[t->sample[i].counter]++] = t->sample[i];
	for (size_t i = 0, end; i < n; i = end) {
		end = at[sorted[i].counter];
		sort_array(sorted + i, end - i, sizeof(*sorted), sample_order);
	}
	free(t->sample);
	t->sample = sorted;
	t->sample_cap = n;
}

void profile_sort(struct profile *p)
{
	uint32_t *at = mem_alloc((p->path_n + 1) * sizeof(*at));
	size_t *counter_at = mem_alloc((p->counter_n + 1) * sizeof(*counter_at));

	sort_array(p->thread, p->thread_n, sizeof(*p->thread), thread_order);
	names_release(&p->thread_names);
	for (size_t i = 0; i < p->thread_n; i++) {
		struct profile_thread *t = &p->thread[i];
		int32_t key[3] = { t->node, t->context, t->thread };

		names_add(&p->thread_names, (const char *)key, sizeof(key));
		if (!rows_place(t, p->path_n, at))
			sort_array(t->row, t->row_n, sizeof(*t->row), row_order);
		samples_sort(t, p->counter_n, counter_at);
	}
	free(counter_at);
	free(at);
}

const struct profile_row *profile_row_get(const struct profile_thread *t, uint32_t path)
{
	struct profile_row key = { .path = path };

	return t->row_n ? bsearch(&key, t->row, t->row_n, sizeof(key), row_order) : NULL;
}

const struct profile_sample *profile_sample_get(const struct profile_thread *t, uint32_t counter,
						uint32_t path)
{
	struct profile_sample key = { .counter = counter, .path = path };

	return t->sample_n ? bsearch(&key, t->sample, t->sample_n, sizeof(key), sample_order)
			   : NULL;
}
