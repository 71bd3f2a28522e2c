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

enum event_kind {
	EVENT_LEAVE,		/* of the innermost open region */
	EVENT_ENTER,		/* ref: region */
	EVENT_UNWIND,		/* ref: so many innermost regions ended without a leave */
	EVENT_VALUE,		/* of the kinds from here on ref is an index into batch->args */
	EVENT_SEND,
	EVENT_RECV,
	EVENT_COLL,
	EVENT_RMA,
	EVENT_IO,
	EVENT_ALLOC,
	EVENT_FREE,
	EVENT_RETYPE,
	EVENT_THREAD_BEGIN,	/* a thread takes the stream over */
	EVENT_THREAD_END,	/* it ended, and open regions with it */
	EVENT_OFF,		/* recording is off; open regions stay open */
	EVENT_ON,		/* recording goes on with other regions open */
	EVENT_METRICS,		/* is there for its metrics */
	EVENT_FOLD,		/* calls that are told by their number and time */
	EVENT_SAMPLE,		/* the code that ran, and who called it */
	EVENT_KINDS
};

/* Does an event of this kind come with metrics? */
static inline int event_has_metrics(uint32_t kind)
{
	return kind <= EVENT_UNWIND || (kind >= EVENT_THREAD_BEGIN && kind <= EVENT_METRICS);
}

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

struct event_args {
	union {
		uint32_t event;	/* VALUE */
		uint32_t op;	/* COLL: enum event_coll; RMA: enum event_rma; IO: enum event_io */
		uint32_t type;	/* ALLOC, FREE, RETYPE: memtype */
		uint32_t thread;	/* THREAD_BEGIN: tid */
		uint32_t first;	/* ON: regions open now are batch->regions[first .. first + n), outermost first;
				   FOLD: the path to the region, under the frame that called;
				   SAMPLE: batch->code[first .. first + n), innermost first */
	};
	union {
		uint32_t comm;	/* SEND, RECV, COLL */
		uint32_t to;	/* RETYPE: the new memtype */
		uint32_t file;	/* IO: event that has the file's name */
		uint32_t n;	/* ON, FOLD, SAMPLE (may be 0: only its counts are meant) */
	};
	int64_t peer;		/* SEND, RECV, RMA: world rank; COLL: that of the root, -1 none; FOLD: frames between the
				   innermost and the one that called; SAMPLE: periods missed before it */
	int64_t tag;		/* SEND, RECV; FOLD, IO: ns that the calls took, IO: 0 not known */
	union {
		uint64_t bytes;	/* SEND, RECV, RMA, IO, ALLOC, FREE, RETYPE; COLL: sent; FOLD: calls; SAMPLE: ns */
		double value;	/* VALUE */
	};
	uint64_t received;	/* COLL: bytes received; SAMPLE: periods that ended inside the recorder before it */
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
	uint32_t *code;		/* for EVENT_SAMPLE; trace_ops.place() names it */
	size_t code_n, code_cap;
	int64_t *metric;	/* [event * trace->metric_n + metric]; NULL: this batch has none */
};

/* What ON and FOLD, and SAMPLE, name; NULL where that is nothing. */
static inline const uint32_t *event_regions(const struct event_batch *b, const struct event_args *a)
{
	return a->n ? b->regions + a->first : NULL;
}
static inline const uint32_t *event_code(const struct event_batch *b, const struct event_args *a)
{
	return a->n ? b->code + a->first : NULL;
}

#endif
