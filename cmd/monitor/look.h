/* look.h: what one look at a run sees: regions, threads, memory, processes, hosts. */
#ifndef LOOK_H
#define LOOK_H

#include "analyze/profile/profile.h"
#include "analyze/trace/trace.h"
#include "cmd/shared/process_use.h"

struct look_hang;

enum look_wants {
	LOOK_THREADS = 1, /* what each thread has open */
	LOOK_MEMORY = 2,  /* live memory by type */
	LOOK_PATHS = 4,	  /* rows are call paths */
	LOOK_CELLS = 8,	  /* the profile has the squares of the times of calls, if no other host is looked at */
	LOOK_RANKS = 16,  /* what each process uses, and its regions with the most time */
	LOOK_HANG = 32,	  /* who waits for whom, of short runs, and of those in which nothing happens */
	LOOK_WAITS = 64,  /* the same of all runs */
	LOOK_WANTS = 127,
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
	int unknown; /* its host is not reached, or not any more */
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

#define LOOK_TOP 3 /* regions of a process */

struct look_top {
	char *name;
	double new_excl; /* us of all its threads since the look before, or since the run began */
};

struct look_process {
	int32_t node;
	uint32_t pid;
	char *host;
	int running;
	int unknown; /* likewise: whether it runs is not known */
	enum trace_end ended;
	int end_value;
	uint64_t id;  /* the same in all looks of all monitors; 0: the trace has none */
	int64_t rank; /* -1: unknown */
	struct process_use use;
	/* since the look before; NaN: unknown */
	double load;			/* processors that it has used */
	double read_rate, written_rate; /* bytes per s */
	struct look_top top[LOOK_TOP];	/* the most time first */
	size_t top_n;
};

enum look_host_state {
	LOOK_HOST_SHOWN, /* the look has what runs there now */
	LOOK_HOST_LATE,	 /* it has not answered so far: the look has what its look before had */
	LOOK_HOST_FAILED, /* it has answered that it cannot look; likewise */
	LOOK_HOST_LOST,	 /* it has no helper: likewise, if it has ever answered */
	LOOK_HOST_STATES
};

/* A host of a look at several hosts. */
struct look_host {
	char *name;
	enum look_host_state state;
	double now; /* s since the run began there, by its clock; NaN: it has never answered */
	char *why;  /* of a state other than shown: a sentence; NULL */
	/* of a host that is lost */
	double lost;  /* s since it was lost; NaN: it is not */
	double again; /* s until it is tried again; 0: it is being tried; NaN: it is not tried again */
	size_t tries; /* that have failed since it was shown */
};

/* What one look saw. */
struct look {
	double now;	/* s since the run began; of several hosts: the longest of their times */
	double elapsed; /* s since the look before; NaN: there was none */
	size_t pes, threads, running, ended; /* processes running, and ended */
	size_t unknown; /* processes whose state is unknown */
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
	struct look_host *host;
	size_t host_n, host_cap; /* 0: the look is at what is recorded here */
	const struct look_hang *hang; /* of the run, up to its next look; NULL: unknown */
	struct profile *profile; /* everything up to now; NULL: it is elsewhere, see look_profile() */
};

void look_release(struct look *l);
/* Adds a copy of a host. */
void look_host_add(struct look *l, const struct look_host *from);

/* For qsort() of memory: the most bytes first. */
int look_memory_order(const void *x, const void *y);

/* A process about which nothing is known. */
struct look_process look_process_none(void);
void look_process_release(struct look_process *p);

/* How a process ended: "exit 0", "signal 9", "ended", "running" or "unknown". buf has 32 bytes; returns it. */
const char *look_process_state(const struct look_process *p, char *buf);

/* The words of the states of hosts. */
extern const char *const look_host_states[LOOK_HOST_STATES];

#endif
