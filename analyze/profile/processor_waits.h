/*
 * processor_waits.h: how long the threads of a run could run but had no processor, and why.
 *
 *	us = sum of TAU_META_THREAD_TO_RUN_US: the kernel's run_delay (Documentation/scheduler/sched-stats.rst)
 *	at once, of a host = time of its threads that do not only wait, without sleep / (last end - first start of its processes)
 *	at once, of a process = the same / time of the longest
 *
 *	other, of a host = us - time of its n threads * (1 - processors / n), where neither difference is less than 0
 *
 * Of n threads at most n - processors wait for each other, those that mostly do nothing among them: what is above that is because of
 * other work.
 * A host is crowded if more threads run at once than it has processors, a process if more than it may use. A process that
 * may use fewer processors than its host has is named first. Otherwise
 * something else used the processors: another job, or a process that was bound to the same ones.
 */
#ifndef PROCESSOR_WAITS_H
#define PROCESSOR_WAITS_H

#include "analyze/profile/thread_rows.h"

enum processor_crowd {
	CROWD_NONE,		/* other work */
	CROWD_HOST,
	CROWD_PROCESS,
};

struct processor_waits {
	size_t threads;		/* whose waiting is known; 0: the rest is not set */
	double us;
	const char *host;	/* where most of it was; borrowed from the profile; NULL: unknown */
	int32_t node;		/* the process there with most of it */
	enum processor_crowd crowd;
	double at_once;		/* threads, of the host or of the process */
	double processors;	/* that they share; 0: unknown */
	double other;		/* us of us, at least, because of other work on the host; CROWD_HOST only */
};

/* Of a whole run, not of a window. r: made by thread, not by rank, from p. O(threads x metadata). */
void processor_waits_make(struct processor_waits *w, const struct profile *p, const struct thread_rows *r);

#endif
