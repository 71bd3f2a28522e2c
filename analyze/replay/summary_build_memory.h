/* summary_build_memory.h: the memory of a process while its streams are played, as summaries. */
#ifndef SUMMARY_BUILD_MEMORY_H
#define SUMMARY_BUILD_MEMORY_H

#include "analyze/replay/summary_build.h"
#include "analyze/summary/live_memory.h"

struct memory_build {
	struct summary_job *job;
	struct counters counters;
	struct live_memory levels;	/* where the streams add their changes */
	struct summary summary;		/* the one that is open */
	struct level *base;		/* by row: when it began */
	int64_t last;			/* time of the change before */
	uint64_t traffic;
	size_t states, first;		/* states met so far, and up to where the summary began */
	int begun;
	size_t asked;			/* states met when the sink was asked last whether it wants the summary, */
	int any_asked, wanted;		/* whether that was since the summary began, and what it answered */
};

void memory_build_init(struct memory_build *d, struct trace *t, struct summary_job *job);
/* All has been played. whole: states of the streams agreed with the events before them. */
void memory_build_finish(struct memory_build *d, int whole);
void memory_build_release(struct memory_build *d);

#endif
