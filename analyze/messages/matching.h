/*
 * matching.h: finds which send belongs to which receive, and which calls form one collective
 * operation.
 */
#ifndef MATCHING_H
#define MATCHING_H

#include "analyze/messages/cuts.h"
#include "analyze/messages/messages_types.h"
#include "analyze/messages/requests.h"

#define PUTS_KEPT 16 /* last puts to a process for which it may wait */

struct puts { /* calls that put data to a process: a ring */
	struct message_call *call[PUTS_KEPT];
	size_t n;
};

/* A channel that was found lately. */
#define CHANNELS_NEAR_BITS 10
struct channel_near {
	int64_t from, to, tag;
	uint32_t comm, id; /* id: 1 + its number; 0: none */
};

struct channel_queue { /* messages of a channel whose other end was not read so far: all sends,
		        * or all receives */
	struct message *first, *last;
};

struct meetings { /* of a communicator */
	uint64_t *next;		 /* by process: its next operation */
	uint32_t *place;	 /* by process: 1 + its position, 0: not looked up so far */
	struct meeting **open;	 /* by number, from the first that has not ended; NULL: ended */
	size_t open_n, open_cap;
	uint64_t first;		 /* number of open[0] */
	int bad;		 /* its processes do not agree */
	int missing;		 /* a member has no trace */
	uint64_t edge;		 /* operations with smaller numbers have calls before the pass */
};

/*
 * A request that was begun in another thread, from whose stream that was not read so far: the call that
 * ends it.
 */
struct request_early {
	uint64_t key;
	struct message_call *call;
	struct message *received; /* NULL: the call completes a send */
	int64_t at;
};

/*
 * The edge of a pass that begins at a cut (cuts.h): calls that have to do with what was open there. They were entered before, received a
 * message from a call that was entered before, ended a request that was begun before, or took part in a collective operation that others
 * had entered before. What is found of them can be wrong. If such a call ends in the window, or has an end of a message in common
 * with one that does, the edge has reached the window, and the pass must begin earlier. Calls that end before the window are in no
 * result.
 *
 * The enter of a call that was entered before the cut is not known, but it is before the enters of all others: none of those waits for it.
 */
struct matching_edge {
	int64_t from;	/* ns: the cut; INT64_MIN: the pass begins with the trace */
	int64_t skew;	/* of cuts */
	const struct window_span *span; /* by process */
	struct message_call *call;	/* all calls before, as one */
	size_t left;	/* what was open and is not ended: messages, requests, calls of collective operations */
	int reached;	/* a call in the window has to do with it: what is found there can be wrong */
};

struct matching {
	struct channels channels;
	struct channel_queue *queue; /* by channel */
	size_t queue_n, queue_cap;
	struct meetings *of; /* by communicator */
	struct map nodes;    /* process of each world rank that has a trace */
	struct puts *puts;   /* by process; NULL: no puts so far */
	size_t puts_n;
	struct channel_near near[1 << CHANNELS_NEAR_BITS];
	struct requests requests;
	struct request_early *early;
	size_t early_n, early_cap;
	struct message *unreserved; /* in no queue; next */
	struct message *free_message;
	struct message_call *free_call;
	/* Copied, which is faster than to set as many bytes to 0 (compilers use `rep stos` for that). */
	struct message new_message;
	struct message_call new_call;
	struct messages_found *found;
	int64_t now;	    /* ns: of the event that is passed; set it before each */
	struct cuts *cuts;  /* what is open is noted there; NULL: it is not */
	struct matching_edge edge;
};

/* t and found must stay. Release x, after matching_left() for each call. */
void matching_init(struct matching *x, const struct trace *t, struct messages_found *found);
/* Counts messages and operations that are incomplete when all streams have been read. */
void matching_count(struct matching *x);
void matching_release(struct matching *x);

/* Before the first event: what is open at a cut. */
void matching_open(struct matching *x, const struct cut *at);
/* Notes what is open at the end of the pass as open up to `end`. */
void matching_note_open(struct matching *x, int64_t end);

/* A new call that has not ended, otherwise all 0; pass it to matching_left() once. */
struct message_call *matching_call(struct matching *x);
/*
 * Adds one end of a message, which happens in a call. Returns the message, whose other end may not be
 * known so far. from, to: world ranks. O(1) on average.
 */
struct message *matching_send(struct matching *x, struct message_call *c, int64_t from,
			      const struct event_args *a);
/* reserved: of matching_reserve(); NULL: the next one of the channel. */
struct message *matching_receive(struct matching *x, struct message_call *c, int64_t to,
				 const struct event_args *a, struct message *reserved);
/* The next message of the channel, for a receive that will be passed later. */
struct message *matching_reserve(struct matching *x, int64_t to, const struct event_args *a);
/* At the end of the pass: the receive was not passed. */
void matching_unreserve(struct matching *x, struct message *m);
/*
 * The call posts a receive, or completes a send, of a request whose number is not 0 (and neither are those
 * of matching_send() and matching_receive(), unless they have none).
 */
void matching_post(struct matching *x, struct message_call *c, uint32_t request);
void matching_complete(struct matching *x, struct message_call *c, uint32_t request);
/*
 * The call is about to end, and all that was before has been read: looks again for its requests that
 * were unknown. Returns how many received messages were found to be posted.
 */
size_t matching_again(struct matching *x, struct message_call *c);
/*
 * The call of this world rank takes part in a collective operation, unless it is already part of one. inside: in the window, so that
 * an operation which cannot be complete is counted.
 */
void matching_meet(struct matching *x, struct message_call *c, int64_t rank,
		   const struct event_args *a, int inside);
/*
 * matching_put(): a call changes memory of a rank. matching_await(): a call of that process, which
 * has ended, waited for a change: the last put before its end, unless that was before its enter,
 * becomes a message that it received.
 * All puts must be passed from the begin of the pass on.
 */
void matching_put(struct matching *x, struct message_call *c, int64_t to);
void matching_await(struct matching *x, struct message_call *c);
/* A call, which has ended, waited for another one: a message of c, which calls of messages do not count. */
void matching_note(struct matching *x, struct message_call *of, struct message_call *c,
		   enum message_source source);
/* One that was kept (held + 1) is no longer needed. */
void matching_let(struct matching *x, struct message_call *c);
/* The call has been left, and all analyses have processed it. */
void matching_left(struct matching *x, struct message_call *c);

/* Does the pass begin at a cut? */
static inline int matching_has_edge(const struct matching *x)
{
	return x->edge.from != INT64_MIN;
}
/* A message has both ends now: one of them may be before the cut. */
void matching_edge_message(struct matching *x, struct message *m);
/* A call ends a request from before the cut. received: the message of the request; NULL: it is a send. */
void matching_edge_request(struct matching *x, struct message_call *c, struct message *received);
/* A call takes part in an operation that began before the cut. */
void matching_edge_entry(struct matching *x, struct message_call *c);
/* A call has ended. */
void matching_edge_left(struct matching *x, const struct message_call *c);

/* Shared by the files of the matching: */

/* A new message, which has no ends. */
struct message *matching_message(struct matching *x);
/* The first operation of a communicator; defined: one of the trace with its number, as the process defines it. */
void matching_meetings(struct matching *x, uint32_t comm, uint32_t process, uint32_t defined);
/* Notes that the calls of the operation are open up to `end`. */
void matching_note_meeting(struct matching *x, const struct meeting *m, int64_t end);

#endif
