/*
 * locks.h: how long threads wait for locks, and which threads hold them meanwhile.
 *
 * The recorder writes a value of the lock's event (trace_lock) inside each call that has to wait:
 * the thread that holds the lock at that moment. From the waits for a lock in order of time follows
 * the holder at any moment at which a thread waits:
 *
 *	at the begin of a wait		the thread in the value
 *	at the end of a wait		the thread that waited, which now holds the lock
 *
 * Between these moments, and at the begin of a wait without a known holder, the holder does not
 * change. So, with n(t) threads waiting for the lock at t,
 *
 *	blocked = time with n(t) > 0		waiting = integral of n(t) = sum of the waits
 *
 * and both are attributed to the thread that holds the lock at t and to its call path at t. A
 * thread that locks and unlocks without waiting, between two such moments, is not visible. This is
 * a method of this project; Scalasca's lock contention is attributed to the waiting thread only.
 *
 * A wait counts if its value is in the window; then all of it counts. One that had not ended when
 * the trace was read up to the end of the window does not count.
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
	int none;	 /* no thread can hold it */
	int64_t from, until;
};

/* The span in which a stream holds a lock while others wait for it. */
struct locks_hold {
	uint32_t lock, stream; /* stream TRACE_NONE: unknown */
	uint32_t waiting;      /* number of waiting threads */
	int64_t from, until;
	int64_t rest; /* ns in which the call path of the stream is unknown */
};

struct locks_row {
	uint32_t lock;
	uint64_t waits;
	uint32_t threads; /* number of threads that waited */
	int64_t ns, most; /* sum and largest of the waits */
	int64_t blocked;  /* ns in which at least one thread waits */
	uint32_t holder;  /* stream with most of `blocked`; TRACE_NONE: unknown */
	int64_t holder_ns;
	int none; /* no thread can hold it */
};

/* Sums by lock, stream and path, of the holders or of the waiting threads. */
struct locks_path {
	uint32_t lock, stream, path; /* stream TRACE_NONE: unknown; then path 0 */
	uint64_t waits;		     /* number of waits, of a waiting thread */
	int64_t blocked;	     /* ns, of a holder */
	int64_t ns;		     /* ns of waiting: its own, or that of other threads while it
				      * holds the lock */
	int64_t most;		     /* ns: longest own wait */
};

struct locks {
	const struct messages *m;
	struct locks_wait *wait;
	size_t wait_n, wait_cap;
	struct locks_lane *lane; /* by stream, while it is read */
	struct locks_hold *hold; /* by stream, then by time */
	size_t hold_n, hold_cap;
	struct locks_reader *reader; /* by stream, in the second pass */
	struct locks_row *row; /* most waiting first */
	size_t row_n, row_cap;
	struct locks_path *holder, *waiter; /* most waiting first */
	size_t holder_n, holder_cap, waiter_n, waiter_cap;
	struct map holder_at;
};

/*
 * Two passes of messages_read() over the same trace and window: with locks_use(), then
 * locks_waits(), then with locks_use_holders(), then locks_end(). m must stay. Call locks_release()
 * in any case.
 */
struct messages_use locks_use(struct locks *x, const struct messages *m);
void locks_waits(struct locks *x);
struct messages_use locks_use_holders(struct locks *x);
void locks_end(struct locks *x);
void locks_release(struct locks *x);

#endif
