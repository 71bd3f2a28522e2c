/* lane_time.h: time of a stream by call path, between calls that take part in messages. */
#ifndef LANE_TIME_H
#define LANE_TIME_H

#include "analyze/messages/lane.h"

/* ns of a span that is inside the window. */
static inline int64_t lane_clipped(const struct lane *l, int64_t from, int64_t to)
{
	from = from > l->span.begin ? from : l->span.begin;
	to = to < l->span.end ? to : l->span.end;
	return to > from ? to - from : 0;
}
/* lane_spent_add() for a path without time since the last call. */
void lane_spent_new(struct lane *l, uint32_t path, int64_t ns);
static inline void lane_spent_add(struct lane *l, uint32_t path, int64_t ns)
{
	if (path < l->spent_n && l->spent[path])
		l->spent[path] += ns;
	else
		lane_spent_new(l, path, ns);
}
/* Adds the time up to `time` to the innermost path; the time of a call is known when it ends. */
void lane_charge_path(struct lane *l, int64_t time);
static inline void lane_charge(struct lane *l, int64_t time)
{
	const struct messages_pass *p = l->m->pass;

	if (!p->times)
		return;
	if (l->call && l->frame_n - 1 == l->call_depth && !p->busy)
		l->last = time;
	else
		lane_charge_path(l, time);
}
/* A call with messages has begun in frame f: time since its enter is not that of its path, as it is known when the call ends. */
void lane_uncharge_path(struct lane *l, const struct lane_frame *f, int64_t time);
static inline void lane_uncharge(struct lane *l, const struct lane_frame *f, int64_t time)
{
	if (l->last == f->enter && !l->m->pass->busy)
		l->last = time;
	else
		lane_uncharge_path(l, f, time);
}
/* Calls that the recorder folded: their time, which was added to their caller, is that of their path. */
void lane_fold(struct lane *l, int64_t time, const struct event_args *a);
/* Passes the time up to a call, or up to the end of the stream, to the uses. */
void lane_spent_pass(struct lane *l, struct message_call *c);

#endif
