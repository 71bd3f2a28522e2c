/*
 * player.h: plays one stream through the segments of its process: reads batches, runs the call
 * stack and the counters, and keeps one account per window.
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

/* What recording cost, in ps: of the times of `row` and `path_row`. NULL: unknown. */
struct cost_rows {
	struct callstack_row *row, *path_row;
	size_t path_row_n;
};

/* The values of one stream in one window. */
struct tally {
	struct callstack_row *row;      /* by region; [region_n] is the root */
	struct callstack_row *path_row; /* by path */
	size_t path_row_n;
	struct counter_stats samples;
	struct stacks stacks;
	uint64_t repaired;	/* frames that were repaired inside the window */
	int cut;		/* the stream was cut from a longer one, so it may have nothing
				 * but its memory here */
	struct cost_rows cost[COMPENSATOR_LIMITS];
	const struct squares_rows *squares; /* by region, or by path if paths are kept; NULL: not
					     * summed */
};

struct player;

/* Data that players share if they play one after the other, or alternate on one thread. */
struct player_shared {
	struct trace *trace;
	const struct trace_ops *ops;	/* operations with which the trace is read */
	struct callstack_paths paths;
	struct counters counters;
	struct stack_tree tree;
	uint32_t context_depth;
	int all_threads; /* threads without selected regions are in profiles of whole runs, too */
	int flat; /* of call paths, if any are kept, only those of the recorder have rows */
	int compensate;		/* fill the times without the cost of recording */
	int squares;		/* sum up the squares of the exclusive times of calls; then
				 * chunks are not skipped */
	struct squares_carry *carry; /* by stream; NULL: none */
	int memory_only;	/* only memory events are played, into the levels */
	int skip;		/* chunks with a known summary are skipped */
	size_t window_n;
	int64_t end;		/* of the trace, in ns, as it was known when the replay began */
	void (*tick)(void *to);	/* called at each batch; NULL: not called */
	void *tick_to;
	/*
	 * Called after a state was applied. seam: the state differs from the events before it.
	 * NULL: not called.
	 */
	void (*boundary)(void *to, struct player *p, const struct event_state *s, int seam);
	void *boundary_to;
	/* Called with each batch, after its state has been applied and before its events are played. NULL: not called. */
	void (*plays)(void *to, const struct event_batch *b);
	void *plays_to;
	/*
	 * Called when the end of a stream is reached, with what is open there; last: the time of its last event, or, if none was
	 * read, when the innermost region was entered. NULL: not called.
	 */
	void (*ends)(void *to, uint32_t stream, const struct callstack *open, int64_t last);
	void *ends_to;
};

/*
 * path_depth: as in struct replay_options. sites: as in counters_init().
 * t must stay.
 */
void player_shared_init(struct player_shared *s, struct trace *t, uint32_t path_depth, enum counters_sites sites);
void player_shared_release(struct player_shared *s);

struct player {
	struct player_shared *shared;
	struct segment_cursor where; /* the current segment, or the next one */
	struct live_memory *levels; /* receives its memory changes; NULL: they are not needed */
	uint32_t stream;
	int64_t end;		/* ns: of the stream, if it is not damaged */
	struct trace_cursor *cursor;
	struct callstack callstack;
	struct squares squares;	/* of the callstack, if shared->squares is set */
	struct metrics metrics;
	struct heap_at_regions entries;
	struct compensator cost;
	struct counter_stats samples; /* of the open segment */
	struct size_sums sizes;	/* of the open segment: those that are not in `samples` so far */
	struct stacks stacks;	/* of the open segment; contexts are paths if paths are kept,
				 * otherwise regions */
	struct summary_build gather; /* the skipped chunks of the open segment */
	struct tally *tally;	/* by window */
	uint64_t repaired;	/* repaired frames in segments that have ended */
	uint64_t repaired_before;	/* the same of the call stack, when the open segment
					 * began */
	int done;
	int gap;		/* no segment is open since the last batch: the reader may jump */
	int skipped;		/* chunks before the next state were skipped; `gather` has their
				 * sum */
	int sought;		/* the next state is the first one after a jump to `target` */
	int64_t target;
	struct event_batch *batch;	/* NULL: none */
	int64_t last;		/* ns: the last event that was read, as shared->ends has it */
	size_t at;		/* next event in it */
	struct level *own;	/* by memtype: changes of this stream so far */
	uint64_t level_seams;	/* states that differ from the events before them */
};

/*
 * Opens the stream and reads its first batch. Returns 0 or an error of reading; player_close() is
 * necessary in both cases.
 */
int player_open(struct player *p, struct player_shared *shared, const struct segments *segments,
		struct live_memory *levels, uint32_t stream, int64_t end, struct error *e);
void player_close(struct player *p);

/*
 * Time in ns of the last event that was read; INT64_MIN: its batch is empty; INT64_MAX: the player
 * is done.
 */
int64_t player_head(const struct player *p);
/* Plays all events before a time (INT64_MAX: to the end). */
int player_advance(struct player *p, int64_t before, struct error *e);
/*
 * Plays n players to their ends, alternating in order of time if levels is not NULL. Returns 0 or
 * an error of reading.
 */
int players_advance(struct player *p, size_t n, struct live_memory *levels, struct error *e);

#endif
