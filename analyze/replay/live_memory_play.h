/*
 * live_memory_play.h: the memory of a process apart from all else that its streams do: played at
 * the edges of windows only, where it is known what it did between (trace.h, TRACE_INDEX_MEMORY).
 */
#ifndef LIVE_MEMORY_PLAY_H
#define LIVE_MEMORY_PLAY_H

#include "analyze/summary/live_memory.h"
#include "analyze/replay/player.h"

/* The segments of a process, those cut in two of whose inside the levels are known. */
struct live_memory_known {
	struct segments segments;	/* members are borrowed */
	struct summary *inside; /* by segment: what is between it and the next of the same windows;
				   empty: nothing */
};

/* 1: so much is known that it is better left out, 0: it is not (and there is nothing to release). */
int live_memory_known_make(struct live_memory_known *k, struct trace *t, uint32_t process,
			   const struct segments *s);
void live_memory_known_release(struct live_memory_known *k);

/* Plays the memory of n streams into levels, which have been made for the segments that are known. like: what other players share. */
int live_memory_play(const struct player_shared *like, const struct live_memory_known *k,
		     const uint32_t *stream, size_t n, int64_t end, struct live_memory *levels,
		     struct error *e);

#endif
