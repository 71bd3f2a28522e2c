/* matching_edges.c: whether the edge of a pass that begins at a cut has reached the window. */
#include "analyze/messages/matching.h"

static int in_window(const struct matching *x, const struct message_call *c)
{
	return c->leave >= x->edge.span[c->process].begin;
}

/* The call is at the edge. If it has not ended so far, matching_edge_left() looks at it again. */
static void touch(struct matching *x, struct message_call *c)
{
	if (c == x->edge.call)
		return;
	c->edge = 1;
	if (c->leave != INT64_MAX)
		x->edge.reached |= in_window(x, c);
}

static void message_touch(struct matching *x, struct message *m)
{
	m->edge = 1;
	if (m->send)
		touch(x, m->send);
	if (m->recv)
		touch(x, m->recv);
}

void matching_edge_message(struct matching *x, struct message *m)
{
	const struct message_call *old = x->edge.call;

	if (m->send == old || m->recv == old)
		x->edge.left--;
	else if (!m->edge && m->send->enter > x->edge.from + x->edge.skew)
		return;
	message_touch(x, m);
}

void matching_edge_request(struct matching *x, struct message_call *c, struct message *received)
{
	x->edge.left--;
	touch(x, c);
	if (received)
		message_touch(x, received);
}

void matching_edge_entry(struct matching *x, struct message_call *c)
{
	x->edge.left--;
	touch(x, c);
}

void matching_edge_left(struct matching *x, const struct message_call *c)
{
	if (c->edge || c->enter <= x->edge.from)
		x->edge.reached |= in_window(x, c);
}
