/* memory_time.h: live memory of one run over time: the run cut into slices, and what is live at the
 * end of each. */
#ifndef MEMORY_TIME_H
#define MEMORY_TIME_H

#include "analyze/memory/memory.h"
#include "cmd/report/report.h"
#include "cmd/table/table_fields.h"

#define MEMORY_SLICES 120 /* of equal length */

struct memory_time {
	struct memory **slice; /* MEMORY_SLICES or a divisor of it: the last of each as many slices of the run, as a run */
	double *end_us;        /* since the start of the run */
	size_t n;
	struct memory_series live; /* live bytes by slice, partitioned as requested */
	double *all, *peak; /* by slice: live bytes of everything at its end, the most inside it
			       (sums over PEs) */
};

/*
 * Fills each t[i] with t[i].n slices of the run at path; its other fields must be 0. The run is read once. The memory of a process
 * that ends inside a slice is live until the end of the slice. n becomes 0 if the run has no time (profiles, a trial) or no memory.
 */
void memory_time_load(struct input *in, struct symbols_kept *kept, enum memory_by by,
		      struct memory_time *t, size_t times);
void memory_time_release(struct memory_time *t);

/* The row of that name, or NULL. */
const struct memory_growth *memory_time_row(const struct memory_time *t, const char *name);

/* Numbers of the rows that hold something at some time, the largest at any time first, into row[];
 * returns how many. */
size_t memory_time_rank(const struct memory_time *t, size_t *row);

/* One character a slice, "▁" to "█" of the row's own maximum, " " for nothing; the caller frees it.
 * NULL: no row. */
char *memory_time_spark(const struct memory_time *t, const struct memory_growth *g, int ascii);

/* Its columns. */
extern const struct table_field memory_time_fields[];
/* The table: a row for each slice, with what was live at its end. */
void memory_time_report(const struct memory_time *t, const struct report_options *o,
			const struct report_runs *r, FILE *f, size_t width);

/* Stacked areas: the rows, largest at any time first, and what is left of everything. The end of
 * the run's window is marked; window is what is live then, partitioned in the same way. */
void memory_time_draw(const struct memory_time *t, const struct memory_series *window,
		      const struct report_run *run, size_t pes, size_t top, FILE *f);

#endif
