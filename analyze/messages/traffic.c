/* traffic.c: counts messages, transfers and collective operations while they are read. */
#include "analyze/messages/traffic.h"

#include <string.h>

#include "analyze/base/map.h"
#include "analyze/messages/selection.h"
#include "analyze/profile/message_counter.h"

static uint64_t pair_key(int64_t from, int64_t to)
{
	return (uint64_t)(uint32_t)from << 32 | (uint32_t)to;
}

static struct traffic_pair *pair_of(struct traffic *x, int64_t from, int64_t to)
{
	uint64_t key = pair_key(from, to);
	uint32_t at = map_get(&x->at, key);
	struct traffic_pair *p;

	if (at != MAP_NONE)
		return &x->pair[at];
	map_set(&x->at, key, (uint32_t)x->pair_n);
	p = array_add(x, pair);
	p->from = (uint32_t)from;
	p->to = (uint32_t)to;
	return p;
}

/* Messages to ranks that the trace does not have are not counted by pair. */
static int is_rank(int64_t rank)
{
	return rank >= 0 && rank <= INT32_MAX;
}

static void count(struct traffic_count *to, uint64_t bytes)
{
	to->n++;
	to->bytes += bytes;
}

static int64_t node_of(const struct traffic *x, uint32_t process)
{
	return x->m->trace->process[process].node;
}

/* Is this end of a message or transfer selected, or the other end by its rank alone? */
static int is_selected(const struct traffic *x, uint32_t stream, uint32_t path, int64_t peer)
{
	return selection_has(x->m->selection, stream, path) ||
	       selection_rank(x->m->selection, peer);
}

static void sent_count(struct traffic *x, int64_t from, int64_t peer, uint64_t bytes)
{
	if (is_rank(peer))
		count(&pair_of(x, from, peer)->sent, bytes);
	count(&x->size[message_size_class(bytes)], bytes);
	x->size_least = bytes < x->size_least ? bytes : x->size_least;
	x->size_most = bytes > x->size_most ? bytes : x->size_most;
}

static void on_sent(void *to, const struct message_call *c, const struct event_args *a, int inside)
{
	struct traffic *x = to;
	int64_t from = node_of(x, c->process), peer = a->message.peer;

	if (is_rank(peer))
		map_set(&x->sends, pair_key(from, peer), 1);
	if (inside && is_selected(x, c->stream, c->path, peer))
		sent_count(x, from, peer, a->message.bytes);
}

/* Counts a message whose receiver is selected and whose sender is not. */
static void on_matched(void *to, const struct message *m)
{
	struct traffic *x = to;
	const struct message_call *s = m->send, *r = m->recv;
	int64_t peer = node_of(x, r->process);

	if (m->inside && !is_selected(x, s->stream, s->path, peer) &&
	    selection_has(x->m->selection, r->stream, r->path))
		sent_count(x, node_of(x, s->process), peer, m->bytes);
}

static void on_received(void *to, const struct message_call *c, const struct event_args *a,
			int inside)
{
	struct traffic *x = to;

	if (inside && is_rank(a->message.peer) &&
	    is_selected(x, c->stream, c->path, a->message.peer))
		count(&pair_of(x, a->message.peer, node_of(x, c->process))->received,
		      a->message.bytes);
}

static void on_transfer(void *to, uint32_t stream, uint32_t path, const struct event_args *a,
			int inside)
{
	struct traffic *x = to;

	if (inside && a->rma.op < RMAS && is_rank(a->rma.peer) &&
	    is_selected(x, stream, path, a->rma.peer))
		count(&pair_of(x, node_of(x, x->m->trace->stream[stream].process), a->rma.peer)
			       ->rma[a->rma.op],
		      a->rma.bytes);
}

static struct traffic_collective *collective_of(struct traffic *x, const struct message_call *c)
{
	uint64_t key = (uint64_t)c->region << 32 | c->op;
	uint32_t at = map_get(&x->collective_at, key);
	struct traffic_collective *row;

	if (at != MAP_NONE)
		return &x->collective[at];
	map_set(&x->collective_at, key, (uint32_t)x->collective_n);
	row = array_add(x, collective);
	row->region = c->region;
	row->op = c->op;
	return row;
}

/* Does the call count as one of a collective operation? */
static int is_counted(const struct traffic *x, const struct message_call *c, int inside)
{
	return inside && c->meets && selection_has(x->m->selection, c->stream, c->path);
}

/* Adds the waits of a call that are not in its row so far. */
static void wait_count(struct traffic *x, struct message_call *c)
{
	collective_of(x, c)->wait += c->wait - c->counted;
	c->counted = c->wait;
}

static void on_left(void *to, struct message_call *c, int inside)
{
	struct traffic *x = to;
	struct traffic_collective *row;

	if (!is_counted(x, c, inside))
		return;
	row = collective_of(x, c);
	row->calls++;
	row->sent += c->bytes_sent;
	row->received += c->bytes_received;
	row->time += c->exclusive;
	wait_count(x, c);
}

/* These waits were not known when the call ended. */
static void on_late(void *to, struct message *m, int inside)
{
	if (is_counted(to, m->recv, inside))
		wait_count(to, m->recv);
}

static void on_late_meeting(void *to, struct message_call *c, int inside)
{
	if (is_counted(to, c, inside))
		wait_count(to, c);
}

struct messages_use traffic_use(struct traffic *x, const struct messages *m)
{
	*x = (struct traffic){.m = m, .size_least = UINT64_MAX};
	return (struct messages_use){.sent = on_sent,
				     .received = on_received,
				     .matched = m->selection ? on_matched : NULL,
				     .transfer = on_transfer,
				     .left = on_left,
				     .late = on_late,
				     .late_meeting = on_late_meeting,
				     .window_calls = 1,
				     .to = x};
}

static int pair_order(const void *va, const void *vb)
{
	const struct traffic_pair *a = va, *b = vb;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

static int collective_first(const void *va, const void *vb)
{
	const struct traffic_collective *a = va, *b = vb;

	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	return (a->region > b->region) - (a->region < b->region);
}

static int is_used(const struct traffic_pair *p)
{
	int used = p->messages.n > 0;

	for (int i = 0; i < RMAS; i++)
		used |= p->rma[i].n > 0;
	return used;
}

void traffic_end(struct traffic *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->pair_n; i++) {
		struct traffic_pair *p = &x->pair[i];

		p->messages = map_get(&x->sends, pair_key(p->from, p->to)) == MAP_NONE ? p->received
										       : p->sent;
		if (is_used(p))
			x->pair[n++] = *p;
	}
	x->pair_n = n;
	if (x->pair_n)
		qsort(x->pair, x->pair_n, sizeof(*x->pair), pair_order);
	if (x->collective_n)
		qsort(x->collective, x->collective_n, sizeof(*x->collective), collective_first);
}

void traffic_release(struct traffic *x)
{
	free(x->pair);
	free(x->collective);
	map_release(&x->at);
	map_release(&x->sends);
	map_release(&x->collective_at);
	*x = (struct traffic){0};
}

void traffic_size(size_t i, uint64_t *least, uint64_t *most)
{
	*least = i ? UINT64_C(1) << (i - 1) : 0;
	*most = i == 64 ? UINT64_MAX : (UINT64_C(1) << i) - 1;
}
