/*
 * summary_build.h: plays a stream once and hands out what its chunks add up to (summary.h), so that it can be kept.
 */
#ifndef SUMMARY_BUILD_H
#define SUMMARY_BUILD_H

#include "analyze/window/loop_frames.h"
#include "analyze/summary/summary.h"

/*
 * Sums of a program that never calls the same way twice would be as large as its trace, and all of them at once larger than memory:
 * so many different call paths, counters of them and stacks of samples are kept, and no more.
 */
#define DIGEST_MOST 262144
#define DIGEST_TOO_MUCH 2

struct summary_sink {
	const struct trace_ops *ops;	/* by which the trace is read: those of its format, where it may have others now */
	/* Chunk k of the stream, counted from 0, is about to begin. 1: a stretch may end here. */
	int (*wants)(void *to, size_t k);
	/* What lies between chunk `first` and chunk `end`. Not 0: it goes no further. */
	int (*take)(void *to, const struct summary *s, size_t first, size_t end);
	/* A frame that is worth keeping has ended. */
	void (*keep)(void *to, const struct frame *f);
	/* No more will come, and these are the names of all, and what is known of frames besides (of a process: NULL). */
	int (*finish)(void *to, const struct summary_names *names, size_t chunks,
		      const struct frames_kept *rest);
	void *to;
	void (*tick)(void *to);	/* called now and then; NULL: nobody wants to know */
	void *tick_to;
};

/*
 * Plays a stream whose format has chunks with states. DIGEST_TOO_MUCH: see above. Stretches end only where the state of a chunk is what had been
 * played up to there and recording is on; the last chunk belongs to none. Returns 0, what the sink returned, or a
 * negative code.
 */
int summary_build_stream(struct trace *t, uint32_t stream, const struct summary_sink *sink,
			 struct error *e);

/*
 * The same of the memory of a process: stretches have levels only, end between two moments, and reach from its first change
 * on to near its end. What wants() is told is how many states its streams had met since the last one ended; `first` and `end` of
 * take() and the chunks of finish() are such states too, counted from the beginning. Not 0 as well where states of the streams say
 * something else than the events before them, so that levels depend on where one begins to read.
 */
int summary_build_memory(struct trace *t, uint32_t process, const struct summary_sink *sink,
			 struct error *e);

#endif
