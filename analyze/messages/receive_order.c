/*
 * receive_order.c: gives messages of a channel to its receives in the order in which those were posted, as MPI does, though they
 * may be complete in another order.
 *
 * Where a receive is posted, its sender and tag are not recorded: they are known when it is complete. So when a receive is complete
 * while earlier ones of its process are not, the next receives in the stream are looked at: those of the same channel that were
 * posted earlier take their messages first.
 */
#include <string.h>

#include "analyze/messages/lane.h"
#include "analyze/messages/matching.h"

#define AHEAD_MOST 64   /* receives that are looked at */
#define AHEAD_LONG 4096 /* events that are looked at */

/* The place of a request among the open ones; their number if it is none of them. */
static size_t place_of(const struct receive_posted *p, uint32_t request)
{
	size_t i = 0;

	while (i < p->v_n && p->v[i].request != request)
		i++;
	return i;
}

static void remove_at(struct receive_posted *p, size_t at)
{
	memmove(&p->v[at], &p->v[at + 1], (p->v_n - at - 1) * sizeof(*p->v));
	p->v_n--;
}

/* The oldest receive that has no message, their number if all have one. */
static size_t oldest_of(const struct receive_posted *p)
{
	size_t i = 0;

	while (i < p->v_n && p->v[i].message)
		i++;
	return i;
}

/* A receive that has a message stays until it is complete. */
void receive_order_post(struct receive_order *x, uint32_t process, uint32_t request)
{
	struct receive_posted *p;
	size_t at;

	while (process >= x->of_n)
		array_add(x, of);
	p = &x->of[process];
	at = place_of(p, request);
	if (at == p->v_n && p->v_n >= RECEIVES_MOST)
		at = oldest_of(p);
	else if (at < p->v_n && p->v[at].message)
		return;
	if (at < p->v_n)
		remove_at(p, at);
	*array_add(p, v) = (struct receive_open){.request = request};
}

void receive_order_release(struct receive_order *x, struct matching *from)
{
	for (size_t i = 0; i < x->of_n; i++) {
		struct receive_posted *p = &x->of[i];

		for (size_t k = 0; k < p->v_n; k++)
			if (p->v[k].message)
				matching_unreserve(from, p->v[k].message);
		free(p->v);
	}
	free(x->of);
	*x = (struct receive_order){0};
}

/* Scans more of the batch; each event once. */
static void look_ahead(struct lane *l)
{
	const struct event_batch *b = l->batch;

	while (l->ahead_first < l->ahead_n && l->ahead[l->ahead_first] < l->at)
		l->ahead_first++;
	if (l->looked < l->at)
		l->looked = l->at;
	while (l->looked < b->n && l->looked < l->at + AHEAD_LONG &&
	       l->ahead_n - l->ahead_first < AHEAD_MOST) {
		if (b->event[l->looked].kind == EVENT_RECV)
			*array_add(l, ahead) = l->looked;
		l->looked++;
	}
}

static int is_same_channel(const struct event_args *a, const struct event_args *b)
{
	return a->message.peer == b->message.peer && a->message.tag == b->message.tag &&
	       a->message.comm == b->message.comm;
}

/* Reserves messages for the receives of the channel that were posted before number `before`, in their order. */
static void reserve_earlier(struct lane *l, struct receive_posted *p, size_t before,
			    const struct event_args *a)
{
	struct matching *x = &l->m->pass->matching;

	look_ahead(l);
	for (size_t i = l->ahead_first; i < l->ahead_n; i++) {
		const struct event_args *b = &l->batch->args[l->batch->event[l->ahead[i]].ref];
		size_t at = is_same_channel(a, b) && b->message.request
				    ? place_of(p, b->message.request)
				    : p->v_n;

		if (at < before && !p->v[at].message)
			p->v[at].chosen = 1;
	}
	for (size_t i = 0; i < before; i++) {
		if (!p->v[i].chosen)
			continue;
		p->v[i].chosen = 0;
		p->v[i].message = matching_reserve(x, l->node, a);
	}
}

struct message *receive_order_pop_open(struct lane *l, const struct event_args *a)
{
	struct receive_posted *p = &l->m->pass->receives.of[l->process];
	struct message *own = NULL;
	size_t at;

	at = a->message.request ? place_of(p, a->message.request) : p->v_n;
	if (at < p->v_n)
		own = p->v[at].message;
	else if (a->message.request)
		return NULL; /* posted in another thread, whose stream was not read so far */
	if (!own && at)
		reserve_earlier(l, p, at, a);
	if (at < p->v_n)
		remove_at(p, at);
	return own;
}
