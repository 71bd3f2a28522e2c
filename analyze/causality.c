/* causality.c: matches messages, finds those that are received too early, and shifts times until none is. */
#include "causality.h"

#include <string.h>

#define BACK 100 /* a shift goes back by 1 / BACK of the time that passes */

struct message {
	int64_t time;
	uint32_t channel;
	int is_recv;
	size_t order;		/* as read, for messages of the same time */
	uint64_t nth;		/* in its channel */
};

/* From a time on all is later by this, which goes back. */
struct knot {
	int64_t time, shift;
};

struct lane {			/* a process */
	struct message *message;
	size_t message_n, message_cap;
	size_t at;		/* message to look at next */
	struct knot *knot;
	size_t knot_n, knot_cap;
};

/* What goes from one process to another with one tag in one communicator. */
struct channel {
	uint64_t sent, received;
	int64_t *send;		/* times of sends as they are now; set up to `known` */
	uint64_t known;
};

struct web {
	struct trace *trace;
	struct lane *lane;
	struct names channels;
	struct channel *channel;
	size_t channel_n, channel_cap;
	struct causality *found;
};

/* ---- reading ---- */

static uint32_t channel_id(struct web *w, int64_t from, int64_t to, const struct event_args *a)
{
	int64_t key[4] = {from, to, a->tag, a->comm};
	uint32_t id = names_add(&w->channels, (const char *)key, sizeof(key));

	if (id == w->channel_n)
		array_add(w, channel);
	return id;
}

static void take(struct web *w, uint32_t process, const struct event *ev,
		 const struct event_args *a)
{
	struct lane *l = &w->lane[process];
	int64_t here = w->trace->process[process].node;
	int is_recv = ev->kind == EVENT_RECV;
	int64_t from = is_recv ? a->peer : here, to = is_recv ? here : a->peer;
	uint32_t channel = channel_id(w, from, to, a);

	*array_add(l, message) = (struct message){ev->time, channel, is_recv, l->message_n, 0};
}

static int read_stream(struct web *w, uint32_t stream, struct error *e)
{
	struct trace *t = w->trace;
	struct trace_cursor *c;
	struct event_batch *b;
	int code = t->ops->open(t, stream, INT64_MIN, &c, e);

	if (code < 0)
		return code;
	while ((code = t->ops->next(c, &b, e)) > 0)
		for (size_t i = 0; i < b->n; i++)
			if (b->event[i].kind == EVENT_SEND || b->event[i].kind == EVENT_RECV)
				take(w, t->stream[stream].process, &b->event[i],
				     &b->args[b->event[i].ref]);
	t->ops->close(c);
	return code < 0 ? code : 0;
}

static int message_order(const void *va, const void *vb)
{
	const struct message *a = va, *b = vb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* Numbers the messages of each channel in order of time. */
static void number(struct web *w)
{
	for (size_t p = 0; p < w->trace->process_n; p++) {
		struct lane *l = &w->lane[p];

		if (l->message_n)
			qsort(l->message, l->message_n, sizeof(*l->message), message_order);
		for (size_t i = 0; i < l->message_n; i++) {
			struct message *m = &l->message[i];
			struct channel *c = &w->channel[m->channel];

			m->nth = m->is_recv ? c->received++ : c->sent++;
		}
	}
	for (size_t i = 0; i < w->channel_n; i++)
		w->channel[i].send = mem_resize(NULL, w->channel[i].sent + 1, sizeof(int64_t));
}

static int web_read(struct web *w, struct trace *t, struct causality *found, struct error *e)
{
	int code = 0;

	*found = (struct causality){0};
	*w = (struct web){.trace = t, .found = found};
	w->lane = mem_alloc((t->process_n + 1) * sizeof(*w->lane));
	for (uint32_t s = 0; s < t->stream_n && !code; s++)
		code = read_stream(w, s, e);
	number(w);
	return code;
}

static void web_release(struct web *w)
{
	for (size_t p = 0; p < w->trace->process_n; p++) {
		free(w->lane[p].message);
		free(w->lane[p].knot);
	}
	for (size_t i = 0; i < w->channel_n; i++)
		free(w->channel[i].send);
	names_release(&w->channels);
	free(w->channel);
	free(w->lane);
}

/* ---- shifting ---- */

static int64_t shift_at(const struct knot *k, size_t n, int64_t time)
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

/*
 * Goes on in one process as far as the sends of what it receives are known; receives that are too early are moved. forced: the
 * next receive does not wait. Returns how many messages it took.
 */
static size_t advance(struct web *w, struct lane *l, int forced)
{
	size_t begin = l->at;

	for (; l->at < l->message_n; l->at++) {
		const struct message *m = &l->message[l->at];
		struct channel *c = &w->channel[m->channel];
		int64_t now = m->time + shift_at(l->knot, l->knot_n, m->time);

		if (!m->is_recv) {
			c->send[m->nth] = now;
			c->known = m->nth + 1;
			continue;
		}
		if (m->nth >= c->sent)
			continue;
		if (m->nth >= c->known) {
			if (!forced)
				break;
			forced = 0;
			continue;
		}
		if (c->send[m->nth] > now)
			*array_add(l, knot) = (struct knot){m->time, c->send[m->nth] - m->time};
	}
	return l->at - begin;
}

static void walk(struct web *w)
{
	size_t n = w->trace->process_n, moved = 1, left = 1;

	while (left) {
		moved = left = 0;
		for (size_t p = 0; p < n; p++) {
			moved += advance(w, &w->lane[p], 0);
			left += w->lane[p].at < w->lane[p].message_n;
		}
		/* Messages that wait for each other in a circle are not what they seem. */
		for (size_t p = 0; p < n && left && !moved; p++)
			moved += advance(w, &w->lane[p], 1);
	}
}

/* Counts what is early by the times as they were recorded. */
static void count(struct web *w)
{
	struct causality *f = w->found;

	for (size_t i = 0; i < w->channel_n; i++) {
		uint64_t sent = w->channel[i].sent, received = w->channel[i].received;
		uint64_t both = sent < received ? sent : received;

		f->messages += both;
		f->single += sent + received - 2 * both;
	}
	for (size_t p = 0; p < w->trace->process_n; p++)
		for (size_t i = 0; i < w->lane[p].message_n; i++) {
			const struct message *m = &w->lane[p].message[i];

			if (!m->is_recv)
				w->channel[m->channel].send[m->nth] = m->time;
		}
	for (size_t p = 0; p < w->trace->process_n; p++)
		for (size_t i = 0; i < w->lane[p].message_n; i++) {
			const struct message *m = &w->lane[p].message[i];
			const struct channel *c = &w->channel[m->channel];

			if (!m->is_recv || m->nth >= c->sent || c->send[m->nth] <= m->time)
				continue;
			f->early++;
			if (c->send[m->nth] - m->time > f->worst)
				f->worst = c->send[m->nth] - m->time;
		}
}

int causality_check(struct trace *t, struct causality *out, struct error *e)
{
	struct web w;
	int code = web_read(&w, t, out, e);

	if (!code)
		count(&w);
	web_release(&w);
	return code;
}

/* ---- a trace whose times are shifted ---- */

struct shifted {
	struct trace_ops ops;	/* of the trace now */
	const struct trace_ops *inner;
	struct lane *lane;	/* by process */
	size_t lane_n;
	int64_t most;		/* no shift is larger */
};

struct trace_cursor {
	struct trace_cursor *inner;
	const struct shifted *shifted;
	const struct lane *lane;
	struct event_state state;
};

static const struct shifted *shifted_of(const struct trace *t)
{
	return (const struct shifted *)(const void *)t->ops;
}

static int64_t moved(const struct lane *l, int64_t time)
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
	struct event_frame *frame = c->state.frame;
	size_t cap = c->state.frame_cap;

	c->state = *s;
	c->state.frame = frame;
	c->state.frame_cap = cap;
	c->state.frame_n = 0;
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

static int cursor_seek(struct trace_cursor *c, int64_t to, struct error *e)
{
	if (to > INT64_MIN + c->shifted->most)
		to -= c->shifted->most;
	return c->shifted->inner->seek(c->inner, to, e);
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

/* Takes the knots over. */
static void install(struct trace *t, struct web *w)
{
	struct shifted *s = mem_alloc(sizeof(*s));

	s->inner = t->ops;
	s->ops = *t->ops;
	s->ops.open = cursor_open;
	s->ops.next = cursor_next;
	s->ops.seek = cursor_seek;
	s->ops.close = cursor_close;
	s->ops.free = shifted_free;
	/* What is known of chunks is known of the times that they had. */
	s->ops.skip = NULL;
	s->ops.index = NULL;
	s->ops.levels_open = NULL;
	s->ops.levels_index = NULL;
	s->lane_n = t->process_n;
	s->lane = mem_alloc((t->process_n + 1) * sizeof(*s->lane));
	for (size_t p = 0; p < t->process_n; p++) {
		struct trace_process *q = &t->process[p];
		struct lane *l = &s->lane[p];

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

int causality_correct(struct trace *t, struct causality *out, struct error *e)
{
	struct web w;
	int code = web_read(&w, t, out, e);

	if (!code)
		count(&w);
	if (!code && out->early) {
		walk(&w);
		install(t, &w);
	}
	web_release(&w);
	return code;
}
