/*
 * fold.c: folded calls: their nodes, the file that stores the nodes, and writing them as records.
 */
#include "record/enter/fold.h"
#include "record/base/clock.h"
#include "record/base/compiler.h"
#include "record/base/control.h"
#include "record/base/files.h"
#include "record/base/frame.h"
#include "record/base/live.h"
#include "record/base/memory_map.h"
#include "record/base/own_stack.h"
#include "record/base/process.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/encode/chunk.h"
#include "record/encode/record.h"
#include "record/encode/varint.h"
#include "record/format.h"
#include "record/metric/extended.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FRESH_SUFFIX TAU_FOLD_SUFFIX ".new"
#define FIRST_NODES 1024 /* the mapping grows by doubling */

/* ---- the mapping ---- */

static size_t mapping_size(uint32_t nodes)
{
	return sizeof(struct tau_fold_header) + nodes * sizeof(struct tau_fold_node);
}

/*
 * Replaces the file and its mapping by a mapping of twice the size. If there is no room for a file, anonymous memory is used, which
 * is lost if the process is killed.
 */
static bool grow_work(void *argument)
{
	struct fold *f = argument;
	struct stream *s = self.stream;
	uint32_t nodes = f->node_cap ? 2 * f->node_cap : FIRST_NODES;
	struct tau_fold_header *head, *old = f->head;

	head = f->kept || !old ? file_map(s, FRESH_SUFFIX, mapping_size(nodes), false) : NULL;
	f->kept = head != NULL;
	if (!head)
		head = map_alloc(mapping_size(nodes));
	if (!head)
		return false;
	if (old)
		memcpy(head, old, mapping_size(f->node_cap));
	memcpy(head->magic, TAU_FOLD_MAGIC, sizeof(head->magic));
	head->major = TAU_VERSION_MAJOR;
	head->minor = TAU_VERSION_MINOR;
	head->header_size = sizeof(*head);
	head->process_id = process.id;
	head->thread = s->number;
	if (f->kept && !stream_rename(s, PLACE_LIVE, FRESH_SUFFIX, TAU_FOLD_SUFFIX))
		stream_unlink(s, PLACE_LIVE, FRESH_SUFFIX);
	if (f->kept && !old)
		live_link(s, TAU_FOLD_SUFFIX);
	if (old)
		map_free(old, mapping_size(f->node_cap));
	f->head = head;
	f->node = (struct tau_fold_node *)(head + 1);
	f->node_cap = nodes;
	return true;
}

static bool grow(struct fold *f)
{
	int saved = errno;
	bool good = own_stack_run(self.stream, grow_work, f);

	errno = saved;
	return good;
}

static struct fold *fold_get(struct stream *s)
{
	struct fold *f;

	if (s->fold)
		return s->fold;
	f = map_alloc(sizeof(*f));
	if (f && grow(f)) {
		f->node_n = 1;
		s->fold = f;
	} else if (f) {
		map_free(f, sizeof(*f));
	}
	return s->fold;
}

struct fold *fold_scratch(void)
{
	struct fold *f = map_alloc(sizeof(*f));

	if (!f)
		return NULL;
	f->head = map_alloc(mapping_size(FIRST_NODES));
	if (!f->head) {
		map_free(f, sizeof(*f));
		return NULL;
	}
	f->node = (struct tau_fold_node *)(f->head + 1);
	f->node_cap = FIRST_NODES;
	f->node_n = 1;
	return f;
}

void fold_end(struct stream *s)
{
	if (!s->fold || !s->fold->kept)
		return;
	live_remove(s, TAU_FOLD_SUFFIX);
	s->fold->kept = false;
}

void fold_forget(struct stream *s)
{
	if (!s->fold)
		return;
	map_free(s->fold->head, mapping_size(s->fold->node_cap));
	map_free(s->fold, sizeof(*s->fold));
	s->fold = NULL;
}

/* ---- nodes ---- */

/* The node of a region below a parent node; 0: there is no room. */
static uint32_t node_child(struct fold *f, uint32_t parent, uint32_t region)
{
	size_t i = (parent * 0x9e3779b1u ^ region * 0x85ebca6bu) % FOLD_SLOTS;

	while (f->slot[i]) {
		const struct tau_fold_node *n = &f->node[f->slot[i]];

		if (n->parent == parent && n->region == region)
			return f->slot[i];
		i = (i + 1) % FOLD_SLOTS;
	}
	if (f->node_n == FOLD_NODES || (f->node_n == f->node_cap && !grow(f)))
		return 0;
	f->node[f->node_n] = (struct tau_fold_node){.parent = parent, .region = region};
	f->slot[i] = f->node_n;
	return f->node_n++;
}

/* The node of a frame; -1: there is no room. A frame that is not recorded has the node of its caller. */
static int64_t node_of_frame(struct stream *s, struct fold *f, struct filtered_frame *r)
{
	struct filtered_frame *known = r;
	uint32_t node;

	while (known >= s->filtered && !known->node)
		known--;
	node = known >= s->filtered ? known->node : 0;
	while (++known <= r) {
		if (!known->recorded)
			continue;
		node = node_child(f, node, known->region);
		if (!node)
			return -1;
		known->node = node;
	}
	return node;
}

/* All room is used: writes all folded calls and begins the tree anew. */
static void nodes_reset(struct fold *f, struct stream *s)
{
	fold_write_all();
	f->node_n = 1;
	memset(f->slot, 0, sizeof(f->slot));
	for (struct filtered_frame *r = s->filtered - 1; r < s->filtered + (self.top - s->frames);
	     r++)
		r->node = r->child = 0;
}

/* The recorded frame that called r, or the entry before all frames. */
static struct filtered_frame *frame_below(const struct stream *s, struct filtered_frame *r)
{
	do
		r--;
	while (r >= s->filtered && !r->recorded);
	return r;
}

/* The folded calls inside r become part of those inside the frame that called it. */
static void pass_down(struct filtered_frame *below, const struct filtered_frame *r)
{
	if (below->height <= r->height)
		below->height = r->height + 1;
}

uint32_t fold_node(struct filtered_frame *r)
{
	struct stream *s = self.stream;
	struct fold *f = fold_get(s);
	struct filtered_frame *below = frame_below(s, r);
	int64_t node;

	if (!f || r->height >= FOLD_HEIGHT)
		return 0;
	node = node_of_frame(s, f, r);
	if (node <= 0) {
		nodes_reset(f, s);
		return 0;
	}
	below->child = (uint32_t)node;
	below->child_region = r->region;
	pass_down(below, r);
	return (uint32_t)node;
}

/* ---- writing ---- */

#define RECORD (40 + 5 * (FOLD_HEIGHT + 1))

/*
 * Writes the calls of a node, as called from the frame `up` steps outside the innermost, whose node is `base`. There is room,
 * so that no chunk begins before the record is written; the head of the file contains the position of the record for readers.
 */
static void node_write(struct fold *f, uint32_t i, uint32_t base, uint32_t up, uint64_t now)
{
	struct tau_fold_node *n = &f->node[i];
	uint8_t bytes[RECORD], *p;
	uint32_t path[FOLD_HEIGHT + 1];
	size_t length = 0;

	for (uint32_t at = i; at != base && length <= FOLD_HEIGHT; at = f->node[at].parent)
		path[length++] = f->node[at].region;
	p = put_varint(bytes, up);
	p = put_varint(p, n->calls);
	p = put_varint(p, n->ticks);
	p = put_varint(p, length);
	while (length)
		p = put_varint(p, path[--length]);
	f->calls += n->calls;
	f->records++;
	f->head->writing_seq = self.stream->seq;
	f->head->writing_records =
		(uint32_t)((self.live->cur[TAU_TIMES] - self.live->base[TAU_TIMES]) / 4);
	publish_barrier();
	f->head->writing = i;
	publish_barrier();
	record_extended_at(TAU_REC_FOLD, bytes, (size_t)(p - bytes), now);
	publish_barrier();
	n->calls = n->ticks = 0;
	publish_barrier();
	f->head->writing = 0;
}

/* Writes the calls of the nodes from .. to of the list. */
static void nodes_write(struct fold *f, uint32_t from, uint32_t to, uint32_t base, uint32_t up,
		 uint64_t now)
{
	for (uint32_t i = from; i < to; i++) {
		if ((uint8_t *)self.live->cur[TAU_ARGS] + RECORD + 4 * MARGIN_ARGS >
			    self.args_end &&
		    !chunk_room(0, RECORD + 6 * MARGIN_ARGS))
			return;
		node_write(f, f->pending[i], base, up, now);
	}
}

void fold_write_all(void)
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
	/* From the innermost frame outwards; entries that remain were called from no region. */
	for (size_t i = n; i-- > 0;) {
		struct filtered_frame *r = &s->filtered[i];

		if (r->recorded) {
			if (r->pending < end)
				nodes_write(f, r->pending, end, r->node, up, now);
			end = r->pending < end ? r->pending : end;
			up++;
		}
		r->pending = 0;
	}
	if (end)
		nodes_write(f, 0, end, 0, up, now);
}

void fold_write(struct filtered_frame *r, uint64_t took, uint64_t now)
{
	struct stream *s = self.stream;
	struct fold *f = s->fold;
	uint32_t end;

	if (!f || f->pending_n <= r->pending)
		return;
	if (took < control.tell_ticks && r->height < FOLD_HEIGHT) {
		pass_down(frame_below(s, r), r);
		return;
	}
	end = f->pending_n;
	f->pending_n = r->pending;
	nodes_write(f, r->pending, end, r->node, 0, now);
}

uint64_t fold_calls(const struct stream *s, uint64_t *records)
{
	if (!s->fold)
		return 0;
	*records += s->fold->records;
	return s->fold->calls;
}
