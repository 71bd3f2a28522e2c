/* matching_meet.c: which calls form one collective operation. */
#include <string.h>

#include "analyze/messages/channels.h"
#include "analyze/messages/cuts.h"
#include "analyze/messages/matching.h"

/* The position of a process in a communicator; UINT32_MAX: it is not a member. */
static uint32_t place_of(const struct trace *t, uint32_t comm, int64_t rank)
{
	const struct trace_comm *c = comm < t->comm_n ? &t->comm[comm] : NULL;

	if (!c)
		return (uint32_t)rank;
	for (uint32_t i = 0; i < c->n; i++)
		if (c->rank[i] == rank)
			return i;
	return UINT32_MAX;
}

/* Has each member a trace? Otherwise its operations are never complete, and they are skipped. */
static int all_there(const struct matching *x, size_t process, uint32_t comm)
{
	const struct trace *t = x->channels.trace;
	size_t members = channels_members(&x->channels, process, comm);

	for (size_t i = 0; i < members; i++) {
		uint64_t rank = comm < t->comm_n ? t->comm[comm].rank[i] : i;

		if (map_get(&x->nodes, rank) == MAP_NONE)
			return 0;
	}
	return 1;
}

/* The next operation of the process. */
static struct meeting *meeting_of(struct matching *x, const struct message_call *c, uint32_t comm,
				  const struct event_args *a)
{
	struct meetings *of = &x->of[comm];
	struct meeting **at, *m;
	uint64_t nth;

	nth = of->next[c->process]++;
	while (nth - of->first >= of->open_n)
		*array_add(of, open) = NULL;
	at = &of->open[nth - of->first];
	if (*at)
		return *at;
	m = mem_alloc(sizeof(*m));
	*m = (struct meeting){.comm = comm,
			      .op = a->coll.op,
			      .root = a->coll.root,
			      .nth = nth,
			      .members = channels_members(&x->channels, c->process, a->coll.comm),
			      .first_leave = INT64_MAX,
			      .ideal = INT64_MIN};
	*at = m;
	return m;
}

void matching_meetings(struct matching *x, uint32_t comm, uint32_t process, uint32_t defined)
{
	struct meetings *of = &x->of[comm];
	const size_t n = x->channels.trace->process_n;

	if (of->next)
		return;
	of->next = mem_alloc(n * sizeof(*of->next));
	of->place = mem_alloc(n * sizeof(*of->place));
	of->missing = !all_there(x, process, defined);
}

void matching_note_meeting(struct matching *x, const struct meeting *m, int64_t end)
{
	if (m->joined == m->members)
		cuts_first(x->cuts, CUT_MET, m->met[1]);
	if (cuts_before(x->cuts, m->met[0]) < cuts_before(x->cuts, end))
		for (const struct message_call *c = m->first; c; c = c->next_in_meeting)
			cuts_entry(x->cuts, (struct cut_entry){m->comm, c->process}, c->met, end);
}

void matching_meet(struct matching *x, struct message_call *c, int64_t rank,
		   const struct event_args *a, int inside)
{
	uint32_t comm = channels_comm(&x->channels, a->coll.comm), place;
	const struct trace *t = x->channels.trace;
	struct meeting *m;

	if (c->meets)
		return;
	c->meets = 1;
	c->op = a->coll.op;
	c->bytes_sent = a->coll.sent;
	c->bytes_received = a->coll.received;
	if (a->coll.comm < t->comm_n && t->comm[a->coll.comm].inter)
		return;
	matching_meetings(x, comm, c->process, a->coll.comm);
	if (!x->of[comm].place[c->process])
		x->of[comm].place[c->process] = 1 + place_of(t, a->coll.comm, rank);
	if (!x->of[comm].place[c->process])
		return;
	place = x->of[comm].place[c->process] - 1;
	if (x->of[comm].missing) {
		x->found->unmet += (uint64_t)inside;
		return;
	}
	m = meeting_of(x, c, comm, a);
	c->met = x->now;
	m->met[0] = m->joined && m->met[0] < c->met ? m->met[0] : c->met;
	m->met[1] = m->joined && m->met[1] > c->met ? m->met[1] : c->met;
	if (m->nth < x->of[comm].edge)
		matching_edge_entry(x, c);
	if ((m->op != a->coll.op || m->root != a->coll.root) && !x->of[comm].bad) {
		x->of[comm].bad = 1;
		x->found->disagreed++;
		if (x->cuts)
			cuts_bad(x->cuts, comm, m->met[0]);
	}
	m->bad |= x->of[comm].bad;
	m->joined++;
	x->found->meetings += m->joined == m->members;
	c->meeting = m;
	c->rank = place;
	c->next_in_meeting = m->first;
	m->first = c;
	c->held++;
	if (!m->latest || c->enter > m->latest->enter)
		m->latest = c;
	if (rank == m->root)
		m->root_call = c;
	if (x->cuts && m->joined == m->members)
		matching_note_meeting(x, m, m->met[1]);
}
