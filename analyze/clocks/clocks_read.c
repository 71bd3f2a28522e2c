/*
 * clocks_read.c: reads the messages and collective operations of a trace, and matches their ends.
 */
#include "analyze/clocks/message_graph.h"
#include "analyze/messages/channels.h"
#include "analyze/trace/collective.h"

#include <string.h>

static uint32_t comm_of(const struct message_graph *w, uint32_t comm)
{
	return channels_comm(&w->channels, comm);
}

static uint32_t channel_id(struct message_graph *w, int64_t from, int64_t to,
			   const struct event_args *a)
{
	uint32_t id = channels_id(&w->channels, from, to, a->message.tag, a->message.comm);

	if (id == w->channel_n)
		array_add(w, channel);
	return id;
}

static void point_add(struct graph_lane *l, int64_t time, enum point point, uint32_t channel)
{
	*array_add(l, message) = (struct graph_message){time, channel, point, l->message_n, 0};
}

static void point_of_message(struct message_graph *w, uint32_t process, const struct event *ev,
			     const struct event_args *a)
{
	struct graph_lane *l = &w->lane[process];
	int64_t here = w->trace->process[process].node;
	int is_recv = ev->kind == EVENT_RECV;
	int64_t from = is_recv ? a->message.peer : here, to = is_recv ? here : a->message.peer;
	uint32_t channel = channel_id(w, from, to, a);

	point_add(l, ev->time, is_recv ? POINT_RECV : POINT_SEND, channel);
}

/* Is the process a member of the communicator? Looked up once per stream. */
static int inside(struct message_graph *w, uint32_t stream, uint32_t comm, int64_t node)
{
	const struct trace_comm *c = &w->trace->comm[comm];
	size_t i = 0;

	if (w->inside[comm] >> 1 != stream + 1) {
		while (i < c->n && c->rank[i] != node)
			i++;
		w->inside[comm] = (uint64_t)(stream + 1) << 1 | (i < c->n);
	}
	return w->inside[comm] & 1;
}

/*
 * The innermost region is a call of a collective operation. The only member of a communicator waits
 * for no process.
 */
static void call_add(struct message_graph *w, uint32_t stream, const struct event_args *a)
{
	struct graph_region *o = w->open_n ? &w->open[w->open_n - 1] : NULL;
	const struct trace *t = w->trace;
	const struct trace_comm *c = a->coll.comm < t->comm_n ? &t->comm[a->coll.comm] : NULL;
	int64_t here = t->process[t->stream[stream].process].node, root = a->coll.root;
	enum collective_order order;

	if (!o)
		return;
	order = collective_order(t->region[o->region].name, a->coll.op);
	if (order == COLLECTIVE_FREE || (order != COLLECTIVE_ALL && root < 0) ||
	    (c && (c->n < 2 || c->inter || !inside(w, stream, a->coll.comm, here))))
		return;
	o->is_call = 1;
	o->call = (struct call){.comm = a->coll.comm,
				.op = a->coll.op,
				.order = order,
				.root = root,
				.stream = stream};
	o->call.is_root = root == here;
	o->call.idle = a->coll.op != COLL_BARRIER && !a->coll.sent && !a->coll.received;
}

static void open_push(struct message_graph *w, uint32_t region, int64_t time)
{
	*array_add(w, open) = (struct graph_region){.region = region, .enter = time};
}

/* The innermost region ends. If it is a call, the call is now complete. */
static void open_pop(struct message_graph *w, uint32_t process, int64_t time)
{
	const struct graph_region *o;
	struct graph_lane *l = &w->lane[process];

	if (!w->open_n)
		return;
	o = &w->open[--w->open_n];
	if (!o->is_call)
		return;
	*array_add(l, call) = o->call;
	point_add(l, o->enter, POINT_IN, (uint32_t)l->call_n - 1);
	point_add(l, time, POINT_OUT, (uint32_t)l->call_n - 1);
}

static void open_keep(struct message_graph *w, size_t n)
{
	w->open_n = n < w->open_n ? n : w->open_n;
}

/* Sets the open regions from a state; regions that were open before stay. */
static void open_state(struct message_graph *w, const struct event_state *s)
{
	size_t same = 0;

	while (same < w->open_n && same < s->frame_n &&
	       w->open[same].region == s->frame[same].region)
		same++;
	open_keep(w, same);
	for (size_t i = same; i < s->frame_n; i++)
		open_push(w, s->frame[i].region, s->frame[i].enter);
}

static void open_resume(struct message_graph *w, const uint32_t *region, size_t n, int64_t time)
{
	size_t same = 0;

	while (same < w->open_n && same < n && w->open[same].region == region[same])
		same++;
	open_keep(w, same);
	for (size_t i = same; i < n; i++)
		open_push(w, region[i], time);
}

static void event_add(struct message_graph *w, uint32_t stream, const struct event_batch *b,
		      const struct event *ev)
{
	const struct event_args *a = ev->kind >= EVENT_VALUE ? &b->args[ev->ref] : NULL;
	uint32_t process = w->trace->stream[stream].process;

	switch (ev->kind) {
	case EVENT_ENTER:
		open_push(w, ev->ref, ev->time);
		break;
	case EVENT_LEAVE:
		open_pop(w, process, ev->time);
		break;
	case EVENT_UNWIND:
		open_keep(w, ev->ref < w->open_n ? w->open_n - ev->ref : 0);
		break;
	case EVENT_THREAD_END:
		open_keep(w, 0);
		break;
	case EVENT_ON:
		open_resume(w, event_regions(b, a->on.open), a->on.open.n, ev->time);
		break;
	case EVENT_SEND:
	case EVENT_RECV:
		point_of_message(w, process, ev, a);
		break;
	case EVENT_COLL:
		call_add(w, stream, a);
		break;
	default:
		break;
	}
}

static int read_stream(struct message_graph *w, uint32_t stream, struct error *e)
{
	struct trace *t = w->trace;
	struct trace_cursor *c;
	struct event_batch *b;
	int code = t->ops->open(t, stream, INT64_MIN, &c, e);

	if (code < 0)
		return code;
	w->open_n = 0;
	while ((code = t->ops->next(c, &b, e)) > 0) {
		if (b->state)
			open_state(w, b->state);
		for (size_t i = 0; i < b->n; i++)
			event_add(w, stream, b, &b->event[i]);
	}
	t->ops->close(c);
	return code < 0 ? code : 0;
}

static int message_order(const void *va, const void *vb)
{
	const struct graph_message *a = va, *b = vb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* By process and communicator: the number of its next call, and the stream of its first call. */
struct nexts {
	struct next_call {
		uint64_t nth;
		uint32_t stream;
	} *v;
	size_t v_n, v_cap;
};

/* Assigns the next call of a process to operations of a communicator to its meeting. */
static void join(struct message_graph *w, size_t process, struct call *c, struct names *lanes,
		 struct nexts *next)
{
	uint32_t comm = comm_of(w, c->comm);
	uint64_t mine[2] = {process, comm}, key[2] = {comm, 0};
	uint32_t at = names_add(lanes, (const char *)mine, sizeof(mine));
	struct graph_meeting *m;

	if (at == next->v_n)
		*array_add(next, v) = (struct next_call){0, c->stream};
	key[1] = next->v[at].nth++;
	c->meeting = names_add(&w->meetings, (const char *)key, sizeof(key));
	if (c->meeting == w->meeting_n)
		*array_add(w, meeting) = (struct graph_meeting){
			.comm = comm,
			.first = c,
			.members = channels_members(&w->channels, process, c->comm),
			.nth = key[1],
			.latest = INT64_MIN,
		};
	m = &w->meeting[c->meeting];
	m->joined++;
	m->bad |= m->first->op != c->op || m->first->order != c->order ||
		  m->first->root != c->root;
	/*
	 * Traces may not distinguish communicators of the same members. One thread uses them in the
	 * same order as all processes; the order of several threads is unknown.
	 */
	if (comm && next->v[at].stream != c->stream) {
		key[1] = 0;
		w->meeting[names_add(&w->meetings, (const char *)key, sizeof(key))].bad = 1;
	}
}

/*
 * Marks as bad the operations of a communicator from the first one on about which its processes
 * disagree.
 */
static void distrust(struct message_graph *w)
{
	uint64_t *good = mem_alloc((w->channels.comms.name_n + 1) * sizeof(*good));

	for (size_t i = 0; i < w->channels.comms.name_n; i++)
		good[i] = UINT64_MAX;
	for (size_t i = 0; i < w->meeting_n; i++) {
		const struct graph_meeting *m = &w->meeting[i];

		if (m->bad && m->nth < good[m->comm])
			good[m->comm] = m->nth;
	}
	for (size_t i = 0; i < w->meeting_n; i++) {
		struct graph_meeting *m = &w->meeting[i];

		m->bad = m->nth >= good[m->comm] || m->joined != m->members || m->members < 2;
	}
	free(good);
}

static void meet(struct message_graph *w)
{
	struct names lanes = {0};
	struct nexts next = {0};

	for (size_t p = 0; p < w->trace->process_n; p++) {
		struct graph_lane *l = &w->lane[p];

		for (size_t i = 0; i < l->message_n; i++)
			if (l->message[i].point == POINT_IN)
				join(w, p, &l->call[l->message[i].channel], &lanes, &next);
	}
	names_release(&lanes);
	free(next.v);
	distrust(w);
}

/* Numbers the messages of each channel in order of time. */
static void number(struct message_graph *w)
{
	for (size_t p = 0; p < w->trace->process_n; p++) {
		struct graph_lane *l = &w->lane[p];

		if (l->message_n)
			qsort(l->message, l->message_n, sizeof(*l->message), message_order);
		for (size_t i = 0; i < l->message_n; i++) {
			struct graph_message *m = &l->message[i];
			struct channel *c;

			if (m->point > POINT_RECV)
				continue;
			c = &w->channel[m->channel];
			m->nth = m->point == POINT_RECV ? c->received++ : c->sent++;
		}
	}
	meet(w);
	for (size_t i = 0; i < w->channel_n; i++)
		w->channel[i].send = mem_resize(NULL, w->channel[i].sent + 1, sizeof(int64_t));
}

int message_graph_read(struct message_graph *w, struct trace *t, struct causality *found,
		       struct error *e)
{
	int code = 0;

	*found = (struct causality){0};
	*w = (struct message_graph){.trace = t, .found = found};
	w->lane = mem_alloc((t->process_n + 1) * sizeof(*w->lane));
	w->inside = mem_alloc((t->comm_n + 1) * sizeof(*w->inside));
	channels_init(&w->channels, t);
	for (uint32_t s = 0; s < t->stream_n && !code; s++)
		code = read_stream(w, s, e);
	number(w);
	return code;
}

void message_graph_release(struct message_graph *w)
{
	for (size_t p = 0; p < w->trace->process_n; p++) {
		free(w->lane[p].message);
		free(w->lane[p].call);
		free(w->lane[p].knot);
	}
	for (size_t i = 0; i < w->channel_n; i++)
		free(w->channel[i].send);
	channels_release(&w->channels);
	names_release(&w->meetings);
	free(w->meeting);
	free(w->inside);
	free(w->open);
	free(w->ready);
	free(w->channel);
	free(w->lane);
}
