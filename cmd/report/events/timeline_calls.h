/*
 * timeline_calls.h: tau-report timeline --by call, message and wait: a row for each call, message and wait in the window.
 */
#ifndef TIMELINE_CALLS_H
#define TIMELINE_CALLS_H

#include "cmd/report/events/report_trace.h"
#include "cmd/table/table_fields.h"

#define TIMELINE_LIST_MOST 2000000 /* rows of a list */
#define TIMELINE_ROWS_TEXT 20

extern const struct table_field timeline_call_fields[], timeline_message_fields[], timeline_wait_fields[];

/* Reads the events and prints the rows. */
int timeline_calls(struct report_trace *r, FILE *f, size_t width, struct error *e);
int timeline_messages(struct report_trace *r, FILE *f, size_t width, struct error *e);
int timeline_waits(struct report_trace *r, FILE *f, size_t width, struct error *e);

/* What the lists share: */

/* "3", or "3.1" if processes have several threads. free(). */
char *timeline_place(const struct trace *t, uint32_t stream, int threads);
/* An error if a list of n rows is full. */
int timeline_too_many(const struct report_trace *r, size_t n, const char *what, struct error *e);
/* How many of n rows are printed; a remark has how many are not. */
size_t timeline_rows_printed(struct table *t, const struct report_trace *r, size_t n);

#endif
