/*
 * live_memory.h: the memory of one process over time. Streams add their allocations and
 * deallocations; the level is their sum in order of time. For each row (a type, a type with its
 * owners, all) it computes the level at the end of each window and the peak inside.
 */
#ifndef LIVE_MEMORY_H
#define LIVE_MEMORY_H

#include "analyze/stream/counters.h"
#include "analyze/trace/segments.h"
#include "analyze/summary/summary.h"


struct level_change {
	int64_t time;
	uint32_t type;		/* index of the memtype */
	uint32_t stream;	/* determines the order of changes at the same time */
	int64_t bytes, blocks;
};

struct live_memory {
	const struct counters *counters;
	struct segment_cursor where;	/* the current segment, or the next one */
	size_t row_n;
	struct level *now, *peak;	/* by row */
	/* [window * row_n + row]: level at the end, peak inside, level at the begin. */
	struct level *window_now, *window_peak, *window_base;
	char *window_begun, *window_seen;	/* by window: one of its segments has begun, has
						 * ended */
	int64_t end;		/* ns: end of the process; a window after it has no levels */
	int64_t gone;		/* ns: a window that ends after this moment has levels of 0 at its end. live_memory_init()
				 * sets it to INT64_MAX: memory stays live until the window ends */
	struct level_change *change;	/* changes that have not been applied */
	size_t change_n, change_cap;
	int unordered;		/* they are not in order */
	struct level_change *spare;	/* memory for sorting them */
	size_t spare_cap;
	const struct summary *inside; /* by segment: known changes that follow it directly and
				       * belong to its windows; NULL: none */
	/* called before each change is applied; NULL: not called */
	void (*watch)(void *to, const struct level_change *c);
	void *watch_to;
};

/* c, s: borrowed. end: of the process, in ns. */
void live_memory_init(struct live_memory *l, const struct counters *c, const struct segments *s,
		      size_t window_n, int64_t end);
void live_memory_release(struct live_memory *l);

/* Is `a` applied after `b`? */
static inline int level_change_after(const struct level_change *a, const struct level_change *b)
{
	return a->time != b->time ? a->time > b->time : a->stream > b->stream;
}

/* Adds a change, which live_memory_advance() applies. */
static inline void live_memory_note(struct live_memory *l, struct level_change change)
{
	if (l->change_n == l->change_cap)
		l->change = array_grow(l->change, &l->change_cap, sizeof(*l->change));
	l->change[l->change_n] = change;
	l->unordered |= l->change_n && level_change_after(&l->change[l->change_n - 1], &change);
	l->change_n++;
}

/*
 * Applies the changes before a time; all later changes must not be before it. A segment ends with
 * the first change after it, or at INT64_MAX.
 */
void live_memory_advance(struct live_memory *l, int64_t before);

#endif
