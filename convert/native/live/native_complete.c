/* native_complete.c: completes the nodes of folded calls by the calls inside of them. */
#include "convert/native/live/native_complete.h"

#include <stdint.h>

#include "analyze/base/base.h"
#include "analyze/base/map.h"
#include "convert/io/bytes.h"
#include "convert/native/live/native_open.h"

#define NO_NODE UINT32_MAX	/* no call was folded inside of the region */

struct node_frame {
	uint32_t node;
	uint64_t tick;
};

struct node_totals {
	struct map child;	/* parent << 32 | region: node */
	struct node_frame *frame;
	size_t frame_n, frame_cap;
	uint64_t first, last;	/* ticks: of the chunk, and when the nodes were read */
	size_t kept;		/* records */
	size_t before;		/* records up to the last folded calls that may be from before the chunk */
	uint64_t *ticks;	/* by node: of calls in records */
};

static uint32_t child_of(const struct node_totals *t, uint32_t parent, uint32_t region)
{
	uint32_t at = MAP_NONE;

	if (parent != NO_NODE)
		at = map_get(&t->child, (uint64_t)parent << 32 | region);

	return at != MAP_NONE ? at : NO_NODE;
}

static void enter(void *to, size_t record, uint32_t region, uint64_t tick)
{
	struct node_totals *t = to;
	uint32_t parent = t->frame_n ? t->frame[t->frame_n - 1].node : 0;

	*array_add(t, frame) =
		(struct node_frame){record < t->kept ? child_of(t, parent, region) : NO_NODE,
			       tick > t->first ? tick : t->first};
}

static void leave(void *to, size_t open, uint64_t tick)
{
	struct node_totals *t = to;

	tick = tick < t->last ? tick : t->last;
	while (t->frame_n > open) {
		struct node_frame f = t->frame[--t->frame_n];

		if (f.node != NO_NODE && tick > f.tick)
			t->ticks[f.node] += tick - f.tick;
	}
}

static void fold(void *to, size_t record, struct bytes fields)
{
	struct node_totals *t = to;
	uint64_t up = bytes_varint(&fields), ticks, n;
	uint32_t at = up < t->frame_n ? t->frame[t->frame_n - 1 - (size_t)up].node : 0;

	bytes_varint(&fields);	/* calls */
	ticks = bytes_varint(&fields);
	n = bytes_varint(&fields);
	for (uint64_t i = 0; i < n && bytes_left(&fields); i++)
		at = child_of(t, at, (uint32_t)bytes_varint(&fields));
	if (t->before && (t->before == SIZE_MAX || record == t->before)) {
		t->before = record + 1;
		return;
	}
	if (at != NO_NODE && !fields.bad && record < t->kept)
		t->ticks[at] += ticks;
}

void native_complete(struct tau_fold_node *nodes, size_t n, const uint32_t *path,
		     const struct native_columns *c, const struct tau_live_header *live,
		     size_t kept, uint64_t last)
{
	struct node_totals t = {.first = live->first_tick,
			   .last = last,
			   .kept = kept,
			   .before = live->seq ? SIZE_MAX : 0};
	uint64_t *inside = mem_alloc((n + 1) * sizeof(*inside));
	struct native_open open = {0};

	t.ticks = mem_alloc((n + 1) * sizeof(*t.ticks));
	/* Nodes that are not used yet are like calls of region 0 from no region. */
	for (uint32_t i = 1; i < n; i++)
		if (path[i] && child_of(&t, nodes[i].parent, nodes[i].region) == NO_NODE)
			map_set(&t.child, (uint64_t)nodes[i].parent << 32 | nodes[i].region, i);
	native_open_find(c, live->first_tick, live->metrics, &open,
			 &(struct native_open_visit){&t, enter, leave, fold});
	leave(&t, 0, last);
	for (size_t i = n; i-- > 1;) {
		struct tau_fold_node *node = &nodes[i];
		uint64_t all = node->ticks + t.ticks[i];

		if (!path[i])
			continue;
		if (all < inside[i]) {
			node->ticks += inside[i] - all;
			node->calls++;
			all = inside[i];
		}
		inside[node->parent] += all;
	}
	map_release(&t.child);
	free(open.of);
	free(t.frame);
	free(t.ticks);
	free(inside);
}
