/*
 * loop_frames.h: what activations of regions called, in which loops are looked for (loop.h): those near the root. Those that take much
 * of the time of their process can be kept, with what has to be known of the others, so that loops are found without reading.
 */
#ifndef LOOP_FRAMES_H
#define LOOP_FRAMES_H

#include "analyze/window/loop.h"
#include "analyze/stream/callstack.h"

#define FRAMES_DEPTH 16		/* frames in which loops are looked for */
#define FRAMES_CALLS (1u << 20) /* calls of one frame that are looked at */
#define FRAMES_SHARE 0.3	/* of its process's time: what a loop takes whose head is not named */

/* An activation that has ended. */
struct frame {
	uint32_t region;	/* trace->region_n: the root */
	size_t depth;		/* the root's is 0 */
	int64_t begin, end;	/* ns */
	int64_t setup;		/* ns up to here in which no program iterates */
	struct loop_call *call;
	size_t call_n, call_cap;
};

struct frames {
	const struct trace *trace;
	struct frame open[FRAMES_DEPTH];
	char *is_setup;		/* by region */
	int any_setup;		/* is there such a region? */
	int64_t setup;
	int cut;		/* some called more than was looked at */
	void (*ended)(void *to, const struct frame *f);
	void *to;
};

void frames_init(struct frames *f, const struct trace *t, void (*ended)(void *to, const struct frame *f), void *to);
void frames_release(struct frames *f);
/* As a machine's watch tells it, of all frames below FRAMES_DEPTH. */
void frames_begin(struct frames *f, uint32_t region, size_t depth, int64_t time);
void frames_end(struct frames *f, size_t depth, int64_t time);

/* What a stream has of frames. */
struct frames_kept {
	struct frame *v;	/* by end */
	size_t v_n, v_cap;
	int64_t end;		/* of the process, where what was open ended */
	int64_t need;		/* where the process takes longer, no other frame takes FRAMES_SHARE of what is no setup */
	int cut;		/* as in struct frames */
	uint64_t folded;	/* records of folded calls in the stream */
	uint64_t *most;		/* by region: how often the other frames called it at most */
};
void frames_kept_release(struct frames_kept *k);

/* Chooses the frames to keep, while a stream is played in whatever pieces. */
struct frames_keeper;
/* keep: called with each frame that is to be kept, which is borrowed. */
struct frames_keeper *frames_keeper_new(const struct trace *t, uint32_t stream, void (*keep)(void *to, const struct frame *f),
					void *to);
void frames_keeper_state(struct frames_keeper *k, const struct event_state *s);
void frames_keeper_play(struct frames_keeper *k, const struct event_batch *b);
/* The stream ends. calls: of each region in all of it. The rest of what is known, without v; it is the keeper's. */
const struct frames_kept *frames_keeper_finish(struct frames_keeper *k, const uint64_t *calls);
void frames_keeper_free(struct frames_keeper *k);

#endif
