/*
 * critical_path.h: finds the longest dependent chain of a program, which determines its runtime, as
 * Scalasca does (its reports of version 2.5: critical path). The path is followed backwards from
 * the end of the thread that ends last (of an OTF2 archive, whose processes have no end: that is in
 * a region last). When the thread has waited, the path continues in the
 * thread for which it waited, at the moment at which the wait ended:
 *
 *	late sender		in the sending call
 *	late put		in the call that put or changed the data
 *	late post, early wait,
 *	lock contention		in the call of the other rank that exposes, completes or unlocks
 *	late receiver		in the receiving call
 *	barrier, N x N, fence	in the call of the last rank
 *	late broadcast		in the call of the root
 *	early reduce		in the call of the last rank
 *	reduce of all		the same, if no rank left before the last rank entered
 *	early scan		in the call of the last rank before
 *	finalize		in the finalize of the last rank
 *	pthread_join		in the thread that ended last
 *	begin of a thread	in the thread that was making a thread then
 *
 * So the path is one span of time, and each of its moments belongs to one thread. It does not follow
 * locks or barriers of OpenMP: waits there are part of the path.
 *
 * Two passes. The first pass keeps a jump of 16 bytes for each wait, and drops jumps that no path
 * can reach any more: memory is limited by the number of threads, of calls that are open at one
 * time, and of jumps on the path. The second pass adds up the time of the path.
 */
#ifndef CRITICAL_PATH_H
#define CRITICAL_PATH_H

#include "analyze/messages/awaited.h"

/* Why the path goes from one thread to another: a wait_pattern, or one of these. */
enum critical_cause {
	CRITICAL_FINALIZE = WAIT_PATTERNS,
	CRITICAL_JOIN,
	CRITICAL_CREATE,
	CRITICAL_START, /* the path begins here */
	CRITICAL_CAUSES
};
/* "late sender", "join of a thread" ...: a constant; "": not a cause. */
const char *critical_cause_name(uint32_t cause);

/* A part of the path, in one thread. */
struct critical_step {
	uint32_t stream, cause; /* cause: why the path comes from the previous step to this one */
	int64_t begin, end;
	uint32_t path; /* call path with most of its time; TRACE_NONE: none */
};

struct critical_jump {
	int64_t at;
	uint32_t stream, cause; /* stream: to which the path goes; CRITICAL_KEPT is added to
				 * cause while jumps are dropped */
};

struct critical_lane { /* a stream */
	struct critical_jump *jump; /* by time */
	size_t jump_n, jump_cap;
	int64_t open;		      /* ns: all later jumps end at or after this time */
	int64_t finalize, finalized;  /* ns: enter and leave; INT64_MIN: none */
	uint32_t finalize_path;
	int64_t created_at;	      /* enter of the call that made the thread */
	uint32_t creator;	      /* TRACE_NONE: unknown */
	int64_t root;		      /* ns outside of all regions */
	int64_t busy;		      /* end of its last time in a region; INT64_MIN: none */
	int named;		      /* it has time in a region */
};

struct critical_path {
	const struct messages *m;
	struct call_kinds kinds;
	struct critical_lane *lane; /* by stream */
	char *region_is;	    /* by region */
	double *sum;		    /* by call path: ns of all threads, without waits */
	size_t sum_n;
	size_t jumps, drop_at;	    /* number of jumps; number at which to drop */
	/* After critical_path_end(): */
	struct critical_step *step; /* in order of time */
	size_t step_n, step_cap;
	size_t threads;		    /* that have time in regions */
	int64_t begin, end;	    /* of the path */
};

/*
 * The use for messages_read() in the first pass; m must stay. Then call critical_path_end(), and
 * release x when it is no longer needed.
 */
struct messages_use critical_path_use(struct critical_path *x, const struct messages *m);
void critical_path_end(struct critical_path *x);
void critical_path_release(struct critical_path *x);

/* Mean time in ns of a call path over the threads, without waits; 0: unknown path. */
double critical_path_mean(const struct critical_path *x, uint32_t path);

struct critical_reader { /* a stream in the second pass */
	size_t step;	 /* its next step */
	int64_t *spent;	 /* by call path, in that step */
	size_t spent_n;
	uint32_t *touched; /* call paths with time in it */
	size_t touched_n, touched_cap;
};

/* Time on the path, after the second pass. */
struct critical_times {
	struct critical_path *path;
	struct critical_reader *reader; /* by stream */
	size_t *next;			/* by step: the next one of its stream */
	int64_t *by_path;		/* by call path */
	size_t by_path_n;
	int64_t *by_stream;
	const struct messages_use *also; /* its busy(), which it must have, is called with the
					  * times on the path; NULL: none */
};

/*
 * The use for a second messages_read() of the same trace and window, after messages_again(): call paths have the
 * same numbers. path and also must stay. Release x.
 */
struct messages_use critical_times_use(struct critical_times *x, struct critical_path *path,
				       const struct messages_use *also);
void critical_times_release(struct critical_times *x);

#endif
