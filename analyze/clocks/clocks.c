/*
 * clocks.c: finds messages that are received and collective calls that are left too early, and
 * shifts times until there are none.
 */
#include "analyze/clocks/message_graph.h"

#include <string.h>

#include "analyze/base/quantity.h"

/* ---- shifting ---- */

/* The process waits until wake() is called for this list. */
static void wait_in(struct message_graph *w, struct graph_lane *l, uint32_t *list)
{
	l->next_waiting = *list;
	l->waits_in = list;
	*list = (uint32_t)(l - w->lane) + 1;
}

static void wake(struct message_graph *w, uint32_t *list)
{
	uint32_t next;

	for (uint32_t p = *list; p; p = next) {
		next = w->lane[p - 1].next_waiting;
		w->lane[p - 1].waits_in = NULL;
		w->ready[w->ready_n++] = p - 1;
	}
	*list = 0;
}

static void wait_no_more(struct message_graph *w, struct graph_lane *l)
{
	uint32_t *at = l->waits_in;

	while (at && *at != (uint32_t)(l - w->lane) + 1)
		at = &w->lane[*at - 1].next_waiting;
	if (at)
		*at = l->next_waiting;
	l->waits_in = NULL;
}

/*
 * The earliest time at which a call can be left. 0: some processes for which it waits have not
 * entered yet.
 */
static int can_leave(const struct graph_meeting *m, const struct call *c, int64_t *from)
{
	*from = INT64_MIN;
	if (m->bad || c->idle || (c->order == COLLECTIVE_FROM_ROOT && c->is_root) ||
	    (c->order == COLLECTIVE_TO_ROOT && !c->is_root))
		return 1;
	*from = c->order == COLLECTIVE_FROM_ROOT ? m->root : m->latest;
	return c->order == COLLECTIVE_FROM_ROOT ? m->root_in : m->in == m->members;
}

static void go_in(struct graph_meeting *m, const struct call *c, int64_t now)
{
	m->in++;
	if (c->is_root) {
		m->root = now;
		m->root_in = 1;
	}
	if (!c->idle && now > m->latest)
		m->latest = now;
}

/* Passes the enter or the leave of a call. 0: it has to wait. */
static int pass(struct message_graph *w, struct graph_lane *l, const struct graph_message *x,
		int64_t now)
{
	const struct call *c = &l->call[x->channel];
	struct graph_meeting *m = &w->meeting[c->meeting];
	int64_t from;

	if (x->point == POINT_IN) {
		go_in(m, c, now);
		if (c->is_root || m->in == m->members)
			wake(w, &m->waiting);
	} else if (!can_leave(m, c, &from)) {
		return 0;
	} else if (from > now) {
		*array_add(l, knot) = (struct knot){x->time, from - x->time};
	}
	return 1;
}

/*
 * Processes the messages of one process up to a receive whose send is not known yet, or a leave for
 * which enters are missing, and lets it wait there; moves receives and leaves that are too early.
 * forced: the next one does not wait.
 */
static void advance(struct message_graph *w, struct graph_lane *l, int forced)
{
	for (; l->at < l->message_n; l->at++) {
		const struct graph_message *m = &l->message[l->at];
		int64_t now = m->time + shift_at(l->knot, l->knot_n, m->time);
		struct channel *c;

		if (m->point > POINT_RECV) {
			int waits = !pass(w, l, m, now);

			if (waits && !forced) {
				wait_in(w, l, &w->meeting[l->call[m->channel].meeting].waiting);
				return;
			}
			forced &= !waits;
			continue;
		}
		c = &w->channel[m->channel];
		if (m->point == POINT_SEND) {
			c->send[m->nth] = now;
			c->known = m->nth + 1;
			wake(w, &c->waiting);
			continue;
		}
		if (m->nth >= c->sent)
			continue;
		if (m->nth >= c->known) {
			if (!forced) {
				wait_in(w, l, &c->waiting);
				return;
			}
			forced = 0;
			continue;
		}
		if (c->send[m->nth] > now)
			*array_add(l, knot) = (struct knot){m->time, c->send[m->nth] - m->time};
	}
}

/* Processes each message once, and each wait at most twice. */
static void walk(struct message_graph *w)
{
	size_t n = w->trace->process_n, first = 0;

	w->ready = mem_alloc((n + 1) * sizeof(*w->ready));
	for (size_t p = n; p-- > 0;)
		w->ready[w->ready_n++] = (uint32_t)p;
	for (;;) {
		while (w->ready_n)
			advance(w, &w->lane[w->ready[--w->ready_n]], 0);
		while (first < n && w->lane[first].at == w->lane[first].message_n)
			first++;
		if (first == n)
			return;
		/*
		 * Messages that wait for each other in a cycle are not matched correctly: force
		 * one.
		 */
		wait_no_more(w, &w->lane[first]);
		advance(w, &w->lane[first], 1);
	}
}

/* Counts the calls that were left too early, by the recorded times. */
static void count_calls(struct message_graph *w)
{
	struct causality *f = w->found;

	for (size_t i = 0; i < w->meeting_n; i++) {
		struct graph_meeting *m = &w->meeting[i];

		*(m->bad ? &f->alone : &f->calls) += m->joined;
		m->in = 0;
		m->root_in = 0;
		m->latest = INT64_MIN;
	}
	for (int out = 0; out < 2; out++)
		for (size_t p = 0; p < w->trace->process_n; p++)
			for (size_t i = 0; i < w->lane[p].message_n; i++) {
				const struct graph_message *x = &w->lane[p].message[i];
				const struct call *c;
				int64_t from;

				if (x->point != (out ? POINT_OUT : POINT_IN))
					continue;
				c = &w->lane[p].call[x->channel];
				if (!out) {
					go_in(&w->meeting[c->meeting], c, x->time);
					continue;
				}
				if (!can_leave(&w->meeting[c->meeting], c, &from) ||
				    from <= x->time)
					continue;
				f->left++;
				if (from - x->time > f->left_worst)
					f->left_worst = from - x->time;
			}
	for (size_t i = 0; i < w->meeting_n; i++) {
		w->meeting[i].in = 0;
		w->meeting[i].root_in = 0;
		w->meeting[i].latest = INT64_MIN;
	}
}

/* Counts the messages and calls that are too early, by the recorded times. */
static void count(struct message_graph *w)
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
			const struct graph_message *m = &w->lane[p].message[i];

			if (m->point == POINT_SEND)
				w->channel[m->channel].send[m->nth] = m->time;
		}
	for (size_t p = 0; p < w->trace->process_n; p++)
		for (size_t i = 0; i < w->lane[p].message_n; i++) {
			const struct graph_message *m = &w->lane[p].message[i];
			const struct channel *c;

			if (m->point != POINT_RECV)
				continue;
			c = &w->channel[m->channel];
			if (m->nth >= c->sent || c->send[m->nth] <= m->time)
				continue;
			f->early++;
			if (c->send[m->nth] - m->time > f->worst)
				f->worst = c->send[m->nth] - m->time;
		}
}

static void count_all(struct message_graph *w)
{
	count(w);
	count_calls(w);
}

int causality_check(struct trace *t, struct causality *out, struct error *e)
{
	struct message_graph w;
	int code = message_graph_read(&w, t, out, e);

	if (!code)
		count_all(&w);
	message_graph_release(&w);
	return code;
}

char *causality_text(const struct causality *c, int collective)
{
	char most[QUANTITY_TEXT];

	if (!collective && c->early)
		return mem_printf("%llu of %llu messages were received before they were sent, by "
				  "up to %s",
				  (unsigned long long)c->early, (unsigned long long)c->messages,
				  quantity_time_text((double)c->worst, most));
	if (collective && c->left)
		return mem_printf("%llu of %llu calls of collective operations were left before "
				  "all members had entered them, by up to %s",
				  (unsigned long long)c->left, (unsigned long long)c->calls,
				  quantity_time_text((double)c->left_worst, most));
	return NULL;
}

int causality_correct(struct trace *t, struct causality *out, struct error *e)
{
	struct message_graph w;
	int code = message_graph_read(&w, t, out, e);

	if (!code)
		count_all(&w);
	if (!code && (out->early || out->left)) {
		walk(&w);
		shift_install(t, &w);
	}
	message_graph_release(&w);
	return code;
}
