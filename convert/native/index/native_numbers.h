/*
 * native_numbers.h: files beside the first stream of a run with what was found out about all of its streams, as numbers: STREAM.cuts, where a
 * pass over its messages can begin (analyze/messages/cuts.h), STREAM.rows, what rows of many streams do (analyze/messages/row_cells.h),
 * STREAM.path and STREAM.waits, the critical path and the waits of the whole run (analyze/messages/kept_whole.h).
 * They are made from the trace, are valid as long as no file of it changes, and can be deleted at any time. tau-trace(5) describes the formats.
 */
#ifndef NATIVE_NUMBERS_H
#define NATIVE_NUMBERS_H

#include "analyze/trace/trace.h"

#define CUTS_MAGIC  "TAUXCUTS"
#define CUTS_SUFFIX ".cuts"
#define ROWS_MAGIC  "TAUXROWS"
#define ROWS_SUFFIX ".rows"
#define PATH_MAGIC  "TAUXPATH"
#define PATH_SUFFIX ".path"
#define WAITS_MAGIC "TAUXWAIT"
#define WAITS_SUFFIX ".waits"
#define NUMBERS_MAJOR 1

/* As TRACE_INDEX_NUMBERS and TRACE_INDEX_NUMBERS_KEEP have it. */
int native_numbers_get(struct trace *t, struct trace_index *x);
int native_numbers_keep(struct trace *t, const struct trace_index *x);

#endif
