/*
 * clocks.h: checks whether the clocks of a trace's processes agree, and corrects times. A message
 * cannot be received before it was sent, and a process cannot leave a collective operation before
 * the processes on which it depends have entered it (collective.h). If the times of a trace
 * contradict this, one of the clocks is wrong. The controlled logical clock (R. Rabenseifner, 1997)
 * corrects the times: it moves a receive that is too early to the time of its send, and a leave that
 * is too early to that of the last enter for which it waits, and moves the following events of that
 * process with it; the shift then decreases by a hundredth of the time that passes. The order of
 * events inside a process, calls and messages do not change.
 *
 * The n-th message of a sender to a receiver with one tag in one communicator belongs to the n-th
 * receive. The n-th calls of all processes to operations of a communicator belong together, as long
 * as all its processes are in the trace and agree about the operation. Communicators of the same
 * name and members count as one, because traces may not distinguish them: their operations have the
 * same order in all processes, or the program could deadlock. This is not certain if several
 * threads of a process call them; then they are excluded. Operations between the two groups of an
 * intercommunicator are excluded, too.
 */
#ifndef CLOCKS_H
#define CLOCKS_H

#include "analyze/trace/trace.h"
#include "analyze/clocks/clocks_types.h"

/*
 * What is wrong with messages or, if `collective`, with collective operations, as a clause without
 * a full stop; NULL: nothing is wrong. The caller frees it.
 */
char *causality_text(const struct causality *c, int collective);

/*
 * Reads all messages and counts what is too early, without changing the trace. Memory grows with
 * the number of messages. Always sets *out. Returns 0 or an error of reading.
 */
int causality_check(struct trace *t, struct causality *out, struct error *e);

/*
 * The same, and corrects the times: afterwards the trace's cursors deliver corrected times, and its
 * processes and streams have them. If nothing is early, nothing changes. If several events of a
 * process have the time of a receive that is moved, a send among them is moved, too, and can then be
 * after its receive. Call it once, before any cursor is open.
 */
int causality_correct(struct trace *t, struct causality *out, struct error *e);

#endif
