/* lane.h: a stream on its way through a pass of messages.h: what its files share. */
#ifndef LANE_H
#define LANE_H

#include "analyze/messages/matching.h"
#include "analyze/messages/messages.h"

struct lane_frame {
	uint32_t path, region;
	int64_t enter;
};

struct lane { /* a stream on its way */
	struct messages *m;
	uint32_t stream, process;
	int64_t node;
	struct window_span span;
	struct trace_cursor *cursor;
	struct event_batch *batch;
	size_t at;
	struct callstack callstack;
	struct callstack_watch watch;
	int stop;			/* a call ended */
	struct lane_frame *frame;	/* frame[0] is the root */
	size_t frame_n, frame_cap;
	int64_t last;			/* charged up to here */
	int64_t *spent;			/* by path, since the last call */
	size_t spent_n;
	struct message_time *touched;	/* paths with time; ns is filled in when they are handed over */
	size_t touched_n, touched_cap;
	struct message_call *call;	/* open */
	size_t call_depth;
	int64_t nested;			/* ns in regions inside of it */
	struct lane_frame ended;	/* the region that ended last, if `teams`; enter INT64_MIN: none */
	size_t ended_depth;
	struct message_call *done;	/* ended, and not handed over so far */
};

#define BEGINS_AWAITING 8 /* a call that waits for a put */

struct messages_pass {
	struct matching matching;
	struct callstack_paths none; /* of the call stacks, which keep no paths */
	struct lane *lane;	/* by stream */
	struct lane **order;	/* a heap by the end of what they have done */
	size_t order_n;
	uint32_t *region;
	char *runtime;
	unsigned char *begins;	/* by region: what its begin is, as BEGINS_AWAITING or enum team_role */
	int any_awaits;
	int times, busy, regions, teams; /* a use has functions for this */
};

/* Each use that wants it. */
#define CALL_USES(messages, what, ...)                                                             \
	do {                                                                                       \
		for (size_t u_ = 0; u_ < (messages)->use_n; u_++)                                  \
			if ((messages)->use[u_].what)                                              \
				(messages)->use[u_].what((messages)->use[u_].to, __VA_ARGS__);     \
	} while (0)

static inline int lane_inside(const struct lane *l, int64_t time)
{
	return time >= l->span.begin && time < l->span.end;
}

/* ---- lane_time.c ---- */

/* ns of a span that are inside the window. */
int64_t lane_clipped(const struct lane *l, int64_t from, int64_t to);
void lane_spent_add(struct lane *l, uint32_t path, int64_t ns);
/* Charges the innermost path; the time of a call is known when it ends. */
void lane_charge_path(struct lane *l, int64_t time);
static inline void lane_charge(struct lane *l, int64_t time)
{
	if (l->m->pass->times)
		lane_charge_path(l, time);
}
/* Hands over what was spent up to a call, or to the end. */
void lane_spent_give(struct lane *l, struct message_call *c);

/* ---- lane_team.c ---- */

/* The innermost region is a barrier, or the thread is idle. */
void lane_team_begins(struct lane *l, size_t depth, enum team_role role);
/* A message inside: the barrier is a region as any other. */
void lane_team_forget(struct lane *l);
/* A call of a team has ended. */
void lane_team_give(struct messages *m, struct message_call *c);

#endif
