/*
 * messages.c: advances all streams of a trace together, call by call, and matches their messages.
 */
#include "analyze/messages/messages.h"

#include <string.h>

#include "analyze/messages/epochs.h"
#include "analyze/messages/lane.h"
#include "analyze/messages/lane_time.h"
#include "analyze/messages/matching.h"
#include "analyze/messages/runtime_regions.h"
#include "analyze/messages/selection.h"
#include "analyze/stream/callstack.h"
#include "analyze/trace/region_work.h"
#include "analyze/trace/trace.h"

struct window_span messages_span(const struct messages *m, uint32_t process)
{
	return m->span ? m->span[process] : (struct window_span){INT64_MIN, INT64_MAX};
}

/* ---- regions ---- */

static inline struct message_call *call_of(struct lane *l, int64_t time);

/* Calls begins() or ends(), except for events that are passed to ran(). */
#define REGION_USES(lane, what, ...)                                                               \
	do {                                                                                       \
		const struct messages *m_ = (lane)->m;                                             \
		for (size_t u_ = 0; u_ < m_->use_n; u_++)                                          \
			if (m_->use[u_].what && !((lane)->running && m_->use[u_].ran))             \
				m_->use[u_].what(m_->use[u_].to, (lane)->stream, __VA_ARGS__);     \
	} while (0)

/* Handles what the begin of a region is in addition: a wait for a put, a poll, or a part of a team. */
static void begins_also(struct lane *l, size_t depth, int64_t time, unsigned what)
{
	if (what == BEGINS_POLLING) {
		if (lane_inside(l, time))
			CALL_USES(l->m, polls, l->stream, l->frame[depth].path, 1);
	} else if (what == BEGINS_AWAITING) {
		call_of(l, time);
	} else if (what == TEAM_FORKS) {
		if (l->call)
			return;
		lane_spent_pass(l, NULL);
		CALL_USES(l->m, forks, l->stream);
	} else if (!l->call) {
		lane_team_begins(l, depth, (enum team_role)what);
	}
}

static void region_begins(void *to, uint32_t region, size_t depth, int64_t time)
{
	struct lane *l = to;
	uint32_t path = 0;

	lane_charge(l, time);
	if (depth) {
		region = l->m->region[region];
		path = callstack_path_child(&l->m->paths, l->frame[depth - 1].path, region);
	}
	if (depth >= l->frame_cap)
		l->frame = array_grow(l->frame, &l->frame_cap, sizeof(*l->frame));
	l->frame[depth] = (struct lane_frame){path, time};
	l->frame_n = depth + 1;
	if (depth && (l->m->pass->regions || !l->running))
		REGION_USES(l, begins, path, time);
	if (depth && l->m->pass->begins[region])
		begins_also(l, depth, time, l->m->pass->begins[region]);
}

/* Can the region be a call? */
static int lane_may_call(const struct lane *l, size_t depth)
{
	const uint32_t region = lane_region(l, &l->frame[depth]);

	return region != TRACE_NONE &&
	       (l->m->pass->runtime[region] || l->m->pass->begins[region]);
}

static void call_ends(struct lane *l, int64_t time)
{
	struct message_call *c = l->call;

	c->leave = time;
	c->exclusive = lane_clipped(l, c->enter, time) - l->nested;
	c->nested = l->nested;
	l->done = c;
	l->call = NULL;
	l->stop = 1;
}

int lane_is_over(const struct lane *l)
{
	const int64_t from = l->m->pass->from;

	for (size_t i = 1; i < l->frame_n; i++)
		if (l->frame[i].enter <= from && lane_may_call(l, i))
			return 0;
	return 1;
}

/*
 * A region ends, and perhaps a call that was open at the cut: if that is in the window, nothing is known of it, as its messages can
 * be before the cut.
 */
static __attribute__((noinline)) void lane_edge_ends(struct lane *l, size_t depth, int64_t time)
{
	const int64_t from = l->m->pass->from;

	if (depth && time >= l->span.begin && l->frame[depth].enter <= from &&
	    lane_may_call(l, depth))
		l->m->pass->matching.edge.reached = 1;
	l->over = time > from && lane_is_over(l);
}

static inline __attribute__((always_inline)) void region_end(struct lane *l, size_t depth,
							     int64_t time)
{
	lane_charge(l, time);
	if (matching_has_edge(&l->m->pass->matching) && !l->over)
		lane_edge_ends(l, depth, time);
	if (depth < l->aims)
		lane_transfer_ends(l, time);
	if (l->call && depth <= l->call_depth)
		call_ends(l, time);
	if (depth && (l->m->pass->regions || !l->running))
		REGION_USES(l, ends, l->frame[depth].path, time);
	if (l->m->pass->teams) {
		l->ended = l->frame[depth];
		l->ended_depth = depth;
	}
	l->frame_n = depth;
}

static void region_ends(void *to, uint32_t region, size_t depth, int64_t time)
{
	(void)region;
	region_end(to, depth, time);
}

/* ---- messages ---- */

/* The first message of a call; or a message outside of calls. */
static __attribute__((noinline)) struct message_call *call_begins(struct lane *l, int64_t time)
{
	const struct lane_frame *f = l->frame_n ? &l->frame[l->frame_n - 1] : NULL;
	struct message_call *c = l->call;

	if (c) {
		lane_charge(l, time);
		lane_team_forget(l);
	}
	c = matching_call(&l->m->pass->matching);
	c->stream = l->stream;
	c->process = l->process;
	c->path = f ? f->path : 0;
	c->region = TRACE_NONE;
	c->enter = time;
	l->nested = 0;
	if (l->frame_n > 1 && l->m->runtime[lane_region(l, f)]) {
		c->region = lane_region(l, f);
		c->enter = f->enter;
		l->call = c;
		l->call_depth = l->frame_n - 1;
		lane_uncharge(l, f, time);
		lane_spent_pass(l, c);
		return c;
	}
	lane_charge(l, time);
	c->leave = time;
	l->done = c;
	l->stop = 1;
	lane_spent_pass(l, c);
	return c;
}

/*
 * The call to which an event belongs: the innermost region, if it belongs to a library that sends
 * messages.
 */
static inline struct message_call *call_of(struct lane *l, int64_t time)
{
	return l->call && !l->call->role ? l->call : call_begins(l, time);
}

/* Was the call already passed to the uses? */
static int is_over(const struct messages *m, const struct message_call *c)
{
	const struct lane *l = &m->pass->lane[c->stream];

	return l->call != c && l->done != c;
}

/* It is known which call posted the receive of a message, perhaps later than its sender could use it. */
static void posted(struct messages *m, const struct message *x)
{
	struct message_call *c = x->calls > 2 ? x->completes : x->send;

	if (x->posts && c && is_over(m, c))
		CALL_USES(m, late_receiver, x, c,
			  lane_inside(&m->pass->lane[c->stream], c->leave));
}

static void request_apply(struct lane *l, const struct event *ev, const struct event_args *a)
{
	struct matching *x = &l->m->pass->matching;
	struct message_call *c;

	if (!a->message.request)
		return;
	c = call_of(l, ev->time);
	if (ev->kind == EVENT_POSTED) {
		matching_post(x, c, a->message.request);
		receive_order_post(&l->m->pass->receives, l->process, a->message.request);
	} else
		matching_complete(x, c, a->message.request);
}

/* A message was received before it was sent; inside: its receive ended in the window. */
static void early_note(struct messages *m, const struct message *x, int inside)
{
	struct cuts *c = m->pass->matching.cuts;

	m->found.early += (uint64_t)inside;
	if (c && x->send->enter - x->recv->leave > c->skew)
		c->skew = x->send->enter - x->recv->leave;
}

static void message_apply(struct lane *l, const struct event *ev, const struct event_args *a)
{
	struct messages *m = l->m;
	struct message_call *c = call_of(l, ev->time);
	struct message *x;
	int in = lane_inside(l, ev->time);

	if (ev->kind == EVENT_SEND) {
		if (m->pass->sent)
			CALL_USES(m, sent, c, a, in);
		x = matching_send(&m->pass->matching, c, l->node, a);
		x->inside = in;
	} else {
		if (m->pass->sent)
			CALL_USES(m, received, c, a, in);
		x = matching_receive(&m->pass->matching, c, l->node, a,
				     receive_order_match(l, a));
	}
	if (!x->send || !x->recv)
		return;
	if (m->pass->matched)
		CALL_USES(m, matched, x);
	if (ev->kind == EVENT_RECV)
		posted(m, x);
	/* the receiving call was already passed to the uses */
	if (!x->ends || ev->kind != EVENT_SEND)
		return;
	in = lane_inside(&m->pass->lane[x->recv->stream], x->recv->leave);
	early_note(m, x, in);
	CALL_USES(m, late, x, in);
}

static void meeting_apply(struct lane *l, int64_t time, const struct event_args *a)
{
	struct messages *m = l->m;
	const struct meeting *meet;
	struct message_call *c;

	if ((!l->call || l->call->role) &&
	    (l->frame_n < 2 || !m->runtime[lane_region(l, &l->frame[l->frame_n - 1])]))
		return;
	c = call_of(l, time);
	if (c->meets)
		return;
	matching_meet(&m->pass->matching, c, l->node, a, lane_inside(l, time));
	if (m->pass->runtime[c->region] == RUNTIME_FENCE) {
		m->pass->no_cuts = 1;
		epochs_fence(&m->pass->epochs, c);
	}
	meet = c->meeting;
	if (!meet || meet->joined < meet->members || meet->first_leave == INT64_MAX)
		return;
	for (c = meet->first; c; c = c->next_in_meeting)
		if (is_over(m, c))
			CALL_USES(m, late_meeting, c,
				  lane_inside(&m->pass->lane[c->stream], c->leave));
}

static void transfer_apply(struct lane *l, const struct event *ev, const struct event_args *a)
{
	struct messages_pass *p = l->m->pass;
	int in_epoch = epochs_has(&p->epochs, l->process);
	int is_put = p->any_awaits && (a->rma.op == RMA_PUT || a->rma.op == RMA_ATOMIC);
	struct message_call *c;

	CALL_USES(l->m, transfer, l->stream, lane_path(l), a, lane_inside(l, ev->time));
	lane_transfer(l, ev->time, a->rma.peer);
	if (!in_epoch && !is_put)
		return;
	c = call_of(l, ev->time);
	if (in_epoch)
		epochs_transfer(c, a->rma.peer);
	if (is_put)
		matching_put(&p->matching, c, a->rma.peer);
}

static void event_apply(struct lane *l, const struct event *ev)
{
	const struct event_args *a = ev->kind >= EVENT_VALUE ? &l->batch->args[ev->ref] : NULL;

	l->m->pass->matching.now = ev->time;
	if (ev->kind == EVENT_SEND || ev->kind == EVENT_RECV) {
		message_apply(l, ev, a);
		return;
	}
	switch (ev->kind) {
	case EVENT_VALUE:
		if (trace_event_is_team(&l->m->trace->event[a->value.event])) {
			l->team = (uint32_t)a->value.value;
			l->m->pass->no_cuts = 1;
			break;
		}
		CALL_USES(l->m, value, l->stream, lane_path(l), ev->time, a,
			  lane_inside(l, ev->time));
		break;
	case EVENT_POSTED:
	case EVENT_COMPLETED:
		request_apply(l, ev, a);
		break;
	case EVENT_COLL:
		meeting_apply(l, ev->time, a);
		break;
	case EVENT_RMA:
		transfer_apply(l, ev, a);
		break;
	case EVENT_SYNC:
		l->m->pass->no_cuts = 1;
		epochs_sync(&l->m->pass->epochs, call_of(l, ev->time), l->node, a);
		break;
	case EVENT_FOUND:
		CALL_USES(l->m, poll_found, l->stream, lane_path(l), lane_inside(l, ev->time));
		break;
	case EVENT_IO:
		CALL_USES(l->m, io, l->stream, lane_path(l), a, lane_inside(l, ev->time));
		break;
	case EVENT_FOLD:
		lane_fold(l, ev->time, a);
		break;
	case EVENT_ALLOC:
	case EVENT_FREE:
	case EVENT_RETYPE:
		CALL_USES(l->m, block, l->stream, lane_path(l), ev, a);
		/* fall through */
	default:
		lane_other(l, ev);
	}
}

/* The stream has ended, or (cut) the window, after which nothing is of interest. */
static void lane_finish(struct lane *l, int cut)
{
	const struct trace *t = l->m->trace;
	const struct trace_stream *x = &t->stream[l->stream];
	int64_t end = cut ? l->span.end : x->damaged ? x->last : t->process[l->process].end;

	l->m->trace->ops->close(l->cursor);
	l->cursor = NULL;
	l->batch = NULL;
	callstack_finish(&l->callstack, end > l->callstack.last ? end : l->callstack.last);
	l->m->pass->past_n += (size_t)cut;
	if (!cut)
		l->m->found.repaired += l->callstack.repaired;
}

/* Ends the innermost region: what callstack_run() does for a leave, if it is not the root. */
static void lane_leave(struct lane *l, int64_t time)
{
	struct callstack *m = &l->callstack;
	size_t depth = m->frame_n - 1;

	region_end(l, depth, time);
	m->frame_n = depth;
	m->last = time;
}

/* Runs the events of the batch up to the end of the next call, or up to one that is not the begin or end of a region. */
static void lane_run_regions(struct lane *l)
{
	const int walks = !l->m->pass->regions && !l->call && !l->aims &&
			  (l->over || !matching_has_edge(&l->m->pass->matching));
	const struct event *event = l->batch->event + l->at;
	size_t n = l->batch->n - l->at, ran = 0;

	l->running = 1;
	if (walks)
		ran = lane_walk(l, event, n);
	else if (event->kind == EVENT_LEAVE && l->callstack.frame_n > 1)
		lane_leave(l, event->time), ran = 1;
	if (!ran)
		ran = callstack_run(&l->callstack, event, walks ? 1 : n);
	l->running = 0;
	if (ran && l->m->pass->ran)
		CALL_USES(l->m, ran, l->stream, event, ran);
	l->at += ran;
}

/* Is the whole batch after the window, and is that all that is of interest? A call that is open is read to its end. */
static int lane_is_past(const struct lane *l)
{
	if (!l->batch->n || l->batch->event[0].time < l->span.end)
		return 0;
	return l->m->pass->window_only ||
	       (!l->call && (l->frame_n < 2 ||
			     !l->m->pass->runtime[lane_region(l, &l->frame[l->frame_n - 1])]));
}

/* What the cut knows of all that is before it, and what is matched. */
#define MATCHED                                                                                    \
	(1u << EVENT_SEND | 1u << EVENT_RECV | 1u << EVENT_POSTED | 1u << EVENT_COMPLETED |        \
	 1u << EVENT_COLL | 1u << EVENT_RMA | 1u << EVENT_SYNC)
_Static_assert(EVENT_KINDS <= 32, "a set of kinds is one number");

static int lane_skips(const struct lane *l, const struct event *ev)
{
	const struct messages_pass *p = l->m->pass;

	return (p->window_only || ev->time < p->from) && (MATCHED >> ev->kind & 1);
}

/*
 * The state before a batch. If reading began there, and the window before it: the last event before
 * the batch is before the window, too, so the regions that are open now were open then.
 */
static void lane_state(struct lane *l, const struct event_state *s)
{
	int sought = l->from != INT64_MIN && !l->begun && !s->first;
	int64_t time = sought && l->from < s->time ? l->from : s->time;

	l->begun = 1;
	callstack_state(&l->callstack, s, time, sought);
}

int lane_run(struct lane *l, struct error *e)
{
	const struct trace_ops *ops = l->m->trace->ops;
	int code;

	l->stop = 0;
	while (!l->stop) {
		const struct event_batch *b = l->batch;

		if (b && l->at < b->n) {
			if (b->event[l->at].kind <= EVENT_ENTER) {
				lane_run_regions(l);
				if (l->stop || l->at == b->n)
					continue;
			}
			if (!lane_skips(l, &b->event[l->at]))
				event_apply(l, &b->event[l->at]);
			l->at++;
			continue;
		}
		if (!l->cursor)
			return 0;
		code = ops->next(l->cursor, &l->batch, e);
		l->at = l->looked = l->ahead_n = l->ahead_first = 0;
		if (code < 0)
			return code;
		if (code && l->batch->state)
			lane_state(l, l->batch->state);
		if (!code || lane_is_past(l))
			lane_finish(l, code != 0);
	}
	return 1;
}

/* ---- all streams ---- */

void lane_call_pass(struct messages *m, struct lane *l)
{
	struct message_call *c = l->done;
	struct meeting *meet = c->meeting;

	if (matching_has_edge(&m->pass->matching))
		matching_edge_left(&m->pass->matching, c);
	else if (m->pass->matching.cuts && c->leave < m->pass->matching.cuts->called[c->stream])
		m->pass->matching.cuts->called[c->stream] = c->leave;
	if (c->role) {
		lane_team_pass(m, c);
		l->done = NULL;
		return;
	}
	l->done = NULL;
	if (m->pass->matching.early_n && matching_again(&m->pass->matching, c))
		for (const struct message *x = c->received; x; x = x->next_received)
			if (x->send)
				posted(m, x);
	if (meet && m->pass->runtime[c->region] == RUNTIME_FENCE)
		epochs_fence_met(&m->pass->epochs, meet);
	if (meet && c->leave < meet->first_leave)
		meet->first_leave = c->leave;
	if (c->region != TRACE_NONE && m->pass->begins[c->region] == BEGINS_AWAITING)
		matching_await(&m->pass->matching, c);
	if (c->syncs)
		epochs_end(&m->pass->epochs, c);
	for (const struct message *x = c->received; x; x = x->next_received)
		if (x->send && x->send->enter > c->leave)
			early_note(m, x, lane_inside(l, c->leave));
	if (c->syncs)
		epochs_drop(c);
	CALL_USES(m, left, c, lane_inside(l, c->leave));
	matching_left(&m->pass->matching, c);
}

void lane_begin(struct lane *l, struct messages *m, uint32_t stream)
{
	const struct trace *t = m->trace;

	l->m = m;
	l->stream = stream;
	l->process = t->stream[stream].process;
	l->node = t->process[l->process].node;
	l->span = messages_span(m, l->process);
	l->from = m->pass->window_only ? l->span.begin : m->pass->from;
	l->last = l->ended.enter = INT64_MIN;
	callstack_init(&l->callstack, (uint32_t)t->region_n, &m->pass->none);
	l->watch = (struct callstack_watch){.depth = SIZE_MAX,
					    .begin = region_begins,
					    .end = region_ends,
					    .to = l,
					    .stop = &l->stop};
	l->callstack.watch = &l->watch;
}
