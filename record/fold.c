/*
 * fold.c: calls that were so short that they are told by their number and time only: record FOLD.
 *
 * At the leave of a call that recorded nothing inside and took less than the threshold its ENTER is
 * taken back out of the chunk and its time is added to a node. Nodes are the tree of call paths of
 * the stream. A node that holds calls not yet told stands in the list `pending`; what was put there
 * since a frame was entered lies under that frame, so at its leave that part of the list is written
 * and dropped. A folded frame leaves its part to the frame below.
 *
 * When a chunk was sealed everything is told, so that what a kill can cost is bounded by a chunk.
 */
#include "core.h"

#include <string.h>

#define NODES  16384
#define SLOTS  (2 * NODES)
#define HEIGHT 40 /* folded calls inside each other, the most that one record tells */

struct node {
	uint32_t parent, region;
	uint64_t calls, ticks; /* not told yet */
};

struct fold {
	uint32_t node_n, pending_n;
	uint64_t calls;          /* told, in all */
	uint64_t records;        /* in which they were */
	struct node node[NODES]; /* node[0]: no region is open */
	uint32_t slot[SLOTS];    /* hash of (parent, region) to node */
	uint32_t pending[NODES];
};

static struct fold *fold_get(struct stream *s)
{
	if (!s->fold) {
		s->fold = map_alloc(sizeof(*s->fold));
		if (s->fold)
			s->fold->node_n = 1;
	}
	return s->fold;
}

/* The node of a region under another; 0: there is no room. */
static uint32_t node_child(struct fold *f, uint32_t parent, uint32_t region)
{
	size_t i = (parent * 0x9e3779b1u ^ region * 0x85ebca6bu) % SLOTS;

	while (f->slot[i]) {
		struct node *n = &f->node[f->slot[i]];

		if (n->parent == parent && n->region == region)
			return f->slot[i];
		i = (i + 1) % SLOTS;
	}
	if (f->node_n == NODES)
		return 0;
	f->node[f->node_n] = (struct node){.parent = parent, .region = region};
	f->slot[i] = f->node_n;
	return f->node_n++;
}

/* The node of frame i of the calling thread; -1: there is no room. Frames that are not recorded
 * have that below. */
static int64_t node_of_frame(struct fold *f, struct stream *s, size_t i)
{
	size_t known = i + 1;
	uint32_t node = 0;

	while (known && !s->rich[known - 1].node)
		known--;
	if (known)
		node = s->rich[known - 1].node;
	for (; known <= i; known++) {
		struct rich_frame *r = &s->rich[known];

		if (!r->recorded)
			continue;
		node = node_child(f, node, r->region);
		if (!node)
			return -1;
		r->node = node;
	}
	return node;
}

/* Writes the calls of the list from `from` on, up to `to`: they lie under `node`, the frame `up`
 * above the innermost. */
static void tell(struct fold *f, uint32_t from, uint32_t to, uint32_t node, uint32_t up,
		 uint64_t now)
{
	uint8_t bytes[40 + 5 * (HEIGHT + 1)], *p;
	uint32_t path[HEIGHT + 1];

	for (uint32_t i = from; i < to; i++) {
		struct node *n = &f->node[f->pending[i]];
		size_t length = 0;

		for (uint32_t at = f->pending[i]; at != node && length <= HEIGHT;
		     at = f->node[at].parent)
			path[length++] = f->node[at].region;
		p = put_varint(bytes, up);
		p = put_varint(p, n->calls);
		p = put_varint(p, n->ticks);
		p = put_varint(p, length);
		while (length)
			p = put_varint(p, path[--length]);
		f->calls += n->calls;
		f->records++;
		n->calls = n->ticks = 0;
		record_extended_at(TAU_REC_FOLD, bytes, (size_t)(p - bytes), now);
	}
}

void fold_tell_all(void)
{
	struct stream *s = self.stream;
	struct fold *f = s->fold;
	size_t n = (size_t)(self.top - s->frames);
	uint32_t end = f ? f->pending_n : 0, up = 0;
	uint64_t now;

	if (!end)
		return;
	now = ticks(self.shift);
	f->pending_n = 0;
	/* From the innermost frame out; what lies below the first is under no region. */
	for (size_t i = n; i-- > 0;) {
		struct rich_frame *r = &s->rich[i];

		if (r->recorded) {
			if (r->pending < end)
				tell(f, r->pending, end, r->node, up, now);
			end = r->pending < end ? r->pending : end;
			up++;
		}
		r->pending = 0;
	}
	if (end)
		tell(f, 0, end, 0, up, now);
}

/* All room is used: everything is told and the tree begins anew. */
static void nodes_reset(struct fold *f, struct stream *s)
{
	fold_tell_all();
	f->node_n = 1;
	memset(f->slot, 0, sizeof(f->slot));
	for (size_t i = 0; i < (size_t)(self.top - s->frames); i++)
		s->rich[i].node = s->rich[i].child = 0;
}

void fold_enter(struct rich_frame *r)
{
	struct fold *f = self.stream->fold;

	r->pending = f ? f->pending_n : 0;
}

/* The recorded frame below, NULL: none. */
static struct rich_frame *frame_below(struct stream *s, struct rich_frame *r)
{
	while (r > s->rich)
		if ((--r)->recorded)
			return r;
	return NULL;
}

/* What lies under a frame becomes part of what lies under the frame below. */
static void pass_down(struct rich_frame *below, const struct rich_frame *r)
{
	if (below && below->height <= r->height)
		below->height = r->height + 1;
}

/* The node of the innermost frame; the frame below remembers the child that it called last. */
static int64_t node_of_innermost(struct fold *f, struct stream *s, struct rich_frame *r,
				 struct rich_frame *below)
{
	int64_t node;

	if (below && below->child && below->child_region == r->region)
		return below->child;
	node = r->node ? r->node : node_of_frame(f, s, (size_t)(r - s->rich));
	if (below && node > 0) {
		below->child = (uint32_t)node;
		below->child_region = r->region;
	}
	return node;
}

bool fold_leave(struct rich_frame *r, uint64_t took)
{
	struct thread *t = &self;
	struct stream *s = t->stream;
	struct fold *f = fold_get(s);
	struct rich_frame *below = frame_below(s, r);
	struct node *n;
	int64_t node;

	if (!f || r->height >= HEIGHT)
		return false;
	node = node_of_innermost(f, s, r, below);
	if (node < 0) {
		nodes_reset(f, s);
		return false;
	}
	n = &f->node[node];
	if (!n->calls)
		f->pending[f->pending_n++] = (uint32_t)node;
	n->calls++;
	n->ticks += took;
	pass_down(below, r);
	if (process.metrics)
		metric_take_back((const uint8_t *)r->args, r->far);
	t->live->cur[TAU_TIMES] = (uint64_t)r->at;
	barrier();
	t->live->cur[TAU_ARGS] = r->args;
	t->live->last_tick = r->last;
	return true;
}

void fold_tell(struct rich_frame *r, uint64_t took, uint64_t now)
{
	struct stream *s = self.stream;
	struct fold *f = s->fold;
	uint32_t end;

	if (!f || f->pending_n <= r->pending)
		return;
	if (took < control.tell_ticks && r->height < HEIGHT) {
		pass_down(frame_below(s, r), r);
		return;
	}
	end = f->pending_n;
	f->pending_n = r->pending;
	tell(f, r->pending, end, r->node, 0, now);
}

uint64_t fold_calls(const struct stream *s, uint64_t *records)
{
	if (!s->fold)
		return 0;
	*records += s->fold->records;
	return s->fold->calls;
}
