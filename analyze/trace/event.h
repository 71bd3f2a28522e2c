/*
 * event.h: the events of a stream as every reader delivers them and every analysis sees them.
 *
 * An event is 16 bytes. Enter and leave are all there is to most of them; the arguments of the rarer kinds
 * stand beside the batch. Times are nanoseconds since the start of the run and never fall inside a stream.
 * All ids are indexes into the tables of struct trace, checked by the reader.
 *
 * Metrics, where a trace has them, stand with the events that open, close or change what is open (event_has_metrics):
 * the value of each of trace->metric at that moment.
 */
#ifndef EVENT_H
#define EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/trace/event_kinds.h"

struct event {
	int64_t time;		/* ns since the start of the run */
	uint32_t kind;		/* enum event_kind */
	uint32_t ref;
};

/* Operations, as readers translate them from their format. */
enum event_coll {
	COLL_BARRIER, COLL_BROADCAST, COLL_REDUCE, COLL_ALLREDUCE, COLL_GATHER, COLL_ALLGATHER,
	COLL_ALLTOALL, COLL_SCATTER, COLL_SCAN, COLL_REDUCE_SCATTER, COLL_OTHER, COLLS
};
enum event_rma { RMA_PUT, RMA_GET, RMA_ATOMIC, RMAS };
enum event_io { IO_READ, IO_WRITE };
enum event_mark { MARK_COMMAND, MARK_SNAPSHOT };

/* Elements of a batch's regions or code: [first .. first + n). */
struct event_list {
	uint32_t first, n;
};

/* The arguments of an event: the member of its kind. event_kinds.h has which fields a kind has. */
struct event_args {
	union {
		struct {
		} none; /* UNWIND: its number is event.ref */
		struct { /* VALUE */
			uint32_t event;
			double value;
		} value;
		struct { /* SEND, RECV */
			uint32_t comm;
			int64_t peer; /* world rank */
			int64_t tag;
			uint64_t bytes;
		} message;
		struct {             /* COLL */
			uint32_t op; /* enum event_coll */
			uint32_t comm;
			int64_t root;            /* world rank; -1: the operation has none */
			uint64_t sent, received; /* bytes */
		} coll;
		struct {              /* RMA */
			uint32_t op;  /* enum event_rma */
			int64_t peer; /* world rank */
			uint64_t bytes;
		} rma;
		struct {               /* IO */
			uint32_t op;   /* enum event_io */
			uint32_t file; /* the event that has the name of the file */
			int64_t ns;    /* 0: unknown */
			uint64_t bytes;
		} io;
		struct {               /* MARK */
			uint32_t kind; /* enum event_mark */
			uint32_t name; /* the event that has it */
			int64_t number;
		} mark;
		struct { /* ALLOC, FREE, RETYPE */
			uint32_t type;
			uint32_t to; /* RETYPE: the new type */
			uint64_t bytes;
		} block;
		struct { /* THREAD_BEGIN */
			uint32_t id;
		} thread;
		struct {                        /* ON */
			struct event_list open; /* regions open now, outermost first */
		} on;
		struct { /* FOLD: calls of one path under the frame that called */
			struct event_list path; /* regions */
			int64_t frames; /* between the innermost frame and the one that called */
			int64_t ns;     /* that the calls took */
			uint64_t calls;
		} fold;
		struct {                         /* SAMPLE */
			struct event_list stack; /* code, innermost first; n may be 0: only the
						    counts count */
			int64_t missed;          /* periods missed before it */
			uint64_t ns;
			uint64_t inside; /* periods that ended inside the recorder before it */
		} sample;
	};
};

/* What is open in a stream at a moment, from which reading can start. */
struct event_frame {
	uint32_t region;
	int64_t enter;		/* ns */
};
struct event_memory {
	uint32_t type;
	int64_t bytes, blocks;	/* what this stream added so far: allocated - freed, may be negative */
};
#define EVENT_COST_MOST 1000000000	/* ps */
struct event_state {
	int64_t time;
	int in_use;		/* a thread is using the stream */
	int first;		/* the stream begins here: a thread that is in use starts at this time */
	int64_t sealed;		/* ns before it in which the recorder stored what came before */
	int64_t cost_inside, cost_outside;	/* ps that recording costs a call from here on, up to EVENT_COST_MOST;
						   both 0: as before */
	int cut;		/* with first: the thread and what is open began before what was kept of the stream */
	struct event_frame *frame;	/* outermost first */
	size_t frame_n, frame_cap;
	struct event_memory *memory;
	size_t memory_n, memory_cap;
	int64_t *metric;	/* by trace metric; NULL: the stream has none here */
	int64_t *entered;	/* with metric: [frame * trace->metric_n + metric]: what it was at its enter; NULL: not known */
	size_t entered_cap;	/* numbers */
	size_t metric_n;	/* of the trace */
};

/* All of it but the frames: `to` keeps the room that it has for them, and holds none. The rest stays the owner's. */
static inline void event_state_take(struct event_state *to, const struct event_state *from)
{
	struct event_frame *frame = to->frame;
	size_t cap = to->frame_cap;

	*to = *from;
	to->frame = frame;
	to->frame_cap = cap;
	to->frame_n = 0;
}

struct event_batch {
	const struct event_state *state;	/* not NULL: holds before event[0] */
	struct event *event;
	size_t n;
	struct event_args *args;
	size_t args_n, args_cap;
	uint32_t *regions;	/* for EVENT_ON */
	size_t regions_n, regions_cap;
	uint32_t *code;		/* for EVENT_SAMPLE; trace_place() names it */
	size_t code_n, code_cap;
	int64_t *metric;	/* [event * trace->metric_n + metric]; NULL: this batch has none */
};

/* The elements of a list; NULL: it has none. */
static inline const uint32_t *event_regions(const struct event_batch *b, struct event_list l)
{
	return l.n ? b->regions + l.first : NULL;
}
static inline const uint32_t *event_code(const struct event_batch *b, struct event_list l)
{
	return l.n ? b->code + l.first : NULL;
}

#endif
