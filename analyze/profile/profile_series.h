/*
 * profile_series.h: profiles of several windows of one run as one matrix: what each region took in each window, over all threads.
 * Regions are timers, or what samples found; never both, as samples are part of the timers' times. Threads that are in no region
 * in any of the windows, or all the time in a function without a name that a library started them with, such as those with which
 * a runtime waits, stand apart: their time is nobody's.
 */
#ifndef PROFILE_SERIES_H
#define PROFILE_SERIES_H

#include "analyze/profile/profile.h"

struct timeline_cell {
	uint32_t region, threads;	/* that have the region in the window */
	double calls, excl, incl;	/* sums over threads; us of the first metric */
};

struct timeline_region {
	char *name, *groups;
	double excl;		/* over all windows */
};

struct timeline_window {
	char *name;		/* NULL: everything */
	double begin_us, end_us;	/* since the start of the run; end < begin: unknown */
	double excl;		/* of all regions */
	struct timeline_cell idle;	/* threads that stand apart; where all would, none does */
	size_t cell, cell_n;	/* its cells: from this one on, ascending regions */
};

struct timeline {
	struct timeline_window *window;
	size_t window_n, window_cap;
	struct timeline_region *region;	/* most exclusive time first */
	size_t region_n, region_cap;
	struct timeline_cell *cell;
	size_t cell_n, cell_cap;
	char *counts;		/* name of the first metric, where its values are no times; otherwise NULL */
	uint32_t idle_most;	/* such threads, in the window that has most */
	size_t left_out;	/* rows of the other kind: of samples, or of timers */
	/* While it is made: */
	enum profile_timer_kind kind;
	struct waiting *waiting;
	struct names name;	/* of regions, in the order they were met */
	uint32_t *at;		/* by region: 1 + its cell in the window that is being added; 0: none yet */
	size_t at_n, at_cap;
};

/*
 * kind: TIMER_MEASURED, or TIMER_SAMPLE for the code that samples found. All windows are looked at first, then all are
 * added, in order; the profiles stay the caller's, and nothing is kept of them but the cells.
 */
void timeline_begin(struct timeline *s, enum profile_timer_kind kind);
void timeline_look(struct timeline *s, const struct profile *p);
void timeline_add(struct timeline *s, struct profile *p);
void timeline_end(struct timeline *s);
void timeline_release(struct timeline *s);

/* Do the windows follow each other in time without overlap, so that they can stand along an axis of it? */
int timeline_in_order(const struct timeline *s);

/* Of a region in a window; NULL: no thread has it there. */
const struct timeline_cell *timeline_cell(const struct timeline *s, size_t window, size_t region);

#endif
