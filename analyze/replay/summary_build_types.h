/* summary_build_types.h: what summaries of a stream are built for. */
#ifndef SUMMARY_BUILD_TYPES_H
#define SUMMARY_BUILD_TYPES_H

#include "analyze/window/loop_frames.h"
#include "analyze/summary/summary.h"

/*
 * If a program never repeats a call path, its summaries would be as large as its trace, and all of
 * them together larger than memory. So this is the limit of different call paths, counters by path
 * and stacks of samples.
 */
#define DIGEST_MOST 262144
#define DIGEST_TOO_MUCH 2

struct summary_sink {
	/* Chunk k of the stream, from 0, begins. Returns 1 if a summary may end here. */
	int (*wants)(void *to, size_t k);
	/*
	 * Receives the summary of chunks [first, end), borrowed during the call. Any value other
	 * than 0: no more are needed.
	 */
	int (*receive)(void *to, const struct summary *s, size_t first, size_t end);
	/* Receives a frame that is worth keeping, which has ended. */
	void (*keep)(void *to, const struct loop_frame *f);
	/*
	 * All is passed on: the names that all summaries use, and the other data of frames (NULL
	 * for a process).
	 */
	int (*finish)(void *to, const struct summary_names *names, size_t chunks,
		      const struct frames_kept *rest);
	void *to;
};

/* A stream to play. */
struct summary_job {
	uint32_t stream;
	const struct summary_sink *sink; /* NULL: only its memory is needed */
	int code;		/* 0, what the sink returned, or DIGEST_TOO_MUCH */
};

/* Streams of one process, which are played once. */
struct summary_jobs {
	const struct trace_ops *ops; /* the operations of its format, also if the trace has other
				      * ones now */
	struct summary_job *v;	/* streams whose format has chunks with states */
	size_t n;
	struct summary_job *memory; /* for the memory of the process; NULL: not needed. Its field
				     * `stream` is not used */
	void (*tick)(void *to);	/* called now and then, to show progress; NULL: not called */
	void *tick_to;
};

#endif
