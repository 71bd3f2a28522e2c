/* dominators.c: compares dominators of random graphs with what a search without each node finds, and takes long chains. */
#include <stdlib.h>
#include <string.h>

#include "record/wrap/memory/dominators.c"
#include "seed.h"
#include "tap.h"

enum { NODES = 14, WAYS = 40 };

struct graph {
	uint32_t n, way_n;
	uint32_t (*way)[2];
	uint8_t *start;
};

/* Which nodes ways from node 0 lead to, without one of them. */
static void reach(const struct graph *g, uint32_t without, uint8_t *seen)
{
	int more = 1;

	memset(seen, 0, g->n);
	seen[0] = without != 0;
	for (uint32_t v = 1; v < g->n && seen[0]; v++)
		seen[v] = g->start[v] && v != without;
	while (more) {
		more = 0;
		for (uint32_t i = 0; i < g->way_n; i++) {
			uint32_t to = g->way[i][1];

			if (seen[g->way[i][0]] && to != without && !seen[to])
				more = seen[to] = 1;
		}
	}
}

/* Depth first without recursion, as holder.c does it; nodes that nothing leads to become starts. */
static void walk(struct graph *g, uint32_t *place, uint32_t *order, uint32_t *parent)
{
	uint32_t *stack = malloc(g->n * sizeof(*stack)), n = 0, depth;
	uint32_t *cursor = calloc(g->n + 1, sizeof(*cursor)), *first = calloc(g->n + 2, sizeof(*first)),
		 *to = malloc((g->way_n + 1) * sizeof(*to));

	for (uint32_t i = 0; i < g->way_n; i++)
		first[g->way[i][0] + 1]++;
	for (uint32_t v = 0; v < g->n; v++)
		first[v + 1] += first[v];
	memcpy(cursor, first, g->n * sizeof(*cursor));
	for (uint32_t i = 0; i < g->way_n; i++)
		to[cursor[g->way[i][0]]++] = g->way[i][1];
	memcpy(cursor, first, g->n * sizeof(*cursor));
	memset(place, 0xff, g->n * sizeof(*place));
	for (uint32_t v = 0; v < g->n; v++) {
		if (place[v] != UINT32_MAX)
			continue;
		g->start[v] = v != 0;
		depth = 0;
		stack[depth++] = v;
		place[v] = n;
		parent[n] = 0;
		order[n++] = v;
		while (depth) {
			uint32_t at = stack[depth - 1], next;

			if (cursor[at] == first[at + 1]) {
				depth--;
				continue;
			}
			next = to[cursor[at]++];
			if (place[next] != UINT32_MAX)
				continue;
			place[next] = n;
			parent[n] = place[at];
			order[n++] = next;
			stack[depth++] = next;
		}
	}
	free(stack);
	free(cursor);
	free(first);
	free(to);
}

/* By node: the dominator. */
static void find(struct graph *g, uint32_t *out)
{
	uint32_t n = g->n, *a = calloc(10 * (size_t)n + 2 + g->way_n, sizeof(*a)), *first = a + 8 * n,
		 *from = first + 2 * n + 1;
	struct dominators d = {.n = n, .place = a, .order = a + n, .first = first, .from = from,
			       .start = g->start, .dominator = a + 2 * n, .above = a + 3 * n,
			       .least = a + 4 * n, .semi = a + 5 * n, .stack = a + 6 * n};
	uint32_t *cursor = a + 7 * n;

	walk(g, a, a + n, a + 2 * n);
	for (uint32_t i = 0; i < g->way_n; i++)
		first[g->way[i][1] + 1]++;
	for (uint32_t v = 0; v < n; v++)
		first[v + 1] += first[v];
	memcpy(cursor, first, n * sizeof(*cursor));
	for (uint32_t i = 0; i < g->way_n; i++)
		from[cursor[g->way[i][1]]++] = g->way[i][0];
	dominators_find(&d);
	for (uint32_t v = 0; v < n; v++)
		out[v] = d.order[d.dominator[d.place[v]]];
	free(a);
}

/* What is lost without the dominator of a node, and not lost without any other node but it and those above: the last on all ways. */
static int is_right(const struct graph *g, const uint32_t *dominator)
{
	uint8_t lost[NODES][NODES], seen[NODES];

	for (uint32_t w = 0; w < g->n; w++) {
		reach(g, w, seen);
		for (uint32_t v = 0; v < g->n; v++)
			lost[w][v] = !seen[v] && v != w;
	}
	for (uint32_t v = 1; v < g->n; v++) {
		uint32_t d = dominator[v];

		if (d == v || !lost[d][v])
			return 0;
		for (uint32_t w = 0; w < g->n; w++)
			if (w != d && lost[w][v] && !lost[w][d])
				return 0;
	}
	return 1;
}

static int random_graph(void)
{
	uint32_t way[WAYS][2], dominator[NODES];
	uint8_t start[NODES] = {0};
	struct graph g = {.n = 2 + (uint32_t)rand() % (NODES - 1), .way = way, .start = start};
	uint32_t most = 1 + (uint32_t)rand() % WAYS;

	for (uint32_t i = 0; i < most; i++) {
		way[g.way_n][0] = (uint32_t)rand() % g.n;
		way[g.way_n][1] = 1 + (uint32_t)rand() % (g.n - 1);
		g.way_n += way[g.way_n][0] != way[g.way_n][1];
	}
	find(&g, dominator);
	return is_right(&g, dominator);
}

/* Chains whose nodes point forth and back, with ways into the middle: an algorithm with rounds over all nodes needs very many of them. */
static int long_chains(void)
{
	enum { LONG = 200000 };
	struct graph g = {.n = LONG, .way = malloc(3 * LONG * sizeof(*g.way)), .start = calloc(LONG, 1)};
	uint32_t *dominator = malloc(LONG * sizeof(*dominator)), right = 0;

	for (uint32_t v = 0; v + 1 < LONG; v++) {
		memcpy(g.way[g.way_n++], (uint32_t[]){v, v + 1}, sizeof(*g.way));
		if (v)
			memcpy(g.way[g.way_n++], (uint32_t[]){v + 1, v}, sizeof(*g.way));
	}
	memcpy(g.way[g.way_n++], (uint32_t[]){0, LONG - 1}, sizeof(*g.way));
	find(&g, dominator);
	for (uint32_t v = 1; v < LONG; v++)
		right += dominator[v] == 0;
	free(g.way);
	free(g.start);
	free(dominator);
	return right == LONG - 1;
}

int main(void)
{
	int wrong = 0;

	srand((unsigned)test_seed(35));
	for (int i = 0; i < 20000; i++)
		wrong += !random_graph();
	ok(!wrong, "20000 graphs: %d wrong", wrong);
	ok(long_chains(), "a ring of 200000 nodes that point both ways");
	return tap_end();
}
