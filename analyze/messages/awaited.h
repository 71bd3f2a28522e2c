/*
 * awaited.h: finds the call for which another call waits, and until when: the patterns that wait
 * states, critical paths and other analyses share. Patterns and names are those of Scalasca (its
 * reports of version 2.5, src/scout/generator). E(x) and L(x) are the enter and the leave of a
 * call.
 */
#ifndef AWAITED_H
#define AWAITED_H

#include "analyze/messages/messages.h"
#include "analyze/messages/runtime_regions.h"

enum wait_pattern {
	WAIT_LATE_SENDER,	  /* min(E(send), L(receive)) - E(receive) */
	WAIT_LATE_RECEIVER,	  /* E(receive) - E(send), if the send ends after E(receive); of calls that
				   * post the receive, and complete the send, unless they only test */
	WAIT_LATE_PUT,		  /* E(put) - E, of the last put to this process in a call that waits for one */
	WAIT_LATE_POST,		  /* E(MPI_Win_post) - E, of MPI_Win_start, otherwise of a later call of its epoch */
	WAIT_EARLY_WAIT,	  /* E(MPI_Win_complete) - E of MPI_Win_wait, of the last process that accesses */
	WAIT_WINDOW_LOCK,	  /* E of the unlock by another process - E, of calls that lock */
	WAIT_BARRIER,		  /* min(last E, L) - E */
	WAIT_NXN,		  /* the same, for ranks that receive something */
	WAIT_LATE_BROADCAST,	  /* min(E of the root, L) - E */
	WAIT_EARLY_REDUCE,	  /* min(first E of the others, L) - E of the root */
	WAIT_FENCE,		  /* last E - E, of window calls that no process leaves before
				   * the last E */
	WAIT_EARLY_SCAN,	  /* min(last E of the ranks before, L) - E */
	WAIT_TEAM,		  /* last E of the threads - E - time in tasks inside, of OpenMP */
	WAIT_BARRIER_COMPLETION,  /* L - max(first L, last E) */
	WAIT_NXN_COMPLETION,	  /* the same, for ranks that send and receive something */
	WAIT_WRONG_ORDER,	  /* part of late senders: an earlier message is received later */
	WAIT_EARLY_FENCE,	  /* part of waits at MPI_Win_fence: L of the last transfer to this process - E */
	WAIT_LATE_COMPLETE,	  /* part of early waits: E(MPI_Win_complete) - the later of E and L of the last
				   * transfer to this process */
	WAIT_POLLING,		  /* time of calls that poll (region_work.h); ours */
	WAIT_PATTERNS
};

/* Does a late rank cause this time, which is not part of another pattern? */
static inline int wait_is_caused(enum wait_pattern p)
{
	return p <= WAIT_TEAM;
}
/* "late sender", a constant; "": not a pattern. */
const char *wait_name(enum wait_pattern p);

enum call_kind { CALL_SENDS = 1, CALL_RECEIVES = 2, CALL_TESTS = 4, CALL_WAITS = 8 };

/* What the calls of each region do. */
struct call_kinds {
	const struct trace *trace;
	unsigned char *is;	/* by region: sums of enum call_kind */
	unsigned char *meeting;	/* by region and operation: 1 + enum meeting_kind */
};

void call_kinds_init(struct call_kinds *k, const struct trace *t);
void call_kinds_release(struct call_kinds *k);
enum meeting_kind call_kinds_meeting(const struct call_kinds *k, const struct message_call *c);
/* A sum of enum call_kind. */
static inline unsigned call_kinds_of(const struct call_kinds *k, const struct message_call *c)
{
	return c->region == TRACE_NONE ? 0 : k->is[c->region];
}
/* Is it a call that only tests for messages? */
static inline int call_kinds_tests(const struct call_kinds *k, const struct message_call *c)
{
	return (call_kinds_of(k, c) & CALL_TESTS) != 0;
}

struct awaited {
	struct message_call *call;
	enum wait_pattern pattern;
	int64_t until;	/* ns: the wait begins at the enter of the waiting call and ends here */
	const struct message *message;	/* NULL: a collective operation */
};

/*
 * 1: the call, which has ended, waits for another one; *a describes it, with pointers that are valid
 * as long as c. 0: it does not wait. A call that ends several messages waits for the last one; a
 * call that waits for a sender does not wait for a receiver.
 */
int awaited_message(const struct call_kinds *k, struct message_call *c, struct awaited *a);
/*
 * The same for one message that the call sent, or whose send it completed, and for its receiver only. Call
 * it after awaited_message().
 */
int awaited_receiver(const struct call_kinds *k, const struct message *m, const struct message_call *c,
		     struct awaited *a);
/*
 * The same for the collective operation of the call. Call it only if awaited_is_known(k, c). O(1), except
 * for the root of reductions: O(members), and once for each scan: O(members log members).
 */
int awaited_meeting(const struct call_kinds *k, const struct message_call *c, struct awaited *a);
/* The calls of an operation that all members have entered, by rank; the caller frees the list. */
struct message_call **awaited_by_rank(const struct meeting *m);
/* Have all members entered the operation of the call, and do they agree about it? */
static inline int awaited_is_complete(const struct message_call *c)
{
	return c->meeting && !c->meeting->bad && c->meeting->joined == c->meeting->members;
}
/*
 * Is it known for which call the call waits in its operation? Of a broadcast, when the root has entered, and of a scan, when
 * the ranks before have: other ranks may enter long after the call has ended. O(1), of a scan O(members).
 */
int awaited_is_known(const struct call_kinds *k, const struct message_call *c);

#endif
