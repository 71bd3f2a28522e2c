/*
 * profile_fill.h: fills the profile of one window, and translates ids of the trace and of a replay
 * to those of the profile.
 *
 * Rows are added stream by stream. The rows of a stream, and their order, depend only on that
 * stream: so profiles that threads have filled separately, joined in the order of the streams
 * (profile_join()), equal the profile that one thread would have filled.
 */
#ifndef PROFILE_FILL_H
#define PROFILE_FILL_H

#include "analyze/trace/filter.h"
#include "analyze/replay/player.h"
#include "analyze/profile/profile.h"

/* Counters of the profile; UINT32_MAX: not added so far. */
struct fill_level {
	uint32_t live, live_objects, peak, peak_objects;
};

struct profile_fill {
	struct player_shared *shared;
	struct stack_places *places;
	struct profile *profile;
	uint32_t *timer, *flat;	/* by region; [region_n] is the root; PROFILE_FLAT: not added so
				 * far */
	char *recorder; /* by region: of paths, only those that end in these have rows; NULL: all have */
	size_t *column;		/* by metric of the trace: the metric of the profile; 0: it has
				 * none */
	size_t limit;		/* with shared->compensate: the metric of the profile that is the least time
				 * without the cost of recording; the next one is the most */
	uint32_t *path;		/* by path of the stream that is being added: the one of the
				 * profile; PROFILE_FLAT: not added so far */
	size_t before;		/* paths of the profile that were there before the stream; SIZE_MAX:
				 * any path may have children of others */
	int shared_timer;	/* two regions have one timer */
	uint32_t *counter;	/* by counter */
	size_t counter_n;
	struct fill_level *level; /* by row of live memory */
	size_t level_n;
	int all;		/* the profile is of the whole run, without a window and without
				 * excluded regions */
	int series;		/* the window is one of a series: levels that did not change in
				 * it are excluded */
};

/* window, only: borrowed; only: as in struct replay_options. */
void profile_fill_open(struct profile_fill *s, struct player_shared *shared,
		       struct stack_places *places, const struct window *window,
		       const struct filter *only);
/* The caller owns s->profile from now on. */
void profile_fill_release(struct profile_fill *s);

/*
 * Adds the values of one stream in the window. If there are none, nothing is added, except for a
 * thread in a profile of the whole run.
 */
void profile_fill_stream(struct profile_fill *s, uint32_t stream, const struct tally *tally,
			 const struct metrics_tally *metric);
/*
 * Adds the levels of a process in window w to its thread 0. In a series, only levels that changed
 * and that of all memory: a level without a value in a window is unchanged since the window before.
 */
void profile_fill_levels(struct profile_fill *s, size_t w, uint32_t process,
			 const struct live_memory *l);

#endif
