/*
 * native_cuts.h: STREAM.cuts beside the first stream of a run: where a pass over its messages can begin (analyze/messages/cuts.h), as
 * numbers. It is made from the trace, is valid as long as no file of it changes, and can be deleted at any time. tau-trace(5) describes the
 * format.
 */
#ifndef NATIVE_CUTS_H
#define NATIVE_CUTS_H

#include "analyze/trace/trace.h"

#define CUTS_MAGIC  "TAUXCUTS"
#define CUTS_SUFFIX ".cuts"
#define CUTS_MAJOR  1

/* As TRACE_INDEX_CUTS and TRACE_INDEX_CUTS_KEEP have it. */
int native_cuts_get(struct trace *t, struct trace_index *x);
int native_cuts_keep(struct trace *t, const struct trace_index *x);

#endif
