/*
 * timeline.h: profiles of several windows of one run as one matrix: what each region took in each window, over all threads.
 * Regions are timers, or what samples found; never both, as samples are part of the timers' times. Threads that are in no region
 * in any of the windows, or all the time in a function without a name that a library started them with, such as those with which
 * a runtime waits, stand apart: their time is nobody's.
 */
#ifndef TIMELINE_H
#define TIMELINE_H

#include "profile.h"

struct timeline_cell {
	uint32_t threads;	/* that have the region in the window; 0: none has */
	double calls, excl, incl;	/* sums over threads; us of the first metric */
};

struct timeline_region {
	const char *name, *groups;	/* of the profiles */
	double excl;		/* over all windows */
};

struct timeline {
	struct profile *const *profile;	/* by window */
	size_t window_n;
	struct timeline_region *region;	/* most exclusive time first */
	size_t region_n, region_cap;
	struct timeline_cell *cell;	/* [window * region_n + region] */
	double *excl;		/* by window: of all regions */
	struct timeline_cell *idle;	/* by window: of threads that stand apart; where all would, none does */
	uint32_t idle_most;	/* such threads, in the window that has most */
	size_t left_out;	/* rows of the other kind: of samples, or of timers */
};

/*
 * kind: TIMER_MEASURED, or TIMER_SAMPLE for the code that samples found. The profiles stay the caller's and have to last as
 * long.
 */
void timeline_make(struct timeline *s, struct profile *const *p, size_t n, enum profile_timer_kind kind);
void timeline_release(struct timeline *s);

/* Do the windows follow each other in time without overlap, so that they can stand along an axis of it? */
int timeline_in_order(const struct timeline *s);

static inline const struct timeline_cell *timeline_cell(const struct timeline *s, size_t window, size_t region)
{
	return &s->cell[window * s->region_n + region];
}

#endif
