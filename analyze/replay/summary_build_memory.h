/*
 * summary_build_memory.h: makes summaries of the memory of a process while its streams are played.
 */
#ifndef SUMMARY_BUILD_MEMORY_H
#define SUMMARY_BUILD_MEMORY_H

#include "analyze/replay/summary_build_types.h"
#include "analyze/summary/live_memory.h"

struct memory_build {
	struct summary_job *job;
	struct counters counters;
	struct live_memory levels;	/* to which the streams add their changes */
	struct summary summary;		/* the open summary */
	struct level *base;		/* by row: level when the summary began */
	int64_t last;			/* ns: time of the last change */
	uint64_t traffic;
	size_t states, first;		/* number of states so far, and when the summary began */
	int begun;
	size_t asked;			/* number of states at the last call of wants(), */
	int any_asked, wanted;		/* whether it was called since the summary began, and its
					 * result */
};

void memory_build_init(struct memory_build *d, struct trace *t, struct summary_job *job);
/* All streams have been played. whole: all states agreed with the events before them. */
void memory_build_finish(struct memory_build *d, int whole);
void memory_build_release(struct memory_build *d);

#endif
