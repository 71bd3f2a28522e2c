/* lane.h: the position of a stream in a pass of messages.h: shared by the files of this folder. */
#ifndef LANE_H
#define LANE_H

#include "analyze/messages/cuts.h"
#include "analyze/messages/epochs.h"
#include "analyze/messages/messages_types.h"

struct lane_frame {
	uint32_t path;
	int64_t enter;
};

/*
 * The paths of a path's calls that were looked up last, by the region of their enters: that of region r is in entry
 * 1 + r % CALLSTACK_CALLS, TRACE_NONE: none. Entry 0: the path around it, with the ref of leaves; TRACE_NONE: none.
 */
struct lane_ways {
	uint32_t region[1 + CALLSTACK_CALLS], path[1 + CALLSTACK_CALLS];
};

struct lane { /* a stream, while it is read */
	struct messages *m;
	uint32_t stream, process;
	int64_t node;
	struct window_span span;
	int64_t from;			/* ns: reading begins there; INT64_MIN: at the begin */
	struct trace_cursor *cursor;
	struct event_batch *batch;
	size_t at;
	size_t *ahead;			/* receives of the batch from `at` up to `looked` */
	size_t ahead_n, ahead_cap, ahead_first, looked;
	struct callstack callstack;
	struct callstack_watch watch;
	int stop;			/* a call ended */
	int begun;			/* it has read a state */
	int over;			/* of a pass that begins at a cut: no call that was open there is open */
	int running;			/* regions begin and end by events for messages_use.ran */
	struct lane_frame *frame;	/* frame[0] is the root */
	size_t frame_n, frame_cap;
	int64_t last;			/* ns: time up to here has been added to its path */
	int64_t *spent;			/* by path, since the last call */
	size_t spent_n;
	struct message_time *touched;	/* paths with time; ns is filled in when they are passed
					 * to the uses */
	size_t touched_n, touched_cap;
	struct message_call *call;	/* open */
	size_t call_depth;
	int64_t nested;			/* ns in regions inside of it */
	struct lane_frame ended;	/* the region that ended last, if `teams`; enter INT64_MIN: none */
	size_t ended_depth;
	size_t aims;			/* 1 + depth of a call with a transfer whose end matters; 0: none */
	uint32_t aimed;			/* of epochs_aimed(); if a call has several, the last one */
	uint32_t team;			/* the number of the team that it is in (teams.h) */
	struct message_call *done;	/* a call that has ended, and was not passed to the uses
					 * so far */
};

#define RUNTIME_FENCE	2 /* a call that ends the transfers of a window */
#define BEGINS_AWAITING 8 /* a call that waits for a put */
#define BEGINS_POLLING  9 /* a call that polls */

#define RECEIVES_MOST 1024 /* open receives of a process whose order is kept */

struct receive_open { /* a receive that was posted and is not complete */
	uint32_t request;
	int chosen;
	struct message *message; /* reserved for it; NULL: none */
};

struct receive_posted { /* of a process, in the order in which they were posted */
	struct receive_open *v;
	size_t v_n, v_cap;
};

struct receive_order {
	struct receive_posted *of; /* by process */
	size_t of_n, of_cap;
};

struct lane_next { /* a lane whose last call has ended */
	int64_t time; /* ns: its leave */
	struct lane *lane;
};

struct messages_pass {
	struct matching matching;
	struct receive_order receives;
	struct epochs epochs;
	struct callstack_paths none; /* of the call stacks, which keep no paths */
	struct lane *lane;	/* by stream */
	struct lane_next *order; /* a heap, the earliest first */
	size_t order_n;
	struct lane_ways *ways; /* by path */
	size_t ways_n;
	uint32_t *region;
	char *runtime;		/* by region: 0, 1: a call of a library, or RUNTIME_FENCE */
	unsigned char *begins;	/* by region: what its begin is, as BEGINS_AWAITING, BEGINS_POLLING or
				 * enum team_role */
	int any_awaits;
	int times, busy, regions, teams, polls, ran; /* a use has functions for this; regions: and not
						      * `ran` */
	int spends;	   /* a use has spent(), or left(), whose calls have times */
	int window_only, window_calls; /* all uses are */
	int64_t from;	   /* ns: the cut where the pass begins; INT64_MIN: none */
	struct cuts cuts;  /* those that are known, */
	const int64_t *called; /* and for messages_called(); NULL: it begins with the trace */
	int no_cuts;	   /* the trace has what cuts do not know */
	size_t past_n;	   /* streams that were not read to their end */
	int sent, matched; /* a use has functions for this; sent: or for received messages */
};

/* Calls the function of each use that has it. */
#define CALL_USES(messages, what, ...)                                                             \
	do {                                                                                       \
		for (size_t u_ = 0; u_ < (messages)->use_n; u_++)                                  \
			if ((messages)->use[u_].what)                                              \
				(messages)->use[u_].what((messages)->use[u_].to, __VA_ARGS__);     \
	} while (0)

/* The innermost path; 0: outside of all regions. */
static inline uint32_t lane_path(const struct lane *l)
{
	return l->frame_n ? l->frame[l->frame_n - 1].path : 0;
}

/* The first region of its name; of the root TRACE_NONE. */
static inline uint32_t lane_region(const struct lane *l, const struct lane_frame *f)
{
	return l->m->paths.v[f->path].region;
}

static inline int lane_inside(const struct lane *l, int64_t time)
{
	return time >= l->span.begin && time < l->span.end;
}

/* ---- messages.c ---- */

/* A stream before its first event. */
void lane_begin(struct lane *l, struct messages *m, uint32_t stream);
/* Reads up to the end of the next call: 1, or to the end of the stream or, if nothing after it matters, of the window: 0. */
int lane_run(struct lane *l, struct error *e);
/* Has it passed all calls that were open at the cut? */
int lane_is_over(const struct lane *l);
/* Passes a call to the uses: it has ended, and everything for which it can have waited is known. */
void lane_call_pass(struct messages *m, struct lane *l);

/* ---- receive_order.c ---- */

/* A receive is posted. */
void receive_order_post(struct receive_order *x, uint32_t process, uint32_t request);
/*
 * A receive is complete, at the event before l->at: the message that is reserved for it; NULL: it takes the next one of its channel, after
 * receives that were posted earlier have reserved theirs.
 */
struct message *receive_order_pop_open(struct lane *l, const struct event_args *a);
static inline struct message *receive_order_match(struct lane *l, const struct event_args *a)
{
	const struct receive_order *x = &l->m->pass->receives;
	const int any = l->process < x->of_n && x->of[l->process].v_n;

	return any ? receive_order_pop_open(l, a) : NULL;
}
/* Before matching_release(): x->of may have messages that are reserved in `from`. */
void receive_order_release(struct receive_order *x, struct matching *from);

/* ---- lane_walk.c ---- */

/*
 * Runs events that enter and leave regions: like callstack_run(), but without its watch functions. Only if no use has
 * functions for their begins and ends, and no call is open. Returns the number of events that it ran: 0 if the first one needs
 * more than time for its path.
 */
size_t lane_walk(struct lane *l, const struct event *event, size_t n);

/* ---- lane_time.c ---- */

/* ---- lane_regions.c ---- */

/* Regions of the same name are treated as one; marks which are calls of a library. */
void lane_regions_make(struct messages *m);

/* A sample, or an event that only the call stack knows. */
void lane_other(struct lane *l, const struct event *ev);

/* ---- lane_transfer.c ---- */

/* A transfer, which ends with its call if that is open, otherwise at once. */
void lane_transfer(struct lane *l, int64_t time, int64_t peer);
/* The region of depth l->aims - 1 has ended. */
void lane_transfer_ends(struct lane *l, int64_t time);

/* ---- lane_team.c ---- */

/* A barrier, or idle time, of a team begins in the innermost region. */
void lane_team_begins(struct lane *l, size_t depth, enum team_role role);
/* A message in a barrier: treat the barrier as an ordinary region. */
void lane_team_forget(struct lane *l);
/* A call of a team has ended. */
void lane_team_pass(struct messages *m, struct message_call *c);

#endif
