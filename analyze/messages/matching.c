/* matching.c: queues of messages in flight by channel, and collective operations by communicator. */
#include "analyze/messages/matching.h"

#include <string.h>

#include "analyze/base/map.h"
#include "analyze/messages/channels.h"

void matching_init(struct matching *x, const struct trace *t, struct messages_found *found)
{
	*x = (struct matching){.found = found};
	x->new_call.leave = INT64_MAX;
	x->new_call.held = 1; /* until it has been left */
	x->new_message.calls = 2;
	x->edge.from = INT64_MIN;
	channels_init(&x->channels, t);
	x->of = mem_alloc(x->channels.comms.name_n * sizeof(*x->of));
	for (size_t p = 0; p < t->process_n; p++)
		if (t->process[p].node >= 0)
			map_set(&x->nodes, (uint64_t)t->process[p].node, (uint32_t)p);
}

void matching_count(struct matching *x)
{
	for (size_t i = 0; i < x->queue_n; i++)
		for (const struct message *m = x->queue[i].first; m; m = m->next) {
			x->found->unreceived += m->send != NULL;
			x->found->unsent += m->recv != NULL;
		}
	for (size_t i = 0; i < x->channels.comms.name_n; i++)
		for (size_t k = 0; k < x->of[i].open_n; k++)
			x->found->unmet += x->of[i].open[k] != NULL &&
					   x->of[i].open[k]->joined < x->of[i].open[k]->members;
}

/*
 * Releases a call that waits for more data. Messages and a meeting refer to it; the last of them
 * frees it.
 */
static void call_drop(struct message_call *c)
{
	if (c && --c->held == 0)
		free(c);
}

static void meeting_drop(struct meeting *m)
{
	struct message_call *next;

	for (struct message_call *c = m->first; c; c = next) {
		next = c->next_in_meeting;
		call_drop(c);
	}
	free(m);
}

static void message_drop(struct message *m)
{
	call_drop(m->send);
	call_drop(m->recv);
	call_drop(m->completes);
	call_drop(m->posts);
	free(m);
}

static void queue_free(struct channel_queue *q)
{
	while (q->first) {
		struct message *m = q->first;

		q->first = m->next;
		message_drop(m);
	}
}

/* Nothing more is known of the request. */
static void request_drop(struct matching *x, struct message_request r);

void matching_release(struct matching *x)
{
	for (size_t i = 0; i < x->requests.slots; i++)
		request_drop(x, x->requests.v[i]);
	requests_release(&x->requests);
	for (size_t i = 0; i < x->early_n; i++)
		call_drop(x->early[i].call);
	free(x->early);
	for (size_t i = 0; i < x->queue_n; i++)
		queue_free(&x->queue[i]);
	queue_free(&(struct channel_queue){.first = x->unreserved});
	for (size_t i = 0; i < x->channels.comms.name_n; i++) {
		for (size_t k = 0; k < x->of[i].open_n; k++)
			if (x->of[i].open[k])
				meeting_drop(x->of[i].open[k]);
		free(x->of[i].open);
		free(x->of[i].next);
		free(x->of[i].place);
	}
	for (size_t i = 0; i < x->puts_n; i++)
		for (size_t k = 0; k < PUTS_KEPT; k++)
			call_drop(x->puts[i].call[k]);
	free(x->puts);
	call_drop(x->edge.call);
	while (x->free_message) {
		struct message *m = x->free_message;

		x->free_message = m->next;
		free(m);
	}
	while (x->free_call) {
		struct message_call *c = x->free_call;

		x->free_call = c->next_in_meeting;
		free(c);
	}
	map_release(&x->nodes);
	free(x->of);
	free(x->queue);
	channels_release(&x->channels);
}

/* ---- calls ---- */

struct message_call *matching_call(struct matching *x)
{
	struct message_call *c = x->free_call;

	if (c)
		x->free_call = c->next_in_meeting;
	else
		c = mem_resize(NULL, 1, sizeof(*c));
	*c = x->new_call;
	return c;
}

static inline void call_let(struct matching *x, struct message_call *c)
{
	if (--c->held)
		return;
	c->next_in_meeting = x->free_call;
	x->free_call = c;
}

void matching_let(struct matching *x, struct message_call *c)
{
	call_let(x, c);
}

static inline void message_end(struct matching *x, struct message *m)
{
	if (m->ends < m->calls || !m->send || !m->recv)
		return;
	call_let(x, m->send);
	call_let(x, m->recv);
	if (m->completes)
		call_let(x, m->completes);
	if (m->posts)
		call_let(x, m->posts);
	m->next = x->free_message;
	x->free_message = m;
}

static void message_let(struct matching *x, struct message *m)
{
	m->ends++;
	message_end(x, m);
}

/* The operation has ended. */
static void meeting_close(struct meetings *of, const struct meeting *m)
{
	size_t over = 0;

	of->open[m->nth - of->first] = NULL;
	while (over < of->open_n && !of->open[over])
		over++;
	if (over == of->open_n || over > 64) {
		of->open_n -= over;
		of->first += over;
		memmove(of->open, of->open + over, of->open_n * sizeof(*of->open));
	}
}

static __attribute__((noinline)) void meeting_let(struct matching *x, struct meeting *m)
{
	struct message_call *next;

	if (++m->left < m->members || m->joined < m->members)
		return;
	if (!m->team)
		meeting_close(&x->of[m->comm], m);
	for (struct message_call *c = m->first; c; c = next) {
		next = c->next_in_meeting;
		call_let(x, c);
	}
	free(m);
}

void matching_left(struct matching *x, struct message_call *c)
{
	struct message *next;

	for (struct message *m = c->sent; m; m = next) {
		next = m->next_sent;
		message_let(x, m);
	}
	for (struct message *m = c->received; m; m = next) {
		next = m->next_received;
		message_let(x, m);
	}
	for (struct message *m = c->completed; m; m = next) {
		next = m->next_completed;
		message_let(x, m);
	}
	if (c->meeting)
		meeting_let(x, c->meeting);
	call_let(x, c);
}

/* ---- messages ---- */

/* A channel that is not the last one at its place of x->near. */
static __attribute__((noinline)) struct channel_queue *
channel_find(struct matching *x, struct channel_near c, struct channel_near *near)
{
	uint32_t id = channels_id(&x->channels, c.from, c.to, c.tag, c.comm);

	while (id >= x->queue_n)
		array_add(x, queue);
	*near = c;
	near->id = id + 1;
	return &x->queue[id];
}

static inline struct channel_queue *channel_of(struct matching *x, int64_t from, int64_t to,
					       int64_t tag, uint32_t comm)
{
	const uint64_t both = (uint64_t)tag ^ (uint64_t)comm << 32;
	const uint64_t h = ((uint64_t)from * 0x9e3779b97f4a7c15u) ^
			   ((uint64_t)to * 0xc2b2ae3d27d4eb4fu) ^ (both * 0x165667b19e3779f9u);
	struct channel_near *near = &x->near[h >> (64 - CHANNELS_NEAR_BITS)];

	if (near->from == from && near->to == to && near->tag == tag && near->comm == comm &&
	    near->id)
		return &x->queue[near->id - 1];
	return channel_find(x, (struct channel_near){from, to, tag, comm, 0}, near);
}

struct message *matching_message(struct matching *x)
{
	struct message *m = x->free_message;

	if (m)
		x->free_message = m->next;
	else
		m = mem_resize(NULL, 1, sizeof(*m));
	*m = x->new_message;
	return m;
}

/* The first message of a queue that lacks this end; if there is none, appends a new one. */
static inline struct message *queue_match(struct matching *x, struct channel_queue *q, int is_send)
{
	struct message *m = q->first;

	if (m && (is_send ? !m->send : !m->recv && !m->reserved)) {
		q->first = m->next;
		if (!q->first)
			q->last = NULL;
		m->next = NULL;
		x->found->matched++;
		return m;
	}
	m = matching_message(x);
	if (q->last)
		q->last->next = m;
	else
		q->first = m;
	q->last = m;
	return m;
}

static void request_drop(struct matching *x, struct message_request r)
{
	if (r.posted)
		call_let(x, r.posted);
	if (!r.sent)
		return;
	r.sent->calls = 2;
	message_end(x, r.sent);
}

/* Begins a request. */
static __attribute__((noinline)) void request_put(struct matching *x, struct message_request r)
{
	if (x->requests.n >= REQUESTS_MOST) {
		for (size_t i = 0; i < x->requests.slots; i++)
			request_drop(x, x->requests.v[i]);
		requests_release(&x->requests);
	}
	r.at = x->now;
	r = requests_add(&x->requests, r);
	if (x->cuts && r.key)
		cuts_request(x->cuts, r.key, r.at, x->now);
	request_drop(x, r);
}

/* A known request has ended. 1: `received` was posted. */
static int request_ended(struct matching *x, struct message_request r, struct message_call *c,
			 struct message *received, int64_t at)
{
	if (x->cuts)
		cuts_request(x->cuts, r.key, r.at, at);
	if (!r.sent && !r.posted)
		matching_edge_request(x, c, received);
	if (received)
		received->posts = r.posted;
	if (received || !r.sent)
		return received && r.posted;
	r.sent->completes = c;
	r.sent->next_completed = c->completed;
	c->completed = r.sent;
	c->held++;
	return 0;
}

/* A request ends in a call, which receives a message or, if that is NULL, completes a send. */
static __attribute__((noinline)) void request_end(struct matching *x, struct message_call *c,
						   struct message *received, uint64_t key)
{
	struct message_request r = requests_remove(&x->requests, key);

	if (r.key) {
		request_ended(x, r, c, received, x->now);
		return;
	}
	*array_add(x, early) = (struct request_early){key, c, received, x->now};
	c->held++;
}

size_t matching_again(struct matching *x, struct message_call *c)
{
	size_t left = 0, posted = 0;

	for (size_t i = 0; i < x->early_n; i++) {
		struct request_early early = x->early[i];
		struct message_request r;

		if (early.call != c) {
			x->early[left++] = early;
			continue;
		}
		r = requests_remove(&x->requests, early.key);
		if (r.key)
			posted += (size_t)request_ended(x, r, c, early.received, early.at);
		call_let(x, c);
	}
	x->early_n = left;
	return posted;
}

void matching_post(struct matching *x, struct message_call *c, uint32_t request)
{
	c->held++;
	request_put(x,
		    (struct message_request){.key = request_key(c->process, request), .posted = c});
}

void matching_complete(struct matching *x, struct message_call *c, uint32_t request)
{
	request_end(x, c, NULL, request_key(c->process, request));
}

/* Both ends of a message are known. */
static __attribute__((noinline)) void both_known(struct matching *x, struct message *m,
						  int64_t from, int64_t to,
						  const struct event_args *a)
{
	const struct cut_message open = {from, to, a->message.tag,
					 channels_comm(&x->channels, a->message.comm),
					 m->at[1] < m->at[0]};
	const int64_t first = m->at[open.received], last = m->at[!open.received];

	if (x->cuts) {
		cuts_message(x->cuts, &open, first, last);
		cuts_first(x->cuts, CUT_MATCHED, last);
	}
	if (matching_has_edge(x))
		matching_edge_message(x, m);
}

struct message *matching_send(struct matching *x, struct message_call *c, int64_t from,
			      const struct event_args *a)
{
	struct channel_queue *q =
		channel_of(x, from, a->message.peer, a->message.tag, a->message.comm);
	struct message *m = queue_match(x, q, 1);

	m->send = c;
	m->bytes = a->message.bytes;
	m->next_sent = c->sent;
	c->sent = m;
	c->held++;
	if (a->message.request) {
		m->calls = 3;
		request_put(x,
			    (struct message_request){
				    .key = request_key(c->process, a->message.request), .sent = m});
	}
	m->at[0] = x->now;
	if (m->recv && (x->cuts || matching_has_edge(x)))
		both_known(x, m, from, a->message.peer, a);
	return m;
}

static inline struct message *reserve(struct matching *x, int64_t to, const struct event_args *a)
{
	struct channel_queue *q =
		channel_of(x, a->message.peer, to, a->message.tag, a->message.comm);
	struct message *m = queue_match(x, q, 0);

	m->reserved = 1;
	return m;
}

struct message *matching_reserve(struct matching *x, int64_t to, const struct event_args *a)
{
	return reserve(x, to, a);
}

/* One that was not sent so far is in its queue. */
void matching_unreserve(struct matching *x, struct message *m)
{
	if (!m->send)
		return;
	m->next = x->unreserved;
	x->unreserved = m;
}

struct message *matching_receive(struct matching *x, struct message_call *c, int64_t to,
				 const struct event_args *a, struct message *reserved)
{
	struct message *m = reserved ? reserved : reserve(x, to, a);

	m->reserved = 0;
	m->recv = c;
	m->next_received = c->received;
	c->received = m;
	c->held++;
	if (a->message.request)
		request_end(x, c, m, request_key(c->process, a->message.request));
	m->at[1] = x->now;
	if (m->send && (x->cuts || matching_has_edge(x)))
		both_known(x, m, a->message.peer, to, a);
	return m;
}

void matching_note(struct matching *x, struct message_call *of, struct message_call *c,
		   enum message_source source)
{
	struct message *m = matching_message(x);

	*m = (struct message){.send = of, .recv = c, .ends = 1, .calls = 2, .source = source};
	m->next_received = c->received;
	c->received = m;
	of->held++;
	c->held++;
}

/* ---- puts ---- */

void matching_put(struct matching *x, struct message_call *c, int64_t to)
{
	uint32_t process = to < 0 ? MAP_NONE : map_get(&x->nodes, (uint64_t)to);
	struct message_call **at;
	struct puts *p;

	if (process == MAP_NONE || process == c->process)
		return;
	if (!x->puts) {
		x->puts_n = x->channels.trace->process_n;
		x->puts = mem_alloc(x->puts_n * sizeof(*x->puts));
	}
	p = &x->puts[process];
	at = &p->call[p->n++ % PUTS_KEPT];
	if (*at)
		call_let(x, *at);
	*at = c;
	c->held++;
}

void matching_await(struct matching *x, struct message_call *c)
{
	const struct puts *p = x->puts ? &x->puts[c->process] : NULL;
	struct message_call *put = NULL;

	for (size_t k = 0; p && k < PUTS_KEPT; k++)
		if (p->call[k] && p->call[k]->enter <= c->leave &&
		    (!put || p->call[k]->enter > put->enter))
			put = p->call[k];
	if (!put || put->enter <= c->enter)
		return;
	matching_note(x, put, c, SOURCE_PUT);
}
