/*
 * causality.h: do the clocks of a trace's processes fit together? No message can be received before it
 * was sent; where it seems so, the clock of one side is wrong. The controlled logical clock
 * (R. Rabenseifner, 1997) puts that right: it moves a receive that is too early behind its send, and
 * what follows in that process with it; the shift then goes back to nothing by a hundredth of the time
 * that passes. Order inside a process stays, and so do calls and messages.
 *
 * The n-th message of a sender to a receiver with one tag in one communicator belongs to the n-th
 * receive. Collective operations are not looked at.
 */
#ifndef CAUSALITY_H
#define CAUSALITY_H

#include "trace.h"

struct causality {
	uint64_t messages;	/* with both ends in the trace */
	uint64_t single;	/* ends without the other one */
	uint64_t early;		/* received before they were sent */
	int64_t worst;		/* ns: the most that one is */
};

/* Looks at all messages; memory grows with their number. Returns 0 or an error of reading. */
int causality_check(struct trace *t, struct causality *out, struct error *e);

/*
 * The same, and puts times right: from then on the trace's cursors deliver corrected times, and so do
 * its processes and streams. Where nothing is early nothing changes. Call it once, before any cursor is
 * open.
 */
int causality_correct(struct trace *t, struct causality *out, struct error *e);

#endif
