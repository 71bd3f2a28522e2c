/* matching.h: which send belongs to which receive, and which calls are one collective operation. */
#ifndef MATCHING_H
#define MATCHING_H

#include "analyze/messages/messages.h"

#define PUTS_KEPT 16 /* that may be what a process waits for */

struct puts { /* to a process: a ring of calls */
	struct message_call *call[PUTS_KEPT];
	size_t n;
};

#define CHANNELS_NEAR 1024 /* channels found without hashing; a power of two */

struct channel_queue { /* sends that were not received so far, or receives */
	struct message *first, *last;
};

struct meetings { /* of a communicator */
	uint64_t *next;		 /* by process: its next operation */
	uint32_t *place;	 /* by process: 1 + its place, 0: not looked for so far */
	struct meeting **open;	 /* by number, from the first that is not over; NULL: over */
	size_t open_n, open_cap;
	uint64_t first;		 /* number of open[0] */
	int bad;		 /* its processes did not agree */
	int missing;		 /* a member has no trace */
};

struct matching {
	struct channels channels;
	struct channel_queue *queue; /* by channel */
	size_t queue_n, queue_cap;
	struct meetings *of; /* by communicator */
	struct map nodes;    /* ranks that have a trace: the process */
	struct puts *puts;   /* by process; NULL: no call waits for one */
	size_t puts_n;
	struct {
		int64_t from, to, tag;
		uint32_t comm, id; /* id: 1 + channel; 0: none */
	} near[CHANNELS_NEAR];
	struct message *free_message;
	struct message_call *free_call;
	uint64_t order;
	struct messages_found *found;
};

void matching_init(struct matching *x, const struct trace *t, struct messages_found *found);
/* Counts what is without its other end, all having been read. */
void matching_count(struct matching *x);
void matching_release(struct matching *x);

struct message_call *matching_call(struct matching *x);
/* An end of a message happens in a call. The message, which has both ends when these are known. */
struct message *matching_send(struct matching *x, struct message_call *c, int64_t from,
			      const struct event_args *a);
struct message *matching_receive(struct matching *x, struct message_call *c, int64_t to,
				 const struct event_args *a);
/* The call takes part in a collective operation, if it is of no other already. */
void matching_meet(struct matching *x, struct message_call *c, int64_t rank,
		   const struct event_args *a);
/*
 * A call changes memory of a rank; a call of a process, which has ended, waited for that: the last one before its end becomes
 * a message that it received. Calls that do so have to be given from the begin of the pass on.
 */
void matching_put(struct matching *x, struct message_call *c, int64_t to);
void matching_await(struct matching *x, struct message_call *c);
/* It has left, and all analyses are done with it. */
void matching_left(struct matching *x, struct message_call *c);

#endif
