/*
 * rising_memory.h: finds processes whose live memory rises until the end of the program, as with a leak in each step.
 *
 * The time of a process is from the last allocation or deallocation inside a call that begins a runtime (region_sets_up()),
 * or from its start, to the begin of the first call that finalizes the runtime, of the recorder's census, or to its end.
 * Limits of the window count, too. It is cut into 8 parts of equal length; level i is the least live memory at the end of a
 * slice inside part i, so blocks that are freed again do not count. Memory rises if
 *
 *	level 5 > level 4, level 6 > level 5, level 7 > level 6, level 8 > level 7,
 *	each of these steps is at least a tenth of the largest one,
 *	and level 8 - level 4 is at least 1 % of level 8 and 256 KiB.
 *
 * A leak may pause: one of these steps may be smaller, if it falls by less than a tenth of the largest one, the next one rises (after
 * level 8: that to the level at the end), and so do two of the three steps to level 4.
 *
 * A program that allocates at its begin, grows by a jump or frees what it has allocated does not satisfy this; one that keeps
 * all its results does. Method of this project.
 *
 * A slice is 1/128 of the process's recording, or of the window; a process whose time has less than 16 slices is not tested.
 * Memory: 1 KiB per process, and per type of blocks (trace_memtype) of the process with the largest rise, whose events are read
 * twice.
 */
#ifndef RISING_MEMORY_H
#define RISING_MEMORY_H

#include "analyze/messages/messages.h"

#define RISING_SLICES 128
#define RISING_PARTS  8

struct rising_process {
	int64_t begin, end;		/* ns, of the slices; empty: no allocation was read */
	int64_t set_up, finish;		/* ns; INT64_MIN, INT64_MAX: unknown */
	double change[RISING_SLICES];	/* bytes allocated - freed inside each; those before are in the first one */
};

struct rising_memory {
	const struct messages *m;
	struct rising_process *process;	/* by process */
	char *role;			/* by region: what its begin or its memory means */
	char *set_up;			/* by path: it is inside a call that begins a runtime */
	size_t set_up_n, set_up_cap;
	/* Set by rising_memory_end(): */
	size_t risen;			/* number of processes whose memory rises */
	uint32_t most;			/* the one with the largest rise; TRACE_NONE: there is none */
	double from, to;		/* its bytes: level 4 and level 8 */
	double all;			/* sum of the rises of all */
	uint32_t cause;			/* the type of blocks whose level rose most in that process; TRACE_NONE: unknown */
};

/* The use for messages_read(); m must stay. Then call rising_memory_end(), and release x. */
struct messages_use rising_memory_use(struct rising_memory *x, const struct messages *m);
void rising_memory_end(struct rising_memory *x);
void rising_memory_release(struct rising_memory *x);

#endif
