/*
 * holder.c: the class or the global variable that all ways to a block lead through, where pointers of several classes lead to it.
 *
 * Ways begin at global variables. The immediate dominator of a block is the last block or variable that is on all of them; the
 * nearest object or variable among its dominators holds the block. So pointers back to where a way came from mean nothing.
 *
 * A pointer is near if it leads from one library's memory to the same library's, or from an object to memory of the runtime. What
 * near pointers lead to is held by them alone: every library has a pointer to what the dynamic linker keeps of it, and owns
 * nothing of it. What no near pointer leads to is held by any.
 */
#include <string.h>
#include "area.h"
#include "census.h"
#include "dominators.h"
#include "library.h"
#include "node.h"
#include "owner.h"

#define NONE UINT32_MAX

struct holder_way {
	uint32_t from, to;
	uint32_t near;
};
/* Nodes: 0 what all ways begin at, then variables, then blocks. Of arrays by node `first` has one element more. */
struct net {
	struct graph *g;
	uint32_t n, block; /* nodes, the first block */
	struct holder_way *way;
	size_t way_n, way_room;
	uint32_t *first, *next; /* next[first[v]] ... next[first[v + 1] - 1]: ways from a node, or nodes with a way to it */
	uint32_t *stack, *cursor, *place, *order, *dominator, *least, *semi; /* dominators.h */
	uint8_t *near, *seen, *start;
	uint32_t ordered;
};

static void way_add(struct net *t, uint32_t from, uint32_t to, int near)
{
	if (from != to)
		t->way[t->way_n++] = (struct holder_way){from, to, (uint32_t)near};
}

static int is_runtime(const struct census_block *b)
{
	return library_get(b->library)->flags != 0;
}

static void ways_make(struct net *t)
{
	const struct graph *g = t->g;
	const struct census_block *at = g->c->at;
	size_t i;

	for (i = 0; i < g->variable_n; i++)
		way_add(t, g->variable[i].whole == i ? 0 : 1 + g->variable[i].whole,
			1 + (uint32_t)i, 1);
	for (i = 0; i < g->global_n; i++) {
		const struct global *v = &g->global[i];
		const struct census_block *to = &at[v->to];

		way_add(t, 1 + v->variable, t->block + v->to,
			g->variable[v->variable].library == to->library ||
				(v->class && is_runtime(to)));
	}
	for (i = 0; i < g->n; i++) {
		const struct edge *e = &g->edge[i];
		const struct census_block *from = &at[e->from], *to = &at[e->to];

		way_add(t, t->block + e->from, t->block + e->to,
			from->library == to->library ||
				((e->class || class_at(from)) && is_runtime(to)));
	}
}

/* Sorts the ways by where they come from, or lead to. */
static void ways_sort(struct net *t, int by_to)
{
	size_t i;

	memset(t->first, 0, (t->n + 1ul) * sizeof(*t->first));
	for (i = 0; i < t->way_n; i++)
		t->first[(by_to ? t->way[i].to : t->way[i].from) + 1]++;
	for (i = 0; i < t->n; i++)
		t->first[i + 1] += t->first[i];
	memcpy(t->cursor, t->first, t->n * sizeof(*t->cursor));
	for (i = 0; i < t->way_n; i++) {
		uint32_t *at = &t->cursor[by_to ? t->way[i].to : t->way[i].from];

		t->next[(*at)++] = by_to ? t->way[i].from : (uint32_t)i;
	}
}

static void number(struct net *t, uint32_t v, uint32_t from)
{
	t->dominator[t->ordered] = from;
	t->place[v] = t->ordered;
	t->order[t->ordered++] = v;
}

/* Marks what ways from a node lead to, depth first; all ways: each node gets its place. */
static void follow(struct net *t, uint32_t from, uint8_t *mark, int near_only)
{
	uint32_t depth = 0, v = from;

	if (mark[v])
		return;
	mark[v] = 1;
	if (!near_only)
		number(t, v, 0);
	t->stack[depth++] = v;
	t->cursor[v] = t->first[v];
	while (depth) {
		v = t->stack[depth - 1];
		if (t->cursor[v] < t->first[v + 1]) {
			const struct holder_way *w = &t->way[t->next[t->cursor[v]++]];

			if (mark[w->to] || (near_only && !w->near))
				continue;
			mark[w->to] = 1;
			if (!near_only)
				number(t, w->to, t->place[v]);
			t->cursor[w->to] = t->first[w->to];
			t->stack[depth++] = w->to;
			continue;
		}
		depth--;
	}
}

/* Leaves the ways that count. */
static void ways_choose(struct net *t)
{
	size_t i, n = 0;

	follow(t, 0, t->near, 1);
	for (i = 0; i < t->way_n; i++) {
		const struct holder_way *w = &t->way[i];

		if (!t->near[w->to] || (w->near && t->near[w->from]))
			t->way[n++] = *w;
	}
	t->way_n = n;
}

/* Walks over all nodes. Blocks that no variable leads to begin ways of their own. */
static void number_all(struct net *t)
{
	uint32_t v, i;

	t->seen[0] = 1;
	number(t, 0, 0);
	for (i = t->first[0]; i < t->first[1]; i++)
		follow(t, t->way[t->next[i]].to, t->seen, 0);
	/* Those to which nothing leads first. */
	memset(t->start, 0, t->n);
	for (i = 0; i < t->way_n; i++)
		t->start[t->way[i].to] = 1;
	for (v = t->block; v < t->n; v++) {
		t->start[v] = !t->start[v] && !t->seen[v];
		if (t->start[v])
			follow(t, v, t->seen, 0);
	}
	for (v = t->block; v < t->n; v++) {
		if (t->seen[v])
			continue;
		t->start[v] = 1;
		follow(t, v, t->seen, 0);
	}
	memset(t->start, 0, t->block);
}

/* How far each block is from the variables, by the ways that count. */
static void depths_find(struct net *t)
{
	struct census_block *at = t->g->c->at;
	uint32_t *depth = t->dominator, read = 0, put = 0, i;

	memset(depth, 0xff, t->n * sizeof(*depth));
	depth[0] = 0;
	t->stack[put++] = 0;
	while (read < put) {
		uint32_t v = t->stack[read++];

		for (i = t->first[v]; i < t->first[v + 1]; i++) {
			uint32_t to = t->way[t->next[i]].to;

			if (depth[to] != NONE)
				continue;
			depth[to] = depth[v] + (to >= t->block);
			t->stack[put++] = to;
		}
	}
	for (i = t->block; i < t->n; i++)
		at[i - t->block].depth = depth[i];
}

static uint32_t variable_node(const struct variable *v)
{
	return node_get_at(NODE_VARIABLE, v->library, 0, (uintptr_t)v->name, 0);
}

/* Of each node what holds it, as a node of node.c; before the blocks come what their dominators are. */
static void holders_set(struct net *t)
{
	struct census_block *at = t->g->c->at;
	uint32_t *held = t->cursor, i;

	memset(held, 0, t->n * sizeof(*held));
	for (i = 1; i < t->ordered; i++) {
		uint32_t v = t->order[i], d = t->order[t->dominator[i]];

		if (v < t->block)
			continue;
		if (d && d < t->block)
			held[v] = variable_node(&t->g->variable[d - 1]);
		else if (d && class_at(&at[d - t->block]))
			held[v] = node_get(NODE_CLASS, class_at(&at[d - t->block]), 0);
		else
			held[v] = held[d];
		at[v - t->block].holder = held[v];
	}
}

/* All arrays from one area; NULL without memory. */
static void *net_arrays(struct net *t, size_t *bytes)
{
	size_t n = t->n + 1ul, ways = t->way_room;
	uint32_t *at;

	*bytes = ways * (sizeof(*t->way) + sizeof(*t->next)) + n * (8 * sizeof(*at) + 3);
	at = area_map(*bytes);
	if (!at)
		return NULL;
	t->way = (struct holder_way *)at;
	t->next = (uint32_t *)(t->way + ways);
	t->first = t->next + ways;
	t->stack = t->first + n;
	t->cursor = t->stack + n;
	t->place = t->cursor + n;
	t->order = t->place + n;
	t->dominator = t->order + n;
	t->least = t->dominator + n;
	t->semi = t->least + n;
	t->near = (uint8_t *)(t->semi + n);
	t->seen = t->near + n;
	t->start = t->seen + n;
	return at;
}

void holders_find(struct graph *g)
{
	struct net t = { .g = g };
	size_t bytes;
	void *area;

	t.block = 1 + (uint32_t)g->variable_n;
	t.n = t.block + (uint32_t)g->c->n;
	t.way_room = g->variable_n + g->global_n + g->n;
	area = net_arrays(&t, &bytes);
	if (!area)
		return;
	ways_make(&t);
	ways_sort(&t, 0);
	ways_choose(&t);
	ways_sort(&t, 0);
	depths_find(&t);
	number_all(&t);
	ways_sort(&t, 1);
	dominators_find(&(struct dominators){
		.n = t.ordered,
		.place = t.place,
		.order = t.order,
		.first = t.first,
		.from = t.next,
		.start = t.start,
		.dominator = t.dominator,
		.above = t.cursor,
		.least = t.least,
		.semi = t.semi,
		.stack = t.stack,
	});
	holders_set(&t);
	area_unmap(area, bytes);
}
