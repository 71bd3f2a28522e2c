/* awaited.c: finds the call for which another call waits. */
#include "analyze/messages/awaited.h"

const char *wait_name(enum wait_pattern p)
{
	static const char *const name[WAIT_PATTERNS] = {
		[WAIT_LATE_SENDER] = "late sender",
		[WAIT_LATE_RECEIVER] = "late receiver",
		[WAIT_LATE_PUT] = "late put",
		[WAIT_LATE_POST] = "late post",
		[WAIT_EARLY_WAIT] = "early wait",
		[WAIT_WINDOW_LOCK] = "lock contention",
		[WAIT_BARRIER] = "wait at barrier",
		[WAIT_NXN] = "wait at N x N",
		[WAIT_LATE_BROADCAST] = "late broadcast",
		[WAIT_EARLY_REDUCE] = "early reduce",
		[WAIT_FENCE] = "wait at fence",
		[WAIT_EARLY_SCAN] = "early scan",
		[WAIT_TEAM] = "wait at OpenMP barrier",
		[WAIT_BARRIER_COMPLETION] = "barrier completion",
		[WAIT_NXN_COMPLETION] = "N x N completion",
		[WAIT_WRONG_ORDER] = "late sender, wrong order",
		[WAIT_EARLY_FENCE] = "early fence",
		[WAIT_LATE_COMPLETE] = "late complete",
		[WAIT_POLLING] = "polling",
	};

	return p < WAIT_PATTERNS ? name[p] : "";
}

/* ---- kinds of calls ---- */

void call_kinds_init(struct call_kinds *k, const struct trace *t)
{
	*k = (struct call_kinds){.trace = t};
	k->is = mem_alloc(t->region_n + 1);
	k->meeting = mem_alloc((t->region_n + 1) * COLLS);
	for (size_t i = 0; i < t->region_n; i++) {
		const char *name = t->region[i].name;

		k->is[i] = (unsigned char)((runtime_sends(name) * CALL_SENDS) |
					   (runtime_receives(name) * CALL_RECEIVES) |
					   (runtime_tests(name) * CALL_TESTS) |
					   (runtime_waits(name) * CALL_WAITS));
	}
}

void call_kinds_release(struct call_kinds *k)
{
	free(k->is);
	free(k->meeting);
	*k = (struct call_kinds){0};
}

enum meeting_kind call_kinds_meeting(const struct call_kinds *k, const struct message_call *c)
{
	unsigned char *is;

	if (c->region == TRACE_NONE || c->op >= COLLS)
		return MEETING_NONE;
	is = &k->meeting[(size_t)c->region * COLLS + c->op];
	if (!*is)
		*is = (unsigned char)(1 + runtime_meeting(k->trace->region[c->region].name, c->op));
	return (enum meeting_kind)(*is - 1);
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* ---- messages ---- */

/* The message for which the call waited longest. */
static int late_sender(const struct message_call *c, struct awaited *a)
{
	static const enum wait_pattern pattern[] = {
		[SOURCE_SEND] = WAIT_LATE_SENDER,   [SOURCE_PUT] = WAIT_LATE_PUT,
		[SOURCE_POST] = WAIT_LATE_POST,	    [SOURCE_COMPLETE] = WAIT_EARLY_WAIT,
		[SOURCE_UNLOCK] = WAIT_WINDOW_LOCK,
	};
	int64_t ns = 0;

	for (const struct message *m = c->received; m; m = m->next_received) {
		int64_t until = m->send ? least(m->send->enter, c->leave) : c->enter;

		if (until - c->enter <= ns)
			continue;
		ns = until - c->enter;
		*a = (struct awaited){m->send, pattern[m->source], until, m};
	}
	return ns > 0;
}

/* The call that posted the receive of a message; NULL: unknown. */
static struct message_call *receiver(const struct call_kinds *k, const struct message *m)
{
	if (m->posts)
		return m->posts;
	return m->recv && (call_kinds_of(k, m->recv) & CALL_RECEIVES) ? m->recv : NULL;
}

/* Does the call wait for the receiver, and longer than ns? */
static int receiver_is_late(const struct call_kinds *k, const struct message *m,
			    const struct message_call *c, int64_t ns, struct awaited *a)
{
	struct message_call *q = receiver(k, m);

	if (!q || c->leave <= q->enter || q->enter - c->enter <= ns)
		return 0;
	*a = (struct awaited){q, WAIT_LATE_RECEIVER, q->enter, m};
	return 1;
}

static int late_receiver(const struct call_kinds *k, const struct message_call *c,
			 struct awaited *a)
{
	unsigned is = call_kinds_of(k, c);
	int64_t ns = 0;

	if (is & CALL_SENDS)
		for (const struct message *m = c->sent; m; m = m->next_sent)
			if (receiver_is_late(k, m, c, ns, a))
				ns = a->until - c->enter;
	if (is & CALL_WAITS)
		for (const struct message *m = c->completed; m; m = m->next_completed)
			if (receiver_is_late(k, m, c, ns, a))
				ns = a->until - c->enter;
	return ns > 0;
}

int awaited_message(const struct call_kinds *k, struct message_call *c, struct awaited *a)
{
	if (c->region == TRACE_NONE || (call_kinds_of(k, c) & CALL_TESTS))
		return 0;
	c->late_sender = late_sender(c, a);
	return c->late_sender || late_receiver(k, c, a);
}

int awaited_receiver(const struct call_kinds *k, const struct message *m,
		     const struct message_call *c, struct awaited *a)
{
	return !c->late_sender && (call_kinds_of(k, c) & (CALL_SENDS | CALL_WAITS)) &&
	       receiver_is_late(k, m, c, 0, a);
}

/* ---- collective operations ---- */

/* In a reduction, the first call of the other ranks. */
static struct message_call *first_of_others(const struct message_call *c)
{
	struct message_call *first = NULL;

	for (struct message_call *o = c->meeting->first; o; o = o->next_in_meeting)
		if (o != c && (!first || o->enter < first->enter))
			first = o;
	return first;
}

static int rank_order(const void *va, const void *vb)
{
	const struct message_call *a = *(struct message_call *const *)va,
				  *b = *(struct message_call *const *)vb;

	return (a->rank > b->rank) - (a->rank < b->rank);
}

struct message_call **awaited_by_rank(const struct meeting *m)
{
	struct message_call **v = mem_alloc((m->joined + 1) * sizeof(struct message_call *));
	size_t n = 0;

	for (struct message_call *o = m->first; o; o = o->next_in_meeting)
		v[n++] = o;
	qsort(v, n, sizeof(*v), rank_order);
	return v;
}

/* In a scan that later ranks have not entered, the last call of the ranks before; *n: their number. */
static struct message_call *last_before_now(const struct message_call *c, uint32_t *n)
{
	struct message_call *last = NULL;

	*n = 0;
	for (struct message_call *o = c->meeting->first; o; o = o->next_in_meeting) {
		if (o->rank >= c->rank)
			continue;
		last = !last || o->enter > last->enter ? o : last;
		++*n;
	}
	return last;
}

/* In a scan, the last call of the ranks before, which is found for all calls at once. */
static struct message_call *last_before(const struct message_call *c)
{
	struct meeting *m = c->meeting;
	struct message_call **v, *last = NULL;
	uint32_t n;

	if (m->ordered)
		return c->before;
	if (m->joined < m->members)
		return last_before_now(c, &n);
	m->ordered = 1;
	v = awaited_by_rank(m);
	for (size_t i = 0; i < m->joined; i++) {
		v[i]->before = last;
		if (!last || v[i]->enter > last->enter)
			last = v[i];
	}
	free(v);
	return c->before;
}

int awaited_is_known(const struct call_kinds *k, const struct message_call *c)
{
	uint32_t n;

	if (!c->meeting || c->meeting->bad)
		return 0;
	if (c->meeting->joined == c->meeting->members)
		return 1;
	switch (call_kinds_meeting(k, c)) {
	case MEETING_FROM:
		return c->meeting->root_call != NULL;
	case MEETING_SCAN:
		last_before_now(c, &n);
		return n == c->rank;
	default:
		return 0;
	}
}

int awaited_meeting(const struct call_kinds *k, const struct message_call *c, struct awaited *a)
{
	const struct meeting *m = c->meeting;
	int receives = c->bytes_received > 0, sends = c->bytes_sent > 0;
	struct message_call *late = NULL;
	enum wait_pattern p = WAIT_PATTERNS;

	switch (call_kinds_meeting(k, c)) {
	case MEETING_BARRIER:
		late = m->latest;
		p = WAIT_BARRIER;
		break;
	case MEETING_ALL:
		late = receives ? m->latest : NULL;
		p = WAIT_NXN;
		break;
	case MEETING_FROM:
		late = receives ? m->root_call : NULL;
		p = WAIT_LATE_BROADCAST;
		break;
	case MEETING_TO:
		late = receives && m->root_call == c ? first_of_others(c) : NULL;
		p = WAIT_EARLY_REDUCE;
		break;
	case MEETING_FENCE:
		late = m->first_leave > m->latest->enter ? m->latest : NULL;
		p = WAIT_FENCE;
		break;
	case MEETING_SCAN:
		late = receives || sends ? last_before(c) : NULL;
		p = WAIT_EARLY_SCAN;
		break;
	default:
		break;
	}
	if (!late || late == c || least(late->enter, c->leave) <= c->enter)
		return 0;
	*a = (struct awaited){late, p, least(late->enter, c->leave), NULL};
	return 1;
}
