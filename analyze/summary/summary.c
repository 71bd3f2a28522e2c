/* summary.c: sums over consecutive chunks: building and adding. */
#include "analyze/summary/summary.h"

#include <string.h>

void summary_names_init(struct summary_names *n)
{
	memset(n, 0, sizeof(*n));
	callstack_paths_init(&n->paths, CALLSTACK_WHOLE);
	stack_tree_init(&n->stacks);
}

void summary_names_release(struct summary_names *n)
{
	callstack_paths_release(&n->paths);
	names_release(&n->counters);
	stack_tree_release(&n->stacks);
}

void summary_init(struct summary *s, size_t metric_n)
{
	memset(s, 0, sizeof(*s));
	s->value = mem_alloc(metric_n * sizeof(*s->value));
	s->then = mem_alloc(metric_n * sizeof(*s->then));
}

void summary_release(struct summary *s)
{
	free(s->row);
	free(s->metric);
	free(s->value);
	free(s->then);
	counter_stats_release(&s->samples);
	stacks_release(&s->stacks);
	free(s->level);
	memset(s, 0, sizeof(*s));
}

void summary_clear(struct summary *s)
{
	s->row_n = s->level_n = 0;
	s->repaired = s->resumed = s->folded = 0;
	counter_stats_release(&s->samples);
	stacks_release(&s->stacks);
}

struct summary_row *summary_row_add(struct summary *s, uint32_t path, size_t metric_n)
{
	struct summary_row *r = array_add(s, row);

	if (metric_n && s->metric_cap < s->row_cap) {
		s->metric_cap = s->row_cap;
		s->metric = mem_resize(s->metric, s->metric_cap * metric_n, sizeof(*s->metric));
	}
	if (metric_n)
		memset(s->metric + (s->row_n - 1) * metric_n, 0, metric_n * sizeof(*s->metric));
	r->path = path;
	return r;
}

/* Adds row k of `from` to the last row of `to`. */
static void row_add(struct summary *to, const struct summary *from, size_t k, size_t metric_n)
{
	struct summary_row *r = &to->row[to->row_n - 1];

	r->calls += from->row[k].calls;
	r->excl += from->row[k].excl;
	for (size_t i = 0; i < metric_n; i++)
		to->metric[(to->row_n - 1) * metric_n + i] += from->metric[k * metric_n + i];
}

static int64_t sum(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Adds the changes of a row that follow. */
static void level_append(struct level_sum *to, const struct level_sum *next)
{
	to->peak.bytes = most(to->peak.bytes, sum(to->gain.bytes, next->peak.bytes));
	to->peak.blocks = most(to->peak.blocks, sum(to->gain.blocks, next->peak.blocks));
	to->gain.bytes = sum(to->gain.bytes, next->gain.bytes);
	to->gain.blocks = sum(to->gain.blocks, next->gain.blocks);
}

static void live_memory_append(struct summary *to, const struct summary *into,
			       const struct summary *from)
{
	size_t a = 0, b = 0;

	while (a < into->level_n || b < from->level_n) {
		uint32_t x = a < into->level_n ? into->level[a].row : UINT32_MAX;
		uint32_t y = b < from->level_n ? from->level[b].row : UINT32_MAX;
		struct level_sum *l = array_add(to, level);

		*l = x <= y ? into->level[a++] : (struct level_sum){.row = y};
		if (y <= x)
			level_append(l, &from->level[b++]);
	}
}

void summary_append(struct summary *into, const struct summary *from, size_t metric_n)
{
	struct summary sum = {.begin = into->begin,
			      .end = from->end,
			      .value = into->value,
			      .then = into->then,
			      .samples = into->samples,
			      .stacks = into->stacks,
			      .repaired = into->repaired + from->repaired,
			      .resumed = into->resumed + from->resumed,
			      .folded = into->folded + from->folded};
	size_t a = 0, b = 0;

	while (a < into->row_n || b < from->row_n) {
		uint32_t x = a < into->row_n ? into->row[a].path : UINT32_MAX;
		uint32_t y = b < from->row_n ? from->row[b].path : UINT32_MAX;

		summary_row_add(&sum, x < y ? x : y, metric_n);
		if (x <= y)
			row_add(&sum, into, a++, metric_n);
		if (y <= x)
			row_add(&sum, from, b++, metric_n);
	}
	counter_stats_merge(&sum.samples, &from->samples);
	stacks_merge(&sum.stacks, &from->stacks);
	live_memory_append(&sum, into, from);
	memcpy(sum.then, from->then, metric_n * sizeof(*sum.then));
	free(into->row);
	free(into->metric);
	free(into->level);
	*into = sum;
}
