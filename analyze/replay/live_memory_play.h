/*
 * live_memory_play.h: plays the memory of a process separately from all other events of its
 * streams: only at the edges of windows, if the index holds its changes in between (trace.h,
 * TRACE_INDEX_MEMORY).
 */
#ifndef LIVE_MEMORY_PLAY_H
#define LIVE_MEMORY_PLAY_H

#include "analyze/summary/live_memory.h"
#include "analyze/replay/player.h"

/*
 * The segments of a process; a segment is cut in two if the changes of memory inside it are known.
 */
struct live_memory_known {
	struct segments segments;	/* members are borrowed */
	struct summary *inside; /* by segment: the changes between it and the next segment of the
				 * same windows; empty: none */
};

/* 1: enough is known that skipping it is faster. 0: it is not, and there is nothing to release. */
int live_memory_known_make(struct live_memory_known *k, struct trace *t, uint32_t process,
			   const struct segments *s);
void live_memory_known_release(struct live_memory_known *k);

/*
 * Plays the memory of n streams into levels, which were made for k->segments. like: the data that
 * other players share. Returns 0 or an error of reading.
 */
int live_memory_play(const struct player_shared *like, const struct live_memory_known *k,
		     const uint32_t *stream, size_t n, int64_t end, struct live_memory *levels,
		     struct error *e);

#endif
