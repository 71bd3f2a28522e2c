/* critical_path.c: keeps which threads wait for which, and follows the path backwards. */
#include "analyze/messages/critical_path.h"

#include <string.h>
#include <strings.h>

#include "analyze/messages/messages.h"
#include "analyze/messages/runtime_regions.h"

#define DROP_FIRST    65536		/* jumps */
#define CRITICAL_KEPT 0x80000000u	/* flag of a jump's cause: a path can reach the jump */

enum { IS_FINALIZE = 1, IS_JOIN = 2, IS_CREATE = 4 };

const char *critical_cause_name(uint32_t cause)
{
	static const char *const own[] = {"finalize", "join of a thread", "begin of a thread",
					  "start"};

	return cause < WAIT_PATTERNS ? wait_name((enum wait_pattern)cause)
	       : cause < CRITICAL_CAUSES ? own[cause - CRITICAL_FINALIZE]
					 : "";
}

/* ---- jumps ---- */

static struct window_span process_span(const struct critical_path *x, uint32_t stream)
{
	uint32_t process = x->m->trace->stream[stream].process;
	const struct trace_process *p = &x->m->trace->process[process];
	struct window_span s = messages_span(x->m, process);

	s.begin = s.begin > p->start ? s.begin : p->start;
	s.end = s.end < p->end ? s.end : p->end;
	return s;
}

/* The number of jumps of a lane before a time, or up to it. */
static size_t jumps_before(const struct critical_lane *l, int64_t time, int up_to)
{
	size_t low = 0, high = l->jump_n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->jump[middle].at < time || (up_to && l->jump[middle].at == time))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The position on the path while it is followed backwards, and its time. */
struct critical_walk {
	uint32_t stream;
	int64_t time;
	size_t same; /* jumps without a change of time */
};

/*
 * The next jump of the walk, NULL: the path begins here. Threads that wait for each other at the
 * same moment do not form a cycle.
 */
static struct critical_jump *walk_jump(struct critical_path *x, const struct critical_walk *w)
{
	struct critical_lane *l = &x->lane[w->stream];
	size_t n = jumps_before(l, w->time, w->same <= x->m->trace->stream_n);

	return n ? &l->jump[n - 1] : NULL;
}

static void walk_go(struct critical_walk *w, const struct critical_jump *j)
{
	w->same = j->at == w->time ? w->same + 1 : 0;
	w->time = j->at;
	w->stream = j->stream;
}

/* Marks the jumps that a path through this moment takes. */
static void mark(struct critical_path *x, uint32_t stream, int64_t time)
{
	struct critical_walk w = {stream, time, 0};
	struct critical_jump *j;

	while ((j = walk_jump(x, &w)) && !(j->cause & CRITICAL_KEPT)) {
		struct critical_jump to = *j;

		j->cause |= CRITICAL_KEPT;
		walk_go(&w, &to);
	}
}

/*
 * Drops jumps that no path can reach: all later jumps lead to moments after `open` of their lanes.
 */
static void drop(struct critical_path *x)
{
	size_t lanes = x->m->trace->stream_n;
	int64_t open = INT64_MAX;

	for (size_t i = 0; i < lanes; i++)
		open = x->lane[i].open < open ? x->lane[i].open : open;
	for (uint32_t i = 0; i < lanes; i++)
		mark(x, i, open);
	x->jumps = 0;
	for (size_t i = 0; i < lanes; i++) {
		struct critical_lane *l = &x->lane[i];
		size_t n = 0;

		for (size_t k = 0; k < l->jump_n; k++) {
			if (l->jump[k].at < open && !(l->jump[k].cause & CRITICAL_KEPT))
				continue;
			l->jump[n] = l->jump[k];
			l->jump[n++].cause &= ~CRITICAL_KEPT;
		}
		l->jump_n = n;
		x->jumps += n;
	}
	x->drop_at = 2 * x->jumps > DROP_FIRST ? 2 * x->jumps : DROP_FIRST;
}

static void jump_add(struct critical_path *x, uint32_t stream, int64_t at, uint32_t to,
		     uint32_t cause)
{
	struct critical_lane *l = &x->lane[stream];
	size_t n;

	if (stream == to)
		return;
	array_add(l, jump);
	for (n = l->jump_n - 1; n && l->jump[n - 1].at > at; n--)
		l->jump[n] = l->jump[n - 1];
	l->jump[n] = (struct critical_jump){at, to, cause};
	if (++x->jumps >= x->drop_at)
		drop(x);
}

/* ---- time ---- */

static void sum_add(struct critical_path *x, uint32_t path, double ns)
{
	if (path >= x->sum_n) {
		size_t n = (size_t)path * 2 + 64;

		x->sum = mem_resize(x->sum, n, sizeof(*x->sum));
		memset(x->sum + x->sum_n, 0, (n - x->sum_n) * sizeof(*x->sum));
		x->sum_n = n;
	}
	x->sum[path] += ns;
}

/* Time of a wait does not count as time of its path. */
static void wait_subtract(struct critical_path *x, uint32_t stream, uint32_t path, int64_t from,
			  int64_t until)
{
	struct window_span s = process_span(x, stream);

	from = from > s.begin ? from : s.begin;
	until = until < s.end ? until : s.end;
	if (until > from)
		sum_add(x, path, -(double)(until - from));
}

static void on_spent(void *to, uint32_t stream, const struct message_time *t, size_t n,
		     struct message_call *call)
{
	struct critical_path *x = to;
	struct critical_lane *l = &x->lane[stream];

	for (size_t i = 0; i < n; i++) {
		if (t[i].path) {
			sum_add(x, t[i].path, (double)t[i].ns);
			l->named = 1;
		} else {
			l->root += t[i].ns;
		}
	}
	l->open = call ? call->enter : INT64_MAX;
}

/* ---- calls with messages ---- */

static void wait_for(struct critical_path *x, struct message_call *c, int64_t until,
		     const struct message_call *late, uint32_t cause)
{
	jump_add(x, c->stream, until, late->stream, cause);
	wait_subtract(x, c->stream, c->path, c->enter, until);
	c->waited = until;
}

/*
 * A reduction is complete when the last rank has entered; this is also true for the others if no
 * rank left before.
 */
static int reduction(const struct critical_path *x, const struct message_call *c,
		     struct awaited *a)
{
	const struct meeting *m = c->meeting;
	int all = m->latest->enter < m->first_leave;

	if (call_kinds_meeting(&x->kinds, c) != MEETING_TO || m->latest == c ||
	    m->latest->enter <= c->enter || (!all && m->root_call != c))
		return 0;
	*a = (struct awaited){m->latest, WAIT_EARLY_REDUCE, m->latest->enter, NULL};
	a->until = a->until < c->leave ? a->until : c->leave;
	return 1;
}

static void meeting(struct critical_path *x, struct message_call *c)
{
	struct awaited a;

	if (reduction(x, c, &a) || (awaited_meeting(&x->kinds, c, &a) &&
				    a.pattern != WAIT_EARLY_REDUCE))
		wait_for(x, c, a.until, a.call, a.pattern);
}

static void on_left(void *to, struct message_call *c, int inside)
{
	struct critical_path *x = to;
	struct awaited a;

	(void)inside;
	sum_add(x, c->path, (double)c->exclusive);
	x->lane[c->stream].named |= c->path && c->exclusive > 0;
	if (c->region == TRACE_NONE)
		return;
	if (awaited_message(&x->kinds, c, &a))
		wait_for(x, c, a.until, a.call, a.pattern);
	c->known = awaited_is_known(&x->kinds, c);
	if (c->known)
		meeting(x, c);
}

/*
 * Clocks disagree: by the clocks, the message was sent after the receiving call had ended, so all
 * of that call was a wait.
 */
static void on_late(void *to, struct message *m, int inside)
{
	struct critical_path *x = to;
	struct message_call *c = m->recv;

	(void)inside;
	if (c->region == TRACE_NONE || call_kinds_tests(&x->kinds, c) || c->leave <= c->enter)
		return;
	jump_add(x, c->stream, c->leave, m->send->stream, WAIT_LATE_SENDER);
	wait_subtract(x, c->stream, c->path, c->waited > c->enter ? c->waited : c->enter, c->leave);
	c->waited = c->leave;
}

/* It is now known that the call waited for its receiver, perhaps longer than for another. */
static void on_late_receiver(void *to, const struct message *m, struct message_call *c, int inside)
{
	struct critical_path *x = to;
	int64_t from = c->waited > c->enter ? c->waited : c->enter;
	struct awaited a;

	(void)inside;
	if (!awaited_receiver(&x->kinds, m, c, &a) || a.until <= from)
		return;
	jump_add(x, c->stream, a.until, a.call->stream, a.pattern);
	wait_subtract(x, c->stream, c->path, from, a.until);
	c->waited = a.until;
}

static void on_late_meeting(void *to, struct message_call *c, int inside)
{
	(void)inside;
	if (c->region != TRACE_NONE && awaited_is_complete(c) && !c->known)
		meeting(to, c);
}

/* ---- threads and finalize ---- */

/* Joins wait for the thread of the process that ended last during the call. */
static void join(struct critical_path *x, uint32_t stream, uint32_t path, int64_t from,
		 int64_t until)
{
	const struct trace *t = x->m->trace;
	const struct trace_process *p = &t->process[t->stream[stream].process];
	uint32_t last = TRACE_NONE;

	for (size_t i = 0; i < p->stream_n; i++) {
		uint32_t s = p->stream[i];

		if (s != stream && t->stream[s].last > from && t->stream[s].last <= until &&
		    (last == TRACE_NONE || t->stream[s].last > t->stream[last].last))
			last = s;
	}
	if (last == TRACE_NONE)
		return;
	jump_add(x, stream, t->stream[last].last, last, CRITICAL_JOIN);
	wait_subtract(x, stream, path, from, t->stream[last].last);
}

/* The last call before the begin of a thread made it. */
static void create(struct critical_path *x, uint32_t stream, int64_t from)
{
	const struct trace *t = x->m->trace;
	const struct trace_process *p = &t->process[t->stream[stream].process];

	for (size_t i = 0; i < p->stream_n; i++) {
		struct critical_lane *l = &x->lane[p->stream[i]];

		if (p->stream[i] == stream || t->stream[p->stream[i]].first < from ||
		    (l->creator != TRACE_NONE && l->created_at > from))
			continue;
		l->creator = stream;
		l->created_at = from;
	}
}

static void on_busy(void *to, uint32_t stream, uint32_t path, int64_t from, int64_t until)
{
	struct critical_path *x = to;
	struct critical_lane *l = &x->lane[stream];
	unsigned is = path ? (unsigned char)x->region_is[x->m->paths.v[path].region] : 0;

	l->busy = path ? until : l->busy;
	if (__builtin_expect(!is, 1))
		return;
	if (is == IS_JOIN)
		join(x, stream, path, from, until);
	if (is == IS_CREATE)
		create(x, stream, from);
	if (is == IS_FINALIZE) {
		l->finalize = l->finalize == INT64_MIN ? from : l->finalize;
		l->finalized = until;
		l->finalize_path = path;
	}
}

/* Finalize waits for all ranks that call it. */
static void finalize(struct critical_path *x)
{
	uint32_t last = TRACE_NONE;

	for (uint32_t i = 0; i < x->m->trace->stream_n; i++)
		if (x->lane[i].finalize != INT64_MIN &&
		    (last == TRACE_NONE || x->lane[i].finalize > x->lane[last].finalize))
			last = i;
	for (uint32_t i = 0; last != TRACE_NONE && i < x->m->trace->stream_n; i++) {
		const struct critical_lane *l = &x->lane[i];
		int64_t at = x->lane[last].finalize;

		if (l->finalize == INT64_MIN || l->finalize >= at || l->finalized < at)
			continue;
		jump_add(x, i, at, last, CRITICAL_FINALIZE);
		wait_subtract(x, i, l->finalize_path, l->finalize, at);
	}
}

static void threads_begin(struct critical_path *x)
{
	const struct trace *t = x->m->trace;

	for (uint32_t i = 0; i < t->stream_n; i++)
		if (x->lane[i].creator != TRACE_NONE)
			jump_add(x, i, t->stream[i].first, x->lane[i].creator, CRITICAL_CREATE);
}

/* ---- the path ---- */

/*
 * The first thread of the process that ends last; *time: its end in the window. OTF2 archives have
 * no end of a process, so all end with the archive, and windows end at one time: then it is the
 * thread that is in a region last.
 */
static uint32_t path_end(const struct critical_path *x, int64_t *time)
{
	const struct trace *t = x->m->trace;
	uint32_t stream = TRACE_NONE;

	for (uint32_t p = 0; p < t->process_n; p++) {
		struct window_span s;
		uint32_t first;

		if (!t->process[p].stream_n)
			continue;
		first = t->process[p].stream[0];
		s = process_span(x, first);
		if (s.end <= s.begin ||
		    (stream != TRACE_NONE &&
		     (s.end < *time ||
		      (s.end == *time && x->lane[first].busy <= x->lane[stream].busy))))
			continue;
		stream = first;
		*time = s.end;
	}
	return stream;
}

static void step_add(struct critical_path *x, uint32_t stream, int64_t begin, int64_t end,
		     uint32_t cause)
{
	if (end > begin)
		*array_add(x, step) =
			(struct critical_step){stream, cause, begin, end, TRACE_NONE};
}

static void follow(struct critical_path *x, struct critical_walk w)
{
	for (;;) {
		const struct critical_jump *j = walk_jump(x, &w);
		int64_t begin = process_span(x, w.stream).begin;

		if (!j || j->at <= begin) {
			step_add(x, w.stream, begin, w.time, CRITICAL_START);
			return;
		}
		step_add(x, w.stream, j->at, w.time, j->cause);
		walk_go(&w, j);
	}
}

void critical_path_end(struct critical_path *x)
{
	size_t lanes = x->m->trace->stream_n;
	struct critical_walk w = {0};

	x->drop_at = SIZE_MAX;
	finalize(x);
	threads_begin(x);
	for (size_t i = 0; i < lanes; i++) {
		x->threads += (size_t)x->lane[i].named;
		if (x->lane[i].named)
			sum_add(x, 0, (double)x->lane[i].root);
	}
	w.stream = path_end(x, &w.time);
	if (w.stream != TRACE_NONE)
		follow(x, w);
	for (size_t i = 0, k = x->step_n; i + 1 < k; i++) {
		struct critical_step s = x->step[i];

		x->step[i] = x->step[--k];
		x->step[k] = s;
	}
	if (x->step_n) {
		x->begin = x->step[0].begin;
		x->end = x->step[x->step_n - 1].end;
	}
}

double critical_path_mean(const struct critical_path *x, uint32_t path)
{
	return path < x->sum_n && x->threads ? x->sum[path] / (double)x->threads : 0;
}

struct messages_use critical_path_use(struct critical_path *x, const struct messages *m)
{
	const struct trace *t = m->trace;

	*x = (struct critical_path){.m = m, .drop_at = DROP_FIRST};
	x->lane = mem_alloc((t->stream_n + 1) * sizeof(*x->lane));
	for (size_t i = 0; i < t->stream_n; i++)
		x->lane[i] = (struct critical_lane){.open = INT64_MIN,
						    .busy = INT64_MIN,
						    .finalize = INT64_MIN,
						    .finalized = INT64_MIN,
						    .creator = TRACE_NONE};
	x->region_is = mem_alloc(t->region_n + 1);
	for (size_t i = 0; i < t->region_n; i++) {
		const char *name = t->region[i].name;

		x->region_is[i] = (char)(runtime_finalizes(name)      ? IS_FINALIZE
					 : runtime_joins_thread(name)  ? IS_JOIN
					 : runtime_begins_thread(name) ? IS_CREATE
								       : 0);
	}
	call_kinds_init(&x->kinds, t);
	return (struct messages_use){.spent = on_spent,
				     .busy = on_busy,
				     .left = on_left,
				     .late = on_late,
				     .late_receiver = on_late_receiver,
				     .late_meeting = on_late_meeting,
				     .window_calls = 1,
				     .to = x};
}

void critical_path_release(struct critical_path *x)
{
	for (size_t i = 0; x->lane && i < x->m->trace->stream_n; i++)
		free(x->lane[i].jump);
	free(x->lane);
	free(x->region_is);
	free(x->sum);
	free(x->step);
	call_kinds_release(&x->kinds);
	*x = (struct critical_path){0};
}
