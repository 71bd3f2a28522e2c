/*
 * profile_table.h: the table of regions or call paths over all threads (analyze/profile/region_rows.h) that people read, for every
 * command that prints it.
 */
#ifndef PROFILE_TABLE_H
#define PROFILE_TABLE_H

#include "analyze/profile/region_rows.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"
#include "cmd/table/table_unit.h"

/* All times of a table have one unit, so that they take few digits and nanoseconds remain where they matter. */
struct profile_unit {
	const char *name;	/* NULL: a count */
	double size;		/* in microseconds */
	int precision;
};

/* The column of sums of squares of a table whose rows are of this type. Further members of the column follow. */
#define PROFILE_SQUARES(type, ...)                                                                 \
	{                                                                                          \
		FIELD(type, squares), TABLE_NUMBER, "sum_excl_sqr_us2", "SumExclSqr", "us^2",      \
			.meaning = "with --squares, for which each record is read: sum over the "  \
				   "calls of their squared exclusive time; missing where it is "   \
				   "unknown",                                                      \
			.source = "TAU", __VA_ARGS__                                               \
	}

/* What a table is about. */
struct profile_table {
	const struct profile *p;
	const struct region_rows *r;
	enum profile_timer_kind kind;
	size_t metric;
	struct profile_unit unit;
	int paths;	/* call paths, not regions */
	int one;	/* thread */
	int threads;	/* a process has several threads: its threads have numbers */
	int squares;	/* with sums of squares */
	const double *least, *most; /* by path: exclusive time without the cost of recording;
				     * NULL: not computed */
};

/* What mean and largest are, in a line below the table. */
#define PROFILE_TABLE_COMPARED "mean and largest are exclusive; a process without the row counts as 0."

struct profile_unit profile_unit_of(const struct profile *p, const struct region_rows *r, size_t metric);
/* Of values of which the largest is known. */
struct profile_unit profile_unit_for(const struct profile *p, size_t metric, double largest, int whole);
/* Is the metric a limit of the time without the cost of recording? */
int profile_is_limit(const struct profile *p, size_t metric);
/* By path: the sum over threads of the exclusive values of the metric of that name, to be freed; NULL: there is none. */
double *profile_limit(const struct profile *p, const char *metric);
/* Does a process have several threads? */
int profile_has_threads(const struct profile *p);
/* Rank, with the number of the thread if threads is set. To be freed. */
char *profile_thread_name(const struct profile_thread *t, int threads);
/* Names of n rows, each to be freed: short, except where two rows would have the same. */
char **profile_table_names(const struct profile_table *a, const struct region_row *row, size_t n);
/* "a => b", without the mark of a sample. To be freed. */
char *profile_table_name(const struct profile_table *a, const struct region_row *r);
/* What shares of a row are of. */
double profile_table_whole(const struct profile_table *a);
/* Its columns. */
extern const struct table_field profile_table_fields[];
/* Columns, then at most top rows of the kind (0: all), in their order. Returns how many. */
size_t profile_table_fill(struct table *t, const struct profile_table *a, size_t top);
/* How many PEs and threads there are, the unit, and what shares are of. */
void profile_table_notes(struct table *t, const struct profile_table *a);
/* The regions of queues of devices, which a->r has alone, with their note: at most top rows (0: all). */
void profile_table_queues(struct table *t, struct profile_table a, size_t top);
/*
 * "ocean (2 processes), air (1 process)": the programs that processes run (programs.h), to be freed; NULL: all run the same. *n:
 * number of programs.
 */
char *profile_programs(const struct profile *p, size_t *n);
/* "RUN, window W (0 s to 242.2 ms)", to be freed. unit: of --unit; NULL: what suits the times. */
char *profile_table_title(const struct profile *p, const struct table_unit *unit);

#endif
