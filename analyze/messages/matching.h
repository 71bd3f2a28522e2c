/*
 * matching.h: finds which send belongs to which receive, and which calls form one collective
 * operation.
 */
#ifndef MATCHING_H
#define MATCHING_H

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
};

/*
 * A request that was begun in another thread, from whose stream that was not read so far: the call that
 * ends it.
 */
struct request_early {
	uint64_t key;
	struct message_call *call;
	struct message *received; /* NULL: the call completes a send */
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
};

/* t and found must stay. Release x, after matching_left() for each call. */
void matching_init(struct matching *x, const struct trace *t, struct messages_found *found);
/* Counts messages and operations that are incomplete when all streams have been read. */
void matching_count(struct matching *x);
void matching_release(struct matching *x);

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
/* The call of this world rank takes part in a collective operation, unless it is already part of one. */
void matching_meet(struct matching *x, struct message_call *c, int64_t rank,
		   const struct event_args *a);
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

#endif
