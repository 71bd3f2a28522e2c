/*
 * run_matrix.h: what each region took in each of several runs, with the regions of one run matched to those of the others.
 *
 * A region of a run is, in this order:
 *	1. the known region with the same name;
 *	2. the known region that had this name in an earlier run;
 *	3. of the regions that both sides still lack: those of one family (name_family.h), if both sides have equally many of
 *	   them, in the order of the numbers in their names, as a function with two loops keeps both when lines are added above;
 *	4. a region that earlier runs lack.
 * Call paths are matched region by region. Threads that only wait (waiting_threads.h) are excluded.
 */
#ifndef RUN_MATRIX_H
#define RUN_MATRIX_H

#include "analyze/profile/region_rows.h"

enum run_rows { RUN_REGIONS, RUN_PATHS, RUN_GROUPS };

struct run_cell {
	double calls, excl, incl;	/* sums over threads, of one metric; incl of a group is NaN */
	uint32_t threads;		/* that have it; 0: the run lacks it */
};

struct run_row {
	uint32_t timer;		/* number of its region */
	uint32_t parent;	/* row of the path that it is under, or PROFILE_FLAT */
	char *name;		/* of the first run that has it: "a => b" */
};

struct run_column {
	struct run_cell *cell;	/* by row, cell_n of them: later rows are not in this run */
	size_t cell_n;
	char **as;		/* by timer: its name in this run, NULL: the same as in run_row */
	size_t as_n;
	size_t pes, threads;	/* threads that count */
	double excl;		/* of all rows */
	double elapsed;		/* largest inclusive value of a thread: how long the run took */
	char *elapsed_in;	/* the region that has it, or NULL */
};

struct run_matrix {
	enum run_rows by;
	enum profile_timer_kind kind;
	struct run_row *row;
	size_t row_n, row_cap;
	struct run_column *run;
	size_t run_n, run_cap;
	/* While it is made: */
	struct names timer, alias;	/* names of regions; every name that one has had */
	char **group;			/* by timer */
	size_t group_n, group_cap;
	uint32_t *alias_of;
	size_t alias_of_n, alias_of_cap;
	struct map paths;		/* (parent, timer) */
};

/* kind: TIMER_MEASURED, or TIMER_SAMPLE for the code that samples found. */
void run_matrix_begin(struct run_matrix *m, enum run_rows by, enum profile_timer_kind kind);
/* Adds one run; p stays the caller's. metric: its number in p. O(rows log rows). */
void run_matrix_add(struct run_matrix *m, const struct profile *p, size_t metric);
void run_matrix_release(struct run_matrix *m);

/* Never NULL; threads is 0 if the run lacks the row. */
const struct run_cell *run_matrix_cell(const struct run_matrix *m, size_t row, size_t run);
/* The name that the row has in this run, if it is another one than row[].name; to be freed. Otherwise NULL. */
char *run_matrix_other_name(const struct run_matrix *m, size_t row, size_t run);
/* Groups of the innermost region of a row, "" when none. */
const char *run_matrix_groups(const struct run_matrix *m, size_t row);

#endif
