/* counter_stats.c: statistics of counters by counter and path, whatever the order of additions and merges. */
#include "analyze/profile/counter_stats.h"

#include "tap.h"

static const struct sample *find(const struct counter_stats *s, uint32_t counter, uint32_t path)
{
	for (size_t i = 0; i < s->v_n; i++)
		if (s->v[i].counter == counter && s->v[i].path == path)
			return &s->v[i];
	return NULL;
}

static int is(const struct counter_stats *s, uint32_t counter, uint32_t path, uint64_t n, double min, double max, double sum,
	      double sumsq)
{
	const struct sample *v = find(s, counter, path);

	return v && v->n == n && v->min == min && v->max == max && exact_value(&v->sum) == sum && exact_value(&v->sumsq) == sumsq;
}

int main(void)
{
	/* counter, path, value */
	static const struct {
		uint32_t counter, path;
		double value;
	} add[] = {{0, 0, 3}, {0, 5, 3}, {1, 0, -2}, {0, 0, 1e16}, {0, 0, 1}, {0, 0, -1e16}, {1, 0, 4}, {0, 5, 0.5}};
	const size_t n = sizeof(add) / sizeof(*add);
	struct counter_stats all = {0}, back = {0}, part[2] = {{0}};

	for (size_t i = 0; i < n; i++) {
		counter_stats_add(&all, add[i].counter, add[i].path, add[i].value);
		counter_stats_add(&back, add[n - 1 - i].counter, add[n - 1 - i].path, add[n - 1 - i].value);
		counter_stats_add(&part[i % 2], add[i].counter, add[i].path, add[i].value);
	}
	ok(all.v_n == 3, "one row for each counter and path");
	ok(is(&all, 0, 0, 4, -1e16, 1e16, 4, 2e32 + 10), "sums are exact: 3 + 1e16 + 1 - 1e16 is 4");
	ok(is(&all, 0, 5, 2, 0.5, 3, 3.5, 9.25), "the same counter in a path is another row");
	ok(is(&all, 1, 0, 2, -2, 4, 2, 20), "another counter too");
	ok(is(&back, 0, 0, 4, -1e16, 1e16, 4, 2e32 + 10) && is(&back, 1, 0, 2, -2, 4, 2, 20), "backwards it is the same");
	counter_stats_merge(&part[1], &part[0]);
	ok(is(&part[1], 0, 0, 4, -1e16, 1e16, 4, 2e32 + 10) && is(&part[1], 0, 5, 2, 0.5, 3, 3.5, 9.25) &&
		   is(&part[1], 1, 0, 2, -2, 4, 2, 20),
	   "merged from parts, too");
	counter_stats_add_sum(&part[1], 1, 0, find(&all, 1, 0));
	ok(is(&part[1], 1, 0, 4, -2, 4, 4, 40), "a sample is added by its sums");
	counter_stats_clear(&part[1]);
	ok(is(&part[1], 1, 0, 0, -2, 4, 0, 0), "cleared: the rows stay, without samples");
	counter_stats_add(&part[1], 0, 0, 7);
	ok(is(&part[1], 0, 0, 1, 7, 7, 7, 49), "and used again");
	counter_stats_release(&all);
	counter_stats_release(&back);
	counter_stats_release(&part[0]);
	counter_stats_release(&part[1]);
	return tap_end();
}
