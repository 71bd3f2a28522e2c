/* db_trace.c: yields the events of runs, or their calls, stream by stream; only what a filter
 * selects is read. */
#include "cmd/db/db_trace.h"

#include <stdio.h>
#include <string.h>

#include "analyze/base/mem_stream.h"
#include "analyze/summary/summary.h"
#include "analyze/trace/event_fields.h"
#include "analyze/trace/trace.h"
#include "convert/clip.h"

struct call_frame {
	uint32_t region;
	int64_t enter;
};

struct trace_rows {
	struct trace_source *source;
	struct db_event_filter filter;
	size_t trace, stream; /* of the clip, or the next one to open */
	struct clip clip;
	int open;
	struct call_frame *frame; /* open regions, outermost first */
	size_t frame_n, frame_cap;
	size_t ended;      /* innermost frames that ended at `now` and are rows to yield */
	uint32_t *resumed; /* regions that are open after those, because recording goes on */
	size_t resumed_n, resumed_cap;
	int64_t now;
	struct trace_judge judge;
	char *selected; /* by region of the trace: rows in it are selected; NULL: all are */
	char *path;
	char *run; /* the only one; NULL: all */
};

static struct trace *trace_now(const struct trace_rows *r)
{
	return r->source->trace[r->trace];
}

static void push(struct trace_rows *r, uint32_t region, int64_t enter)
{
	*array_add(r, frame) = (struct call_frame){region, enter};
}

static int is_selected(const struct trace_rows *r, const struct trace *t, size_t stream)
{
	const struct trace_stream *s = &t->stream[stream];

	if (s->last < r->filter.begin_ns || s->first >= r->filter.end_ns)
		return 0;
	return (r->filter.rank < 0 || r->filter.rank == t->process[s->process].node) &&
	       (r->filter.thread < 0 || r->filter.thread == s->thread);
}

/* Is the innermost of n open regions selected? */
static int region_selected(const struct trace_rows *r, size_t n)
{
	return !r->selected || (n && r->selected[r->frame[n - 1].region]);
}

/*
 * For TRACE_SKIP_JUDGED: a selected region is neither open when the span begins nor entered in
 * it. Of a span after one that was skipped, the first follows from that.
 */
static int may_leave_out(void *to, const struct summary_names *names, const struct summary *s)
{
	const struct trace_rows *r = to;
	const struct event_state *now = &r->clip.state;
	size_t n = trace_now(r)->region_n;

	if (s->repaired || s->resumed || s->begin >= r->filter.end_ns)
		return 0;
	for (size_t i = 0; i < now->frame_n; i++)
		if (r->selected[now->frame[i].region])
			return 0;
	for (size_t i = 0; i < s->row_n; i++) {
		uint32_t region = names->paths.v[s->row[i].path].region;

		if (region < n && r->selected[region])
			return 0;
	}
	return 1;
}

/* At the first stream of a trace. */
static void selected_make(struct trace_rows *r)
{
	const struct trace *t = trace_now(r);

	free(r->selected);
	r->selected = NULL;
	if (!r->filter.region)
		return;
	r->selected = mem_alloc(t->region_n + 1);
	for (size_t i = 0; i < t->region_n; i++)
		r->selected[i] = r->filter.region(r->filter.region_of, t->region[i].name) != 0;
}

static int is_run(const struct trace_rows *r)
{
	return !r->run || !strcmp(r->run, trace_now(r)->path);
}

/* Open regions are those of the clip. */
static void frames_restore(struct trace_rows *r)
{
	r->frame_n = 0;
	for (size_t i = 0; i < r->clip.state.frame_n; i++)
		push(r, r->clip.state.frame[i].region, r->clip.state.frame[i].enter);
}

/* Opens the next stream: 1, 0 when there is none. */
static int open_next(struct trace_rows *r, struct error *e)
{
	struct window_span span = {r->filter.begin_ns, r->filter.end_ns};
	int code;

	for (; r->trace < r->source->trace_n; r->trace++, r->stream = 0)
		for (; is_run(r) && r->stream < trace_now(r)->stream_n; r->stream++) {
			if (!r->stream)
				selected_make(r);
			if (span.end <= span.begin || !is_selected(r, trace_now(r), r->stream))
				continue;
			code = clip_open_judged(&r->clip, trace_now(r), (uint32_t)r->stream, span,
						r->selected ? &r->judge : NULL, e);
			if (code < 0 || !r->clip.used) {
				clip_close(&r->clip);
				if (code < 0)
					return code;
				continue;
			}
			r->open = 1;
			frames_restore(r);
			return 1;
		}
	return 0;
}

static void close_stream(struct trace_rows *r)
{
	clip_close(&r->clip);
	r->open = 0;
	r->resumed_n = 0;
	r->stream++;
}

/* "a => b" of the outermost n frames. */
static const char *path_text(struct trace_rows *r, size_t n)
{
	size_t length;
	FILE *f;

	free(r->path);
	f = mem_stream(&r->path, &length);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s%s", i ? " => " : "", trace_now(r)->region[r->frame[i].region].name);
	fclose(f);
	return r->path;
}

static void put(struct db_event *out, enum db_event_column column, int64_t *field, int64_t v)
{
	*field = v;
	out->has |= 1u << column;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15;
	return h ^ h >> 32;
}

/*
 * A number of the last event, or of one of its rows, that depends on where it is in the trace, not
 * on what has been read before it: a hash of its stream, its chunk and its place in that.
 */
static int64_t row_number(const struct trace_rows *r, uint64_t part)
{
	uint64_t h = mix(r->trace + 1, r->stream);

	h = mix(h, (uint64_t)r->clip.chunk_time);
	h = mix(h, clip_position(&r->clip) << 16 | part);
	return (int64_t)(mix(h, 0) >> 1);
}

/* What all rows of a stream have, and the innermost of n open regions. */
static void put_place(struct trace_rows *r, struct db_event *out, size_t n)
{
	const struct trace *t = trace_now(r);
	const struct trace_stream *s = &t->stream[r->stream];

	out->run = t->path;
	out->rank = t->process[s->process].node;
	out->thread = s->thread;
	put(out, DB_EVENT_DEPTH, &out->depth, (int64_t)n);
	if (!n)
		return;
	out->region = t->region[r->frame[n - 1].region].name;
	if (r->filter.used & 1u << DB_EVENT_CALLPATH)
		out->callpath = path_text(r, n);
}

/* The row of the innermost frame, which ended at `now`. 0: it is not selected. */
static int yield_call(struct trace_rows *r, struct db_event *out)
{
	const struct call_frame *f = &r->frame[r->frame_n - 1];
	int selected = region_selected(r, r->frame_n);

	if (selected) {
		put_place(r, out, r->frame_n);
		out->row = row_number(r, r->ended);
		out->kind = "call";
		out->time_ns = r->now;
		put(out, DB_EVENT_DURATION, &out->duration_ns, r->now - f->enter);
	}
	r->frame_n--;
	r->ended--;
	return selected;
}

static void put_field(const struct trace *t, const struct clip_event *ev,
		      const struct event_field *f, struct db_event *out)
{
	static const enum db_event_column column[] = {[EVENT_COLUMN_PEER] = DB_EVENT_PEER,
						      [EVENT_COLUMN_TAG] = DB_EVENT_TAG,
						      [EVENT_COLUMN_BYTES] = DB_EVENT_BYTES};
	int64_t v = event_field_is_number(f) ? event_field_number(f, &ev->event, ev->args) : 0;

	switch (f->column) {
	case EVENT_COLUMN_NAME:
		out->name = event_field_text(f, t, ev->args, ev->regions);
		break;
	case EVENT_COLUMN_PEER: /* a collective operation may have no root */
		if (v >= 0 || ev->event.kind != EVENT_COLL)
			put(out, column[f->column], &out->peer, v);
		break;
	case EVENT_COLUMN_TAG:
		put(out, column[f->column], &out->tag, v);
		break;
	case EVENT_COLUMN_BYTES:
		put(out, column[f->column], &out->bytes, v);
		break;
	case EVENT_COLUMN_VALUE:
		if ((f->type != EVENT_TYPE_NUMBER && !event_field_is_number(f)) ||
		    !event_field_is_there(f, ev->args))
			break;
		out->value = f->type == EVENT_TYPE_NUMBER ? event_field_double(f, ev->args)
							  : (double)v;
		out->has |= 1u << DB_EVENT_VALUE;
		break;
	default:
		break;
	}
}

static void put_fields(const struct trace *t, const struct clip_event *ev, struct db_event *out)
{
	if (ev->event.kind == EVENT_FOLD) {
		put(out, DB_EVENT_DURATION, &out->duration_ns, ev->args->fold.ns);
		out->value = (double)ev->args->fold.calls;
		out->has |= 1u << DB_EVENT_VALUE;
		return;
	}
	for (const struct event_field *f = event_row[ev->event.kind].field; f->name; f++)
		put_field(t, ev, f, out);
}

/* Frames that end with an event: a LEAVE, an UNWIND, the end of the thread, and what an ON
 * replaces. */
static size_t frames_ended(const struct trace_rows *r, const struct clip_event *ev)
{
	size_t n = 0;

	if (ev->event.kind == EVENT_LEAVE)
		n = 1;
	else if (ev->event.kind == EVENT_UNWIND)
		n = ev->event.ref;
	else if (ev->event.kind == EVENT_THREAD_END)
		n = r->frame_n;
	else if (ev->event.kind == EVENT_ON)
		n = r->frame_n > r->clip.stayed ? r->frame_n - r->clip.stayed : 0;
	return n < r->frame_n ? n : r->frame_n;
}

/* Recording goes on: regions that are open besides those that stayed open. */
static void resume(struct trace_rows *r, const struct clip_event *ev, size_t stayed)
{
	const struct event_list *open = &ev->args->on.open;

	for (size_t i = stayed; i < open->n; i++)
		*array_add(r, resumed) = ev->regions[open->first + i];
}

static void push_resumed(struct trace_rows *r)
{
	for (size_t i = 0; i < r->resumed_n; i++)
		push(r, r->resumed[i], r->now);
	r->resumed_n = 0;
}

/* The row of an event. 0: it is not selected. */
static int yield_event(struct trace_rows *r, const struct clip_event *ev, struct db_event *out)
{
	size_t ended = frames_ended(r, ev);
	int selected;

	if (ev->event.kind == EVENT_ENTER)
		push(r, ev->event.ref, ev->event.time);
	selected = region_selected(r, r->frame_n);
	if (selected) {
		put_place(r, out, r->frame_n);
		out->row = row_number(r, ev->event.kind);
		out->kind = event_row[ev->event.kind].text;
		out->time_ns = ev->event.time;
		if (ev->event.kind == EVENT_LEAVE && r->frame_n)
			put(out, DB_EVENT_DURATION, &out->duration_ns,
			    ev->event.time - r->frame[r->frame_n - 1].enter);
		put_fields(trace_now(r), ev, out);
	}
	r->frame_n -= ended;
	push_resumed(r);
	return selected;
}

static int rows_next(void *cursor, struct db_event *out, struct error *e)
{
	struct trace_rows *r = cursor;
	struct clip_event ev;
	int code;

	for (;;) {
		if (r->ended) {
			if (yield_call(r, out))
				return 1;
			continue;
		}
		push_resumed(r);
		if (!r->open && (code = open_next(r, e)) <= 0)
			return code;
		code = clip_next(&r->clip, &ev, e);
		if (code < 0)
			return code;
		if (code == 0) {
			close_stream(r);
			continue;
		}
		if (code == 2) {
			frames_restore(r);
			continue;
		}
		r->now = ev.event.time;
		if (ev.event.kind == EVENT_ON)
			resume(r, &ev, r->frame_n - frames_ended(r, &ev));
		if (!r->filter.calls) {
			if (yield_event(r, &ev, out))
				return 1;
			continue;
		}
		r->ended = frames_ended(r, &ev);
		if (ev.event.kind == EVENT_ENTER)
			push(r, ev.event.ref, ev.event.time);
	}
}

static int rows_open(void *to, const struct db_event_filter *f, void **cursor, struct error *e)
{
	struct trace_rows *r = mem_alloc(sizeof(*r));

	(void)e;
	r->source = to;
	r->filter = *f;
	r->filter.run = NULL;
	r->judge = (struct trace_judge){may_leave_out, r};
	r->run = f->run ? mem_string(f->run) : NULL;
	*cursor = r;
	return 0;
}

static void rows_close(void *cursor)
{
	struct trace_rows *r = cursor;

	if (r->open)
		clip_close(&r->clip);
	free(r->frame);
	free(r->resumed);
	free(r->path);
	free(r->run);
	free(r->selected);
	free(r);
}

int trace_source_open(struct trace_source *s, const char *const *run, size_t n, struct error *e)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < n; i++) {
		struct trace *t;

		code = trace_open(run[i], &t, e);
		if (code == 0)
			*array_add(s, trace) = t;
	}
	return code;
}

void trace_source_release(struct trace_source *s)
{
	for (size_t i = 0; i < s->trace_n; i++)
		trace_free(s->trace[i]);
	free(s->trace);
}

struct db_event_source trace_source_get(struct trace_source *s)
{
	return (struct db_event_source){
		.to = s, .open = rows_open, .next = rows_next, .close = rows_close};
}
