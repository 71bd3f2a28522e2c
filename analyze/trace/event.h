/*
 * event.h: the events of a stream as every reader delivers them and every analysis reads them.
 *
 * An event is 16 bytes. Most events are enters and leaves, which need no more; the arguments of the
 * other kinds are in an array beside the events of the batch. Times are nanoseconds since the start
 * of the run and never decrease in a stream. All ids are indexes into the tables of struct trace;
 * the reader has checked them.
 *
 * If a trace has metrics, the events that open, close or change open regions (event_has_metrics)
 * carry the value of each of trace->metric at that moment.
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

/* Collective operations. Readers translate them from their format. */
enum event_coll {
	COLL_BARRIER, COLL_BROADCAST, COLL_REDUCE, COLL_ALLREDUCE, COLL_GATHER, COLL_ALLGATHER,
	COLL_ALLTOALL, COLL_SCATTER, COLL_SCAN, COLL_REDUCE_SCATTER, COLL_OTHER, COLLS
};
enum event_rma { RMA_PUT, RMA_GET, RMA_ATOMIC, RMAS };
/* POST exposes memory to the peer, which WAIT ends; START begins accesses to that of the peer, which COMPLETE ends. */
enum event_sync {
	SYNC_POST, SYNC_WAIT, SYNC_START, SYNC_COMPLETE, SYNC_LOCK, SYNC_LOCK_SHARED, SYNC_UNLOCK, SYNCS
};
/* IO_MPI_: of MPI's functions, which read and write by those of the system. */
enum event_io {
	IO_READ, IO_WRITE, IO_MPI_READ, IO_MPI_WRITE,
	IO_MOVES, /* the others move no bytes: they are about the names and descriptors of files */
	IO_OPEN = IO_MOVES, IO_CLOSE, IO_STAT, IO_ACCESS, IO_REMOVE, IO_RENAME, IO_MKDIR, IO_RMDIR, IO_LIST,
	IO_LOCK, IO_UNLOCK, IO_OPS
};
static inline int event_io_is_mpi(uint32_t op)
{
	return op == IO_MPI_READ || op == IO_MPI_WRITE;
}
static inline int event_io_moves(uint32_t op)
{
	return op < IO_MOVES;
}
static inline int event_io_reads(uint32_t op)
{
	return op == IO_READ || op == IO_MPI_READ;
}
enum event_mark { MARK_COMMAND, MARK_SNAPSHOT };
/* What a call waits for. ALL, ANY: each, or one, of the waits that follow and of `rest` others. */
enum event_wait {
	EVENT_WAIT_ALL, EVENT_WAIT_ANY, EVENT_WAIT_RECEIVE, EVENT_WAIT_SEND, EVENT_WAIT_COLL, EVENT_WAIT_UNKNOWN,
	 EVENT_WAIT_KINDS
};
/* What a call on a file waits for: the file itself, or a lock of a part of it (OPEN: for the open file) or of all of it. */
enum event_file_wait {
	EVENT_FILE_CALL, EVENT_FILE_READ_LOCK, EVENT_FILE_WRITE_LOCK, EVENT_FILE_READ_LOCK_OPEN, EVENT_FILE_WRITE_LOCK_OPEN,
	EVENT_FILE_SHARED_LOCK, EVENT_FILE_EXCLUSIVE_LOCK, EVENT_FILE_WAITS
};
static inline int event_is_wait(uint32_t kind)
{
	return kind == EVENT_WAITS || kind == EVENT_WAITS_FILE;
}

/* Elements [first, first + n) of a batch's `regions` or `code`. */
struct event_list {
	uint32_t first, n;
};

/*
 * The arguments of an event: the member for its kind. event_kinds.h lists the fields of each kind.
 */
struct event_args {
	union {
		struct {
		} none; /* UNWIND: its number of regions is event.ref */
		struct { /* VALUE */
			uint32_t event;
			double value;
		} value;
		struct { /* SEND, RECV; POSTED and COMPLETED: the request alone */
			uint32_t comm;
			uint32_t request; /* that several calls handle; 0: none, or unknown */
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
		struct {              /* SYNC */
			uint32_t op;  /* enum event_sync */
			uint32_t comm;
			int64_t peer; /* world rank; -1: all members */
		} sync;
		struct {               /* IO */
			uint32_t op;   /* enum event_io */
			uint32_t file; /* the event whose name is the name of the file */
			int64_t ns;    /* 0: unknown */
			uint64_t bytes;
			int64_t at; /* offset in the file of the first byte; -1: unknown */
		} io;
		struct {               /* WAITS */
			uint32_t kind; /* enum event_wait */
			uint32_t op;   /* COLL: enum event_coll */
			uint32_t comm;
			uint32_t rest; /* ALL, ANY: how many more waits have no event */
			int64_t peer;  /* world rank; RECEIVE: -1 any; COLL: the root, -1 none */
			int64_t tag;   /* -1: any */
		} wait;
		struct {               /* WAITS_FILE */
			uint32_t kind; /* enum event_file_wait */
			uint32_t file; /* the event whose name is the name of the file */
			int64_t holder; /* process of the system that had a lock in the way when the call began; 0: unknown */
			uint64_t first, bytes; /* of a lock; 0 bytes: all that follow */
		} file_wait;
		struct {               /* MARK */
			uint32_t kind; /* enum event_mark */
			uint32_t name; /* the event whose name is the name of the mark */
			int64_t number;
		} mark;
		struct { /* ALLOC, FREE, RETYPE */
			uint32_t type;
			uint32_t to; /* RETYPE: the new type */
			uint64_t bytes;
			uint64_t inner; /* ALLOC: how many of them other blocks count, too */
		} block;
		struct { /* THREAD_BEGIN */
			uint32_t id;
		} thread;
		struct {                        /* ON */
			struct event_list open; /* regions open now, outermost first */
		} on;
		struct { /* FOLD: calls of one path below the frame that called it */
			struct event_list path; /* regions */
			int64_t frames; /* number of frames between the innermost frame and the
					 * one that called */
			int64_t ns;     /* time of these calls */
			uint64_t calls;
		} fold;
		struct {                         /* SAMPLE */
			struct event_list stack; /* code, innermost first; if n is 0, only the
						  * periods count */
			int64_t missed;          /* periods missed before it */
			uint64_t ns;
			uint64_t inside; /* periods that ended inside the recorder before it */
		} sample;
	};
};

/* The state of a stream at a moment from which reading can start: an open region. */
struct event_frame {
	uint32_t region;
	int64_t enter;		/* ns */
};
struct event_memory {
	uint32_t type;
	int64_t bytes, blocks;	/* sum over this stream so far: allocated - freed, may be
				 * negative */
};
#define EVENT_COST_MOST 1000000000	/* ps */
struct event_state {
	int64_t time;
	int in_use;		/* a thread is using the stream */
	int first;		/* the stream begins here: if a thread is in use, it starts at
				 * this time */
	uint64_t lost;		/* events that were lost in the stream, up to the next state */
	int64_t sealed;		/* time in ns that the recorder spent before this moment to store
				 * the previous events */
	int64_t cost_inside, cost_outside;	/* ps: cost of recording per call from here on,
						 * inside and outside of the call, up to
						 * EVENT_COST_MOST; both 0: unchanged */
	int cut;		/* with `first`: the thread and the open regions began before the
				 * part of the stream that was kept */
	struct event_frame *frame;	/* outermost first */
	size_t frame_n, frame_cap;
	struct event_memory *memory;
	size_t memory_n, memory_cap;
	int64_t *metric;	/* by trace metric; NULL: the stream has no metrics here */
	int64_t *entered;	/* with `metric`: [frame * trace->metric_n + metric]: the value
				 * at the enter of the frame; NULL: unknown */
	size_t entered_cap;	/* allocated numbers */
	size_t metric_n;	/* of the trace */
};

/*
 * Copies the state without its frames: `to` keeps its own array for frames, which is then empty.
 * All other arrays stay the property of the owner of `from`.
 */
static inline void event_state_copy(struct event_state *to, const struct event_state *from)
{
	struct event_frame *frame = to->frame;
	size_t cap = to->frame_cap;

	*to = *from;
	to->frame = frame;
	to->frame_cap = cap;
	to->frame_n = 0;
}

struct event_batch {
	const struct event_state *state;	/* if not NULL: the state just before event[0] */
	struct event *event;
	size_t n;
	struct event_args *args;
	size_t args_n, args_cap;
	uint32_t *regions;	/* for EVENT_ON and EVENT_FOLD */
	size_t regions_n, regions_cap;
	uint32_t *code;		/* for EVENT_SAMPLE; trace_place() returns the names */
	size_t code_n, code_cap;
	int64_t *metric;	/* [event * trace->metric_n + metric]; NULL: this batch has no
				 * metrics */
};

/* The elements of a list, borrowed from the batch; NULL: the list is empty. */
static inline const uint32_t *event_regions(const struct event_batch *b, struct event_list l)
{
	return l.n ? b->regions + l.first : NULL;
}
static inline const uint32_t *event_code(const struct event_batch *b, struct event_list l)
{
	return l.n ? b->code + l.first : NULL;
}

#endif
