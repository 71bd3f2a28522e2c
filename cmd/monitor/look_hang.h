/*
 * look_hang.h: which threads of a run wait for whom, and which of them for what can never come, as tau-report hang(1) has it.
 *
 * All events are read for it, so it is found again at most that often that it costs a twentieth of the time; in between, what was found
 * last is kept. A long run is looked at only on request, or if no thread has recorded anything for a while.
 */
#ifndef LOOK_HANG_H
#define LOOK_HANG_H

#include "analyze/trace/trace.h"
#include "cmd/table/table.h"

struct look_hang {
	int stuck;	 /* threads have waited for a second or longer for what can never come */
	int still;	 /* none is, but no thread has recorded an event for some seconds */
	int ended;	 /* no process runs any more: all this was so at the end */
	double stuck_s;	 /* for how long all of them have waited; NaN: stuck is 0 */
	double still_s;	 /* since the last event of any thread; NaN: no process runs */
	double at_s;	 /* the moment of all this, s since the run began */
	size_t blocked, waiting, computing, gone; /* threads: the last ones have ended */
	char *sentence;			 /* who waits for whom */
	struct table *people, *programs; /* the rows (hang_table.h) */
};

/* What is kept from look to look. Zero it first. */
struct hang_watch {
	struct look_hang *found; /* the last one; NULL: none so far */
	int64_t next_ns;	 /* by now_ns(): not before */
	double records;		 /* of the run, when it was found */
	size_t running;		 /* processes, likewise */
};

/* requested: it is shown now. After it, w->found is what a look has; a failure leaves the one before. */
void look_hang(struct hang_watch *w, struct trace *t, int requested);
void hang_watch_release(struct hang_watch *w);

/* "stuck for 8.1 s: deadlock: ..." for a line; NULL: there is nothing to report. To be freed. */
char *look_hang_alarm(const struct look_hang *h);

#endif
