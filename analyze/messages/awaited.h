/*
 * awaited.h: for which call another call waits, and until when: the patterns that waits, critical
 * paths and others share. Patterns and names are Scalasca's (its reports of version 2.5,
 * src/scout/generator). E(x) and L(x) are the enter and the leave of a call.
 */
#ifndef AWAITED_H
#define AWAITED_H

#include "analyze/messages/messages.h"
#include "analyze/messages/runtime_regions.h"

enum wait_pattern {
	WAIT_LATE_SENDER,	  /* min(E(send), L(receive)) - E(receive) */
	WAIT_LATE_RECEIVER,	  /* E(receive) - E(send), where the send ends after it */
	WAIT_LATE_PUT,		  /* E(put) - E, of the last put to this process in a call that waits for one */
	WAIT_BARRIER,		  /* min(last E, L) - E */
	WAIT_NXN,		  /* the same, of ranks that receive something */
	WAIT_LATE_BROADCAST,	  /* min(E of the root, L) - E */
	WAIT_EARLY_REDUCE,	  /* min(first E of the others, L) - E of the root */
	WAIT_FENCE,		  /* last E - E, of calls of windows that nobody leaves before the last E */
	WAIT_EARLY_SCAN,	  /* min(last E of the ranks before, L) - E */
	WAIT_TEAM,		  /* last E of the threads - E - time in tasks inside, of OpenMP */
	WAIT_BARRIER_COMPLETION,  /* L - max(first L, last E) */
	WAIT_NXN_COMPLETION,	  /* the same, of ranks that send and receive something */
	WAIT_WRONG_ORDER,	  /* part of late senders: an earlier message is received later */
	WAIT_PATTERNS
};

/* Is it time that a late rank causes, and no part of another pattern? */
static inline int wait_is_caused(enum wait_pattern p)
{
	return p <= WAIT_TEAM;
}
const char *wait_name(enum wait_pattern p);

/* What the calls of regions do. */
struct call_kinds {
	const struct trace *trace;
	unsigned char *is;	/* by region */
	unsigned char *meeting;	/* by region and operation: 1 + enum meeting_kind */
};

void call_kinds_init(struct call_kinds *k, const struct trace *t);
void call_kinds_release(struct call_kinds *k);
enum meeting_kind call_kinds_meeting(const struct call_kinds *k, const struct message_call *c);
/* Does it only test for messages? */
int call_kinds_tests(const struct call_kinds *k, const struct message_call *c);

struct awaited {
	struct message_call *call;
	enum wait_pattern pattern;
	int64_t until;	/* the wait, from the enter of the waiting call, ends here */
	const struct message *message;	/* NULL: a collective operation */
};

/*
 * 1: the call, which has ended, waits for another, whose fields these are. A call that ends several
 * messages waits for the last one; one that waits for a sender waits for no receiver.
 */
int awaited_message(const struct call_kinds *k, const struct message_call *c, struct awaited *a);
/* The same for its collective operation, in which all members are. */
int awaited_meeting(const struct call_kinds *k, const struct message_call *c, struct awaited *a);
/* Are all members in the operation of the call, and do they agree what it is? */
int awaited_is_complete(const struct message_call *c);

#endif
