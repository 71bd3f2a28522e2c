/* clocks_shift.c: a trace whose times are shifted. */
#include "analyze/clocks/message_graph.h"

#include <string.h>

#define BACK 100 /* a shift decreases by 1 / BACK of the time that passes */

int64_t shift_at(const struct knot *k, size_t n, int64_t time)
{
	size_t low = 0;
	int64_t left;

	if (!n || time < k[0].time)
		return 0;
	while (n - low > 1) {
		size_t middle = low + (n - low) / 2;

		if (k[middle].time <= time)
			low = middle;
		else
			n = middle;
	}
	left = k[low].shift - (time - k[low].time) / BACK;
	return left > 0 ? left : 0;
}

struct shifted {
	struct trace_ops ops;	/* operations of the shifted trace */
	const struct trace_ops *inner;
	struct graph_lane *lane;	/* by process */
	size_t lane_n;
	int64_t most;		/* ns: the largest shift */
};

struct trace_cursor {
	struct trace_cursor *inner;
	const struct shifted *shifted;
	const struct graph_lane *lane;
	struct event_state state;
};

static const struct shifted *shifted_of(const struct trace *t)
{
	return (const struct shifted *)(const void *)t->ops;
}

static int64_t moved(const struct graph_lane *l, int64_t time)
{
	return time + shift_at(l->knot, l->knot_n, time);
}

static int cursor_open(struct trace *t, uint32_t stream, int64_t from, struct trace_cursor **out,
		       struct error *e)
{
	const struct shifted *s = shifted_of(t);
	struct trace_cursor *c = mem_alloc(sizeof(*c));
	int code;

	if (from > INT64_MIN + s->most)
		from -= s->most;
	code = s->inner->open(t, stream, from, &c->inner, e);
	if (code < 0) {
		free(c);
		return code;
	}
	c->shifted = s;
	c->lane = &s->lane[t->stream[stream].process];
	*out = c;
	return code;
}

static void state_move(struct trace_cursor *c, const struct event_state *s)
{
	event_state_copy(&c->state, s);
	for (size_t i = 0; i < s->frame_n; i++)
		*array_add(&c->state, frame) = (struct event_frame){
			s->frame[i].region, moved(c->lane, s->frame[i].enter)};
	c->state.time = moved(c->lane, s->time);
}

static int cursor_next(struct trace_cursor *c, struct event_batch **out, struct error *e)
{
	int code = c->shifted->inner->next(c->inner, out, e);
	struct event_batch *b = *out;

	if (code <= 0)
		return code;
	if (b->state) {
		state_move(c, b->state);
		b->state = &c->state;
	}
	for (size_t i = 0; i < b->n; i++)
		b->event[i].time = moved(c->lane, b->event[i].time);
	return code;
}

static int cursor_skip(struct trace_cursor *c, struct trace_skip *s, struct error *e)
{
	struct trace_skip inner = *s;

	if (s->kind != TRACE_SKIP_TO)
		return 0;
	if (inner.to > INT64_MIN + c->shifted->most)
		inner.to -= c->shifted->most;
	return c->shifted->inner->skip(c->inner, &inner, e);
}

static void cursor_close(struct trace_cursor *c)
{
	c->shifted->inner->close(c->inner);
	free(c->state.frame);
	free(c);
}

static void shifted_free(struct trace *t)
{
	struct shifted *s = (struct shifted *)(void *)(uintptr_t)t->ops;

	s->inner->free(t);
	for (size_t i = 0; i < s->lane_n; i++)
		free(s->lane[i].knot);
	free(s->lane);
	free(s);
}

void shift_install(struct trace *t, struct message_graph *w)
{
	struct shifted *s = mem_alloc(sizeof(*s));

	s->inner = t->ops;
	s->ops = trace_ops_unsummed(t->ops);
	s->ops.open = cursor_open;
	s->ops.next = cursor_next;
	s->ops.skip = s->inner->skip ? cursor_skip : NULL;
	s->ops.close = cursor_close;
	s->ops.free = shifted_free;
	s->lane_n = t->process_n;
	s->lane = mem_alloc((t->process_n + 1) * sizeof(*s->lane));
	for (size_t p = 0; p < t->process_n; p++) {
		struct trace_process *q = &t->process[p];
		struct graph_lane *l = &s->lane[p];

		l->knot = w->lane[p].knot;
		l->knot_n = w->lane[p].knot_n;
		w->lane[p].knot = NULL;
		for (size_t i = 0; i < l->knot_n; i++)
			if (l->knot[i].shift > s->most)
				s->most = l->knot[i].shift;
		q->start = moved(l, q->start);
		q->end = moved(l, q->end);
		for (size_t i = 0; i < q->stream_n; i++) {
			struct trace_stream *x = &t->stream[q->stream[i]];

			x->first = moved(l, x->first);
			x->last = moved(l, x->last);
		}
		if (q->end >= t->end)
			t->end = q->end + 1;
	}
	t->ops = &s->ops;
}
