/* summary_apply.c: adds summaries to the rows of a window. */
#include "analyze/summary/summary_apply.h"

#include <string.h>

#include "analyze/base/map.h"
#include "analyze/profile/counter_stats.h"
#include "analyze/profile/sampled_stacks.h"
#include "analyze/stream/callstack.h"

void summary_build_init(struct summary_build *g, size_t metric_n, uint32_t region_n)
{
	memset(g, 0, sizeof(*g));
	g->metric_n = metric_n;
	g->callstack.region_n = region_n;
}

void summary_build_release(struct summary_build *g)
{
	if (g->names) {
		callstack_release(&g->callstack);
		for (size_t k = 0; k < g->metric_n; k++)
			callstack_release(&g->metric[k]);
	}
	free(g->metric);
	counter_stats_release(&g->samples);
	stacks_release(&g->stacks);
	free(g->maps.path);
	free(g->maps.nested);
	free(g->maps.counter);
	map_release(&g->maps.context);
	map_release(&g->maps.stack);
	memset(g, 0, sizeof(*g));
}

static void summary_build_open(struct summary_build *g, struct summary_names *names)
{
	uint32_t region_n = g->callstack.region_n;

	g->names = names;
	callstack_init(&g->callstack, region_n, &names->paths);
	g->metric = mem_alloc((g->metric_n + 1) * sizeof(*g->metric));
	for (size_t k = 0; k < g->metric_n; k++)
		callstack_init(&g->metric[k], region_n, &names->paths);
}

void summary_build_add(struct summary_build *g, struct summary_names *names,
		       const struct summary *s)
{
	if (!g->names)
		summary_build_open(g, names);
	g->any = 1;
	for (size_t i = 0; i < s->row_n; i++) {
		const struct summary_row *r = &s->row[i];

		callstack_add(&g->callstack, r->path, r->calls, r->excl);
		for (size_t k = 0; k < g->metric_n; k++)
			callstack_add(&g->metric[k], r->path, 0, s->metric[i * g->metric_n + k]);
	}
	counter_stats_merge(&g->samples, &s->samples);
	stacks_merge(&g->stacks, &s->stacks);
}

void summary_build_end(struct summary_build *g)
{
	callstack_end(&g->callstack, 0);
	for (size_t k = 0; k < g->metric_n; k++)
		callstack_end(&g->metric[k], 0);
}

void summary_build_clear(struct summary_build *g)
{
	if (!g->any)
		return;
	callstack_begin(&g->callstack, 0);
	for (size_t k = 0; k < g->metric_n; k++)
		callstack_begin(&g->metric[k], 0);
	counter_stats_clear(&g->samples);
	stacks_clear(&g->stacks);
	g->any = 0;
}

/* ---- paths ---- */

static int is_nested(const struct summary_build_maps *m, const struct callstack_path *v,
		     uint32_t path)
{
	for (uint32_t i = v[path].parent; i; i = v[i].parent)
		if (m->path[i] == m->path[path])
			return 1;
	return 0;
}

/* Numbers all paths, each after its parent. */
static void paths_map(struct summary_build *g, struct callstack_paths *paths)
{
	const struct callstack_paths *from = &g->names->paths;
	struct summary_build_maps *m = &g->maps;
	size_t n = m->path_n;

	if (n == from->v_n)
		return;
	m->path = mem_resize(m->path, from->v_n, sizeof(*m->path));
	m->nested = mem_resize(m->nested, from->v_n, 1);
	m->path_n = from->v_n;
	m->path[0] = m->nested[0] = 0;
	for (uint32_t i = n ? (uint32_t)n : 1; i < from->v_n; i++) {
		m->path[i] =
			callstack_path_enter(paths, m->path[from->v[i].parent], from->v[i].region);
		m->nested[i] = paths->depth != CALLSTACK_WHOLE && is_nested(m, from->v, i);
	}
}

static void row_sum(struct callstack_row *to, const struct callstack_row *from, int nested)
{
	to->excl += from->excl;
	to->incl += nested ? 0 : from->incl;
	to->calls += from->calls;
	to->subrs += from->subrs;
}

void summary_build_rows(struct summary_build *g, const struct callstack *sum,
			struct callstack_paths *paths, struct callstack_row *row,
			struct callstack_row **path_row, size_t *path_row_n)
{
	for (size_t i = 0; i <= sum->region_n; i++)
		row_sum(&row[i], &sum->row[i], 0);
	if (!paths->depth)
		return;
	paths_map(g, paths);
	if (*path_row_n < paths->v_n) {
		*path_row = mem_resize(*path_row, paths->v_n, sizeof(**path_row));
		memset(*path_row + *path_row_n, 0, (paths->v_n - *path_row_n) * sizeof(**path_row));
		*path_row_n = paths->v_n;
	}
	for (size_t i = 1; i < sum->path_row_n && i < g->maps.path_n; i++)
		row_sum(&(*path_row)[g->maps.path[i]], &sum->path_row[i], g->maps.nested[i]);
}

/* ---- counters ---- */

/* The `depth` innermost regions of a path. */
static uint32_t context_map(struct summary_build *g, struct callstack_paths *paths, uint32_t depth,
			    uint32_t path)
{
	const struct callstack_path *v = g->names->paths.v;
	uint32_t at = map_get(&g->maps.context, path), *region, n = 0;

	if (!path || at != MAP_NONE)
		return path ? at : 0;
	region = mem_resize(NULL, v[path].length, sizeof(*region));
	for (uint32_t i = path; i && n < depth; i = v[i].parent)
		region[n++] = v[i].region;
	for (at = 0; n; n--)
		at = callstack_path_child(paths, at, region[n - 1]);
	free(region);
	map_set(&g->maps.context, path, at);
	return at;
}

static uint32_t counter_map(struct summary_build *g, struct counters *counters, uint32_t counter)
{
	const struct names *from = &g->names->counters;
	struct summary_build_maps *m = &g->maps;

	if (m->counter_n < from->name_n) {
		m->counter = mem_resize(m->counter, from->name_n, sizeof(*m->counter));
		memset(m->counter + m->counter_n, 0xff,
		       (from->name_n - m->counter_n) * sizeof(*m->counter));
		m->counter_n = from->name_n;
	}
	if (m->counter[counter] == UINT32_MAX)
		m->counter[counter] =
			names_add(&counters->names, from->name[counter], from->length[counter]);
	return m->counter[counter];
}

void summary_build_samples(struct summary_build *g, struct counters *counters,
			   struct callstack_paths *paths, uint32_t depth, struct counter_stats *to)
{
	for (size_t i = 0; i < g->samples.v_n; i++) {
		const struct sample *x = &g->samples.v[i];

		if (x->n)
			counter_stats_add_sum(to, counter_map(g, counters, x->counter),
					      context_map(g, paths, depth, x->path), x);
	}
}

/* ---- samples of code ---- */

/* No recursion, because a stack in a file can be of any length. */
static uint32_t stack_map(struct summary_build *g, struct stack_tree *tree, uint32_t node)
{
	const struct stack_node *from = g->names->stacks.v;
	uint32_t at = 0;
	struct {
		uint32_t *v;
		size_t v_n, v_cap;
	} below = {0};

	for (; node; node = from[node].parent) {
		uint32_t known = map_get(&g->maps.stack, node);

		if (known != MAP_NONE) {
			at = known;
			break;
		}
		*array_add(&below, v) = node;
	}
	while (below.v_n) {
		node = below.v[--below.v_n];
		at = stack_tree_child(tree, at, from[node].code);
		map_set(&g->maps.stack, node, at);
	}
	free(below.v);
	return at;
}

void summary_build_stacks(struct summary_build *g, struct stack_tree *tree,
			  struct callstack_paths *paths, struct stacks *to)
{
	if (paths->depth)
		paths_map(g, paths);
	for (size_t i = 0; i < g->stacks.v_n; i++) {
		const struct stack_count *c = &g->stacks.v[i];

		if (c->n)
			stacks_add(to,
				   paths->depth ? g->maps.path[c->context]
						: g->names->paths.v[c->context].region,
				   stack_map(g, tree, c->node), c->n, c->ns);
	}
}
