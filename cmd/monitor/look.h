/*
 * look.h: looks at a run again and again while it is recorded. A look reads the run's files from outside; the measured program
 * neither waits nor learns of it, and nothing is written to the run.
 *
 * Windows are additive, so a look reads only what is new: what happened before LOOK_SETTLED_NS before the look before it is
 * kept as a sum, and the rest is read again, because a record may become visible some time after its time stamp was taken.
 */
#ifndef LOOK_H
#define LOOK_H

#include "analyze/profile/profile.h"
#include "analyze/trace/trace.h"

#define LOOK_SETTLED_NS 3000000000 /* a record is visible this long after its time, at the latest */
#define LOOK_HISTORY	120	   /* looks that are remembered */

enum look_wants {
	LOOK_THREADS = 1, /* what each thread has open */
	LOOK_MEMORY = 2,  /* live memory by type */
	LOOK_PATHS = 4,	  /* rows are call paths */
};

struct look_region {
	char *name; /* full, or "a => b" */
	char *groups;
	double calls, excl, incl;   /* since the run began; us, sums over threads */
	double new_calls, new_excl; /* since the look before; NaN: there was none */
	size_t id;		    /* of its name, the same in all looks */
};

struct look_thread {
	int32_t node, thread;
	char *label; /* NULL: the thread has no name */
	int running; /* its process is still being recorded */
	double calls, time;   /* us */
	double useful;	      /* share of its time outside of runtimes; NaN: no time */
	char *open;	      /* "main => solve => MPI_Recv()"; NULL: nothing is open, or not requested */
	double since;	      /* us since the last event of the thread; NaN: nothing is open */
	double new_calls;     /* since the look before; NaN: there was none */
};

struct look_memory {
	char *type;
	double bytes, blocks; /* live, sums over PEs */
};

struct look_process {
	int32_t node;
	uint32_t pid;
	char *host;
	int running;
	enum trace_end ended;
	int end_value;
};

/* What one look saw. */
struct look {
	double now;	/* s since the run began */
	double elapsed; /* s since the look before; NaN: there was none */
	size_t pes, threads, running, ended; /* processes running, and ended */
	double records, lost;
	double messages, bytes; /* sent, and not received by a recorded receive; NaN: the run has no messages */
	struct look_region *region;
	size_t region_n, region_cap;
	struct look_thread *thread;
	size_t thread_n, thread_cap;
	struct look_memory *memory;
	size_t memory_n, memory_cap;
	struct look_process *process;
	size_t process_n, process_cap;
	struct profile *profile; /* everything up to now */
};

/* What is kept from look to look. Set path and threads, zero the rest. */
struct look_run {
	const char *path;
	struct profile *settled; /* NULL: nothing yet */
	int64_t settled_ns, end_ns;
	struct names name; /* of regions, or of call paths */
	double *calls, *excl; /* by name, at the look before */
	float (*share)[LOOK_HISTORY]; /* by name: exclusive time since the look before, as a share of all; a ring */
	size_t name_cap;
	size_t looks;
	int paths; /* what `name` and `settled` have */
	size_t threads; /* LOOK_THREADS finds what is open in this number of threads, the first ones; 0: in all */
	struct map thread_calls; /* (node, thread) -> 1 + index into thread_before */
	double *thread_before;
	size_t thread_before_n, thread_before_cap;
};

/* One look. wants: enum look_wants. On success the caller releases *out; on failure nothing is left to release. */
int look_take(struct look_run *r, unsigned wants, struct look *out, struct error *e);
void look_release(struct look *l);
void look_run_release(struct look_run *r);

/* How a process ended: "exit 0", "signal 9", "ended", or "running". buf has 32 bytes; returns it. */
const char *look_process_state(const struct look_process *p, char *buf);

#endif
