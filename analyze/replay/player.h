/*
 * player.h: one stream on its way through the segments of its process: pulls batches, drives the stack machine and the
 * counters, and keeps one account per window.
 */
#ifndef PLAYER_H
#define PLAYER_H

#include "analyze/stream/compensate.h"
#include "analyze/stream/counters.h"
#include "analyze/stream/heap_at_regions.h"
#include "analyze/summary/summary_apply.h"
#include "analyze/summary/live_memory.h"
#include "analyze/stream/callstack.h"
#include "analyze/stream/metrics.h"
#include "analyze/trace/segments.h"
#include "analyze/profile/sampled_stacks.h"

/* What one stream did in one window. */
struct tally {
	struct callstack_row *row;      /* by region; [region_n] is the root */
	struct callstack_row *path_row; /* by path */
	size_t path_row_n;
	struct counter_stats samples;
	struct stacks stacks;
	uint64_t repaired;	/* frames, inside of it */
	int cut;		/* of a stream that was cut out of a longer one, which may have left nothing of it but its memory */
	struct callstack_row *cost, *path_cost; /* ps to be taken from the times of `row` and
						   `path_row`; NULL: nothing */
	size_t path_cost_n;
	const struct squares_rows *squares; /* by region, or by path where paths are kept; NULL: not summed */
	int64_t paid, doubt;	/* ps taken from the times in all, and how much that may be wrong */
};

struct player;

/* What players share that play one after the other, or side by side on one thread. */
struct player_shared {
	struct trace *trace;
	const struct trace_ops *ops;	/* that read it */
	struct callstack_paths paths;
	struct counters counters;
	struct stack_tree tree;
	uint32_t context_depth;
	int compensate;		/* subtract the cost of recording from the times */
	int squares;		/* sum up the squares of the exclusive times of calls; chunks are not left out then */
	int memory_only;	/* memory that events allocate and free reaches the levels, and nothing else is played */
	int skip;		/* chunks whose summary is known are left out */
	size_t window_n;
	int64_t end;		/* of the trace, as it was known when the replay began */
	void (*tick)(void *to);	/* called at each batch; NULL: not called */
	void *tick_to;
	/* Called when a state has been applied. seam: it was not what had been played up to there. NULL: not called. */
	void (*boundary)(void *to, struct player *p, const struct event_state *s, int seam);
	void *boundary_to;
	/* Called with each batch, after its state has been applied and before its events are played. NULL: not called. */
	void (*plays)(void *to, const struct event_batch *b);
	void *plays_to;
};

/* For whole or limited paths (callstack_paths_init). sites: memory is counted by whole paths of calls (counters_init). */
void player_shared_init(struct player_shared *s, struct trace *t, uint32_t path_depth, int sites);
void player_shared_release(struct player_shared *s);

struct player {
	struct player_shared *shared;
	struct segment_cursor where; /* the segment it is in or before */
	struct live_memory *levels; /* where its memory changes go; NULL: it has none */
	uint32_t stream;
	int64_t end;		/* of the stream, if it is not damaged */
	struct trace_cursor *cursor;
	struct callstack callstack;
	struct squares squares;	/* of the callstack, if shared->squares is set */
	struct metrics meter;
	struct heap_at_regions entries;
	struct compensator cost;
	struct counter_stats samples; /* of the open segment */
	struct heap_sums heap;	/* likewise, what is not in the samples yet */
	struct stacks stacks;	/* likewise; contexts are paths where paths are kept, regions where they are not */
	struct summary_build gather; /* what was left out of the open segment */
	struct tally *tally;	/* by window */
	uint64_t repaired;	/* frames, inside segments that have ended */
	uint64_t repaired_before;	/* of the machine, when the open segment began */
	int done;
	int gap;		/* nothing is open since the last batch: the reader may jump */
	int skipped;		/* what comes before the next state was left out; its sum is gathered */
	int sought;		/* the next state is the first one after a jump to `target` */
	int64_t target;
	struct event_batch *batch;	/* NULL: none */
	size_t at;		/* next event in it */
	struct level *own;	/* by memtype: what the stream has added so far */
	uint64_t level_seams;	/* states that said something else than the events before */
};

int player_open(struct player *p, struct player_shared *shared, const struct segments *segments,
		struct live_memory *levels, uint32_t stream, int64_t end, struct error *e);
void player_close(struct player *p);

/* Time of the last event at hand; INT64_MAX when the player is done. */
int64_t player_head(const struct player *p);
/* Plays all events before a time (INT64_MAX: to the end). */
int player_advance(struct player *p, int64_t before, struct error *e);
/* Plays several to their ends, side by side if their memory needs it (levels NULL: it does not). */
int players_advance(struct player *p, size_t n, struct live_memory *levels, struct error *e);

#endif
