/*
 * heap_at_regions.h: what a trace has at the entry and exit of each region besides the time, under the names that users of TAU know
 * (tau-trace2profile(1), COUNTERS): context events, whose path ends with the region.
 *
 *   Heap Memory Used (KB) at Entry, at Exit    a sample each time that the region is entered, left
 *   Increase in Heap Memory (KB)               at its exit, what the heap has become larger since the entry
 *   Decrease in Heap Memory (KB)               or smaller; neither where it is the same
 *   Memory Headroom Available (MB) at Entry    a sample each time that the region is entered
 *
 * They are made of two metrics of reserved names, which are no metrics of a profile. The heap is that of the process: other threads
 * change it as well. A region that ends without a leave of its own (a jump, an exception) is left then; one that is open when its
 * thread ends is not. Folded calls have none.
 */
#ifndef HEAP_AT_REGIONS_H
#define HEAP_AT_REGIONS_H

#include "analyze/stream/counters.h"

/* Is this a metric of entries, and none of a profile? */
int heap_at_regions_metric(const struct trace_metric *m);

struct heap_at_regions_frame {
	uint32_t region;
	int64_t heap;		/* at its entry */
};

/* Of one stream. */
struct heap_at_regions {
	size_t heap, headroom;	/* which metric of the trace, SIZE_MAX: none */
	int on;			/* there is one of them */
	uint32_t depth;		/* of contexts */
	struct heap_at_regions_frame *frame; /* parallel to the machine's */
	size_t frame_n, frame_cap;
	int64_t now;		/* the heap where it was last known */
	int known;		/* it was ever */
};

void heap_at_regions_init(struct heap_at_regions *n, const struct trace *t, uint32_t depth);
void heap_at_regions_release(struct heap_at_regions *n);

/* The machine has taken a state. sought: what comes before it was left out. */
void heap_at_regions_state(struct heap_at_regions *n, const struct trace *t,
			   const struct callstack *m, const struct event_state *s, int sought);

/*
 * Plays one event through the machine; samples go to `to` (NULL: nobody wants them). values: those of the trace's metrics with
 * the event; NULL: it has none.
 */
void heap_at_regions_play(struct heap_at_regions *n, struct callstack *m, struct counters *c,
			  struct counter_stats *to, const struct event_batch *b,
			  const struct event *ev, const int64_t *values);

#endif
