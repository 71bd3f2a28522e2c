/* messages_types.h: messages, collective operations, calls, and what an analysis gets of them. */
#ifndef MESSAGES_TYPES_H
#define MESSAGES_TYPES_H

#include "analyze/messages/channels.h"
#include "analyze/messages/runtime_regions.h"
#include "analyze/messages/selection.h"
#include "analyze/stream/callstack.h"
#include "analyze/trace/spans.h"

struct message_call;
struct call_sync;

/* What a message was made of. */
enum message_source {
	SOURCE_SEND,
	SOURCE_PUT,	 /* a put or an atomic operation, for which the receiver waited in a call */
	SOURCE_POST,	 /* epochs.h */
	SOURCE_COMPLETE,
	SOURCE_UNLOCK,
};

struct message {
	struct message_call *send, *recv; /* NULL: not read so far */
	struct message_call *completes;	/* the call that completes the send; NULL: `send` does,
					 * or it is unknown */
	struct message_call *posts;	/* the call that posted the receive; NULL: `recv` did, or
					 * it is unknown */
	struct message *next_sent, *next_received, *next_completed; /* of the same call */
	struct message *next;	/* in its channel */
	uint64_t bytes;
	uint32_t ends;          /* number of its calls that have ended */
	uint32_t calls;		/* 2: send and recv; 3: the send has a request */
	int64_t at[2];		/* ns: it was sent, received; only for cuts.h */
	int inside;		/* it was sent in the window */
	int edge;		/* matching.h: one of its calls, or requests, began before the pass */
	int reserved;		/* for a receive that was not read so far */
	enum message_source source;
};

/* One collective operation. */
struct meeting {
	uint32_t comm, op;	/* comm: as channels_comm() */
	int64_t root;		/* rank in the world; -1: none */
	uint64_t nth;		/* in its communicator, from 0 */
	size_t members, joined, left;
	int bad;		/* the processes disagree about the operation, or disagreed
				 * before */
	struct message_call *first;	/* of the calls; next_in_meeting */
	struct message_call *latest, *root_call;	/* by enter */
	int64_t first_leave;	/* ns: first leave of the calls; INT64_MAX: no call has left */
	int64_t ideal;		/* efficiency.h: the latest clock at the enters; INT64_MIN: not computed */
	int ordered;		/* awaited.h: its calls have `before` */
	int64_t met[2];		/* cuts.h, ns: the first and the last of the events of its calls */
	int team;		/* a barrier of threads of one process; comm and op are unused */
	int idle;		/* of a team: some threads have left the team */
};

/* A call, from its first message or collective operation on. */
struct message_call {
	uint32_t stream, process;
	uint32_t region, path;	/* TRACE_NONE: messages outside of calls of a library */
	int64_t enter, leave;	/* ns; leave INT64_MAX: it has not ended */
	int64_t exclusive;	/* ns inside the window; known when it ends */
	struct message *sent, *received;
	struct message *completed; /* sends of earlier calls */
	struct meeting *meeting;
	struct message_call *next_in_meeting;
	int meets;		/* it performs a collective operation, whether or not its meeting
				 * is known */
	uint32_t op;		/* if `meets`: enum event_coll */
	uint64_t bytes_sent, bytes_received; /* of the meeting */
	uint32_t rank;		/* its position in the meeting's communicator */
	uint32_t held;		/* number of messages and meetings that refer to it */
	int edge;		/* matching.h: it has to do with what began before the pass */
	int64_t met;		/* cuts.h, ns: the event of its collective operation */
	struct call_sync *syncs; /* epochs.h: synchronisations of windows; NULL: none */
	int64_t aimed;		/* epochs.h: of a fence or MPI_Win_wait, ns from its enter to the end of the
				 * last transfer of the epoch to its process; 0: none ends later */
	/* Of a call of a team (teams.h). */
	enum team_role role;
	uint32_t team;		/* the number of its team; 0: unknown, or one that was alone at its begin */
	uint32_t after;		/* path of the region that ended before it at the same depth;
				 * otherwise its own path */
	uint32_t forked;	/* the region that ended before it at the same depth; TRACE_NONE:
				 * none */
	int64_t fork;		/* the team began at this time or before */
	int64_t nested;		/* ns in regions inside of it */
	/* Private data of analyses. */
	int late_sender;	/* awaited.h: it waited for a message */
	int known;		/* at its end, awaited_is_known() */
	int64_t waited;		/* critical_path.h: ns until which it waited */
	uint64_t log;		/* waits.h: position at the enter */
	int64_t ideal, outside;	/* efficiency.h: clock at the enter, and computation of the stream until then */
	int64_t ideal_before;	/* efficiency.h: of a scan: the latest clock of the ranks up to this one */
	struct message_call *before; /* awaited.h: of a scan: the last call of the ranks before */
	int64_t wait;		/* waits.h */
	int64_t counted;	/* traffic.h: the part of `wait` that is in its sums */
};

/* Time of a stream since its last call or its begin, by path. */
struct message_time {
	uint32_t path;
	int64_t ns;
};

/*
 * The functions of an analysis; NULL: not called. Times are ns. Pointers that a function receives are
 * valid during the call; a call or meeting stays as long as a message or call that refers to it.
 */
struct messages_use {
	/*
	 * It needs nothing that happened before or after the window, nothing of messages, and no order between streams. If all uses are
	 * so, only the window is read, by the index if there is one, and one stream after the other; messages are not matched.
	 */
	int window_only;
	/*
	 * It uses only calls that end inside the window, and what these have to do with. If all uses are so, or window_only, what is long
	 * before the window is not read if that is possible (matching.h).
	 */
	int window_calls;
	/*
	 * A stream has spent the n times of t outside of calls with messages; n may be 0. The time
	 * of calls that the recorder folded comes where the trace has their sum, as time of their
	 * path, and is subtracted from the path of their caller: its time is negative if its other
	 * time was passed before. call: the
	 * call that begins now. NULL: no call begins; the stream ends, or a barrier of a team of
	 * threads begins or ends, or (with `teams`) a team begins.
	 */
	void (*spent)(void *to, uint32_t stream, const struct message_time *t, size_t n,
		      struct message_call *call);
	/*
	 * A path is the innermost one from `from` to `until`, inside the window. Path 0 is outside
	 * of all regions.
	 */
	void (*busy)(void *to, uint32_t stream, uint32_t path, int64_t from, int64_t until);
	/* The last region of a path begins or ends, at any time up to the end of the window. */
	void (*begins)(void *to, uint32_t stream, uint32_t path, int64_t time);
	void (*ends)(void *to, uint32_t stream, uint32_t path, int64_t time);
	/*
	 * n events that enter and leave regions, for which begins() and ends() are not called. NULL:
	 * they are called for all regions.
	 */
	void (*ran)(void *to, uint32_t stream, const struct event *event, size_t n);
	/* n polling calls (region_work.h) of this path begin inside the window. */
	void (*polls)(void *to, uint32_t stream, uint32_t path, uint64_t n);
	/* A polling call of this path succeeded. */
	void (*poll_found)(void *to, uint32_t stream, uint32_t path, int inside);
	/* A value inside a path; values of a stream are in order. */
	void (*value)(void *to, uint32_t stream, uint32_t path, int64_t time,
		      const struct event_args *a, int inside);
	/*
	 * Called in order of the trace's streams, not of time. inside: the moment is in the window.
	 */
	void (*sent)(void *to, const struct message_call *c, const struct event_args *a, int inside);
	void (*received)(void *to, const struct message_call *c, const struct event_args *a,
			 int inside);
	/* Both ends of a message are known, though their calls may not have ended. */
	void (*matched)(void *to, const struct message *m);
	/* path: the innermost one; also for the following functions. */
	void (*transfer)(void *to, uint32_t stream, uint32_t path, const struct event_args *a,
			 int inside);
	void (*io)(void *to, uint32_t stream, uint32_t path, const struct event_args *a,
		   int inside);
	/* A sample of the code that runs: a->sample.stack.n addresses (trace_place()), the innermost first. */
	void (*sampled)(void *to, uint32_t stream, uint32_t path, int64_t time,
			const struct event_args *a, const uint32_t *code, int inside);
	/* A block of memory is allocated or freed, or its type changes, at any time up to the end of the window. */
	void (*block)(void *to, uint32_t stream, uint32_t path, const struct event *ev,
		      const struct event_args *a);
	/* A call ended. Calls end in order of time. */
	void (*left)(void *to, struct message_call *c, int inside);
	/*
	 * A message that was matched after the receiving call ended: by the clocks, it was sent
	 * later.
	 */
	void (*late)(void *to, struct message *m, int inside);
	/*
	 * After the call had ended that sent the message, or completed its send, the receive was
	 * found, and that an earlier call had posted it.
	 */
	void (*late_receiver)(void *to, const struct message *m, struct message_call *c,
			      int inside);
	/* The last process entered after a call of the operation had ended. */
	void (*late_meeting)(void *to, struct message_call *c, int inside);
	/*
	 * Barriers of teams of threads (teams.h) are calls, too. If 0, their time goes to spent(),
	 * like that of other regions.
	 */
	int teams;
	/*
	 * The stream begins a parallel region. spent() was called before, with the time up to this
	 * moment.
	 */
	void (*forks)(void *to, uint32_t stream);
	/*
	 * All threads have entered a barrier, and the first one leaves it. left() follows for each
	 * thread.
	 */
	void (*team_met)(void *to, const struct meeting *meeting);
	void *to;
};

/* Numbers of one pass; unsent, unreceived and unmet are complete only if it read all of the trace. */
struct messages_found {
	uint64_t matched, unsent, unreceived;	/* messages: with both ends; with only one of
						 * them: the receive, the send */
	uint64_t meetings, unmet;	/* collective operations: complete; incomplete (or calls
					 * of operations of which a member has no trace) */
	uint64_t disagreed;		/* communicators whose processes disagree about
					 * operations */
	uint64_t teams;			/* barriers of at least two threads */
	uint64_t early;			/* messages received before they were sent: clocks disagree */
	uint64_t repaired;		/* regions without a begin or an end */
};

/*
 * A pass. Zero it, set the first fields, call messages_read(), then messages_release(). What the
 * first fields point to is borrowed until then.
 */
struct messages {
	struct trace *trace;
	const struct window_span *span;	/* by process; NULL: no limits */
	const struct messages_use *use;
	size_t use_n;
	struct selection *selection; /* what analyses add up; NULL: everything */
	const char *skip; /* by stream, 1: it is not read; NULL: all are */
	int cuts; /* cuts (cuts.h) are used, and kept if the pass reads more than those that are known; not with `skip` */
	/* Valid during a call of a use and afterwards: */
	struct messages_found found;
	struct callstack_paths paths;	/* of all streams: regions of the same name are one */
	const uint32_t *region;		/* by region: the first one of its name */
	const char *runtime;		/* by region: a call of MPI or OpenSHMEM */
	struct messages_pass *pass;
};

#endif
