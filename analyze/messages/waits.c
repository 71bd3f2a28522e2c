/* waits.c: finds wait states in the calls of a pass over the messages. */
#include "analyze/messages/waits.h"

#include <string.h>

#include "analyze/base/map.h"
#include "analyze/messages/messages.h"
#include "analyze/messages/runtime_regions.h"
#include "analyze/messages/selection.h"
#include "analyze/messages/wait_rows.h"
#include "analyze/trace/region_work.h"

#define LEAST 0.01 /* of all waiting, that a culprit causes */

/* ---- causes ---- */

static void wait_row_add(struct wait_rows *r, uint32_t process, uint32_t path, enum wait_pattern p,
			 double ns)
{
	wait_rows_add(r, process, path, p, 1, ns);
}

static int is_fork(const struct waits *x, uint32_t path)
{
	uint32_t region = x->m->paths.v[path].region;

	return path && runtime_team(x->m->trace->region[region].name) == TEAM_FORKS;
}

/* Does a parallel region begin with the path, or just before its last region? */
static int is_team_begin(const struct waits *x, uint32_t path)
{
	return is_fork(x, path) || is_fork(x, x->m->paths.v[path].parent);
}

/* The part of a path for in_team(). That of its parent is known, if it is necessary. */
static uint32_t team_part(struct waits *x, uint32_t path)
{
	const struct callstack_path p = x->m->paths.v[path];
	uint32_t above = 0;

	if (is_fork(x, path))
		return path;
	if (p.parent && !is_team_begin(x, path))
		above = x->in_team[p.parent] - 1;
	return callstack_path_child(&x->m->paths, above, p.region);
}

/*
 * The path, in a team, of the thread that began a parallel region contains that region and its
 * parents; the paths of the other threads begin inside of the region. Paths can be too long for a
 * recursion.
 */
static __attribute__((noinline)) uint32_t in_team(struct waits *x, uint32_t path)
{
	struct {
		uint32_t *v;
		size_t v_n, v_cap;
	} up = {0};

	if (path >= x->in_team_n) {
		size_t n = (size_t)path * 2 + 64;

		x->in_team = mem_resize(x->in_team, n, sizeof(*x->in_team));
		memset(x->in_team + x->in_team_n, 0, (n - x->in_team_n) * sizeof(*x->in_team));
		x->in_team_n = n;
	}
	for (uint32_t p = path; p && !x->in_team[p]; p = x->m->paths.v[p].parent) {
		*array_add(&up, v) = p;
		if (is_team_begin(x, p))
			break;
	}
	while (up.v_n) {
		uint32_t p = up.v[--up.v_n];

		x->in_team[p] = 1 + team_part(x, p);
	}
	free(up.v);
	return path ? x->in_team[path] - 1 : 0;
}

/* The time of a stream at a position contains a wait, and the last one of the stream is that. */
static void origin_note(struct waits *x, uint32_t stream, uint64_t at)
{
	if (x->culprits.wanted)
		delays_origin(&x->delays, stream, at, x->lane[stream].origin);
	x->lane[stream].origin = TRACE_NONE;
}

static inline void spent_add(struct waits *x, uint32_t stream, uint32_t path, int64_t ns,
			     int64_t wait)
{
	delays_spent(&x->delays, stream,
		     (struct delay_time){path, x->teams ? in_team(x, path) : path, ns, wait});
	if (wait > 0)
		origin_note(x, stream, delays_now(&x->delays, stream) - 1);
}

/* Attributes a wait of call b to the call paths of the late call a. */
static void cause_add(struct waits *x, const struct message_call *a, const struct message_call *b,
		      enum wait_pattern p, int64_t ns)
{
	struct delay_found f = p == WAIT_TEAM ? delays_find_team(&x->delays, a, b, ns)
					      : delays_find(&x->delays, a, b, ns);

	x->indirect += f.indirect;
	x->unexplained += f.unexplained;
	for (size_t i = 0; i < x->delays.touched_n && f.k > 0; i++) {
		uint32_t path = x->delays.touched[i];

		wait_row_add(&x->causes, a->process, path, p,
			f.k * (double)x->delays.excess[path].ns);
	}
	if (x->culprits.wanted)
		x->lane[b->stream].origin =
			culprits_cause(&x->culprits, &x->delays, &f, a, b, p);
}

static int is_selected(const struct waits *x, const struct message_call *c)
{
	return selection_has(x->m->selection, c->stream, c->path);
}

/*
 * The path for the row: at the end of a parallel region, threads wait after its outlined function.
 */
static uint32_t row_path(struct waits *x, const struct message_call *c)
{
	return !c->role ? c->path : in_team(x, c->meeting->idle ? c->after : c->path);
}

/* Call b waits for call a, and this wait is inside of the window. */
static void wait_count(struct waits *x, const struct message_call *a, const struct message_call *b,
		       enum wait_pattern p, uint64_t n, int64_t ns)
{
	if (x->found) {
		const int64_t end = p == WAIT_TEAM ? a->enter : b->enter + b->wait;

		x->found(x->found_to, &(struct wait_found){b, a, p, end - ns, end});
	}
	wait_rows_add(&x->waits, b->process, row_path(x, b), p, n, (double)ns);
	if (b->path)
		x->region_ns[x->m->paths.v[b->path].region] += (double)ns;
	cause_add(x, a, b, p, ns);
}

/* Call b waits for call a, after it may have waited already. */
static void wait_longer(struct waits *x, const struct message_call *a, struct message_call *b,
			enum wait_pattern p, int64_t ns, int inside)
{
	int first = b->wait == 0;

	if (ns <= 0)
		return;
	b->wait += ns;
	if (inside && is_selected(x, b))
		wait_count(x, a, b, p, (uint64_t)first, ns);
}

/* Call b waits for call a. */
static void wait_add(struct waits *x, const struct message_call *a, struct message_call *b,
		     enum wait_pattern p, int64_t ns, int inside)
{
	if (ns <= 0)
		return;
	b->wait += ns;
	if (inside && is_selected(x, b))
		wait_count(x, a, b, p, 1, ns);
}

/* The part of the wait up to the end of the last transfer to the process, or after it. */
static void aimed_part(struct waits *x, const struct message_call *c, const struct awaited *a,
		       int inside)
{
	int64_t ns = a->until - c->enter, before = c->aimed < ns ? c->aimed : ns;

	if (!inside || !is_selected(x, c))
		return;
	if (a->pattern == WAIT_FENCE && before)
		wait_row_add(&x->waits, c->process, c->path, WAIT_EARLY_FENCE, (double)before);
	if (a->pattern == WAIT_EARLY_WAIT && before < ns)
		wait_row_add(&x->waits, c->process, c->path, WAIT_LATE_COMPLETE,
			     (double)(ns - before));
}

/* ---- messages ---- */

/* Finds earlier late senders of the same stream whose message was sent after this one. */
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
		if (inside && selection_has(x->m->selection, c->stream, p->path))
			wait_row_add(&x->waits, c->process, p->path, WAIT_WRONG_ORDER, p->ns);
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

static void orders(struct waits *x, struct message_call *c, int inside)
{
	for (const struct message *m = c->received; m; m = m->next_received) {
		if (!m->send || m->source != SOURCE_SEND)
			continue;
		x->early += inside && m->send->enter > c->leave;
		wrong_order(x, c, m, inside);
	}
}

static void message_wait(struct waits *x, struct message_call *c, int inside)
{
	struct awaited a;

	if (!call_kinds_tests(&x->kinds, c))
		orders(x, c, inside);
	if (!awaited_message(&x->kinds, c, &a))
		return;
	wait_add(x, a.call, c, a.pattern, a.until - c->enter, inside);
	if (a.pattern == WAIT_LATE_SENDER && inside)
		past_add(x, c, a.message, a.until - c->enter);
	if (a.pattern == WAIT_EARLY_WAIT)
		aimed_part(x, c, &a, inside);
	delays_met(&x->delays, a.call, c);
}

/* ---- collective operations ---- */

/*
 * Time between the end of an operation that no process leaves before the last one enters, and the
 * leave.
 */
static void completion(struct waits *x, struct message_call *c, enum wait_pattern p, int inside)
{
	const struct meeting *m = c->meeting;
	int64_t from = m->latest->enter > m->first_leave ? m->latest->enter : m->first_leave;

	if (inside && c->leave > from && is_selected(x, c))
		wait_row_add(&x->waits, c->process, c->path, p, (double)(c->leave - from));
}

static void collective(struct waits *x, struct message_call *c, int inside)
{
	enum meeting_kind kind = call_kinds_meeting(&x->kinds, c);
	struct awaited a;

	if (awaited_meeting(&x->kinds, c, &a)) {
		x->early_meetings += inside && a.call->enter > c->leave;
		wait_add(x, a.call, c, a.pattern, a.until - c->enter, inside);
		aimed_part(x, c, &a, inside);
		if (kind == MEETING_FROM || kind == MEETING_TO)
			delays_met(&x->delays, a.call, c);
	}
	if (kind == MEETING_BARRIER)
		completion(x, c, WAIT_BARRIER_COMPLETION, inside);
	if (kind == MEETING_ALL && c->bytes_received && c->bytes_sent)
		completion(x, c, WAIT_NXN_COMPLETION, inside);
	if (kind == MEETING_BARRIER || kind == MEETING_ALL)
		delays_all_met(&x->delays, c);
}

/* ---- teams ---- */

static void on_forks(void *to, uint32_t stream)
{
	delays_team_met(&((struct waits *)to)->delays, stream, 0);
}

/* Until the last thread enters, a thread in the barrier only executes tasks. */
static void on_team_met(void *to, const struct meeting *m)
{
	struct waits *x = to;

	for (struct message_call *c = m->first; c; c = c->next_in_meeting) {
		struct window_span s = messages_span(x->m, c->process);
		int64_t ns = m->latest->enter - c->enter;

		if (c->role == TEAM_BARRIER)
			ns -= c->nested;
		if (c != m->latest)
			wait_add(x, m->latest, c, WAIT_TEAM, ns,
				 c->leave >= s.begin && c->leave < s.end);
	}
}

static void team_left(struct waits *x, const struct message_call *c)
{
	int64_t wait = c->wait < c->exclusive ? c->wait : c->exclusive;
	int64_t rest = c->role == TEAM_IDLE ? 0 : c->exclusive - wait;

	spent_add(x, c->stream, c->path, rest, wait);
	delays_team_met(&x->delays, c->stream, rest);
}

/* ---- calls that poll ---- */

static enum polling polling_of(const struct waits *x, uint32_t path)
{
	return path ? x->polls[x->m->paths.v[path].region] : POLLING_NOT;
}

static inline void polling_add(struct waits *x, uint32_t stream, uint32_t path, uint64_t n,
			       int64_t ns)
{
	if (polling_of(x, path) && selection_has(x->m->selection, stream, path))
		wait_rows_add(&x->waits, x->m->trace->stream[stream].process, path, WAIT_POLLING, n,
			 (double)ns);
}

static void on_polls(void *to, uint32_t stream, uint32_t path, uint64_t n)
{
	struct waits *x = to;

	polling_add(x, stream, path, n, 0);
	if (polling_of(x, path) == POLLING_REQUESTS && selection_has(x->m->selection, stream, path))
		x->tests += n;
	if (polling_of(x, path) == POLLING_MESSAGES && selection_has(x->m->selection, stream, path))
		x->probes += n;
}

static void on_poll_found(void *to, uint32_t stream, uint32_t path, int inside)
{
	struct waits *x = to;

	if (!inside || !selection_has(x->m->selection, stream, path))
		return;
	x->tests_found += polling_of(x, path) == POLLING_REQUESTS;
	x->probes_found += polling_of(x, path) == POLLING_MESSAGES;
}

/* A call with messages has ended. */
static void polling_left(struct waits *x, const struct message_call *c, int inside)
{
	polling_add(x, c->stream, c->path, 0, c->exclusive);
	if (inside && polling_of(x, c->path) == POLLING_REQUESTS && is_selected(x, c))
		x->completed += c->received || c->meets;
}

/* ---- the use ---- */

static void on_spent(void *to, uint32_t stream, const struct message_time *t, size_t n,
		     struct message_call *call)
{
	struct waits *x = to;
	struct wait_lane *l = &x->lane[stream];

	for (size_t i = 0; i < n; i++) {
		spent_add(x, stream, t[i].path, t[i].ns, 0);
		if (x->any_polls)
			polling_add(x, stream, t[i].path, 0, t[i].ns);
		l->ns += (double)t[i].ns;
	}
	if (call)
		call->log = delays_now(&x->delays, stream);
}

static void on_left(void *to, struct message_call *c, int inside)
{
	struct waits *x = to;
	int64_t wait;

	x->lane[c->stream].calls = 1;
	x->lane[c->stream].ns += (double)c->exclusive;
	if (c->role) {
		team_left(x, c);
		return;
	}
	if (c->region == TRACE_NONE)
		return;
	if (x->any_polls)
		polling_left(x, c, inside);
	message_wait(x, c, inside);
	c->known = awaited_is_known(&x->kinds, c);
	if (c->known)
		collective(x, c, inside);
	wait = c->wait < c->exclusive ? c->wait : c->exclusive;
	spent_add(x, c->stream, c->path, c->exclusive - wait, wait);
}

/* The receiving call has ended, and with it the wait. */
static void on_late(void *to, struct message *m, int inside)
{
	struct waits *x = to;
	struct message_call *c = m->recv;
	int64_t before = c->wait, ns = c->leave - c->enter - before;

	if (c->region == TRACE_NONE || call_kinds_tests(&x->kinds, c))
		return;
	x->early += (uint64_t)inside;
	wait_add(x, m->send, c, WAIT_LATE_SENDER, ns, inside);
	delays_waited(&x->delays, c->stream, c->log, c->wait - before);
	origin_note(x, c->stream, c->log);
	delays_met(&x->delays, m->send, c);
}

/* It is now known that the call waited longer for its receiver. */
static void on_late_receiver(void *to, const struct message *m, struct message_call *c, int inside)
{
	struct waits *x = to;
	int64_t before = c->wait;
	struct awaited a;

	if (!awaited_receiver(&x->kinds, m, c, &a))
		return;
	wait_longer(x, a.call, c, a.pattern, a.until - c->enter - before, inside);
	delays_waited(&x->delays, c->stream, c->log, c->wait - before);
	origin_note(x, c->stream, c->log);
	delays_met(&x->delays, a.call, c);
}

static void on_late_meeting(void *to, struct message_call *c, int inside)
{
	struct waits *x = to;
	int64_t before = c->wait;

	if (c->region == TRACE_NONE || c->meeting->bad || c->known)
		return;
	collective(x, c, inside);
	delays_waited(&x->delays, c->stream, c->log, c->wait - before);
	origin_note(x, c->stream, c->log);
}

static void on_sampled(void *to, uint32_t stream, uint32_t path, int64_t time,
		       const struct event_args *a, const uint32_t *code, int inside)
{
	struct waits *x = to;

	(void)time;
	if (!path && inside && x->culprits.wanted)
		culprits_sample(&x->culprits, x->m->trace, stream, code,
				a->sample.stack.n);
}

struct messages_use waits_use(struct waits *x, struct messages *m)
{
	const struct trace *t = m->trace;

	*x = (struct waits){.m = m};
	delays_init(&x->delays, t->stream_n, m->span);
	x->lane = mem_alloc((t->stream_n + 1) * sizeof(*x->lane));
	for (size_t i = 0; i < t->stream_n; i++)
		x->lane[i].origin = TRACE_NONE;
	call_kinds_init(&x->kinds, t);
	x->polls = mem_alloc(t->region_n + 1);
	x->region_ns = mem_alloc((t->region_n + 1) * sizeof(*x->region_ns));
	for (size_t i = 0; i < t->region_n; i++) {
		x->teams |= runtime_team(t->region[i].name) != TEAM_NONE;
		x->polls[i] = runtime_tests_requests(t->region[i].name) ? POLLING_REQUESTS
			      : runtime_probes(t->region[i].name)	? POLLING_MESSAGES
			      : region_polls(t->region[i].name)		? POLLING
									: POLLING_NOT;
		x->any_polls |= x->polls[i] != POLLING_NOT;
	}
	return (struct messages_use){.spent = on_spent,
				     .sampled = on_sampled,
				     .polls = on_polls,
				     .poll_found = on_poll_found,
				     .left = on_left,
				     .late = on_late,
				     .late_receiver = on_late_receiver,
				     .late_meeting = on_late_meeting,
				     .teams = x->teams,
				     .window_calls = 1,
				     .forks = on_forks,
				     .team_met = on_team_met,
				     .to = x};
}

void waits_end(struct waits *x)
{
	wait_rows_sort(&x->waits);
	wait_rows_sort(&x->causes);
	if (x->tests_found > x->completed)
		x->completed = x->tests_found;
	for (uint32_t i = 0; i < x->m->trace->stream_n; i++)
		if ((x->lane[i].calls || messages_called(x->m, i)) &&
		    selection_stream(x->m->selection, i))
			x->ns += x->lane[i].ns;
}

static uint32_t culprit_path(void *of, uint32_t path)
{
	struct waits *x = of;

	return x->teams ? in_team(x, path) : path;
}

double waits_caused(const struct waits *x)
{
	double ns = 0;

	for (enum wait_pattern p = 0; p < WAIT_PATTERNS; p++)
		ns += wait_is_caused(p) ? wait_rows_total(&x->waits, p) : 0;
	return ns;
}

void waits_culprits(struct waits *x)
{
	culprits_end(&x->culprits, x->m, LEAST * waits_caused(x), culprit_path, x);
}

void waits_release(struct waits *x)
{
	delays_release(&x->delays);
	culprits_release(&x->culprits);
	map_release(&x->waits.at);
	map_release(&x->causes.at);
	free(x->waits.v);
	free(x->causes.v);
	free(x->lane);
	free(x->in_team);
	free(x->polls);
	free(x->region_ns);
	call_kinds_release(&x->kinds);
	*x = (struct waits){0};
}
