/* holders.h: finds the process that has the lock of a file for which a thread waits. */
#ifndef HOLDERS_H
#define HOLDERS_H

#include "analyze/base/map.h"
#include "analyze/trace/trace.h"

/* What a process did last with the locks of a file. */
struct holders_held {
	int64_t time;
	int has;
};

/* All zero: nothing was recorded. */
struct holders {
	struct map held;	/* in v, by process and name in files */
	struct names files;
	struct holders_held *v;
	size_t v_n, v_cap;
};

/* An event IO of a process: streams of its threads are read one after the other. */
void holders_note(struct holders *x, const struct trace *t, uint32_t process, const struct event_args *a, int64_t time);

/* A lock for which a process waits. */
struct holders_lock {
	uint32_t process, file;	/* file: event of the trace */
	int own;		/* the process may have it itself, by another descriptor: it does not belong to processes */
	int64_t pid;		/* of the process of the system that had it when the call began; 0: unknown. Result: that has it */
	int64_t holder;		/* result: process of the trace, -1: unknown or none */
};
/*
 * Finds who has the lock: the process by the kernel's table, if the trace is of a running job; the one that had it when the call began,
 * unless it has given it back since; or the only one that has a lock of the file by its records. ended: by process. All streams are read.
 */
void holders_find(struct holders *x, const struct trace *t, const unsigned char *ended, struct holders_lock *l);
void holders_release(struct holders *x);

#endif
