/*
 * heap_at_regions.h: makes counters from the heap values that a trace has at the entry and exit of
 * each region, with TAU's names (tau-trace2profile(1), COUNTERS): context events, whose path ends
 * with the region.
 *
 *  Heap Memory Used (KB) at Entry, at Exit    a sample each time the region is entered, left
 *  Increase in Heap Memory (KB)               at its exit, the growth of the heap since the entry
 *  Decrease in Heap Memory (KB)               or its decrease; no sample if it is the same
 *  Memory Headroom Available (MB) at Entry    a sample each time the region is entered
 *
 * They are made from two metrics with reserved names, which are not metrics of a profile. The heap
 * is that of the process: other threads change it as well. A region that ends without its own leave
 * (a jump, an exception) counts as left then; one that is open when its thread ends does not.
 * Folded calls have no samples.
 */
#ifndef HEAP_AT_REGIONS_H
#define HEAP_AT_REGIONS_H

#include "analyze/stream/counters.h"

/* Is it one of these two metrics? */
int heap_at_regions_metric(const struct trace_metric *m);

struct heap_at_regions_frame {
	uint32_t region;
	int64_t heap;		/* bytes at its entry */
};

/* The heap of one stream. */
struct heap_at_regions {
	size_t heap, headroom;	/* index of the metric in the trace, SIZE_MAX: none */
	int on;			/* there is at least one of them */
	uint32_t depth;		/* of contexts */
	struct heap_at_regions_frame *frame; /* parallel to those of the call stack */
	size_t frame_n, frame_cap;
	int64_t now;		/* the last known value of the heap */
	int known;		/* there is such a value */
};

/* depth: limit of the contexts' length. Release n. */
void heap_at_regions_init(struct heap_at_regions *n, const struct trace *t, uint32_t depth);
void heap_at_regions_release(struct heap_at_regions *n);

/* The call stack has applied a state. sought: the events before were skipped. */
void heap_at_regions_state(struct heap_at_regions *n, const struct trace *t,
			   const struct callstack *m, const struct event_state *s, int sought);

/*
 * Plays one event through the call stack; samples are added to `to` (NULL: not needed). values:
 * those of the trace's metrics at the event; NULL: it has none.
 */
void heap_at_regions_play(struct heap_at_regions *n, struct callstack *m, struct counters *c,
			  struct counter_stats *to, const struct event_batch *b,
			  const struct event *ev, const int64_t *values);

#endif
