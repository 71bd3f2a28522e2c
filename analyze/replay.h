/*
 * replay.h: a trace and windows in, one profile per window out, in one pass over the chunks that the windows touch.
 *
 * What a profile counts is described in tau-trace2profile(1), WINDOWS and COUNTERS; how broken traces are repaired
 * in machine.h. All arithmetic is in integers (times) and exact sums (events) until the profiles are filled.
 */
#ifndef REPLAY_H
#define REPLAY_H

#include "profile.h"
#include "stacks.h"
#include "window.h"

#define REPLAY_UNLIMITED UINT32_MAX
#define REPLAY_DEPTH_MAX 1000	/* other depths; the number of paths grows with it */

enum replay_stage {
	REPLAY_READING,		/* counted in events */
	REPLAY_NAMING,		/* the code of samples, in places */
};

enum replay_index {
	REPLAY_INDEX_AUTO,	/* sums of chunks that are kept are used; they are made where much is to be read */
	REPLAY_INDEX_NEVER,	/* everything is read from the trace */
	REPLAY_INDEX_ALWAYS,	/* they are made wherever they are not there */
};

struct replay_options {
	const struct windows *windows;	/* NULL: one, the whole run */
	const struct only *only;	/* ranks and threads that are meant; NULL: all */
	uint32_t callpath_depth;	/* 0 flat only, 2 .. REPLAY_DEPTH_MAX, or REPLAY_UNLIMITED */
	enum stack_resolution resolution;	/* of samples */
	enum replay_index index;	/* changes nothing in the profiles */
	int paths;		/* counters of memory by call site tell the whole path of calls */
	int compensate;		/* take what recording cost from the times (compensate.h) */
	unsigned threads;	/* that play streams side by side; 0 and 1: none besides the caller's. Results do not depend on it */
	size_t share, shares;	/* replay_part(): only the streams of this share of so many; shares 0: all */
	/* Called on the caller's thread again and again, with how much is done of how much, as far as is known; may be NULL. */
	void (*progress)(void *to, enum replay_stage stage, uint64_t done, uint64_t all);
	void *progress_to;
};

/*
 * out[i] is the profile of window i (one for the whole run), sorted, to be freed by the caller. Damage met on
 * the way goes to the trace's notes. On failure nothing is left to free.
 */
int replay_profiles(struct trace *t, const struct replay_options *o, struct profile **out, struct error *e);

/*
 * The same in parts: what a share of the streams adds to the profiles. Parts joined in order of their shares, and finished,
 * are what replay_profiles() yields. Weights are such that shares take about the same time.
 */
struct replay_part {
	struct profile **profile;	/* by window, not sorted */
	size_t n;
	uint64_t repaired;
};
int replay_part(struct trace *t, const struct replay_options *o, struct replay_part *out, struct error *e);
void replay_join(struct replay_part *into, struct replay_part *from);	/* empties from */
void replay_part_release(struct replay_part *p);
void replay_finish(struct trace *t, struct replay_part *p, struct profile **out);	/* empties p */

#endif
