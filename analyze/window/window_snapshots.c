/*
 * window_snapshots.c: makes windows up to a snapshot that the program requested, or from one to
 * another, from marks.
 */
#include <string.h>

#include "analyze/trace/trace.h"
#include "analyze/window/window_make.h"

/* The event with the name of a snapshot; TRACE_NONE: there is none. */
static uint32_t event_of(const struct trace *t, const char *name)
{
	for (size_t i = 0; i < t->event_n; i++)
		if (!strcmp(t->event[i].name, name))
			return (uint32_t)i;
	return TRACE_NONE;
}

/* The moments of one event in a process. */
struct event_moments {
	uint32_t event;
	int64_t *v;
	size_t v_n, v_cap;
};

static int compare(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void moments_add(struct event_moments *m, const struct event_batch *b)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct event *ev = &b->event[i];

		if (ev->kind == EVENT_MARK && b->args[ev->ref].mark.kind == MARK_SNAPSHOT &&
		    b->args[ev->ref].mark.name == m->event)
			*array_add(m, v) = ev->time;
	}
}

/* Both ends of the window. */
struct both {
	struct event_moments *m;
	const struct window_options *options;
};

static void batch_read(void *to, const struct event_batch *b)
{
	const struct both *x = to;

	moments_add(&x->m[0], b);
	moments_add(&x->m[1], b);
	if (x->options->tick)
		x->options->tick(x->options->tick_to);
}

/* The nth moment, or -1 if there are fewer than n. */
static int64_t nth(struct event_moments *m, uint64_t n)
{
	if (m->v_n > 1)
		qsort(m->v, m->v_n, sizeof(*m->v), compare);
	return n <= m->v_n ? m->v[n - 1] : -1;
}

/* The span in one process: 1, 0: none, or an error. */
static int span_in(struct resolver *x, const struct window_text *r, const uint32_t event[2],
		   size_t process, struct window_span *out, struct error *e)
{
	const struct trace_process *p = &x->trace->process[process];
	struct event_moments m[2] = {{.event = event[0]}, {.event = event[1]}};
	struct both both = {m, x->options};
	int code = 0;

	for (size_t i = 0; i < p->stream_n && code >= 0; i++)
		code = trace_stream_read(x->trace, p->stream[i], INT64_MIN, batch_read, &both, e);
	out->begin = r->from ? nth(&m[0], r->first) : 0;
	out->end = nth(&m[1], r->last);
	free(m[0].v);
	free(m[1].v);
	return code < 0 ? code : out->begin >= 0 && out->end >= out->begin;
}

static int missing(const struct window_text *r, const char *name, struct error *e)
{
	return error_set(e, ERROR_INPUT, "window '%s': the trace has no snapshot '%s'", r->text,
			 name);
}

int windows_append_snapshots(struct resolver *x, const struct window_text *r, struct error *e)
{
	const uint32_t event[2] = {r->from ? event_of(x->trace, r->from) : TRACE_NONE,
				   event_of(x->trace, r->to)};
	struct window_base b = {.reading = r, .window = {.text = mem_string(r->text)}};
	size_t n = x->trace->process_n, there = 0;
	int code = 0;

	b.window.of_n = n ? n : 1;
	b.window.of = mem_alloc(b.window.of_n * sizeof(*b.window.of));
	if (r->from && event[0] == TRACE_NONE)
		code = missing(r, r->from, e);
	else if (event[1] == TRACE_NONE)
		code = missing(r, r->to, e);
	for (size_t i = 0; i < x->process_n && code >= 0; i++) {
		size_t process = x->process[i];
		struct window_span span;

		code = span_in(x, r, event, process, &span, e);
		if (code > 0)
			*array_add(&b.window.of[process], v) = span;
		there += code > 0;
	}
	if (code >= 0 && !there && x->process_n)
		code = error_set(e, ERROR_INPUT, "window '%s': no process has these snapshots",
				 r->text);
	else if (code >= 0 && there < x->process_n)
		window_note(x, r,
			    mem_printf("%zu of %zu processes do not have these snapshots and "
				       "contribute nothing",
				       x->process_n - there, x->process_n));
	if (code >= 0)
		return window_base_cut(x, &b, e);
	window_base_release(&b);
	return code;
}
