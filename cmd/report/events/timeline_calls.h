/* timeline_calls.h: tau-report timeline --by call and --by message: a row for each call, and for each message, in the window. */
#ifndef TIMELINE_CALLS_H
#define TIMELINE_CALLS_H

#include "cmd/report/events/report_trace.h"
#include "cmd/table/table_fields.h"

extern const struct table_field timeline_call_fields[], timeline_message_fields[];

/* Reads the events and prints the rows. */
int timeline_calls(struct report_trace *r, FILE *f, size_t width, struct error *e);
int timeline_messages(struct report_trace *r, FILE *f, size_t width, struct error *e);

#endif
