/*
 * region_rows.h: sums up a profile by region or call path over all threads: the total, the mean per
 * thread, and the thread with the largest value.
 *
 *	mean = exclusive of compared threads / their number	imbalance = largest / mean, 1 if all threads have the same
 *
 * Mean and largest are those of compared threads (compared_threads.h), as in reports about imbalance.
 * A thread that mostly waits (waiting_threads.h) is compared only if it has the row.
 */
#ifndef REGION_ROWS_H
#define REGION_ROWS_H

#include "analyze/profile/compared_threads.h"

struct region_row {
	uint32_t path;
	uint32_t threads;	/* number of threads that have the row */
	uint32_t compared;	/* number of threads that are compared; those without the row have 0 */
	uint32_t largest_at;	/* index of the compared thread with the largest exclusive value */
	double calls, subrs;	/* sums over threads */
	double squares;		/* of profile_squared(), over threads; NaN: unknown */
	double excl, incl;	/* sums over threads of one metric, in its unit; NaN: the profile
				 * has no metric */
	double compared_excl;	/* the part of excl that compared threads have */
	double largest;		/* exclusive value of thread largest_at; NaN: no thread is compared */
};

enum region_rows_which {
	ROWS_FLAT,	/* one row per region */
	ROWS_PATHS,	/* one per call path; a region at the end of no call path has its flat
			 * row */
	ROWS_ALL,	/* both */
	ROWS_UNSORTED,	/* both, in the order of the paths */
};

struct region_rows {
	struct region_row *v;	/* by kind, then largest exclusive value first, equal ones by name;
				 * not for ROWS_UNSORTED */
	size_t v_n, v_cap;
	size_t kind_n[TIMER_STACK + 1];	/* rows of each kind, in their order in v */
	double whole[TIMER_STACK + 1];	/* exclusive sum of each kind, in which each time is
					 * counted once: the base of percentages */
	size_t paths;	/* number of call paths with rows, also if they are not in v */
	uint32_t threads, waiting;	/* real threads that count, and those that mostly wait */
	uint32_t did;			/* of those that mostly wait, the threads that did something */
	uint32_t queues;		/* queues of devices that are excluded */
};

/*
 * One metric of p; waiting: threads whose waiting is excluded. O(rows + paths log paths) in time, O(paths) in memory.
 * Release r.
 */
void region_rows_make(struct region_rows *r, const struct profile *p, const struct waiting *waiting, size_t metric,
		      enum region_rows_which which);
/*
 * The same for lists that show threads and devices together: regions that only queues of devices have (waiting_device_timers()) have
 * rows, too: sums over queues. They have no compared threads.
 */
void region_rows_with_devices(struct region_rows *r, const struct profile *p, const struct waiting *waiting, size_t metric,
			      enum region_rows_which which);
/* The same for a single thread. */
void region_rows_thread(struct region_rows *r, const struct profile *p, uint32_t thread, size_t metric,
			enum region_rows_which which);
void region_rows_release(struct region_rows *r);

enum region_rows_key {
	ROWS_BY_EXCLUSIVE,
	ROWS_BY_INCLUSIVE,
	ROWS_BY_CALLS,
	ROWS_BY_MEAN,
	ROWS_BY_LARGEST,
	ROWS_BY_IMBALANCE,
	ROWS_BY_NAME,
	ROWS_KEYS
};
/* Their names on a command line: "exclusive" ... */
extern const char *const region_rows_keys[ROWS_KEYS];
/*
 * Sorts the rows of each kind: the largest first, missing values last, equal ones by name; names
 * from a to z.
 */
void region_rows_sort(struct region_rows *r, const struct profile *p, enum region_rows_key key);

/* Index of the first row of a kind. */
size_t region_rows_first(const struct region_rows *r, enum profile_timer_kind kind);

static inline double region_row_mean(const struct region_row *r)
{
	return r->compared_excl / r->compared;
}

static inline double region_row_imbalance(const struct region_row *r)
{
	return r->largest / region_row_mean(r);
}

#endif
