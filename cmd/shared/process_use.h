/* process_use.h: what a process of this host uses now, as the kernel has it. */
#ifndef PROCESS_USE_H
#define PROCESS_USE_H

#include <math.h>
#include <stdint.h>

#include "analyze/trace/trace.h"

/* NaN: unknown. */
struct process_use {
	double cpu;		/* s of all threads since it began */
	double resident, peak;	/* bytes of memory */
	double read, written;	/* bytes, by calls that read and write: of files, pipes and sockets */
	double stopped;		/* 1: a signal or a debugger has stopped it; 0: not */
};

#define PROCESS_USE_UNKNOWN                                                                       \
	((struct process_use){.cpu = NAN, .resident = NAN, .peak = NAN, .read = NAN,              \
			      .written = NAN, .stopped = NAN})

/* Of a process that runs here; everything is unknown otherwise, or if the kernel refuses. */
struct process_use process_use(uint32_t pid);

/* "running", "stopped", "exit 0", "signal 9", "killed", "ended". */
const char *process_state(int running, const struct process_use *u, enum trace_end ended, int end_value,
			  char buf[32]);

#endif
