/*
 * replay.h: a trace and windows in, one profile per window out, in one pass over the chunks that the windows touch.
 *
 * What a profile counts is described in tau-trace2profile(1), WINDOWS and COUNTERS; how broken traces are repaired
 * in callstack.h. All arithmetic is in integers (times) and exact sums (events) until the profiles are filled.
 */
#ifndef REPLAY_H
#define REPLAY_H

#include "analyze/profile/profile.h"
#include "analyze/profile/sampled_stacks.h"
#include "analyze/window/window.h"

#define REPLAY_UNLIMITED UINT32_MAX
#define REPLAY_DEPTH_MAX 1000	/* other depths; the number of paths grows with it */

enum replay_stage {
	REPLAY_READING,		/* counted in events */
	REPLAY_NAMING,		/* the code of samples, in places */
};

struct replay_part;

/* What replays of groups of windows have in common. */
struct replay_whole {
	const struct windows *windows;	/* all of them */
	uint64_t before;	/* events that had been read when the first began */
	uint64_t expected;	/* events that all are likely to need; 0: not known yet */
	int64_t end;		/* of the trace, as it was known then */
};
void replay_whole_begin(struct replay_whole *x, const struct trace *t, const struct windows *w);

struct replay_options {
	const struct windows *windows;	/* NULL: one, the whole run */
	const struct filter *only;      /* ranks and threads that are meant; NULL: all */
	uint32_t callpath_depth;	/* 0 flat only, 2 .. REPLAY_DEPTH_MAX, or REPLAY_UNLIMITED */
	enum stack_resolution resolution;	/* of samples */
	enum index_policy index;	/* changes nothing in the profiles */
	int paths;		/* counters of memory by call site tell the whole path of calls */
	int compensate;		/* take what recording cost from the times (compensate.h) */
	int squares;	/* fill profile_squares(); all events are read, and not with compensate */
	int sizes;	/* counters of messages by peer and size class, too; all events are read */
	unsigned threads;	/* that play streams side by side; 0 and 1: none besides the caller's. Results do not depend on it */
	size_t group; /* replay_each(): number of windows at a time; 0: as many as need little
			 memory. Results do not depend on it */
	struct replay_whole *whole;	/* replay_part(): the windows are a group of these; NULL: they are all */
	size_t share, shares; /* only the streams of this one of `shares` shares; shares 0: all */
	/*
	 * replay_each() of a share calls it for each group of windows with the part that it has, and code: 0, or the error in *e of
	 * a share without one. It returns 0 when no share failed; then share 0 has the sum of all parts, and the others nothing.
	 * On failure no part is left. NULL: there are no other shares.
	 */
	int (*gather)(void *to, struct trace *t, struct replay_part *part, int code, struct error *e);
	void *gather_to;
	/* Called on the caller's thread again and again, with how much is done of how much, as far
	 * as is known; may be NULL. */
	void (*progress)(void *to, enum replay_stage stage, uint64_t done, uint64_t all);
	void *progress_to;
};

/*
 * Takes the profile of window `at` of n, sorted, which is the sink's to free from then on. A negative code ends the replay.
 */
struct replay_sink {
	int (*take)(void *to, struct profile *p, size_t at, size_t n, struct error *e);
	void *to;
};

/*
 * Hands over the profile of each window in their order (one for the whole run): as many at a time as `group` says, each of which
 * costs what its windows cost, so that the memory needed does not depend on how many there are. Damage met on the way goes to
 * the trace's notes; *repaired: frames that were repaired. A sink may have taken some when it fails.
 */
int replay_each(struct trace *t, const struct replay_options *o, const struct replay_sink *sink,
		uint64_t *repaired, struct error *e);

/* The same of all windows at once: out[i] is the profile of window i, to be freed by the caller. On failure nothing is left to free. */
int replay_profiles(struct trace *t, const struct replay_options *o, struct profile **out, struct error *e);

/*
 * What a share of the streams adds to the profiles of a group of windows. Parts joined in order of their shares, and completed,
 * are what replay_each() hands over. Weights are such that shares take about the same time;
 * which share a stream belongs to is the same for all groups of windows.
 */
struct replay_part {
	struct profile **profile;	/* by window, not sorted */
	size_t n;
	uint64_t repaired;	/* frames, where windows overlap once */
};
int replay_part(struct trace *t, const struct replay_options *o, struct replay_part *out, struct error *e);
void replay_join(struct replay_part *into, struct replay_part *from);	/* empties from */
void replay_part_release(struct replay_part *p);

#endif
