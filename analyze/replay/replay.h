/*
 * replay.h: plays a trace and fills one profile per window, in one pass over the chunks that the
 * windows use.
 *
 * tau-trace2profile(1), WINDOWS and COUNTERS, describes what a profile counts; callstack.h
 * describes how inconsistent traces are repaired. All arithmetic uses integers (times) and exact
 * sums (events) until the profiles are filled.
 */
#ifndef REPLAY_H
#define REPLAY_H

#include "analyze/profile/profile.h"
#include "analyze/profile/sampled_stacks.h"
#include "analyze/window/window.h"

#define REPLAY_UNLIMITED UINT32_MAX
#define REPLAY_DEPTH_MAX 1000	/* limit of other depths, because the number of paths grows with
				 * the depth */

enum replay_stage {
	REPLAY_READING,		/* unit of progress: events */
	REPLAY_NAMING,		/* code of samples; unit of progress: places */
};

struct replay_part;
struct replay_options;
struct callstack;

/* Paths are followed to this depth; some of them may have no row. */
uint32_t replay_path_depth(const struct replay_options *o);

/* Data that the replays of several groups of windows share. */
struct replay_whole {
	const struct windows *windows;	/* all of them */
	uint64_t before;	/* events that had been read when the first group began */
	uint64_t expected;	/* events that all groups probably need; 0: unknown so far */
	int64_t end;		/* ns: end of the trace when the first group began */
};
void replay_whole_begin(struct replay_whole *x, const struct trace *t, const struct windows *w);

struct replay_options {
	const struct windows *windows;	/* borrowed; NULL: one, the whole run */
	const struct filter *only;      /* selected ranks and threads, borrowed; NULL: all */
	uint32_t callpath_depth;	/* 0: only flat rows; 2 to REPLAY_DEPTH_MAX, or
					 * REPLAY_UNLIMITED */
	int all_threads;	/* profiles of whole runs have also threads without selected regions, so that PEs are all counted */
	int recorder_paths;	/* with callpath_depth 0: also call paths that end in a region of the recorder, which show
				 * what encloses it (recorder_rows.h) */
	enum stack_resolution resolution;	/* of samples */
	enum index_policy index;	/* does not change the profiles */
	int paths;		/* counters of memory by call site contain the whole call path */
	int no_memory;	/* the profiles need no counters of memory: live memory is not followed, and call sites have
			 * plain names; not together with paths */
	int freed;		/* memory of a process that has ended before the end of a window is not live at that end */
	int compensate;		/* subtract the cost of recording from the times (compensate.h) */
	int squares;	/* fill profile_squares(); reads all events; not together with compensate */
	struct squares_carry *carry; /* of the squares, by stream (squares.h); NULL: none */
	int sizes;	/* also counters of messages by peer and size class; reads all events */
	unsigned threads;	/* that play streams in parallel; 0 and 1: only the caller's.
				 * Does not change the results */
	size_t group; /* replay_each(): number of windows at a time; 0: chosen to fit into
		       * little memory. Does not change the results */
	struct replay_whole *whole;	/* replay_part(): the windows are a group of these; NULL:
					 * they are all windows */
	size_t share, shares; /* play only the streams of this one of `shares` shares; shares 0:
			       * all streams */
	/*
	 * replay_each() of a share calls this function for each group of windows with the part of
	 * the share, and with code: 0, or the error in *e of a share without a part. It returns 0
	 * if no share failed; then share 0 has the sum of all parts, and the others are empty.
	 * After a failure all parts are released. NULL: there are no other shares.
	 */
	int (*gather)(void *to, struct trace *t, struct replay_part *part, int code, struct error *e);
	void *gather_to;
	/*
	 * Called repeatedly on the caller's thread with how much is done and how much there is, as
	 * far as is known; may be NULL.
	 */
	void (*progress)(void *to, enum replay_stage stage, uint64_t done, uint64_t all);
	void *progress_to;
	/*
	 * Called when the end of a stream is reached, on the thread that plays it, with what is open there, and the time of its
	 * last event (player.h); for a group of windows at a time. NULL: not called.
	 */
	void (*ends)(void *to, uint32_t stream, const struct callstack *open, int64_t last);
	void *ends_to;
};

/*
 * Receives the profile of window `at` of n, sorted, and owns it. A negative code ends the replay.
 */
struct replay_sink {
	int (*receive)(void *to, struct profile *p, size_t at, size_t n, struct error *e);
	void *to;
};

/*
 * Passes the profile of each window to the sink, in order (one profile for the whole run). `group`
 * limits how many windows are played at a time, so that the required memory does not depend on the
 * number of windows. Damage is reported as notes of the trace; *repaired: number of repaired
 * frames. If the replay fails, the sink may have received some profiles. Returns 0 or a negative
 * code.
 */
int replay_each(struct trace *t, const struct replay_options *o, const struct replay_sink *sink,
		uint64_t *repaired, struct error *e);

/*
 * The same for all windows at once: out[i] is the profile of window i, which the caller frees. On
 * failure there is nothing to free.
 */
int replay_profiles(struct trace *t, const struct replay_options *o, struct profile **out, struct error *e);

/*
 * The profiles of a group of windows from one share of the streams. Parts joined in order of their
 * shares, and completed, are the profiles that replay_each() passes on. Shares have about the same
 * weight; the share of a stream is the same for all groups of windows.
 */
struct replay_part {
	struct profile **profile;	/* by window, not sorted */
	size_t n;
	uint64_t repaired;	/* frames; once if windows overlap */
};
int replay_part(struct trace *t, const struct replay_options *o, struct replay_part *out, struct error *e);
void replay_join(struct replay_part *into, struct replay_part *from);	/* empties from */
void replay_part_release(struct replay_part *p);

#endif
