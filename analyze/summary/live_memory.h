/*
 * live_memory.h: memory of one process over time. Its streams add and take away; the level is their sum in order of
 * time. For each row (a type, a type under its owners, all) it knows what is live at the end of a window and the most
 * that was live inside.
 */
#ifndef LIVE_MEMORY_H
#define LIVE_MEMORY_H

#include "analyze/stream/counters.h"
#include "analyze/trace/segments.h"
#include "analyze/summary/summary.h"


struct level_change {
	int64_t time;
	uint32_t type;		/* memtype */
	uint32_t stream;	/* orders changes of the same time */
	int64_t bytes, blocks;
};

struct live_memory {
	const struct counters *counters;
	struct segment_cursor where;	/* the segment it is in or before */
	size_t row_n;
	struct level *now, *peak;	/* by row */
	/* By window * row_n + row: when it ended, at most inside it, when it began. */
	struct level *window_now, *window_peak, *window_base;
	char *window_begun, *window_seen;	/* by window: a segment of it has begun, and ended */
	int64_t end;		/* of the process: a window behind it has no levels */
	struct level_change *change;	/* waiting to be applied */
	size_t change_n, change_cap;
	struct level_change *spare;	/* room for sorting them */
	size_t spare_cap;
	const struct summary *inside; /* by segment: what follows it directly and belongs to its
					 windows too; NULL: nothing does */
	void (*watch)(void *to, const struct level_change *c);	/* called before each change that is applied; NULL: nobody wants to know */
	void *command_file_to;
};

void live_memory_init(struct live_memory *l, const struct counters *c, const struct segments *s,
		      size_t window_n, int64_t end);
void live_memory_release(struct live_memory *l);
void live_memory_note(struct live_memory *l, const struct level_change *change);
/*
 * Applies the noted changes before a time, which no further change will precede. A segment ends with the first change after it, or
 * at INT64_MAX.
 */
void live_memory_advance(struct live_memory *l, int64_t before);

#endif
