/*
 * locks.h: how long threads wait for locks, and who has them meanwhile.
 *
 * The recorder writes a value of the lock's event (trace_lock) inside each call that has to wait: the thread that has the lock
 * at that moment. Of a lock's waits in order of time follows who has it at any moment at which a thread waits:
 *
 *	at the begin of a wait		the thread that the value names
 *	at the end of a wait		the thread that waited, which has it now
 *
 * Between these two kinds of moments it stays the same thread. So, with n(t) threads waiting for the lock at t,
 *
 *	blocked = time with n(t) > 0		waiting = integral of n(t) = sum of the waits
 *
 * and both are attributed to the thread that has the lock at t and to the call path that it is in at t. A thread that gets and
 * returns the lock without waiting, between two such moments, is not seen. Method of this project; Scalasca's lock contention
 * charges the waiting thread only.
 *
 * Memory: one entry per wait and per change of holder.
 */
#ifndef LOCKS_H
#define LOCKS_H

#include "analyze/messages/messages.h"

struct locks_wait {
	uint32_t lock;	 /* event of the trace */
	uint32_t stream, path;
	uint32_t holder; /* stream, TRACE_NONE: unknown */
	int none;	 /* no thread can have it */
	int64_t from, until;
};

/* A stream has a lock while others wait for it. */
struct locks_hold {
	uint32_t lock, stream; /* stream TRACE_NONE: unknown */
	uint32_t waiting;      /* threads */
	int64_t from, until;
	int64_t rest; /* ns in which no call path of the stream is known */
};

struct locks_row {
	uint32_t lock;
	uint64_t waits;
	uint32_t threads; /* that waited */
	int64_t ns, most; /* sum and largest of the waits */
	uint32_t most_at; /* stream */
	int64_t blocked;  /* at least one thread waits */
	uint32_t holder;  /* stream with most of `blocked`; TRACE_NONE: unknown */
	int64_t holder_ns;
	int none; /* no thread can have it */
};

/* By lock, stream and path of those that have it, or of those that wait. */
struct locks_path {
	uint32_t lock, stream, path; /* stream TRACE_NONE: unknown; then path 0 */
	uint64_t waits;		     /* of who waits */
	int64_t blocked;	     /* of who has it */
	int64_t ns;		     /* waiting: own, or that of others meanwhile */
	int64_t most;		     /* of the own waits */
};

struct locks {
	const struct messages *m;
	struct locks_wait *wait;
	size_t wait_n, wait_cap;
	struct locks_lane *lane; /* by stream, while it is read */
	struct locks_hold *hold; /* by stream, then by time */
	size_t hold_n, hold_cap;
	size_t *first; /* by stream: its first entry of `hold` that is not over */
	struct locks_row *row; /* most waiting first */
	size_t row_n, row_cap;
	struct locks_path *holder, *waiter; /* most waiting first */
	size_t holder_n, holder_cap, waiter_n, waiter_cap;
	struct map holder_at;
};

/*
 * Two passes of messages_read(): locks_use(), locks_waits(), then locks_use_holders() and locks_end(). locks_release() in any
 * case.
 */
struct messages_use locks_use(struct locks *x, const struct messages *m);
void locks_waits(struct locks *x);
struct messages_use locks_use_holders(struct locks *x);
void locks_end(struct locks *x);
void locks_release(struct locks *x);

#endif
