/*
 * summary_build.h: plays streams once and returns summaries of their chunks (summary.h), so that an
 * index can keep them.
 */
#ifndef SUMMARY_BUILD_H
#define SUMMARY_BUILD_H

#include "analyze/summary/summary.h"
#include "analyze/window/loop_frames.h"
#include "analyze/replay/summary_build_types.h"

/*
 * Summaries of a stream end only at chunks whose state agrees with the events before it while
 * recording is on; the last chunk is in no summary.
 *
 * Summaries of the memory of a process have only levels; v must contain all streams of the process
 * with memory. They end between two moments, and reach from the first change to near the end. For
 * them, the argument of wants() is the number of states in all its streams since the last summary
 * ended; `first` and `end` of take() and the chunks of finish() are also numbers of states, from
 * the beginning. The code is not 0 if states of the streams disagree with the events before them,
 * because then levels depend on where reading begins.
 *
 * Returns 0 or a negative code.
 */
int summary_build_all(struct trace *t, uint32_t process, const struct summary_jobs *jobs,
		      struct error *e);

#endif
