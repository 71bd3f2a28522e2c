/*
 * profile_series.h: profiles of several windows of one run as one matrix: the values of each region
 * in each window, over all threads. Regions are timers, or the code that samples found; never both,
 * because samples are part of the timers' times. Idle threads, such as those with which a runtime
 * waits, are reported separately and are not in the values: they are outside of all regions in all
 * windows, or are always in a function without a name in which a library started them. Queues of
 * devices (waiting_threads.h) count in regions that no thread has only.
 */
#ifndef PROFILE_SERIES_H
#define PROFILE_SERIES_H

#include "analyze/profile/profile.h"

struct timeline_cell {
	uint32_t region, threads;	/* threads: that have the region in the window */
	double calls, excl, incl;	/* sums over threads; of the first metric, us if it is a time; excl
					 * and incl are 0 if there is no metric */
};

struct timeline_region {
	char *name, *groups;
	double excl;		/* over all windows */
};

struct timeline_window {
	char *name;		/* NULL: the whole run */
	double begin_us, end_us;	/* since the start of the run; end < begin: unknown */
	double excl;		/* sum over all regions */
	struct timeline_cell idle;	/* idle threads; if all threads would be idle, none is */
	size_t cell, cell_n;	/* index of its first cell, and number of cells; by ascending
				 * region */
};

struct timeline {
	struct timeline_window *window;
	size_t window_n, window_cap;
	struct timeline_region *region;	/* most exclusive time first */
	size_t region_n, region_cap;
	struct timeline_cell *cell;
	size_t cell_n, cell_cap;
	char *counts;		/* name of the first metric, if it is not a time; otherwise NULL */
	uint32_t idle_most;	/* number of idle threads, in the window with most of them */
	size_t left_out;	/* excluded rows of the other kind: of samples, or of timers */
	/* While it is made: */
	enum profile_timer_kind kind;
	struct waiting *waiting;
	struct names name;	/* of regions, in order of first use */
	uint32_t *at;		/* by region: 1 + its cell in the window that is being added; 0:
				 * none so far */
	size_t at_n, at_cap;
};

/*
 * kind: TIMER_MEASURED, or TIMER_SAMPLE for the code that samples found. Call timeline_look() for
 * all windows first, then timeline_add() for all, in the same order, then timeline_end(). All
 * windows have the same metrics. The caller keeps the profiles; s keeps only its cells. Release s.
 */
void timeline_begin(struct timeline *s, enum profile_timer_kind kind);
void timeline_look(struct timeline *s, const struct profile *p);
void timeline_add(struct timeline *s, struct profile *p);
void timeline_end(struct timeline *s);
void timeline_release(struct timeline *s);

/*
 * Are the windows in order of time, without overlap, so that they can be drawn along an axis of
 * time?
 */
int timeline_in_order(const struct timeline *s);

/* The cell of a region in a window; NULL: no thread has the region there. */
const struct timeline_cell *timeline_cell(const struct timeline *s, size_t window, size_t region);

#endif
