/* event_line.c: an event as one line: of CSV, or an object of JSON. */
#include "convert/text/event_line.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyze/trace/event_fields.h"
#include "convert/io/csv.h"
#include "convert/text/json_parts.h"
#include "convert/text/text_names.h"

/*
 * *name: the innermost function of a sample; *callers: the functions around it, innermost first, as
 * one text. The caller frees both.
 */
static void sample_names(const struct trace *t, const struct clip_event *ev, char **name,
			 char **callers)
{
	const struct event_args *a = ev->args;

	*name = NULL;
	*callers = mem_string("");
	for (uint32_t i = 0; i < a->sample.stack.n; i++) {
		struct trace_place p =
			trace_place(t, ev->code[a->sample.stack.first + i]);

		for (size_t k = 0; k < p.n; k++) {
			char *more;

			if (!*name) {
				*name = mem_string(text_code_name(&p.code[k]));
				continue;
			}
			more = mem_printf("%s%s%s", *callers, **callers ? " <= " : "",
					  text_code_name(&p.code[k]));
			free(*callers);
			*callers = more;
		}
	}
	if (!*name)
		*name = mem_string("");
}

/* What the event is about: "" for nothing. */
static const char *name_of(const struct trace *t, const struct clip_event *ev)
{
	const struct event_field *f = event_in_column(ev->event.kind, EVENT_COLUMN_NAME);

	if (ev->event.kind == EVENT_ENTER)
		return t->region[ev->event.ref].name;
	return f ? event_field_text(f, t, ev->args, ev->regions) : "";
}

const char *event_line_name(const struct trace *t, const struct clip_event *ev)
{
	if (ev->event.kind == EVENT_LEAVE)
		return t->region[ev->event.ref].name;
	return ev->event.kind == EVENT_SAMPLE ? "" : name_of(t, ev);
}

static void put_number(struct text *x, const struct clip_event *ev, const struct event_field *f)
{
	int64_t v = event_field_number(f, &ev->event, ev->args);

	if (event_field_is_unsigned(f))
		fprintf(x->f, "%" PRIu64, (uint64_t)v);
	else
		fprintf(x->f, "%" PRId64, v);
}

static void csv_sample(struct text *x, const struct clip_event *ev)
{
	char *name, *callers;

	sample_names(x->trace, ev, &name, &callers);
	csv_cell(x->f, name);
	fprintf(x->f, ",,,%" PRIu64 ",", ev->args->sample.ns);
	csv_cell(x->f, callers);
	free(name);
	free(callers);
}

static void csv_column(struct text *x, const struct clip_event *ev, enum event_column column)
{
	const struct event_field *f = event_in_column(ev->event.kind, column);

	putc(',', x->f);
	if (!f || !event_field_is_there(f, ev->args))
		return;
	if (f->type == EVENT_TYPE_NUMBER)
		text_value(x->f, event_field_double(f, ev->args));
	else if (event_field_is_number(f))
		put_number(x, ev, f);
	else
		csv_cell(x->f, event_field_text(f, x->trace, ev->args, ev->regions));
}

static size_t columns(const struct text *x)
{
	return x->column ? x->column_n : x->trace->metric_n;
}

/* node,thread,time_ns,kind,name,peer,tag,bytes,value and the metrics */
void event_csv(struct text *x, const struct clip_event *ev)
{
	const struct trace *t = x->trace;
	uint32_t kind = ev->event.kind;

	if (kind == EVENT_SAMPLE && !t->ops->code) {
		x->o->lost[EVENT_SAMPLE]++;
		return;
	}
	fprintf(x->f, "%d,%u,", x->node, x->thread);
	text_time(x);
	fprintf(x->f, "%" PRId64 ",%s,", ev->event.time, text_kind_of(t, ev));
	if (kind == EVENT_SAMPLE) {
		csv_sample(x, ev);
	} else {
		csv_cell(x->f, name_of(t, ev));
		for (int column = EVENT_COLUMN_PEER; column <= EVENT_COLUMN_VALUE; column++)
			csv_column(x, ev, column);
	}
	for (size_t i = 0; i < columns(x); i++) {
		size_t metric = x->column ? x->column[i] : i;

		putc(',', x->f);
		if (ev->metric && metric != TRACE_NONE)
			fprintf(x->f, "%" PRId64, ev->metric[metric]);
	}
	putc('\n', x->f);
}

void event_csv_head(struct text *x)
{
	fputs("node,thread,time_ns,kind,name,peer,tag,bytes,value", x->f);
	for (size_t i = 0; i < x->trace->metric_n; i++) {
		putc(',', x->f);
		csv_cell(x->f, x->trace->metric[i].name);
	}
	putc('\n', x->f);
}

/* ---- JSON ---- */

static void json_number(struct text *x, const char *key, int64_t v)
{
	fprintf(x->f, ",\"%s\":%" PRId64, key, v);
}

static void json_string(struct text *x, const char *key, const char *s)
{
	fprintf(x->f, ",\"%s\":", key);
	json_text(x->f, s);
}

/* A column of CSV as a field of the same name. */
static void json_column(struct text *x, const struct clip_event *ev, enum event_column column,
			const char *key)
{
	const struct event_field *f = event_in_column(ev->event.kind, column);

	if (!f || !event_field_is_there(f, ev->args))
		return;
	if (f->type == EVENT_TYPE_NUMBER && !isfinite(event_field_double(f, ev->args))) {
		x->o->loss[LOSS_NAN]++;
	} else if (f->type == EVENT_TYPE_NUMBER) {
		fprintf(x->f, ",\"%s\":", key);
		text_value(x->f, event_field_double(f, ev->args));
	} else if (!event_field_is_number(f)) {
		json_string(x, key, event_field_text(f, x->trace, ev->args, ev->regions));
	} else if (ev->event.kind != EVENT_COLL || column != EVENT_COLUMN_PEER ||
		   ev->args->coll.root >= 0) {
		fprintf(x->f, ",\"%s\":", key);
		put_number(x, ev, f);
	}
}

static void json_sample(struct text *x, const struct clip_event *ev)
{
	char *name, *callers;

	sample_names(x->trace, ev, &name, &callers);
	json_string(x, "name", name);
	json_number(x, "bytes", (int64_t)ev->args->sample.ns);
	json_string(x, "value", callers);
	free(name);
	free(callers);
}

static void json_metrics(struct text *x, const int64_t *metric)
{
	for (size_t i = 0; i < x->trace->metric_n; i++) {
		fputs(i ? "," : ",\"metrics\":{", x->f);
		json_text(x->f, x->trace->metric[i].name);
		fprintf(x->f, ":%" PRId64 "%s", metric[i],
			i + 1 == x->trace->metric_n ? "}" : "");
	}
}

void event_json(struct text *x, const struct clip_event *ev)
{
	const struct trace *t = x->trace;
	uint32_t kind = ev->event.kind;
	const char *name;

	if (kind == EVENT_SAMPLE && !t->ops->code) {
		x->o->lost[EVENT_SAMPLE]++;
		return;
	}
	fprintf(x->f, "{\"node\":%d,\"thread\":%u,\"time_ns\":", x->node, x->thread);
	text_time(x);
	fprintf(x->f, "%" PRId64 ",\"kind\":\"%s\"", ev->event.time, text_kind_of(t, ev));
	name = event_line_name(t, ev);
	if (kind == EVENT_SAMPLE) {
		json_sample(x, ev);
	} else {
		if (*name)
			json_string(x, "name", name);
		json_column(x, ev, EVENT_COLUMN_PEER, "peer");
		json_column(x, ev, EVENT_COLUMN_TAG, "tag");
		json_column(x, ev, EVENT_COLUMN_BYTES, "bytes");
		json_column(x, ev, EVENT_COLUMN_VALUE, "value");
	}
	if (ev->metric)
		json_metrics(x, ev->metric);
	fputs("}\n", x->f);
}
