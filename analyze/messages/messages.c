/* messages.c: advances all streams of a trace side by side, call by call, and matches their messages. */
#include "analyze/messages/messages.h"

#include <string.h>

#include "analyze/messages/matching.h"
#include "analyze/messages/runtime_regions.h"

struct lane_frame {
	uint32_t path, region;
	int64_t enter;
};

struct lane { /* a stream on its way */
	struct messages *m;
	uint32_t stream, process;
	int64_t node;
	struct window_span span;
	struct trace_cursor *cursor;
	struct event_batch *batch;
	size_t at;
	struct callstack callstack;
	struct callstack_watch watch;
	int stop;			/* a call ended */
	struct lane_frame *frame;	/* frame[0] is the root */
	size_t frame_n, frame_cap;
	int64_t last;			/* charged up to here */
	int64_t *spent;			/* by path, since the last call */
	size_t spent_n;
	struct message_time *touched;	/* paths with time; ns is filled in when they are handed over */
	size_t touched_n, touched_cap;
	struct message_call *call;	/* open */
	size_t call_depth;
	int64_t nested;			/* ns in regions inside of it */
	struct message_call *done;	/* ended, and not handed over so far */
};

struct messages_pass {
	struct matching matching;
	struct callstack_paths none; /* of the call stacks, which keep no paths */
	struct lane *lane;	/* by stream */
	struct lane **order;	/* a heap by the end of what they have done */
	size_t order_n;
	uint32_t *region;
	char *runtime;
	char *awaits;	     /* by region: a call that waits for a put */
	int any_awaits;
	int times, busy, regions; /* a use has functions for this */
};

struct window_span messages_span(const struct messages *m, uint32_t process)
{
	return m->span ? m->span[process] : (struct window_span){INT64_MIN, INT64_MAX};
}

static int inside(const struct lane *l, int64_t time)
{
	return time >= l->span.begin && time < l->span.end;
}

/* Each use that wants it. */
#define CALL_USES(messages, what, ...)                                                             \
	do {                                                                                       \
		for (size_t u_ = 0; u_ < (messages)->use_n; u_++)                                  \
			if ((messages)->use[u_].what)                                              \
				(messages)->use[u_].what((messages)->use[u_].to, __VA_ARGS__);     \
	} while (0)

/* ---- time ---- */

static int64_t clipped(const struct lane *l, int64_t from, int64_t to)
{
	from = from > l->span.begin ? from : l->span.begin;
	to = to < l->span.end ? to : l->span.end;
	return to > from ? to - from : 0;
}

static void spent_add(struct lane *l, uint32_t path, int64_t ns)
{
	if (path >= l->spent_n) {
		size_t n = (size_t)path * 2 + 64;

		l->spent = mem_resize(l->spent, n, sizeof(*l->spent));
		memset(l->spent + l->spent_n, 0, (n - l->spent_n) * sizeof(*l->spent));
		l->spent_n = n;
	}
	if (!l->spent[path])
		array_add(l, touched)->path = path;
	l->spent[path] += ns;
}

/* Charges the innermost path; the time of a call is known when it ends. */
static void charge_path(struct lane *l, int64_t time)
{
	int64_t from = l->last > l->span.begin ? l->last : l->span.begin;
	int64_t ns = clipped(l, l->last, time);
	uint32_t path;

	l->last = time;
	if (!ns || !l->frame_n)
		return;
	path = l->frame[l->frame_n - 1].path;
	if (l->m->pass->busy)
		CALL_USES(l->m, busy, l->stream, path, from, from + ns);
	if (l->call && l->frame_n - 1 == l->call_depth)
		return;
	if (l->call)
		l->nested += ns;
	spent_add(l, path, ns);
}

static inline void charge(struct lane *l, int64_t time)
{
	if (l->m->pass->times)
		charge_path(l, time);
}

/* Hands over what was spent up to a call, or to the end. */
static void spent_give(struct lane *l, struct message_call *c)
{
	size_t n = 0;

	for (size_t i = 0; i < l->touched_n; i++) {
		uint32_t path = l->touched[i].path;

		if (!l->spent[path])
			continue;
		l->touched[n++] = (struct message_time){path, l->spent[path]};
		l->spent[path] = 0;
	}
	CALL_USES(l->m, spent, l->stream, l->touched, n, c);
	l->touched_n = 0;
}

/* ---- regions ---- */

static struct message_call *call_of(struct lane *l, int64_t time);

static void region_begins(void *to, uint32_t region, size_t depth, int64_t time)
{
	struct lane *l = to;
	uint32_t path = 0;

	charge(l, time);
	if (depth) {
		region = l->m->region[region];
		path = callstack_path_child(&l->m->paths, l->frame[depth - 1].path, region);
	}
	if (depth >= l->frame_cap)
		l->frame = array_grow(l->frame, &l->frame_cap, sizeof(*l->frame));
	l->frame[depth] = (struct lane_frame){path, region, time};
	l->frame_n = depth + 1;
	if (depth && l->m->pass->regions)
		CALL_USES(l->m, begins, l->stream, path, time);
	if (depth && l->m->pass->awaits[region])
		call_of(l, time);
}

static void call_ends(struct lane *l, int64_t time)
{
	struct message_call *c = l->call;

	c->leave = time;
	c->exclusive = clipped(l, c->enter, time) - l->nested;
	l->done = c;
	l->call = NULL;
	l->stop = 1;
}

static void region_ends(void *to, uint32_t region, size_t depth, int64_t time)
{
	struct lane *l = to;

	(void)region;
	charge(l, time);
	if (l->call && depth <= l->call_depth)
		call_ends(l, time);
	if (depth && l->m->pass->regions)
		CALL_USES(l->m, ends, l->stream, l->frame[depth].path, time);
	l->frame_n = depth;
}

/* ---- messages ---- */

/* The call that an event belongs to: the innermost region, if it is one of a library that sends messages. */
static struct message_call *call_of(struct lane *l, int64_t time)
{
	const struct lane_frame *f = l->frame_n ? &l->frame[l->frame_n - 1] : NULL;
	struct message_call *c = l->call;
	int64_t own;

	if (c)
		return c;
	charge(l, time);
	c = matching_call(&l->m->pass->matching);
	c->stream = l->stream;
	c->process = l->process;
	c->path = f ? f->path : 0;
	c->region = TRACE_NONE;
	c->enter = time;
	l->nested = 0;
	if (f && l->frame_n > 1 && l->m->runtime[f->region]) {
		c->region = f->region;
		c->enter = f->enter;
		l->call = c;
		l->call_depth = l->frame_n - 1;
		own = clipped(l, f->enter, time);
		if (f->path < l->spent_n)
			l->spent[f->path] -= own < l->spent[f->path] ? own : l->spent[f->path];
		spent_give(l, c);
		return c;
	}
	c->leave = time;
	l->done = c;
	l->stop = 1;
	spent_give(l, c);
	return c;
}

static void take_message(struct lane *l, const struct event *ev, const struct event_args *a)
{
	struct messages *m = l->m;
	struct message_call *c = call_of(l, ev->time);
	struct message *x;
	int in = inside(l, ev->time);

	if (ev->kind == EVENT_SEND) {
		CALL_USES(m, sent, c, a, in);
		x = matching_send(&m->pass->matching, c, l->node, a);
		x->inside = in;
	} else {
		CALL_USES(m, received, c, a, in);
		x = matching_receive(&m->pass->matching, c, l->node, a);
	}
	if (!x->send || !x->recv)
		return;
	CALL_USES(m, matched, x);
	/* The receiving call was handed over already. */
	if (!x->ends || ev->kind != EVENT_SEND)
		return;
	m->found.early++;
	CALL_USES(m, late, x, inside(&m->pass->lane[x->recv->stream], x->recv->leave));
}

/* Was the call handed over? */
static int is_over(const struct messages *m, const struct message_call *c)
{
	const struct lane *l = &m->pass->lane[c->stream];

	return l->call != c && l->done != c;
}

static void take_meeting(struct lane *l, int64_t time, const struct event_args *a)
{
	struct messages *m = l->m;
	const struct meeting *meet;
	struct message_call *c;

	if (!l->call &&
	    (l->frame_n < 2 || !m->runtime[l->frame[l->frame_n - 1].region]))
		return;
	c = call_of(l, time);
	if (c->meets)
		return;
	matching_meet(&m->pass->matching, c, l->node, a);
	meet = c->meeting;
	if (!meet || meet->joined < meet->members || meet->first_leave == INT64_MAX)
		return;
	for (c = meet->first; c; c = c->next_in_meeting)
		if (is_over(m, c))
			CALL_USES(m, late_meeting, c,
				  inside(&m->pass->lane[c->stream], c->leave));
}

static uint32_t path_now(const struct lane *l)
{
	return l->frame_n ? l->frame[l->frame_n - 1].path : 0;
}

static void take_transfer(struct lane *l, const struct event *ev, const struct event_args *a)
{
	struct messages_pass *p = l->m->pass;

	CALL_USES(l->m, transfer, l->stream, path_now(l), a, inside(l, ev->time));
	if (p->any_awaits && (a->rma.op == RMA_PUT || a->rma.op == RMA_ATOMIC))
		matching_put(&p->matching, call_of(l, ev->time), a->rma.peer);
}

static void take_event(struct lane *l, const struct event *ev)
{
	const struct event_args *a = ev->kind >= EVENT_VALUE ? &l->batch->args[ev->ref] : NULL;

	switch (ev->kind) {
	case EVENT_VALUE:
		CALL_USES(l->m, value, l->stream, l->frame_n ? l->frame[l->frame_n - 1].path : 0,
			  ev->time, a, inside(l, ev->time));
		break;
	case EVENT_SEND:
	case EVENT_RECV:
		take_message(l, ev, a);
		break;
	case EVENT_COLL:
		take_meeting(l, ev->time, a);
		break;
	case EVENT_RMA:
		take_transfer(l, ev, a);
		break;
	case EVENT_IO:
		CALL_USES(l->m, io, l->stream, path_now(l), a, inside(l, ev->time));
		break;
	default:
		callstack_other(&l->callstack, l->batch, ev);
	}
}

static void lane_finish(struct lane *l)
{
	const struct trace *t = l->m->trace;
	const struct trace_stream *x = &t->stream[l->stream];
	int64_t end = x->damaged ? x->last : t->process[l->process].end;

	callstack_finish(&l->callstack, end > l->callstack.last ? end : l->callstack.last);
	l->m->found.repaired += l->callstack.repaired;
}

/* Up to the end of the next call: 1, or to the end of the stream: 0. */
static int lane_run(struct lane *l, struct error *e)
{
	const struct trace_ops *ops = l->m->trace->ops;
	int code;

	l->stop = 0;
	while (!l->stop) {
		size_t ran;

		if (l->batch && l->at < l->batch->n) {
			ran = callstack_run(&l->callstack, l->batch->event + l->at,
					    l->batch->n - l->at);
			l->at += ran;
			if (!l->stop && l->at < l->batch->n)
				take_event(l, &l->batch->event[l->at++]);
			continue;
		}
		if (!l->cursor)
			return 0;
		code = ops->next(l->cursor, &l->batch, e);
		l->at = 0;
		if (code < 0)
			return code;
		if (!code) {
			ops->close(l->cursor);
			l->cursor = NULL;
			l->batch = NULL;
			lane_finish(l);
		} else if (l->batch->state) {
			callstack_state(&l->callstack, l->batch->state, l->batch->state->time, 0);
		}
	}
	return 1;
}

/* ---- all streams ---- */

static void heap_down(struct messages_pass *p, size_t at)
{
	struct lane **v = p->order, *l = v[at];
	int64_t time = l->done->leave;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= p->order_n)
			break;
		if (child + 1 < p->order_n && v[child + 1]->done->leave < v[child]->done->leave)
			child++;
		if (v[child]->done->leave >= time)
			break;
		v[at] = v[child];
		at = child;
	}
	v[at] = l;
}

/* A call has ended, and all that it can have waited for is known. */
static void call_give(struct messages *m, struct lane *l)
{
	struct message_call *c = l->done;
	struct meeting *meet = c->meeting;

	l->done = NULL;
	if (meet && c->leave < meet->first_leave)
		meet->first_leave = c->leave;
	if (c->region != TRACE_NONE && m->pass->awaits[c->region])
		matching_await(&m->pass->matching, c);
	for (const struct message *x = c->received; x; x = x->next_received)
		m->found.early += x->send && x->send->enter > c->leave;
	CALL_USES(m, left, c, inside(l, c->leave));
	matching_left(&m->pass->matching, c);
}

static int lanes_open(struct messages *m, struct error *e)
{
	struct messages_pass *p = m->pass;
	struct trace *t = m->trace;

	for (uint32_t s = 0; s < t->stream_n; s++) {
		struct lane *l = &p->lane[s];
		int code;

		l->m = m;
		l->stream = s;
		l->process = t->stream[s].process;
		l->node = t->process[l->process].node;
		l->span = messages_span(m, l->process);
		l->last = INT64_MIN;
		callstack_init(&l->callstack, (uint32_t)t->region_n, &p->none);
		l->watch = (struct callstack_watch){.depth = SIZE_MAX,
						    .begin = region_begins,
						    .end = region_ends,
						    .to = l,
						    .stop = &l->stop};
		l->callstack.watch = &l->watch;
		code = t->ops->open(t, s, INT64_MIN, &l->cursor, e);
		if (code < 0)
			return code;
		code = lane_run(l, e);
		if (code < 0)
			return code;
		if (code)
			p->order[p->order_n++] = l;
		else
			spent_give(l, NULL);
	}
	for (size_t i = p->order_n / 2; i-- > 0;)
		heap_down(p, i);
	return 0;
}

/* Regions of the same name are one, and each is a call of a library or not. */
static void regions_make(struct messages *m)
{
	const struct trace *t = m->trace;
	struct messages_pass *p = m->pass;
	struct names names = {0};
	uint32_t *first = mem_alloc((t->region_n + 1) * sizeof(*first));

	p->region = mem_alloc((t->region_n + 1) * sizeof(*p->region));
	p->runtime = mem_alloc(t->region_n + 1);
	p->awaits = mem_alloc(t->region_n + 1);
	for (uint32_t i = 0; i < t->region_n; i++) {
		const char *name = t->region[i].name;
		size_t before = names.name_n;
		uint32_t id = names_add(&names, name, strlen(name));

		if (names.name_n > before)
			first[id] = i;
		p->region[i] = first[id];
		p->runtime[i] = (char)runtime_region(&t->region[first[id]]);
		p->awaits[i] = (char)(p->runtime[i] && runtime_awaits_put(name));
		p->any_awaits |= p->awaits[i];
	}
	m->region = p->region;
	m->runtime = p->runtime;
	free(first);
	names_release(&names);
}

/* The last moment that counts. */
static int64_t window_end(const struct messages *m)
{
	int64_t end = INT64_MIN;

	for (uint32_t p = 0; p < m->trace->process_n; p++) {
		int64_t one = messages_span(m, p).end;

		end = one > end ? one : end;
	}
	return end;
}

/* What a use has to be called with. Who is called when calls end reads their times. */
static void uses_note(struct messages_pass *p, const struct messages_use *u)
{
	p->busy |= u->busy != NULL;
	p->regions |= u->begins != NULL;
	p->times |= u->spent || u->busy || u->left;
}

int messages_read(struct messages *m, struct error *e)
{
	struct messages_pass *p = m->pass = mem_alloc(sizeof(*p));
	int64_t end = window_end(m);
	int code;

	callstack_paths_init(&m->paths, MACHINE_WHOLE);
	callstack_paths_init(&p->none, 0);
	matching_init(&p->matching, m->trace, &m->found);
	p->lane = mem_alloc((m->trace->stream_n + 1) * sizeof(*p->lane));
	p->order = mem_alloc((m->trace->stream_n + 1) * sizeof(struct lane *));
	regions_make(m);
	if (m->selection)
		selection_begin(m->selection, &m->paths, m->region);
	for (size_t i = 0; i < m->use_n; i++)
		uses_note(p, &m->use[i]);
	code = lanes_open(m, e);
	while (code >= 0 && p->order_n && p->order[0]->done->leave < end) {
		struct lane *l = p->order[0];

		call_give(m, l);
		code = lane_run(l, e);
		if (code < 0)
			break;
		if (!code) {
			spent_give(l, NULL);
			p->order[0] = p->order[--p->order_n];
		}
		if (p->order_n)
			heap_down(p, 0);
	}
	if (code >= 0 && !p->order_n)
		matching_count(&p->matching);
	return code < 0 ? code : 0;
}

static void lane_release(struct messages *m, struct lane *l)
{
	if (l->done)
		matching_left(&m->pass->matching, l->done);
	if (l->call)
		matching_left(&m->pass->matching, l->call);
	if (l->cursor)
		m->trace->ops->close(l->cursor);
	callstack_release(&l->callstack);
	free(l->frame);
	free(l->spent);
	free(l->touched);
}

void messages_release(struct messages *m)
{
	struct messages_pass *p = m->pass;

	if (!p)
		return;
	for (uint32_t s = 0; s < m->trace->stream_n; s++)
		lane_release(m, &p->lane[s]);
	matching_release(&p->matching);
	callstack_paths_release(&m->paths);
	callstack_paths_release(&p->none);
	free(p->lane);
	free(p->order);
	free(p->region);
	free(p->runtime);
	free(p->awaits);
	free(p);
	m->pass = NULL;
}
