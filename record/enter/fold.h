/*
 * fold.h: calls merged into counts and times per call path, record FOLD: the code that each call executes.
 *
 * If a call recorded nothing inside, and was short or its region is folded, its leave removes its ENTER from the chunk and
 * adds its time to a node. The nodes are the tree of call paths of the stream. A node with calls that are not written yet
 * is in the list `pending`. The entries added since a frame was entered were called from that frame, so its leave writes
 * and drops that part of the list. A folded frame passes its part on to its caller.
 *
 * When a chunk was sealed all nodes are written. The nodes are in a file mapping (format.h, FILE.fold), so that a kill
 * loses none of them.
 */
#ifndef FOLD_H
#define FOLD_H

#include "record/base/compiler.h"
#include "record/base/frame.h"
#include "record/base/process.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/format.h"
#include "record/metric/metric.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FOLD_NODES 16384
#define FOLD_SLOTS (2 * FOLD_NODES)
#define FOLD_HEIGHT 40	/* maximum depth of folded calls inside each other in one record */

struct fold {
	struct tau_fold_header *head;	/* of the mapping */
	struct tau_fold_node *node;	/* after it; node[0]: no region is open */
	uint32_t node_n, node_cap, pending_n;
	bool kept;			/* the mapping belongs to a file */
	uint64_t calls;			/* written so far */
	uint64_t records;		/* that contain these calls */
	uint32_t slot[FOLD_SLOTS];	/* hash of (parent, region) to node */
	uint32_t pending[FOLD_NODES];
};

/* The node of the innermost frame, if its caller has not stored it; 0: the call cannot be folded. */
uint32_t fold_node(struct filtered_frame *r);
/* The innermost frame was left after `took` ticks and stays in the trace: writes the folded calls inside it. */
void fold_write(struct filtered_frame *r, uint64_t took, uint64_t now);

/* Writes all folded calls. */
void fold_write_all(void);
/* A fold without a file, for measuring; NULL: no memory. fold_forget() frees it. */
struct fold *fold_scratch(void);
/* Called when all calls are written and the file of the stream is complete. */
void fold_end(struct stream *s);
/* In a forked child: drops the folded calls of a thread of the parent. */
void fold_forget(struct stream *s);
/* Folded calls written so far; adds the number of their records. */
uint64_t fold_calls(const struct stream *s, uint64_t *records);

/* The length of the list, which a frame that is entered now stores. */
static inline uint32_t fold_pending(const struct stream *s)
{
	return s->fold ? s->fold->pending_n : 0;
}

/*
 * Removes the ENTER of the innermost frame, which is the last record of the chunk, and adds the call to its node; false:
 * not possible. The caller drops the frame itself.
 */
static inline bool fold_leave(struct thread *t, struct filtered_frame *r, uint64_t took)
{
	struct filtered_frame *below = r - 1;
	uint32_t i = below->child;
	struct tau_fold_node *n;
	struct fold *f;

	if (unlikely(!i || below->child_region != r->region || !below->recorded)) {
		i = fold_node(r);
		if (!i)
			return false;
	} else if (unlikely(r->height >= FOLD_HEIGHT)) {
		return false;
	} else if (unlikely(below->height <= r->height)) {
		below->height = r->height + 1;
	}
	f = t->stream->fold;
	n = &f->node[i];
	if (!n->calls)
		f->pending[f->pending_n++] = i;
	f->head->folding = (uint64_t)i << 32 | (uint32_t)n->calls;
	f->head->last_tick = t->top[-1].time + took;
	publish_barrier();	/* these show readers whether the call was added, but its ENTER not yet removed */
	n->ticks += took;
	publish_barrier();
	n->calls++;
	publish_barrier();
	if (process.metrics)
		metric_undo((const uint8_t *)r->args, r->far);
	t->live->cur[TAU_TIMES] = (uint64_t)r->at;
	publish_barrier();
	t->live->cur[TAU_ARGS] = r->args;
	t->live->last_tick = r->last;
	return true;
}

#endif
