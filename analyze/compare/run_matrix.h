/*
 * run_matrix.h: the values of each region in each of several runs, with the regions of one run
 * matched to those of the others.
 *
 * A region of a run is the first of these:
 *  1. the known region with the same name;
 *  2. the known region that had this name in an earlier run;
 *  3. a region of the same family (name_family.h), among those that are still unmatched, if both
 *     sides have equally many of them; they are matched in the order of the numbers in their names,
 *     because two loops of a function keep their order if lines are added above;
 *  4. a new region.
 * Call paths are matched region by region. The waiting of threads that mostly wait (waiting_threads.h) is excluded; rows
 * of regions that only queues of devices have are sums over queues.
 */
#ifndef RUN_MATRIX_H
#define RUN_MATRIX_H

#include "analyze/base/map.h"
#include "analyze/profile/region_rows.h"

enum run_rows { RUN_REGIONS, RUN_PATHS, RUN_GROUPS };

struct run_cell {
	double calls, excl, incl;	/* sums over threads, of one metric, in its unit; incl of
					 * a group is NaN */
	uint32_t threads;		/* threads that have the row; 0: the run lacks it */
};

struct run_row {
	uint32_t timer;		/* number of its region */
	uint32_t parent;	/* row of its parent path, or PROFILE_FLAT */
	char *name;		/* in the first run that has it: "a => b" */
};

struct run_column {
	struct run_cell *cell;	/* cell_n, by row; rows with a larger index are not in this run */
	size_t cell_n;
	char **as;		/* by timer: its name in this run; NULL: the same as in run_row */
	size_t as_n;
	size_t pes, threads;	/* those that count */
	double excl;		/* sum over all rows */
	double setup;		/* the part of it in calls that begin or end a runtime (region_sets_up()), with
				 * all that they call, and in the recorder */
	double apart;		/* setup, and the part in calls of MPI, OpenSHMEM and GASPI, with all
				 * that they call */
	double elapsed;		/* largest inclusive value of a thread: the duration of the run */
	char *elapsed_in;	/* the region with that value, or NULL */
};

struct run_matrix {
	enum run_rows by;
	enum profile_timer_kind kind;
	struct run_row *row;
	size_t row_n, row_cap;
	struct run_column *run;
	size_t run_n, run_cap;
	/* While it is made: */
	struct names timer, alias;	/* names of regions; all names that a region has had */
	char **group;			/* by timer */
	size_t group_n, group_cap;
	uint32_t *alias_of;
	size_t alias_of_n, alias_of_cap;
	struct map paths;		/* (parent, timer) */
};

/* kind: TIMER_MEASURED, or TIMER_SAMPLE for code that was found by samples. Release m. */
void run_matrix_begin(struct run_matrix *m, enum run_rows by, enum profile_timer_kind kind);
/* Adds one run; the caller keeps p. metric: its index in p. O(rows log rows). */
void run_matrix_add(struct run_matrix *m, const struct profile *p, size_t metric);
void run_matrix_release(struct run_matrix *m);

/* The cell, borrowed, never NULL; its `threads` is 0 if the run lacks the row. */
const struct run_cell *run_matrix_cell(const struct run_matrix *m, size_t row, size_t run);
/*
 * 1: two runs have the same value, not 0, for the longest thread and the same values in all rows.
 */
int run_matrix_same(const struct run_matrix *m, size_t run, size_t other);
/*
 * The name of the row in this run, if it differs from row[].name; the caller frees it. Otherwise
 * NULL.
 */
char *run_matrix_other_name(const struct run_matrix *m, size_t row, size_t run);
/* Groups of the innermost region of a row, "" if it has none. */
const char *run_matrix_groups(const struct run_matrix *m, size_t row);

#endif
