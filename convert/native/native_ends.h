/* native_ends.h: how the processes of a run ended, and the closing line of the run. */
#ifndef NATIVE_ENDS_H
#define NATIVE_ENDS_H

#include "analyze/trace/trace.h"

/*
 * Fills how each process ended (trace_process), names in notes those that did not end by themselves, and those that MPI started and
 * that are not in the run. closing: notes native_closing(), too.
 */
void native_ends(struct trace *t, int closing);
/*
 * Calls the callback with a sentence for each process of the run that did not end by itself, or
 * that is not in the run.
 */
void native_ends_say(const struct trace *t, void (*say)(void *to, const char *sentence), void *to);
/*
 * The closing line of a run whose tau-record was killed before it printed the line; it is returned
 * only once. The caller frees it; NULL: there is none to print.
 */
char *native_closing(const struct trace *t);
/* "4 processes, 123 events, 4.7 MB and 1.2 MB in 2 .live files, 0 lost": to be freed. */
char *native_totals(const struct trace *t);
/* "4.7 MB" */
const char *native_bytes(double bytes, char out[32]);

#endif
