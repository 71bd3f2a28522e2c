/* matching_cuts.c: what is open at cuts, from and to the tables of the matching. */
#include <string.h>

#include "analyze/messages/channels.h"
#include "analyze/messages/cuts.h"
#include "analyze/messages/matching.h"
#include "analyze/messages/requests.h"

static void queue_note(struct matching *x, uint32_t channel, int64_t end)
{
	struct cut_message open;
	int64_t key[4];

	memcpy(key, x->channels.keys.name[channel], sizeof(key));
	open = (struct cut_message){key[0], key[1], key[2], (uint32_t)key[3], 0};
	for (const struct message *m = x->queue[channel].first; m; m = m->next) {
		open.received = !m->send;
		cuts_message(x->cuts, &open, m->at[!m->send], end);
	}
}

void matching_note_open(struct matching *x, int64_t end)
{
	for (uint32_t i = 0; i < x->queue_n && i < x->channels.keys.name_n; i++)
		queue_note(x, i, end);
	for (size_t i = 0; i < x->requests.slots; i++)
		if (x->requests.v[i].key)
			cuts_request(x->cuts, x->requests.v[i].key, x->requests.v[i].at,
				     end);
	for (size_t i = 0; i < x->channels.comms.name_n; i++)
		for (size_t k = 0; k < x->of[i].open_n; k++) {
			const struct meeting *m = x->of[i].open[k];

			if (m && m->joined < m->members)
				matching_note_meeting(x, m, end);
		}
}

/* A message: one end is before the cut. */
static void message_open(struct matching *x, const struct cut_message *open)
{
	uint32_t id = channels_id_of(&x->channels, open->from, open->to, open->tag, open->comm);
	struct message *m = matching_message(x);

	while (id >= x->queue_n)
		array_add(x, queue);
	*(open->received ? &m->recv : &m->send) = x->edge.call;
	m->ends = 1;
	x->edge.call->held++;
	x->edge.left++;
	if (x->queue[id].last)
		x->queue[id].last->next = m;
	else
		x->queue[id].first = m;
	x->queue[id].last = m;
}

/* The calls of operations that have begun and that are to come. */
static void entries_left(struct matching *x, uint32_t comm)
{
	const struct meetings *of = &x->of[comm];
	const uint32_t defined = channels_defined(&x->channels, comm);
	size_t members = 0;

	for (size_t p = 0; p < x->channels.trace->process_n; p++) {
		members = members ? members : channels_members(&x->channels, p, defined);
		x->edge.left -= of->next[p];
	}
	x->edge.left += members * of->edge;
}

void matching_open(struct matching *x, const struct cut *at)
{
	x->edge.call = matching_call(x);
	x->edge.call->enter = x->edge.call->leave = x->edge.from - 1;
	x->edge.call->region = TRACE_NONE;
	for (size_t i = 0; i < at->message_n; i++)
		message_open(x, &at->message[i]);
	for (size_t i = 0; i < at->request_n; i++) {
		const struct message_request r = {.key = at->request[i]};

		x->edge.left += !requests_add(&x->requests, r).key;
	}
	for (size_t i = 0; i < at->entry_n; i++) {
		const struct cut_entry *e = &at->entry[i];
		struct meetings *of = &x->of[e->comm];

		matching_meetings(x, e->comm, e->process, channels_defined(&x->channels, e->comm));
		if (++of->next[e->process] > of->edge)
			of->edge = of->next[e->process];
	}
	for (uint32_t i = 0; i < x->channels.comms.name_n; i++)
		if (x->of[i].edge)
			entries_left(x, i);
}
