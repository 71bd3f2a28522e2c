/*
 * loop_frames.h: the calls of activations of regions near the root, in which loops are searched
 * (loop.h). An index can keep the frames that take much of the time of their process, with limits
 * for the others, so that loops are found without reading.
 */
#ifndef LOOP_FRAMES_H
#define LOOP_FRAMES_H

#include "analyze/window/loop.h"
#include "analyze/stream/callstack.h"

#define FRAMES_DEPTH 16		/* number of outer frames in which loops are searched */
#define FRAMES_CALLS (1u << 20) /* number of calls of one frame that are searched */
#define FRAMES_SHARE 0.3	/* share of its process's time that a loop without a named head
				 * takes at least */

/* An activation that has ended. */
struct loop_frame {
	uint32_t region;	/* trace->region_n: the root */
	size_t depth;		/* 0: the root */
	int64_t begin, end;	/* ns */
	int64_t setup;		/* ns of setup in the stream up to `end`, in which no
				 * program iterates */
	struct loop_call *call;
	size_t call_n, call_cap;
};

struct frames {
	const struct trace *trace;
	struct loop_frame open[FRAMES_DEPTH];
	char *is_setup;		/* by region */
	int any_setup;		/* the trace has such a region */
	int64_t setup;
	int cut;		/* a frame made more calls than FRAMES_CALLS */
	void (*ended)(void *to, const struct loop_frame *f);
	void *to;
};

void frames_init(struct frames *f, const struct trace *t, void (*ended)(void *to, const struct loop_frame *f), void *to);
void frames_release(struct frames *f);
/* For the functions of a callstack_watch, for all frames below FRAMES_DEPTH. */
void frames_begin(struct frames *f, uint32_t region, size_t depth, int64_t time);
void frames_end(struct frames *f, size_t depth, int64_t time);

/* The frames of a stream that an index keeps. */
struct frames_kept {
	struct loop_frame *v;	/* in order of their ends */
	size_t v_n, v_cap;
	int64_t end;		/* of the process: open frames ended here */
	int64_t need;		/* if the process takes longer, no other frame takes FRAMES_SHARE
				 * of the time without setup */
	int cut;		/* as in struct frames */
	uint64_t folded;	/* records of folded calls in the stream */
	uint64_t *most;		/* by region: limit of the number of calls from a single other
				 * frame */
};
void frames_kept_release(struct frames_kept *k);

/* Selects the frames to keep while a stream is played. */
struct frames_keeper;
/*
 * keep: called with each frame to keep, which is borrowed. frames_keeper_free() frees the result.
 */
struct frames_keeper *frames_keeper_new(const struct trace *t, uint32_t stream, void (*keep)(void *to, const struct loop_frame *f),
					void *to);
void frames_keeper_state(struct frames_keeper *k, const struct event_state *s);
void frames_keeper_play(struct frames_keeper *k, const struct event_batch *b);
/*
 * The stream ends. calls: of each region in the whole stream. Returns the limits for all other
 * frames, without v; the keeper owns them.
 */
const struct frames_kept *frames_keeper_finish(struct frames_keeper *k, const uint64_t *calls);
void frames_keeper_free(struct frames_keeper *k);

#endif
