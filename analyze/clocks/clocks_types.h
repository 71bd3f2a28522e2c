/* clocks_types.h: what the correction of clocks found. */
#ifndef CLOCKS_TYPES_H
#define CLOCKS_TYPES_H

#include "analyze/trace/trace.h"

struct causality {
	uint64_t messages;	/* with both ends in the trace */
	uint64_t single;	/* messages with one end in the trace */
	uint64_t early;		/* received before they were sent */
	int64_t worst;		/* ns: the most by which a message is early */
	uint64_t calls;		/* of collective operations in which processes wait, all of whose
				 * members are in the trace and agree about them */
	uint64_t alone;		/* other calls of operations in which processes wait */
	uint64_t left;		/* calls that were left before the processes on which they depend
				 * had entered */
	int64_t left_worst;	/* ns: the most by which a call was left early */
};

#endif
