/*
 * hang.h: which threads wait for what can never come.
 *
 * A wait graph with AND and OR nodes (Hilbrich et al., "Distributed wait state tracking for runtime MPI deadlock detection", 2013):
 * a thread that computes, or whose wait is unknown, may go on, and so it may release others. A thread that needs all of its waits
 * may go on if each can end; a thread that needs one of them, if one can. All other threads can never go on.
 */
#ifndef HANG_H
#define HANG_H

#include "analyze/hang/ends.h"

enum hang_state {
	HANG_ENDED,	/* no thread is using the stream any more, or its process has exited */
	HANG_RUNS,	/* it is in none of the calls that wait */
	HANG_WAITS,	/* what it waits for may come */
	HANG_BLOCKED,	/* what it waits for can never come */
};

struct hang_thread {
	enum hang_state state;
	int64_t since;		/* ns: when the call that waits began, or the thread's last event */
	uint32_t *missing;	/* processes that have not entered the operation, of a wait for members */
	size_t missing_n, missing_cap;
	int64_t other_tag;	/* of a message from the awaited rank that was not received: the wait is for another tag */
	int has_other_tag;
	uint32_t for_ended;	/* a process that has ended and for which it waits; TRACE_NONE: none */
	size_t behind;		/* threads that wait for it, directly or not (in very large jobs, directly) */
};

struct hang {
	const struct thread_ends *ends;
	struct hang_thread *thread;	/* by ends.thread */
	size_t in_state[HANG_BLOCKED + 1];
	size_t *circle;		/* threads that wait for each other, each for the next: a shortest one; NULL: there is none */
	size_t circle_n;
	size_t root;		/* the thread for which most others wait, and which waits for none; thread_n: there is none */
};

/*
 * least: ns that a thread must have waited, while all others are known, to be taken for blocked. ends must stay. Release x.
 * O(threads * (waits + members)) for each step of the longest chain.
 */
void hang_find(struct hang *x, const struct thread_ends *ends, int64_t least);
void hang_release(struct hang *x);

#endif
