/* clip.c: follows what is open in a stream, so that a window of it can be written as a trace of its
 * own. */
#include <string.h>

#include "convert/clip_inner.h"

#define RUN 512	/* events, few enough for the nearest cache */

/* ---- what is open ---- */

static void frame_push(struct clip *c, uint32_t region, int64_t time)
{
	*array_add(&c->state, frame) = (struct event_frame){region, time};
}

/* Findings of memory that was never freed do not change the levels. */
static void level_add(struct clip *c, uint32_t type, int64_t bytes, int64_t blocks)
{
	if (c->trace->memtype[type].leak)
		return;
	c->level[type].bytes = (int64_t)((uint64_t)c->level[type].bytes + (uint64_t)bytes);
	c->level[type].blocks = (int64_t)((uint64_t)c->level[type].blocks + (uint64_t)blocks);
}

/* The number of these regions, outermost first, that are open. */
static size_t regions_same(const struct clip *c, const uint32_t *region, size_t n)
{
	size_t same = 0;

	while (same < n && same < c->state.frame_n && c->state.frame[same].region == region[same])
		same++;
	return same;
}

static void frames_resume(struct clip *c, const uint32_t *region, size_t n, int64_t time)
{
	size_t same = regions_same(c, region, n);

	c->stayed = c->state.frame_n = same;
	while (same < n)
		frame_push(c, region[same++], time);
}

/* What an event does to what is open. */
static void follow(struct clip *c, const struct event *ev, const struct event_args *a,
		   const uint32_t *regions)
{
	size_t n = c->state.frame_n;

	c->state.in_use = ev->kind != EVENT_THREAD_END;
	switch (ev->kind) {
	case EVENT_ENTER:
		frame_push(c, ev->ref, ev->time);
		break;
	case EVENT_LEAVE:
		c->state.frame_n -= n > 0;
		break;
	case EVENT_UNWIND:
		c->state.frame_n = ev->ref < n ? n - ev->ref : 0;
		break;
	case EVENT_THREAD_END:
		c->state.frame_n = 0;
		break;
	case EVENT_ON:
		frames_resume(c, regions + a->on.open.first, a->on.open.n, ev->time);
		break;
	case EVENT_ALLOC:
		level_add(c, a->block.type, (int64_t)(a->block.bytes - a->block.inner), 1);
		break;
	case EVENT_FREE:
	case EVENT_RETYPE:
		level_add(c, a->block.type, -(int64_t)a->block.bytes, -1);
		if (ev->kind == EVENT_RETYPE)
			level_add(c, a->block.to, (int64_t)a->block.bytes, 1);
		break;
	default:
		break;
	}
}

static void live_memory_set(struct clip *c, const struct event_state *s)
{
	memset(c->level, 0, (c->trace->memtype_n + 1) * sizeof(*c->level));
	for (size_t i = 0; i < s->memory_n; i++)
		level_add(c, s->memory[i].type, s->memory[i].bytes, s->memory[i].blocks);
}

/* Replaces the current state. */
static void state_set(struct clip *c, const struct event_state *s)
{
	c->state.frame_n = 0;
	for (size_t i = 0; i < s->frame_n; i++)
		frame_push(c, s->frame[i].region, s->frame[i].enter);
	c->state.in_use = s->in_use;
	live_memory_set(c, s);
}

static int state_differs(const struct clip *c, const struct event_state *s)
{
	if (s->in_use != c->state.in_use || s->frame_n != c->state.frame_n)
		return 1;
	for (size_t i = 0; i < s->frame_n; i++)
		if (s->frame[i].region != c->state.frame[i].region)
			return 1;
	return 0;
}

/* ---- events that replace others ---- */

/* ref of a pending THREAD_BEGIN: the thread begins, or was there before. */
enum { BEGINS, OPEN };

static void pend(struct clip *c, int64_t time, uint32_t kind, uint32_t ref)
{
	*array_add(c, pending) = (struct event){time, kind, ref};
}

static const int64_t *value_now(const struct clip *c)
{
	return c->metered ? c->value : NULL;
}

/* Leaves down to `keep` frames, then enters of the others. */
static void pend_stack(struct clip *c, int64_t time, const uint32_t *region, size_t keep, size_t n)
{
	for (size_t i = c->state.frame_n; i > keep; i--)
		pend(c, time, EVENT_LEAVE, 0);
	for (size_t i = keep; i < n; i++)
		pend(c, time, EVENT_ENTER, region[i]);
}

static void resumed_set(struct clip *c, const uint32_t *region, size_t n)
{
	c->resumed_n = 0;
	for (size_t i = 0; i < n; i++)
		*array_add(c, resumed) = region[i];
}

static void pend_resume(struct clip *c, int64_t time, const uint32_t *region, size_t n)
{
	size_t same = regions_same(c, region, n);

	c->enters += n - same;
	pend_stack(c, time, region, same, n);
}

/*
 * Pends enters and leaves in place of an event that combines several. 0: the event itself can be
 * passed on.
 */
static int pend_plain(struct clip *c, const struct event *ev, const struct event_args *a,
		      const uint32_t *regions)
{
	size_t n = c->state.frame_n;

	c->pending_row = clip_row(c, c->at - 1);
	if (!c->pending_row) {
		clip_value_keep(c, c->at);
		c->pending_row = value_now(c);
	}
	if (!c->state.in_use && ev->kind != EVENT_THREAD_BEGIN) {
		if (ev->kind == EVENT_THREAD_END)
			return 1;
		pend(c, ev->time, EVENT_THREAD_BEGIN, BEGINS);
		c->at--;
		return 1;
	}
	switch (ev->kind) {
	case EVENT_LEAVE:
		return n == 0;
	case EVENT_UNWIND:
		pend_stack(c, ev->time, NULL, ev->ref < n ? n - ev->ref : 0, 0);
		return 1;
	case EVENT_ON:
		resumed_set(c, regions + a->on.open.first, a->on.open.n);
		pend_resume(c, ev->time, c->resumed, c->resumed_n);
		pend(c, ev->time, EVENT_ON, 0);
		return 1;
	case EVENT_THREAD_BEGIN:
		return c->state.in_use;
	case EVENT_THREAD_END:
		pend_stack(c, ev->time, NULL, 0, 0);
		pend(c, ev->time, EVENT_THREAD_END, 0);
		return 1;
	default:
		return 0;
	}
}

/* A state that what was read does not lead to. */
static void pend_state(struct clip *c, const struct event_state *s)
{
	c->resumed_n = 0;
	c->pending_row = s->metric ? s->metric : value_now(c);
	for (size_t i = 0; i < s->frame_n; i++)
		*array_add(c, resumed) = s->frame[i].region;
	if (!s->in_use) {
		if (c->plain)
			pend_stack(c, s->time, NULL, 0, 0);
		pend(c, s->time, EVENT_THREAD_END, 0);
		return;
	}
	if (!c->state.in_use)
		pend(c, s->time, EVENT_THREAD_BEGIN, OPEN);
	if (c->plain)
		pend_resume(c, s->time, c->resumed, c->resumed_n);
	else
		pend(c, s->time, EVENT_ON, 0);
}

/* ---- reading ---- */

static int64_t natural_end(const struct clip *c)
{
	const struct trace_stream *s = &c->trace->stream[c->stream];
	int64_t end = s->damaged ? s->last : c->trace->process[s->process].end;

	return end > c->state.time ? end : c->state.time;
}

/* The window or the stream is over. */
static void finish(struct clip *c)
{
	int64_t end = natural_end(c);

	c->ended = 1;
	c->cut_end = end >= c->span.end;
	c->end = c->cut_end ? c->span.end : end;
	if (c->cut_end)
		clip_value_edge(c, c->span.end);
	c->pending_row = value_now(c);
	if (!c->plain || !c->state.in_use || c->part.going)
		return;
	pend_stack(c, c->end, NULL, 0, 0);
	pend(c, c->end, EVENT_THREAD_END, 0);
}

/* Skips what the judge allows. Before the first batch, it is unknown which regions are open. */
static int leave_out(struct clip *c, struct error *e)
{
	struct trace_skip s = {.kind = TRACE_SKIP_JUDGED, .judge = c->judge};
	const struct trace_ops *ops = c->trace->ops;

	if (!c->judge || !c->batch || !(ops->knows & TRACE_KNOWS_CALLS))
		return 0;
	return ops->skip(c->cursor, &s, e);
}

/* The next batch: 1, 0 at the end, or an error. */
static int load(struct clip *c, struct error *e)
{
	int code;

	clip_value_keep(c, c->batch ? c->batch->n : 0);
	c->records += c->batch ? c->batch->n : 0;
	code = leave_out(c, e);
	c->skipped |= code > 0;
	if (code >= 0)
		code = c->trace->ops->next(c->cursor, &c->batch, e);
	c->at = 0;
	/* What a call waits for is no record: in the next look it may not be there. */
	if (code > 0 && c->part.going)
		while (c->batch->n && event_is_wait(c->batch->event[c->batch->n - 1].kind))
			c->batch->n--;
	if (code > 0 && c->batch->state) {
		if (c->chunks == c->part.most) {
			code = 0;
		} else {
			c->chunks++;
			c->chunk_time = c->batch->state->time;
			c->records = 0;
		}
	}
	if (code <= 0)
		c->batch = NULL;
	return code;
}

/*
 * Goes to the first event in the window, with `state` as it is then. A state after the begin was
 * valid at the begin, too, because no event is between, unless the stream begins with it.
 */
static int skip(struct clip *c, struct error *e)
{
	int code, first = 1;

	c->begin = c->span.begin;
	while ((code = load(c, e)) > 0) {
		const struct event_batch *b = c->batch;

		c->skipped = 0;
		if (b->state) {
			size_t same = clip_frames_same(c, b->state);

			state_set(c, b->state);
			c->state.time = b->state->time;
			clip_entered_state(c, b->state, same, first);
			if (first)
				c->cut = !b->state->first || b->state->time < c->span.begin ||
					 b->state->cut;
			first = 0;
			if (b->state->time >= c->span.begin) {
				c->begin = b->state->first ? b->state->time : c->begin;
				return 0;
			}
		}
		while (c->at < b->n && b->event[c->at].time < c->span.begin) {
			const struct event *ev = &b->event[c->at++];
			size_t same = c->state.frame_n;

			if (ev->kind == EVENT_ON)
				same = regions_same(c, b->regions + b->args[ev->ref].on.open.first,
						    b->args[ev->ref].on.open.n);
			follow(c, ev, ev->kind >= EVENT_VALUE ? &b->args[ev->ref] : NULL,
			       b->regions);
			c->state.time = ev->time;
			clip_entered_copy(c, same, clip_row(c, c->at - 1));
		}
		if (c->at < b->n)
			return 0;
	}
	return code;
}

/*
 * Of a stream that has nothing in the window only its part of the memory counts there, as long as its process is there, and nothing
 * is open.
 */
static void leave_unused(struct clip *c)
{
	const struct trace_process *p = &c->trace->process[c->trace->stream[c->stream].process];

	for (size_t i = 0; i < c->trace->memtype_n; i++)
		c->live += (c->level[i].bytes || c->level[i].blocks) && p->end >= c->span.begin;
	if (c->used)
		return;
	c->state.frame_n = c->entered_n = 0;
	c->state.in_use = 0;
	if (c->begin >= c->span.end)
		c->begin = c->span.begin > 0 ? c->span.begin : 0;
}

/* The cursor, at the first chunk that is read. */
static int cursor_begin(struct clip *c, struct error *e)
{
	const struct trace_ops *ops = c->trace->ops;
	struct trace_skip before = {.kind = TRACE_SKIP_CHUNKS, .chunks = c->part.first};
	/* Chunks of a part are counted, so all are read. */
	int64_t from = c->part.begin ? INT64_MIN : c->span.begin;
	int code = ops->open(c->trace, c->stream, from, &c->cursor, e);

	if (code >= 0 && c->part.first)
		code = ops->skip(c->cursor, &before, e);
	c->chunks = c->part.first;
	return code;
}

static int open_part(struct clip *c, struct trace *t, uint32_t stream, struct window_span span,
		     struct clip_part part, struct error *e)
{
	const struct trace_judge *judge = c->judge;
	int code, plain = c->plain;

	*c = (struct clip){.judge = judge, .trace = t, .stream = stream, .span = span,
			   .plain = plain, .part = part, .state.time = INT64_MIN,
			   .value_time = INT64_MIN};
	c->level = mem_alloc((t->memtype_n + 1) * sizeof(*c->level));
	if (t->metric_n)
		c->value = mem_alloc(t->metric_n * sizeof(*c->value));
	code = cursor_begin(c, e);
	if (code >= 0)
		code = skip(c, e);
	if (code < 0)
		return code;
	c->begin = c->begin < 0 ? 0 : c->begin;
	c->used = c->state.in_use ||
		  (c->batch && c->at < c->batch->n && c->batch->event[c->at].time < span.end);
	/* A stream that ends before the window or begins after it has no events in the window. */
	if (c->begin >= span.end || (!c->batch && natural_end(c) < span.begin))
		c->used = 0;
	leave_unused(c);
	c->enters = c->state.frame_n;
	clip_value_edge(c, c->begin);
	c->pending_row = value_now(c);
	if (plain && c->state.in_use && c->used) {
		size_t n = c->state.frame_n;

		pend(c, c->begin, EVENT_THREAD_BEGIN, c->cut ? OPEN : BEGINS);
		for (size_t i = 0; i < n; i++)
			pend(c, c->begin, EVENT_ENTER, c->state.frame[i].region);
		c->state.frame_n = 0;
		c->state.in_use = 0;
	}
	return 0;
}

int clip_open(struct clip *c, struct trace *t, uint32_t stream, struct window_span span, int plain,
	      struct error *e)
{
	c->plain = plain;
	c->judge = NULL;
	return open_part(c, t, stream, span, (struct clip_part){.most = SIZE_MAX}, e);
}

int clip_open_judged(struct clip *c, struct trace *t, uint32_t stream, struct window_span span,
		     const struct trace_judge *judge, struct error *e)
{
	c->plain = 0;
	c->judge = judge;
	return open_part(c, t, stream, span, (struct clip_part){.most = SIZE_MAX}, e);
}

int clip_open_part(struct clip *c, struct trace *t, uint32_t stream, struct clip_part part,
		   struct error *e)
{
	c->plain = 1;
	c->judge = NULL;
	return open_part(c, t, stream,
			 (struct window_span){part.begin ? part.begin : INT64_MIN,
					      part.end ? part.end : INT64_MAX}, part, e);
}

/* The region of a leave; of other events their ref. */
static inline uint32_t ref_of(const struct clip *c, const struct event *ev)
{
	size_t n = c->state.frame_n;

	return ev->kind == EVENT_LEAVE && n ? c->state.frame[n - 1].region : ev->ref;
}

/* Hands out what is pending. */
static int next_pending(struct clip *c, struct clip_event *out)
{
	const struct event *ev = &c->pending[c->pending_at++];

	*out = (struct clip_event){.event = *ev, .args = &c->none};
	out->open = ev->kind == EVENT_ENTER || (ev->kind == EVENT_THREAD_BEGIN && ev->ref == OPEN);
	out->event.ref = ref_of(c, ev);
	if (event_has_metrics(ev->kind))
		out->metric = c->pending_row;
	if (ev->kind == EVENT_ON) {
		c->resume = (struct event_args){.on.open.n = (uint32_t)c->resumed_n};
		out->args = &c->resume;
		out->regions = c->resumed;
	}
	follow(c, ev, out->args, out->regions);
	if (c->pending_at == c->pending_n)
		c->pending_n = c->pending_at = 0;
	return 1;
}

/*
 * Repairs a leave or UNWIND: a leave with nothing open only shows that the thread exists; an UNWIND
 * of more than is open closes what is. 0: the event is dropped.
 */
static int sound(struct clip *c, struct clip_event *out)
{
	struct event *ev = &out->event;
	size_t n = c->state.frame_n;

	if (ev->kind == EVENT_UNWIND && ev->ref > n)
		ev->ref = (uint32_t)n;
	if (n || (ev->kind != EVENT_LEAVE && ev->kind != EVENT_UNWIND))
		return 1;
	ev->kind = EVENT_THREAD_BEGIN;
	ev->ref = 0;
	out->args = &c->none;
	return !c->state.in_use;
}

/* Enters and leaves with nothing special about them, which is nearly all there is. */
static inline int next_quick(struct clip *c, struct clip_event *out)
{
	const struct event *ev;

	if (c->pending_n || !c->batch || c->at == c->batch->n || !c->used || !c->state.in_use)
		return 0;
	ev = &c->batch->event[c->at];
	if (ev->time >= c->span.end)
		return 0;
	out->event = *ev;
	out->open = 0;
	if (ev->kind == EVENT_ENTER && c->state.frame_n < c->state.frame_cap)
		c->state.frame[c->state.frame_n++] = (struct event_frame){ ev->ref, ev->time };
	else if (ev->kind == EVENT_LEAVE && c->state.frame_n)
		out->event.ref = c->state.frame[--c->state.frame_n].region;
	else
		return 0;
	out->metric = clip_row(c, c->at);
	c->at++;
	c->state.time = ev->time;
	return 1;
}

/*
 * The loop has no branch on enter or leave: a leave may write above the top of the stack, which has
 * no effect. The regions of leaves are written into the batch, which no other code reads any more.
 */
size_t clip_run(struct clip *c, size_t most, const struct event **out)
{
	size_t n = 0, depth = c->state.frame_n;
	struct event *ev;

	if (c->pending_n || !c->batch || c->batch->metric || !c->used || !c->state.in_use)
		return 0;
	ev = c->batch->event + c->at;
	if (most > RUN)
		most = RUN;
	if (most > c->batch->n - c->at)
		most = c->batch->n - c->at;
	while (c->state.frame_cap <= depth + most)
		c->state.frame = array_grow(c->state.frame, &c->state.frame_cap,
					    sizeof(*c->state.frame));
	for (; n < most; n++) {
		uint32_t enter = ev[n].kind == EVENT_ENTER;

		if (ev[n].kind > EVENT_ENTER || ev[n].time >= c->span.end || !(depth + enter))
			break;
		c->state.frame[depth] = (struct event_frame){ev[n].ref, ev[n].time};
		depth -= !enter;
		ev[n].ref = c->state.frame[depth].region;
		depth += enter;
	}
	if (!n)
		return 0;
	c->state.frame_n = depth;
	c->state.time = ev[n - 1].time;
	c->at += n;
	*out = ev;
	return n;
}

int clip_next(struct clip *c, struct clip_event *out, struct error *e)
{
	if (next_quick(c, out))
		return 1;
	for (;;) {
		const struct event *ev;
		const struct event_args *a;
		int code;

		if (c->pending_n)
			return next_pending(c, out);
		if (c->ended)
			return 0;
		if (!c->used || !c->batch || c->at == c->batch->n) {
			code = c->used && c->batch ? load(c, e) : 0;
			if (code < 0)
				return code;
			if (!code) {
				finish(c);
			} else if (c->batch->state && c->skipped) {
				c->skipped = 0;
				state_set(c, c->batch->state);
				c->state.time = c->batch->state->time;
				return 2;
			} else if (c->batch->state) {
				if (c->batch->state->time < c->span.end &&
				    state_differs(c, c->batch->state))
					pend_state(c, c->batch->state);
				live_memory_set(c, c->batch->state);
			}
			continue;
		}
		ev = &c->batch->event[c->at];
		if (ev->time >= c->span.end) {
			finish(c);
			continue;
		}
		c->at++;
		a = ev->kind >= EVENT_VALUE ? &c->batch->args[ev->ref] : NULL;
		if (c->plain && pend_plain(c, ev, a, c->batch->regions))
			continue;
		*out = (struct clip_event){*ev, 0, a, c->batch->regions, c->batch->code,
					   clip_row(c, c->at - 1)};
		out->event.ref = ref_of(c, ev);
		if (!sound(c, out))
			continue;
		c->state.time = ev->time;
		follow(c, &out->event, out->args, out->regions);
		return 1;
	}
}

void clip_close(struct clip *c)
{
	if (c->cursor)
		c->trace->ops->close(c->cursor);
	free(c->state.frame);
	free(c->value);
	free(c->entered);
	free(c->level);
	free(c->pending);
	free(c->resumed);
}
