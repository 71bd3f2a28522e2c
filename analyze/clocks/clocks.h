/*
 * clocks.h: do the clocks of a trace's processes fit together? No message can be received before it
 * was sent, and nobody can leave a collective operation before those are in it on whom it depends (collective.h); where it seems so, the clock of one side is wrong. The controlled logical clock
 * (R. Rabenseifner, 1997) puts that right: it moves a receive that is too early behind its send, a leave that is too early behind the enters, and
 * what follows in that process with it; the shift then goes back to nothing by a hundredth of the time
 * that passes. Order inside a process stays, and so do calls and messages.
 *
 * The n-th message of a sender to a receiver with one tag in one communicator belongs to the n-th
 * receive, and the n-th call of each process to operations of a communicator belong together, as long as all its
 * processes are in the trace and agree on what it is. Communicators of the same name and members count as one, as traces may not tell
 * them apart: their operations come in the same order everywhere, or the program could hang, unless several threads of a process call
 * them; then they are left out. So are those between two groups.
 */
#ifndef CLOCKS_H
#define CLOCKS_H

#include "analyze/trace/trace.h"

struct causality {
	uint64_t messages;	/* with both ends in the trace */
	uint64_t single;	/* ends without the other one */
	uint64_t early;		/* received before they were sent */
	int64_t worst;		/* ns: the most that one is */
	uint64_t calls;		/* of collective operations in which somebody waits, all of whose members are in the trace */
	uint64_t alone;		/* of others */
	uint64_t left;		/* calls that were left before those were in them that they depend on */
	int64_t left_worst;	/* ns */
};

/*
 * What is wrong with messages, or (collective) with collective operations, as one clause without an end; NULL: nothing.
 * Free it.
 */
char *causality_text(const struct causality *c, int collective);

/* Looks at all messages; memory grows with their number. Returns 0 or an error of reading. */
int causality_check(struct trace *t, struct causality *out, struct error *e);

/*
 * The same, and puts times right: from then on the trace's cursors deliver corrected times, and so do
 * its processes and streams. Where nothing is early nothing changes. Call it once, before any cursor is
 * open.
 */
int causality_correct(struct trace *t, struct causality *out, struct error *e);

#endif
