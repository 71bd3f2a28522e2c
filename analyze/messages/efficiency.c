/* efficiency.c: useful time of each thread, and the runtime on an ideal network, in one pass. */
#include "analyze/messages/efficiency.h"

#include <math.h>
#include <string.h>

#include "analyze/messages/messages.h"
#include "analyze/messages/runtime_regions.h"
#include "analyze/messages/selection.h"
#include "analyze/trace/region_work.h"

/* The span of a process inside the window. */
static struct window_span process_span(const struct efficiency *x, uint32_t process)
{
	struct window_span s = messages_span(x->m, process);
	const struct trace_process *p = &x->m->trace->process[process];

	s.begin = s.begin > p->start ? s.begin : p->start;
	s.end = s.end < p->end ? s.end : p->end;
	return s;
}

/*
 * Is the path outside of the library, with no call of it? Looks upwards for a path that is
 * known or has such a call; paths can be too long for a recursion.
 */
static int is_outside(struct efficiency *x, uint32_t path)
{
	const struct callstack_path *v = x->m->paths.v;
	uint32_t top = path;
	char found;

	if (path >= x->outside_n) {
		size_t n = (size_t)path * 2 + 64;

		x->outside = mem_resize(x->outside, n, 1);
		memset(x->outside + x->outside_n, 0, n - x->outside_n);
		x->outside_n = n;
	}
	while (top && !x->outside[top] && !x->m->runtime[v[top].region])
		top = v[top].parent;
	found = !top ? 1 : x->outside[top] ? x->outside[top] : 2;
	for (uint32_t p = path; p != top; p = v[p].parent)
		x->outside[p] = found;
	x->outside[top] = found;
	return found == 1;
}

static void lane_begin(struct efficiency *x, uint32_t stream)
{
	struct efficiency_lane *l = &x->lane[stream];
	struct window_span s = process_span(x, x->m->trace->stream[stream].process);

	l->begun = 1;
	l->ideal = s.begin > x->begin ? s.begin - x->begin : 0;
}

static void on_spent(void *to, uint32_t stream, const struct message_time *t, size_t n,
		     struct message_call *call)
{
	struct efficiency *x = to;
	struct efficiency_lane *l = &x->lane[stream];

	if (!l->begun)
		lane_begin(x, stream);
	for (size_t i = 0; i < n; i++) {
		uint32_t path = t[i].path;
		enum region_work work = WORK_COMPUTE;

		if (!is_outside(x, path))
			continue;
		if (path)
			work = (enum region_work)x->work[x->m->paths.v[path].region];
		l->outside += t[i].ns;
		l->ideal += t[i].ns;
		l->useful += region_work_useful(work) ? t[i].ns : 0;
		l->recorder += work == WORK_TOOL ? t[i].ns : 0;
	}
	if (call) {
		call->ideal = l->ideal;
		call->outside = l->outside;
	}
	l->call = call;
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Have all processes entered the operation? A process can leave a broadcast before others enter it. */
static int is_whole(const struct meeting *m)
{
	return m->joined == m->members;
}

/* The latest clock of all calls at their enters. */
static int64_t latest(struct meeting *m)
{
	int64_t t = INT64_MIN;

	if (m->ideal != INT64_MIN)
		return m->ideal;
	for (const struct message_call *o = m->first; o; o = o->next_in_meeting)
		t = later(t, o->ideal);
	m->ideal = is_whole(m) ? t : INT64_MIN;
	return t;
}

/* In a scan, that of the ranks up to the one of the call; it is computed for all calls at once if all are known. */
static int64_t latest_before(const struct message_call *c)
{
	struct meeting *m = c->meeting;
	struct message_call **v;
	int64_t t = INT64_MIN;

	if (m->ideal != INT64_MIN)
		return c->ideal_before;
	if (!is_whole(m)) {
		for (const struct message_call *o = m->first; o; o = o->next_in_meeting)
			t = o->rank <= c->rank ? later(t, o->ideal) : t;
		return t;
	}
	v = awaited_by_rank(m);
	for (size_t i = 0; i < m->joined; i++)
		v[i]->ideal_before = m->ideal = later(m->ideal, v[i]->ideal);
	free(v);
	return c->ideal_before;
}

static int64_t meeting_ideal(struct efficiency *x, struct message_call *c, int64_t t)
{
	struct meeting *m = c->meeting;

	switch (call_kinds_meeting(&x->kinds, c)) {
	case MEETING_FENCE:
		if (m->first_leave < m->latest->enter)
			return t;
		/* fall through */
	case MEETING_BARRIER:
	case MEETING_ALL:
		return later(t, latest(m));
	case MEETING_FROM:
		return m->root_call ? later(t, m->root_call->ideal) : t;
	case MEETING_TO:
		return m->root_call == c ? later(t, latest(m)) : t;
	case MEETING_SCAN:
		return later(t, latest_before(c));
	default:
		return t;
	}
}

/* A synchronous send is complete when its receive has been posted, if that is known. */
static int64_t accepted(const struct efficiency *x, const struct message *m, int64_t t)
{
	const struct message_call *q = m->posts ? m->posts : m->recv;

	if (!q || m->send->region == TRACE_NONE || !x->synchronous[m->send->region])
		return t;
	return later(t, q->ideal);
}

static void on_left(void *to, struct message_call *c, int inside)
{
	struct efficiency *x = to;
	struct efficiency_lane *l = &x->lane[c->stream];
	int64_t t = l->ideal;

	(void)inside;
	l->calls = 1;
	for (const struct message *m = c->received; m; m = m->next_received)
		t = m->send ? later(t, m->send->ideal) : t;
	for (const struct message *m = c->sent; m; m = m->next_sent)
		t = m->calls == 2 ? accepted(x, m, t) : t;
	for (const struct message *m = c->completed; m; m = m->next_completed)
		t = accepted(x, m, t);
	if (c->meeting && !c->meeting->bad)
		t = meeting_ideal(x, c, t);
	l->ideal = t;
	l->call = NULL;
}

/*
 * It is known now that the call, which has ended, ended at t or later. This advances the clocks
 * of the stream and of its current call. Messages sent between the two calls keep their clocks.
 */
static void catch_up(struct efficiency *x, const struct message_call *c, int64_t t)
{
	struct efficiency_lane *l = &x->lane[c->stream];

	l->ideal = later(l->ideal, t + l->outside - c->outside);
	if (l->call)
		l->call->ideal = later(l->call->ideal, t + l->call->outside - c->outside);
}

static void on_late(void *to, struct message *m, int inside)
{
	(void)inside;
	catch_up(to, m->recv, m->send->ideal);
}

static void on_late_receiver(void *to, const struct message *m, struct message_call *c, int inside)
{
	(void)inside;
	catch_up(to, c, accepted(to, m, c->ideal));
}

static void on_late_meeting(void *to, struct message_call *c, int inside)
{
	(void)inside;
	if (awaited_is_complete(c))
		catch_up(to, c, meeting_ideal(to, c, c->ideal));
}

struct messages_use efficiency_use(struct efficiency *x, const struct messages *m)
{
	const struct trace *t = m->trace;
	int together = 1; /* then all clocks are 0 before the window */

	*x = (struct efficiency){.m = m, .begin = INT64_MAX};
	x->lane = mem_alloc((t->stream_n + 1) * sizeof(*x->lane));
	call_kinds_init(&x->kinds, t);
	x->synchronous = mem_alloc(t->region_n + 1);
	x->work = mem_alloc(t->region_n + 1);
	for (size_t i = 0; i < t->region_n; i++) {
		const struct trace_region *r = &t->region[i];

		x->synchronous[i] = (unsigned char)runtime_sends_synchronous(r->name);
		x->work[i] = (unsigned char)region_work_of(r->name, r->groups);
	}
	for (uint32_t p = 0; p < t->process_n; p++) {
		struct window_span s = process_span(x, p);

		x->ranks |= t->process[p].rank >= 0;
		if (s.end > s.begin && s.begin < x->begin)
			x->begin = s.begin;
	}
	for (uint32_t p = 0; p < t->process_n; p++) {
		struct window_span s = process_span(x, p);

		together &= s.end <= s.begin || s.begin == x->begin;
	}
	return (struct messages_use){.spent = on_spent,
				     .left = on_left,
				     .late = on_late,
				     .late_receiver = on_late_receiver,
				     .late_meeting = on_late_meeting,
				     .window_calls = together,
				     .to = x};
}

/*
 * Does the stream communicate, or is it thread 0 of a process in which no thread does? Processes without
 * a rank, as the shell that starts a rank, do not count if others have one.
 */
static int takes_part(const struct efficiency *x, uint32_t stream)
{
	const struct trace *t = x->m->trace;
	const struct trace_process *p = &t->process[t->stream[stream].process];
	int calls = 0;

	if ((x->ranks && p->rank < 0) || t->stream[stream].values)
		return 0;
	for (size_t i = 0; i < p->stream_n; i++)
		calls |= x->lane[p->stream[i]].calls;
	return calls ? x->lane[stream].calls : t->stream[stream].thread == 0;
}

int efficiency_counts(const struct efficiency *x, uint32_t stream)
{
	return takes_part(x, stream) && selection_stream(x->m->selection, stream);
}

void efficiency_end(struct efficiency *x)
{
	const struct trace *t = x->m->trace;
	int64_t end = INT64_MIN;

	for (uint32_t p = 0; p < t->process_n; p++) {
		struct window_span s = process_span(x, p);

		if (s.end > s.begin)
			end = later(end, s.end);
	}
	x->runtime = end > x->begin ? (double)(end - x->begin) : 0;
	x->busiest = TRACE_NONE;
	for (uint32_t s = 0; s < t->stream_n; s++)
		x->lane[s].calls |= messages_called(x->m, s);
	for (uint32_t s = 0; s < t->stream_n; s++) {
		const struct efficiency_lane *l = &x->lane[s];

		if (takes_part(x, s))
			x->ideal = fmax(x->ideal, (double)l->ideal);
		if (!efficiency_counts(x, s))
			continue;
		x->n++;
		x->mean += (double)l->useful;
		x->outside_mean += (double)l->outside;
		x->recorder_mean += (double)l->recorder;
		x->outside_most = fmax(x->outside_most, (double)l->outside);
		if (x->busiest == TRACE_NONE || (double)l->useful > x->most) {
			x->busiest = s;
			x->most = (double)l->useful;
		}
	}
	x->mean /= x->n ? (double)x->n : 1;
	x->outside_mean /= x->n ? (double)x->n : 1;
	x->recorder_mean /= x->n ? (double)x->n : 1;
}

void efficiency_release(struct efficiency *x)
{
	free(x->lane);
	free(x->outside);
	call_kinds_release(&x->kinds);
	free(x->synchronous);
	free(x->work);
	*x = (struct efficiency){0};
}

double efficiency_balance(const struct efficiency *x)
{
	return x->outside_most > 0 ? x->outside_mean / x->outside_most : NAN;
}

double efficiency_serialisation(const struct efficiency *x)
{
	return x->ideal > 0 ? x->outside_most / x->ideal : NAN;
}

double efficiency_own(const struct efficiency *x)
{
	return x->outside_mean > 0 ? x->mean / x->outside_mean : NAN;
}

int efficiency_has_own(const struct efficiency *x)
{
	return x->mean < x->outside_mean;
}

double efficiency_transfer(const struct efficiency *x)
{
	return x->runtime > 0 ? x->ideal / x->runtime : NAN;
}
