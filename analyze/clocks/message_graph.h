/* message_graph.h: who sent what to whom, and who met whom: what the parts of clocks.h share. */
#ifndef MESSAGE_GRAPH_H
#define MESSAGE_GRAPH_H

#include "analyze/clocks/clocks.h"
#include "analyze/messages/channels.h"
#include "analyze/trace/collective.h"

enum point { POINT_SEND, POINT_RECV, POINT_IN, POINT_OUT };
struct message {		/* or one end of a call of a collective operation */
	int64_t time;
	uint32_t channel;	/* IN and OUT: call of the lane */
	enum point point;
	size_t order;		/* as read, for messages of the same time */
	uint64_t nth;		/* in its channel */
};

/* A process takes part in a collective operation. */
struct call {
	uint32_t comm;
	uint32_t op;
	enum collective_order order;
	int64_t root;		/* its node; -1: none */
	uint32_t stream;
	int is_root;
	int idle;		/* nothing was sent or received, so nobody need have waited */
	uint32_t meeting;
};

/* A collective operation. */
struct meeting {
	uint32_t comm;
	const struct call *first;	/* who came first says what it is */
	size_t members, joined;	/* members: of the communicator */
	int bad;		/* they do not agree what it is */
	uint64_t nth;		/* of its communicator */
	size_t in;		/* so many are in it */
	int64_t latest;		/* of those */
	int64_t root;		/* when the root came */
	int root_in;
};

/* A region that is open, and the call that it is. */
struct open {
	uint32_t region;
	int64_t enter;
	int is_call;
	struct call call;
};

/* From a time on all is later by this, which goes back. */
struct knot {
	int64_t time, shift;
};

struct lane {			/* a process */
	struct message *message;
	size_t message_n, message_cap;
	size_t at;		/* message to look at next */
	struct call *call;
	size_t call_n, call_cap;
	struct knot *knot;
	size_t knot_n, knot_cap;
};

/* What goes from one process to another with one tag in one communicator. */
struct channel {
	uint64_t sent, received;
	int64_t *send;		/* times of sends as they are now; set up to `known` */
	uint64_t known;
};

struct message_graph {
	struct trace *trace;
	struct lane *lane;
	struct channels channels;
	struct channel *channel;
	size_t channel_n, channel_cap;
	struct names meetings;
	struct meeting *meeting;
	size_t meeting_n, meeting_cap;
	uint64_t *inside;	/* by communicator: 2 * (1 + stream that looked) + 1 when its process is one of it */
	struct open *open;	/* in the stream that is being read */
	size_t open_n, open_cap;
	struct causality *found;
};

/* Reads all streams. Release it in any case. */
int message_graph_read(struct message_graph *w, struct trace *t, struct causality *found,
		       struct error *e);
void message_graph_release(struct message_graph *w);

/* By how much a time is shifted. */
int64_t shift_at(const struct knot *k, size_t n, int64_t time);
/* From now on the trace has shifted times. Takes the knots over. */
void shift_install(struct trace *t, struct message_graph *w);

#endif
