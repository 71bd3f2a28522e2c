/* follow.c: writes the events of a run that are new since the look before. */
#include "convert/text/follow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trace/event_fields.h"
#include "analyze/trace/filter.h"
#include "convert/clip.h"
#include "convert/text/event_line.h"
#include "convert/text/text_lines.h"
#include "convert/text/text_names.h"
#include "record/metadata.h"

/* The lines of a follower. */
struct followed {
	struct text x;
	struct follow *w;
};

static struct follow_place *place_of(struct follow *w, const char *file)
{
	size_t i = names_add(&w->stream, file, strlen(file));

	while (w->place_n <= i)
		*array_add(w, place) = (struct follow_place){.time = INT64_MIN};
	return &w->place[i];
}

/* The columns of CSV are the metrics that the run has when its first event is written. */
static void head(struct follow *w, struct text *x)
{
	int any = 0;

	for (size_t i = 0; i < x->trace->stream_n; i++)
		any |= x->trace->stream[i].chunks > 0;
	if (w->begun || w->json || !any)
		return;
	for (size_t i = 0; i < x->trace->metric_n; i++)
		names_add(&w->metric, x->trace->metric[i].name, strlen(x->trace->metric[i].name));
	event_csv_head(x);
	w->begun = 1;
}

/* Metrics may be in another order than in the look before. Free it. */
static uint32_t *columns(struct follow *w, const struct trace *t)
{
	size_t n = w->metric.name_n;
	uint32_t *column = mem_alloc((n + 1) * sizeof(*column));

	for (size_t i = 0; i < n; i++)
		column[i] = TRACE_NONE;
	for (uint32_t i = 0; i < t->metric_n; i++) {
		size_t at = names_add(&w->metric, t->metric[i].name, strlen(t->metric[i].name));

		if (at < n)
			column[at] = i;
	}
	return column;
}

/* Calls that are folded are removed from the chunk that is being written. */
static struct clip_part part_of(const struct follow *w, const struct trace *t, uint32_t stream,
				struct follow_going going, const struct follow_place *place)
{
	const struct trace_stream *s = &t->stream[stream];
	const struct trace_process *p = &t->process[s->process];
	struct clip_part part = {.begin = place->chunks ? 0 : w->begin,
				 .first = place->chunks ? place->chunks - 1 : 0,
				 .most = SIZE_MAX,
				 .going = going.run};

	if (going.run && p->running && trace_process_meta(p, TAU_META_CALLS_MAY_BE_FOLDED))
		part.most = s->chunks ? s->chunks - 1 : 0;
	return part;
}

/* The events of a chunk are the same each time, and more may follow. */
int follow_pass(struct clip *c, const struct follow_place *place, struct error *e)
{
	struct clip_event ev;
	int code = 1;

	if (!place->chunks)
		return 0;
	while (code > 0 && c->pending_n)
		code = clip_next(c, &ev, e);
	while (code > 0 && c->chunks == place->chunks && clip_position(c) < place->at)
		code = clip_next(c, &ev, e);
	while (code > 0 && c->pending_n)
		code = clip_next(c, &ev, e);
	return code < 0 ? code : 0;
}

static int stream_write(struct follow *w, struct text *x, uint32_t stream,
			struct follow_going going, struct error *e)
{
	struct trace *t = x->trace;
	struct follow_place *place = place_of(w, t->stream[stream].name);
	struct clip_part part = part_of(w, t, stream, going, place);
	struct clip c;
	int code;

	if (part.first >= part.most || part.first >= t->stream[stream].chunks)
		return 0;
	code = clip_open_part(&c, t, stream, part, e);
	if (code >= 0)
		code = follow_pass(&c, place, e);
	x->node = t->process[t->stream[stream].process].node;
	x->thread = t->stream[stream].thread;
	x->floor = place->time;
	if (code >= 0)
		code = text_clip(x, &c, e);
	/* Of a stream without events in the last seconds the first one is still to come. */
	if (code >= 0 && c.chunks && c.used) {
		w->grown += c.chunks > place->chunks || clip_position(&c) > place->at;
		*place = (struct follow_place){c.chunks, clip_position(&c), place->time};
		if (c.state.time > place->time)
			place->time = c.state.time;
	}
	clip_close(&c);
	return code < 0 ? code : 0;
}

/* Is the stream one to be written, and its process known by its rank? */
static int is_ready(const struct follow *w, const struct trace *t, uint32_t stream,
		    struct follow_going going)
{
	const struct trace_process *p = &t->process[t->stream[stream].process];

	if (going.ranks && p->running && p->rank < 0)
		return 0;
	return filter_stream(w->options.only, t, stream);
}

/* What a reader that is a program gets of an event. */
static void event_write(struct text *x, const struct clip_event *ev)
{
	const struct follow *w = ((struct followed *)x)->w;
	const struct trace *t = x->trace;
	const struct event_field *f = event_in_column(ev->event.kind, EVENT_COLUMN_VALUE);
	struct follow_event out = {.time = ev->event.time,
				   .node = x->node,
				   .thread = x->thread,
				   .event = ev->event.kind,
				   .kind = text_kind_of(t, ev),
				   .name = event_line_name(t, ev),
				   .open = ev->open,
				   .value = NAN};

	if (ev->event.kind == EVENT_ENTER)
		out.groups = t->region[ev->event.ref].groups;
	if (f && f->type == EVENT_TYPE_NUMBER)
		out.value = event_field_double(f, ev->args);
	else if (f && event_field_is_number(f))
		out.value = (double)event_field_number(f, &ev->event, ev->args);
	w->receive(w->to, &out);
}

int follow_possible(const struct trace *t, struct error *e)
{
	for (size_t i = 0; i < t->process_n; i++)
		if (trace_process_meta(&t->process[i], TAU_META_CHUNKS_MAY_BE_REMOVED))
			return error_set(e, ERROR_INPUT,
					 "%s: --flight removes events while it records, so the run "
					 "cannot be followed",
					 t->path);
	return 0;
}

int follow_look(struct follow *w, struct trace *t, struct follow_going going, struct error *e)
{
	static const struct text_kind kinds[] = {
		{event_csv_head, NULL, NULL, NULL, event_csv, "", 0},
		{NULL, NULL, NULL, NULL, event_json, "", 0},
		{NULL, NULL, NULL, NULL, event_write, "", 0},
	};
	struct followed lines = {.x = {.kind = &kinds[w->receive ? 2 : w->json],
				       .f = w->f,
				       .trace = t,
				       .o = &w->options},
				 .w = w};
	struct text *x = &lines.x;
	uint32_t *column;
	int code = 0;

	if (going.run && follow_possible(t, e))
		return e->code;
	if (w->last && !w->begin)
		w->begin = t->end > w->last ? t->end - w->last : 1;
	if (!w->receive)
		head(w, x);
	column = columns(w, t);
	if (!w->json) {
		x->column = column;
		x->column_n = w->metric.name_n;
	}
	text_lines_begin(x);
	if (w->receive)
		text_lines_plain(x);
	for (uint32_t s = 0; s < t->stream_n && !code && !ferror(w->f); s++)
		if (is_ready(w, t, s, going))
			code = stream_write(w, x, s, going, e);
	text_lines_end(x);
	free(column);
	return code;
}

void follow_release(struct follow *w)
{
	names_release(&w->stream);
	names_release(&w->metric);
	free(w->place);
}
