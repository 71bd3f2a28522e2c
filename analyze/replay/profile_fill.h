/*
 * profile_fill.h: one window's profile while it is being filled, with the ids of the trace and of a replay turned into the profile's.
 *
 * Rows are added stream by stream. What a stream adds, and in which order, depends on that stream alone: so profiles that were
 * filled side by side and then joined in the order of the streams (profile_join()) are the one that would have been filled
 * by one after the other.
 */
#ifndef PROFILE_FILL_H
#define PROFILE_FILL_H

#include "analyze/trace/filter.h"
#include "analyze/replay/player.h"
#include "analyze/profile/profile.h"

struct profile_fill {
	struct player_shared *shared;
	struct stack_places *places;
	struct profile *profile;
	uint32_t *timer, *flat;	/* by region; [region_n] is the root; PROFILE_FLAT: not there yet */
	size_t *column;		/* by metric of the trace: that of the profile; 0: it has none */
	uint32_t *counter;	/* by counter */
	size_t counter_n;
	int all;		/* it is of all there is, no window, no regions left out */
	int series;		/* it is one of a series: levels that did not change in it are not in it */
};

/* only: as in struct replay_options. */
void profile_fill_open(struct profile_fill *s, struct player_shared *shared,
		       struct stack_places *places, const struct window *window,
		       const struct filter *only);
/* The profile remains the caller's. */
void profile_fill_release(struct profile_fill *s);

/* What one stream did in window w; where that is nothing, nothing is added, but to a profile of all there is a thread. */
void profile_fill_stream(struct profile_fill *s, uint32_t stream, const struct tally *tally,
			 const struct metrics_tally *metric);
/*
 * The levels of a process in window w, which stand on its thread 0. In a series those that changed, and that of all memory: a
 * state that a window of it does not have is the one before it.
 */
void profile_fill_levels(struct profile_fill *s, size_t w, uint32_t process,
			 const struct live_memory *l);

#endif
