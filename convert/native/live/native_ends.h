/* native_ends.h: how the processes of a run ended, and the closing line of the run. */
#ifndef NATIVE_ENDS_H
#define NATIVE_ENDS_H

#include "analyze/trace/trace.h"
#include "convert/native/live/run_processes.h"

/*
 * Opens the table of the run's processes, for writing if it can be written. 0, or -1: there is none, and *out has no rows. The
 * caller closes it in either case.
 */
int native_table_open(const struct trace *t, struct run_processes *out);

/*
 * Fills in how each process ended (trace_process), names in notes those that did not end by themselves, and those that MPI
 * started and that are not in the run. closing: notes native_closing(), too.
 */
void native_ends(struct trace *t, struct run_processes *table, int closing);
/*
 * Calls the callback with a sentence, which is borrowed, for each process that did not end by itself, and, if there is one, for
 * those that exited with an error: 10 at most, then with the number of the others. Then for the processes that MPI started and
 * that are not in the run.
 */
void native_ends_each(const struct trace *t, void (*print)(void *to, const char *sentence),
		      void *to);
/*
 * The closing line of a run whose tau-record was killed before it printed the line. The caller frees it; NULL: there is none to
 * print. It is returned once, which the table of the run records; each time if that cannot be written, or if it is unknown
 * whether a process of another host still runs.
 */
char *native_closing(const struct trace *t);
/*
 * Processes, events, sizes of files and lost events: "4 processes, 123 events, 4.70 MiB and 1.20 MiB in 2 .live files, 0 lost". The
 * caller frees it.
 */
char *native_totals(const struct trace *t);

/*
 * Gives the processes of a job in which nothing has defined ranks (its MPI was not recorded) those that the launcher gave them; not if
 * they started others, which may be what the ranks are.
 */
void native_ends_ranks(struct trace *t, const struct run_processes *table);

#endif
