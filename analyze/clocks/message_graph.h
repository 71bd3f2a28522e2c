/*
 * message_graph.h: the messages and collective operations of a trace as a graph, shared by the
 * files of this folder.
 */
#ifndef MESSAGE_GRAPH_H
#define MESSAGE_GRAPH_H

#include "analyze/clocks/clocks_types.h"
#include "analyze/messages/channels.h"
#include "analyze/trace/collective.h"

enum point { POINT_SEND, POINT_RECV, POINT_IN, POINT_OUT };
struct graph_message {		/* a send, a receive, or the enter or leave of a collective call */
	int64_t time;
	uint32_t channel;	/* IN and OUT: index of the call in the lane */
	enum point point;
	size_t order;		/* order of reading, for messages of the same time */
	uint64_t nth;		/* its number in the channel */
};

/* A process takes part in a collective operation. */
struct call {
	uint32_t comm;
	uint32_t op;
	enum collective_order order;
	int64_t root;		/* its node; -1: none */
	uint32_t stream;
	int is_root;
	int idle;		/* nothing was sent or received, so no process needs to have
				 * waited */
	uint32_t meeting;
};

/* A collective operation, with the calls of all its processes. */
struct graph_meeting {
	uint32_t comm;
	const struct call *first;	/* the first call read; it defines the operation */
	size_t members, joined;	/* members: size of the communicator; joined: calls found */
	int bad;		/* its processes do not agree about the operation */
	uint64_t nth;		/* its number in the communicator */
	size_t in;		/* number of processes that have entered */
	int64_t latest;		/* ns: the latest enter so far */
	int64_t root;		/* ns: when the root entered */
	int root_in;
	uint32_t waiting;	/* 1 + a process that waits for an enter, the others follow by
				 * lane.next_waiting; 0: none */
};

/* An open region, and the collective call that it is, if it is one. */
struct graph_region {
	uint32_t region;
	int64_t enter;
	int is_call;
	struct call call;
};

/* From `time` on, all times are later by `shift`, which decreases. */
struct knot {
	int64_t time, shift;
};

struct graph_lane {			/* a process */
	struct graph_message *message;
	size_t message_n, message_cap;
	size_t at;		/* the next message to process */
	struct call *call;
	size_t call_n, call_cap;
	struct knot *knot;
	size_t knot_n, knot_cap;
	uint32_t *waits_in;	/* the list of a channel or meeting in which it waits; NULL: none */
	uint32_t next_waiting;	/* 1 + the next process of that list; 0: none */
};

/* The messages from one process to another with one tag in one communicator. */
struct channel {
	uint64_t sent, received;
	int64_t *send;		/* times of the sends; below `known` they are corrected */
	uint64_t known;
	uint32_t waiting;	/* 1 + the process that waits for the next send; 0: none */
};

struct message_graph {
	struct trace *trace;
	struct graph_lane *lane;
	struct channels channels;
	struct channel *channel;
	size_t channel_n, channel_cap;
	struct names meetings;
	struct graph_meeting *meeting;
	size_t meeting_n, meeting_cap;
	uint64_t *inside;	/* by communicator: 2 * (1 + stream that looked it up), + 1 if
				 * its process is a member */
	struct graph_region *open;	/* in the stream that is being read */
	size_t open_n, open_cap;
	uint32_t *ready;	/* processes that can go on */
	size_t ready_n;
	struct causality *found;
};

/*
 * Reads all streams and matches their messages and calls. found is borrowed and set to 0. Returns 0
 * or an error of reading. Release w in any case, also after an error.
 */
int message_graph_read(struct message_graph *w, struct trace *t, struct causality *found,
		       struct error *e);
void message_graph_release(struct message_graph *w);

/* The shift in ns at a time, by n knots in order of time. O(log n). */
int64_t shift_at(const struct knot *k, size_t n, int64_t time);
/* From now on the cursors of the trace deliver shifted times. Takes over the knots of w. */
void shift_install(struct trace *t, struct message_graph *w);

#endif
