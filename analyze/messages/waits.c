/* waits.c: finds wait states in the calls that a pass over the messages hands over. */
#include "analyze/messages/waits.h"

#include <string.h>

#include "analyze/messages/runtime_regions.h"

enum { CALL_SENDS = 1, CALL_RECEIVES = 2, CALL_TESTS = 4 };

const char *wait_name(enum wait_pattern p)
{
	static const char *const name[WAIT_PATTERNS] = {
		[WAIT_LATE_SENDER] = "late sender",
		[WAIT_LATE_RECEIVER] = "late receiver",
		[WAIT_BARRIER] = "wait at barrier",
		[WAIT_NXN] = "wait at N x N",
		[WAIT_LATE_BROADCAST] = "late broadcast",
		[WAIT_EARLY_REDUCE] = "early reduce",
		[WAIT_EARLY_SCAN] = "early scan",
		[WAIT_BARRIER_COMPLETION] = "barrier completion",
		[WAIT_NXN_COMPLETION] = "N x N completion",
		[WAIT_WRONG_ORDER] = "late sender, wrong order",
	};

	return p < WAIT_PATTERNS ? name[p] : "";
}

/* ---- rows ---- */

static struct wait_row *row_of(struct wait_rows *r, uint32_t process, uint32_t path,
			       enum wait_pattern p)
{
	/* Processes and paths of a trace are fewer than 2^30. */
	uint64_t key = (uint64_t)(process + 1) << 34 | (uint64_t)(path & 0x3fffffff) << 4 | p;
	uint32_t at = map_get(&r->at, key);
	struct wait_row *row;

	if (at != MAP_NONE)
		return &r->v[at];
	map_set(&r->at, key, (uint32_t)r->v_n);
	row = array_add(r, v);
	row->pattern = p;
	row->process = process;
	row->path = path;
	return row;
}

static void row_add(struct wait_rows *r, uint32_t process, uint32_t path, enum wait_pattern p,
		    double ns)
{
	struct wait_row *row = row_of(r, process, path, p);

	row->n++;
	row->ns += ns;
}

/* What the late call a cost the waiting call b. */
static void cause_add(struct waits *x, const struct message_call *a, const struct message_call *b,
		      enum wait_pattern p, int64_t ns)
{
	struct delay_found f = delays_find(&x->delays, a, b, ns);

	x->indirect += f.indirect;
	x->unexplained += f.unexplained;
	for (size_t i = 0; i < x->delays.touched_n && f.k > 0; i++) {
		uint32_t path = x->delays.touched[i];

		row_add(&x->causes, a->process, path, p,
			f.k * (double)x->delays.excess[path].ns);
	}
}

/* b waits for a. */
static void wait_add(struct waits *x, const struct message_call *a, struct message_call *b,
		     enum wait_pattern p, int64_t ns, int inside)
{
	if (ns <= 0)
		return;
	b->wait += ns;
	if (inside) {
		row_add(&x->waits, b->process, b->path, p, (double)ns);
		cause_add(x, a, b, p, ns);
	}
}

/* ---- messages ---- */

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Late senders of the same stream that sent their message after this one was sent. */
static void wrong_order(struct waits *x, struct message_call *c, const struct message *m,
			int inside)
{
	struct wait_lane *l = &x->lane[c->stream];

	if (!l->past_n || m->send->enter >= l->past_sent)
		return;
	for (size_t i = 0; i < l->past_n; i++) {
		struct wait_past *p = &l->past[i];

		if (p->ns <= 0 || p->sent <= m->send->enter)
			continue;
		if (inside)
			row_add(&x->waits, c->process, p->path, WAIT_WRONG_ORDER, p->ns);
		p->ns = 0;
	}
}

static void past_add(struct waits *x, const struct message_call *c, const struct message *m,
		     int64_t ns)
{
	struct wait_lane *l = &x->lane[c->stream];

	if (!l->past_n || m->send->enter > l->past_sent)
		l->past_sent = m->send->enter;
	l->past[l->past_at] = (struct wait_past){m->send->enter, (double)ns, c->path};
	l->past_at = (l->past_at + 1) % WAITS_PAST;
	l->past_n = l->past_n < WAITS_PAST ? l->past_n + 1 : WAITS_PAST;
}

/* The message that the call waited longest for. */
static int late_sender(struct waits *x, struct message_call *c, int inside)
{
	const struct message *worst = NULL;
	int64_t ns = 0;

	for (const struct message *m = c->received; m; m = m->next_received) {
		int64_t wait;

		if (!m->send)
			continue;
		x->early += m->send->enter > c->leave;
		wait = least(m->send->enter, c->leave) - c->enter;
		if (wait > ns) {
			ns = wait;
			worst = m;
		}
	}
	for (const struct message *m = c->received; m; m = m->next_received)
		if (m->send)
			wrong_order(x, c, m, inside);
	if (!worst)
		return 0;
	wait_add(x, worst->send, c, WAIT_LATE_SENDER, ns, inside);
	past_add(x, c, worst, ns);
	delays_met(&x->delays, worst->send, c);
	return 1;
}

static void late_receiver(struct waits *x, struct message_call *c, int inside)
{
	const struct message *worst = NULL;
	int64_t ns = 0;

	for (const struct message *m = c->sent; m; m = m->next_sent) {
		const struct message_call *q = m->recv;

		if (!q || q->region == TRACE_NONE || !(x->call_is[q->region] & CALL_RECEIVES) ||
		    c->leave <= q->enter || q->enter - c->enter <= ns)
			continue;
		ns = q->enter - c->enter;
		worst = m;
	}
	if (!worst)
		return;
	wait_add(x, worst->recv, c, WAIT_LATE_RECEIVER, ns, inside);
	delays_met(&x->delays, worst->recv, c);
}

/* ---- collective operations ---- */

static enum meeting_kind kind_of(struct waits *x, const struct message_call *c)
{
	unsigned char *is;

	if (c->region == TRACE_NONE || c->op >= COLLS)
		return MEETING_NONE;
	is = &x->meeting_is[(size_t)c->region * COLLS + c->op];
	if (!*is)
		*is = (unsigned char)(1 + runtime_meeting(x->m->trace->region[c->region].name,
							  c->op));
	return (enum meeting_kind)(*is - 1);
}

/* The first of the others in a reduction; of the ranks before it the last in a scan. */
static struct message_call *first_of_others(const struct message_call *c)
{
	struct message_call *first = NULL;

	for (struct message_call *o = c->meeting->first; o; o = o->next_in_meeting)
		if (o != c && (!first || o->enter < first->enter))
			first = o;
	return first;
}

static struct message_call *last_before(const struct message_call *c)
{
	struct message_call *last = NULL;

	for (struct message_call *o = c->meeting->first; o; o = o->next_in_meeting)
		if (o->rank < c->rank && (!last || o->enter > last->enter))
			last = o;
	return last;
}

static void meeting_wait(struct waits *x, const struct message_call *a, struct message_call *c,
			 enum wait_pattern p, int inside)
{
	if (!a || a == c)
		return;
	x->early_meetings += a->enter > c->leave;
	wait_add(x, a, c, p, least(a->enter, c->leave) - c->enter, inside);
}

/* Time between the end of an operation of all, which nobody leaves before, and the leave. */
static void completion(struct waits *x, struct message_call *c, enum wait_pattern p, int inside)
{
	const struct meeting *m = c->meeting;
	int64_t from = m->latest->enter > m->first_leave ? m->latest->enter : m->first_leave;

	if (inside && c->leave > from)
		row_add(&x->waits, c->process, c->path, p, (double)(c->leave - from));
}

static void collective(struct waits *x, struct message_call *c, int inside)
{
	struct meeting *m = c->meeting;
	int receives = c->bytes_received > 0, sends = c->bytes_sent > 0;

	switch (kind_of(x, c)) {
	case MEETING_BARRIER:
		meeting_wait(x, m->latest, c, WAIT_BARRIER, inside);
		completion(x, c, WAIT_BARRIER_COMPLETION, inside);
		break;
	case MEETING_ALL:
		if (receives)
			meeting_wait(x, m->latest, c, WAIT_NXN, inside);
		if (receives && sends)
			completion(x, c, WAIT_NXN_COMPLETION, inside);
		break;
	case MEETING_FROM:
		if (receives && m->root_call != c)
			meeting_wait(x, m->root_call, c, WAIT_LATE_BROADCAST, inside);
		if (c->wait > 0)
			delays_met(&x->delays, m->root_call, c);
		return;
	case MEETING_TO:
		if (receives && m->root_call == c) {
			struct message_call *first = first_of_others(c);

			meeting_wait(x, first, c, WAIT_EARLY_REDUCE, inside);
			if (c->wait > 0)
				delays_met(&x->delays, first, c);
		}
		return;
	case MEETING_SCAN:
		if (receives || sends)
			meeting_wait(x, last_before(c), c, WAIT_EARLY_SCAN, inside);
		return;
	default:
		return;
	}
	delays_all_met(&x->delays, c);
}

/* ---- the use ---- */

static void on_spent(void *to, uint32_t stream, const struct message_time *t, size_t n,
		     struct message_call *call)
{
	struct waits *x = to;

	for (size_t i = 0; i < n; i++) {
		delays_spent(&x->delays, stream, t[i].path, t[i].ns, 0);
		x->lane[stream].ns += (double)t[i].ns;
	}
	if (call)
		call->log = delays_now(&x->delays, stream);
}

static void on_left(void *to, struct message_call *c, int inside)
{
	struct waits *x = to;
	unsigned is = c->region == TRACE_NONE ? 0 : x->call_is[c->region];
	int64_t wait;

	x->lane[c->stream].calls = 1;
	x->lane[c->stream].ns += (double)c->exclusive;
	if (c->region == TRACE_NONE)
		return;
	if (!(is & CALL_TESTS) && !late_sender(x, c, inside) && (is & CALL_SENDS))
		late_receiver(x, c, inside);
	if (c->meeting && !c->meeting->bad && c->meeting->joined == c->meeting->members)
		collective(x, c, inside);
	wait = c->wait < c->exclusive ? c->wait : c->exclusive;
	delays_spent(&x->delays, c->stream, c->path, c->exclusive - wait, wait);
}

/* The receiving call has ended, its waiting with it. */
static void on_late(void *to, struct message *m, int inside)
{
	struct waits *x = to;
	struct message_call *c = m->recv;
	int64_t before = c->wait, ns = c->leave - c->enter - before;

	if (c->region == TRACE_NONE || (x->call_is[c->region] & CALL_TESTS))
		return;
	x->early++;
	wait_add(x, m->send, c, WAIT_LATE_SENDER, ns, inside);
	delays_waited(&x->delays, c->stream, c->log, c->wait - before);
}

static void on_late_meeting(void *to, struct message_call *c, int inside)
{
	struct waits *x = to;
	int64_t before = c->wait;

	if (c->region == TRACE_NONE || c->meeting->bad)
		return;
	collective(x, c, inside);
	delays_waited(&x->delays, c->stream, c->log, c->wait - before);
}

struct messages_use waits_use(struct waits *x, const struct messages *m)
{
	const struct trace *t = m->trace;

	*x = (struct waits){.m = m};
	delays_init(&x->delays, t->stream_n);
	x->lane = mem_alloc((t->stream_n + 1) * sizeof(*x->lane));
	x->call_is = mem_alloc(t->region_n + 1);
	x->meeting_is = mem_alloc((t->region_n + 1) * COLLS);
	for (size_t i = 0; i < t->region_n; i++)
		x->call_is[i] = (unsigned char)((runtime_sends(t->region[i].name) * CALL_SENDS) |
						(runtime_receives(t->region[i].name) *
						 CALL_RECEIVES) |
						(runtime_tests(t->region[i].name) * CALL_TESTS));
	return (struct messages_use){.spent = on_spent,
				     .left = on_left,
				     .late = on_late,
				     .late_meeting = on_late_meeting,
				     .to = x};
}

static int longest_first(const void *va, const void *vb)
{
	const struct wait_row *a = va, *b = vb;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	if (a->pattern != b->pattern)
		return a->pattern < b->pattern ? -1 : 1;
	if (a->path != b->path)
		return a->path < b->path ? -1 : 1;
	return (a->process > b->process) - (a->process < b->process);
}

static void rows_sort(struct wait_rows *r)
{
	map_release(&r->at);
	r->at = (struct map){0};
	if (r->v_n)
		qsort(r->v, r->v_n, sizeof(*r->v), longest_first);
}

void waits_end(struct waits *x)
{
	rows_sort(&x->waits);
	rows_sort(&x->causes);
	for (size_t i = 0; i < x->m->trace->stream_n; i++)
		x->ns += x->lane[i].calls ? x->lane[i].ns : 0;
}

void waits_release(struct waits *x)
{
	delays_release(&x->delays);
	map_release(&x->waits.at);
	map_release(&x->causes.at);
	free(x->waits.v);
	free(x->causes.v);
	free(x->lane);
	free(x->call_is);
	free(x->meeting_is);
	*x = (struct waits){0};
}

void wait_rows_sum(const struct wait_rows *rows, int paths, struct wait_rows *out)
{
	*out = (struct wait_rows){0};
	for (size_t i = 0; i < rows->v_n; i++) {
		const struct wait_row *r = &rows->v[i];
		struct wait_row *sum = row_of(out, paths ? TRACE_NONE - 1 : r->process,
					      paths ? r->path : 0x3fffffff, r->pattern);

		sum->process = paths ? TRACE_NONE : r->process;
		sum->path = paths ? r->path : TRACE_NONE;
		sum->n += r->n;
		sum->ns += r->ns;
		sum->processes++;
		if (sum->processes == 1 || r->ns > sum->worst_ns) {
			sum->worst = r->process;
			sum->worst_ns = r->ns;
		}
	}
	rows_sort(out);
}

double wait_rows_total(const struct wait_rows *rows, enum wait_pattern p)
{
	double ns = 0;

	for (size_t i = 0; i < rows->v_n; i++)
		ns += rows->v[i].pattern == p ? rows->v[i].ns : 0;
	return ns;
}
