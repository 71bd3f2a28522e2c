/*
 * cuts.h: moments at which a pass over the messages (messages.h) can begin, and what is open then. They are kept beside the trace, so
 * that a window costs what is in it.
 *
 * Cut k, from 1 on, is at the time begin + k * step. An event is before it if its time is. What is open at a cut: messages that were
 * sent and not received, or the other way round, if clocks disagree; requests that were begun and not ended; collective operations
 * that some members have entered.
 *
 * A pass that begins at a cut knows nothing of the calls that are open there, nor of the other ends of what is open. A call that has
 * to do with these is at the edge. If one of them ends in the window, the pass begins at an earlier cut: see matching.h. So what is found
 * in the window is what a pass over everything finds.
 */
#ifndef CUTS_H
#define CUTS_H

#include "analyze/messages/messages_types.h"

#define CUTS_RUN  200000	/* traces with fewer records are read from the begin, */
#define CUTS_STEP 20000		/* records between two cuts, about, */
#define CUTS_MOST 2048		/* cuts at most, and of all their processes: */
#define CUTS_PLACES (UINT32_C(1) << 22)
#define CUTS_OPEN (UINT32_C(1) << 22) /* what is open at all cuts; traces that have more have no cuts */

struct cut_message {
	int64_t from, to, tag;	/* world ranks */
	uint32_t comm;		/* as channels_comm() */
	int received;		/* it was received, and not sent so far */
};

struct cut_entry { /* a process has entered an operation of the communicator that others have not */
	uint32_t comm, process;
};

struct cut {
	struct cut_message *message;
	size_t message_n, message_cap;
	uint64_t *request;	/* request_key() */
	size_t request_n, request_cap;
	struct cut_entry *entry;
	size_t entry_n, entry_cap;
};

struct cut_bad { /* the processes of a communicator disagree from this time on */
	uint32_t comm;
	int64_t since;
};

struct cuts {
	int64_t begin, step;
	int64_t known;		/* events before this time are known */
	size_t n;
	struct cut *v;		/* cut 1 is v[0] */
	size_t open_n;		/* of all cuts */
	int64_t *called;	/* by stream: the end of its first call; INT64_MAX: none */
	size_t stream_n;
	int64_t first[3];	/* ns: the first message that has both ends, collective operation that is complete, barrier of a
				 * team; INT64_MAX: none */
	int64_t skew;		/* ns by which a message was received before it was sent, at most */
	struct cut_bad *bad;
	size_t bad_n, bad_cap;
	int none;		/* the trace cannot have cuts */
};
enum { CUT_MATCHED, CUT_MET, CUT_TEAM };

/* Cuts for a trace, without anything that is open. 0: it is too short, or its format cannot keep them. Release c. */
int cuts_init(struct cuts *c, const struct trace *t);
void cuts_release(struct cuts *c);

/* The number of cuts at or before a time, 0 to c->n. */
static inline size_t cuts_before(const struct cuts *c, int64_t time)
{
	const int64_t k = time > c->begin ? (time - c->begin) / c->step : 0;

	return (uint64_t)k < c->n ? (size_t)k : c->n;
}
static inline int64_t cuts_time(const struct cuts *c, size_t k)
{
	return c->begin + (int64_t)k * c->step;
}

/* It is open from a moment to another one (INT64_MAX: to the end). */
void cuts_message(struct cuts *c, const struct cut_message *m, int64_t from, int64_t to);
void cuts_request(struct cuts *c, uint64_t key, int64_t from, int64_t to);
void cuts_entry(struct cuts *c, struct cut_entry e, int64_t from, int64_t to);
/* Something of a kind is found at this time. */
void cuts_first(struct cuts *c, int kind, int64_t time);
void cuts_bad(struct cuts *c, uint32_t comm, int64_t since);

/*
 * Gets the cuts that are kept beside a trace with this number of communicators (of struct channels). 1: there are some, release c;
 * 0: none, or they are damaged.
 */
int cuts_get(struct cuts *c, struct trace *t, size_t comms);
/* Keeps them, unless that fails. */
void cuts_keep(const struct cuts *c, struct trace *t);

#endif
