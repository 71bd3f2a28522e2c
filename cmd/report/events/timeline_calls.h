/*
 * timeline_calls.h: tau-report timeline --by call, message, wait, moment and iteration: a row for each of them in the window.
 */
#ifndef TIMELINE_CALLS_H
#define TIMELINE_CALLS_H

#include "analyze/stream/moments.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/table/table_fields.h"

#define TIMELINE_LIST_MOST 2000000 /* rows of a list */
#define TIMELINE_ROWS_TEXT 20

extern const struct table_field timeline_call_fields[], timeline_message_fields[], timeline_wait_fields[],
	timeline_moment_fields[], timeline_iteration_fields[], timeline_row_fields[];

/* Reads the events and prints the rows. */
int timeline_calls(struct report_trace *r, FILE *f, size_t width, struct error *e);
int timeline_messages(struct report_trace *r, FILE *f, size_t width, struct error *e);
int timeline_waits(struct report_trace *r, FILE *f, size_t width, struct error *e);
int timeline_moments(struct report_trace *r, FILE *f, size_t width, struct error *e);
int timeline_iterations(struct report_trace *r, FILE *f, size_t width, struct error *e);

/* timeline_moments.c: those in the window and selection. Release m in any case. */
int timeline_moments_read(struct report_trace *r, struct stream_moments *m, struct error *e);
/* What it is in words; the name is to be freed. */
const char *timeline_moment_kind(const struct stream_moment *m);
char *timeline_moment_name(const struct trace *t, const struct stream_moment *m);

/* What the lists share: */

/* "3", or "3.1" if processes have several threads. free(). */
char *timeline_place(const struct trace *t, uint32_t stream, int threads);
/* An error if a list of n rows is full. */
int timeline_too_many(const struct report_trace *r, size_t n, const char *what, struct error *e);
/* How many of n rows are printed; a remark has how many are not. */
size_t timeline_rows_printed(struct table *t, const struct report_trace *r, size_t n);

#endif
