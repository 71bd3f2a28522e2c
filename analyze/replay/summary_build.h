/*
 * summary_build.h: plays streams once and hands out what their chunks add up to (summary.h), so that it can be kept.
 */
#ifndef SUMMARY_BUILD_H
#define SUMMARY_BUILD_H

#include "analyze/window/loop_frames.h"
#include "analyze/summary/summary.h"

/*
 * Summaries of a program that never calls the same way twice would be as large as its trace, and all of them at once larger than
 * memory: at most this number of different call paths, counters of them and stacks of samples are kept.
 */
#define DIGEST_MOST 262144
#define DIGEST_TOO_MUCH 2

struct summary_sink {
	/* Chunk k of the stream, counted from 0, is about to begin. 1: a summary may end here. */
	int (*wants)(void *to, size_t k);
	/* What lies between chunk `first` and chunk `end`. Not 0: no more is handed out. */
	int (*take)(void *to, const struct summary *s, size_t first, size_t end);
	/* A frame that is worth keeping has ended. */
	void (*keep)(void *to, const struct frame *f);
	/* No more will come, and these are the names of all, and what is known of frames besides (of a process: NULL). */
	int (*finish)(void *to, const struct summary_names *names, size_t chunks,
		      const struct frames_kept *rest);
	void *to;
};

/* A stream that is played. */
struct summary_job {
	uint32_t stream;
	const struct summary_sink *sink; /* NULL: only its memory matters */
	int code;		/* 0, what the sink returned, or DIGEST_TOO_MUCH */
};

/* Streams of one process, which are played once. */
struct summary_jobs {
	const struct trace_ops *ops; /* that read the trace: those of its format, where it may have others now */
	struct summary_job *v;	/* streams whose format has chunks with states */
	size_t n;
	struct summary_job *memory; /* of the process; NULL: not needed. Its stream is not used */
	void (*tick)(void *to);	/* called now and then; NULL: not called */
	void *tick_to;
};

/*
 * Summaries of a stream end only where the state of a chunk is what had been played up to there and recording is on; the last chunk
 * belongs to none.
 *
 * Those of the memory of a process, of which v has all streams with memory then, have levels only, end between two moments, and reach
 * from its first change to near its end. The argument of wants() is how many states its streams had met since the last one ended;
 * `first` and `end` of take() and the chunks of finish() are such states too, counted from the beginning. Its code is not 0 as well if
 * states of the streams disagree with the events before them, so that levels depend on where reading begins.
 *
 * Returns 0 or a negative code.
 */
int summary_build_all(struct trace *t, uint32_t process, const struct summary_jobs *jobs,
		      struct error *e);

#endif
