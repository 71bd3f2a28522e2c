/* event_line.c: an event as one line: of CSV, or an object of JSON. */
#include "convert/text/event_line.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "convert/io/csv.h"
#include "convert/text/json_parts.h"
#include "convert/text/text_names.h"

/* Who was running, the innermost first; the callers in one text behind. Free both. */
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

static const char *csv_name(const struct trace *t, const struct clip_event *ev)
{
	const struct event_args *a = ev->args;

	switch (ev->event.kind) {
	case EVENT_ENTER:
		return t->region[ev->event.ref].name;
	case EVENT_VALUE:
		return t->event[a->value.event].name;
	case EVENT_COLL:
		return text_coll_name[a->coll.op];
	case EVENT_RMA:
		return text_rma_name[a->rma.op];
	case EVENT_IO:
		return t->event[a->io.file].name;
	case EVENT_ALLOC:
	case EVENT_FREE:
	case EVENT_RETYPE:
		return t->memtype[a->block.type].name;
	case EVENT_FOLD:
		return a->fold.path.n
			       ? t->region[ev->regions[a->fold.path.first + a->fold.path.n - 1]]
					 .name
			       : "";
	default:
		return "";
	}
}

static void csv_value(struct text *x, const struct clip_event *ev)
{
	const struct event_args *a = ev->args;

	switch (ev->event.kind) {
	case EVENT_VALUE:
		text_value(x->f, a->value.value);
		break;
	case EVENT_COLL:
		fprintf(x->f, "%" PRIu64, a->coll.received);
		break;
	case EVENT_RETYPE:
		csv_cell(x->f, x->trace->memtype[a->block.to].name);
		break;
	case EVENT_IO:
		fprintf(x->f, "%lld", (long long)a->io.ns);
		break;
	case EVENT_FOLD:
		fprintf(x->f, "%lld", (long long)a->fold.ns);
		break;
	default:
		break;
	}
}

/* Kinds whose events have no bytes. */
static int csv_no_bytes(uint32_t kind)
{
	switch (kind) {
	case EVENT_SEND:
	case EVENT_RECV:
	case EVENT_COLL:
	case EVENT_RMA:
	case EVENT_IO:
	case EVENT_ALLOC:
	case EVENT_FREE:
	case EVENT_RETYPE:
	case EVENT_FOLD:
		return 0;
	default:
		return 1;
	}
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

/* The process at the other end, of a collective operation its root. */
static void csv_peer(struct text *x, uint32_t kind, const struct event_args *a)
{
	if (kind == EVENT_SEND || kind == EVENT_RECV)
		fprintf(x->f, "%" PRId64, a->message.peer);
	else if (kind == EVENT_COLL)
		fprintf(x->f, "%" PRId64, a->coll.root);
	else if (kind == EVENT_RMA)
		fprintf(x->f, "%" PRId64, a->rma.peer);
}

/* Bytes; of folded calls their number. */
static void csv_bytes(struct text *x, uint32_t kind, const struct event_args *a)
{
	switch (kind) {
	case EVENT_SEND:
	case EVENT_RECV:
		fprintf(x->f, "%" PRIu64, a->message.bytes);
		break;
	case EVENT_COLL:
		fprintf(x->f, "%" PRIu64, a->coll.sent);
		break;
	case EVENT_RMA:
		fprintf(x->f, "%" PRIu64, a->rma.bytes);
		break;
	case EVENT_IO:
		fprintf(x->f, "%" PRIu64, a->io.bytes);
		break;
	case EVENT_ALLOC:
	case EVENT_FREE:
	case EVENT_RETYPE:
		fprintf(x->f, "%" PRIu64, a->block.bytes);
		break;
	case EVENT_FOLD:
		fprintf(x->f, "%" PRIu64, a->fold.calls);
		break;
	default:
		break;
	}
}

static size_t columns(const struct text *x)
{
	return x->column ? x->column_n : x->trace->metric_n;
}

/* node,thread,time_ns,kind,name,peer,tag,bytes,value and the metrics */
void event_csv(struct text *x, const struct clip_event *ev)
{
	const struct event_args *a = ev->args;
	const struct trace *t = x->trace;
	uint32_t kind = ev->event.kind;

	if (kind == EVENT_SAMPLE && !t->ops->code) {
		x->o->loss[LOSS_SAMPLE]++;
		return;
	}
	fprintf(x->f, "%d,%u,", x->node, x->thread);
	text_time(x);
	fprintf(x->f, "%" PRId64 ",%s,", ev->event.time, text_kind_of(t, ev));
	if (kind == EVENT_SAMPLE) {
		csv_sample(x, ev);
	} else {
		csv_cell(x->f, csv_name(t, ev));
		putc(',', x->f);
		csv_peer(x, kind, a);
		putc(',', x->f);
		if (kind == EVENT_SEND || kind == EVENT_RECV)
			fprintf(x->f, "%lld", (long long)a->message.tag);
		putc(',', x->f);
		csv_bytes(x, kind, a);
		putc(',', x->f);
		csv_value(x, ev);
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

/* What follows the name, under the names of the columns of CSV. */
static void json_fields(struct text *x, uint32_t kind, const struct event_args *a)
{
	int message = kind == EVENT_SEND || kind == EVENT_RECV;

	if (message || kind == EVENT_RMA)
		json_number(x, "peer", message ? a->message.peer : a->rma.peer);
	else if (kind == EVENT_COLL && a->coll.root >= 0)
		json_number(x, "peer", a->coll.root);
	if (message)
		json_number(x, "tag", a->message.tag);
	if (!csv_no_bytes(kind)) {
		fputs(",\"bytes\":", x->f);
		csv_bytes(x, kind, a);
	}
	if (kind == EVENT_VALUE && !isfinite(a->value.value))
		x->o->loss[LOSS_NAN]++;
	if (kind == EVENT_COLL || kind == EVENT_IO || kind == EVENT_FOLD ||
	    (kind == EVENT_VALUE && isfinite(a->value.value))) {
		fputs(",\"value\":", x->f);
		csv_value(x, &(struct clip_event){.event.kind = kind, .args = a});
	} else if (kind == EVENT_RETYPE) {
		json_string(x, "value", x->trace->memtype[a->block.to].name);
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
		x->o->loss[LOSS_SAMPLE]++;
		return;
	}
	fprintf(x->f, "{\"node\":%d,\"thread\":%u,\"time_ns\":", x->node, x->thread);
	text_time(x);
	fprintf(x->f, "%" PRId64 ",\"kind\":\"%s\"", ev->event.time, text_kind_of(t, ev));
	name = kind == EVENT_LEAVE ? t->region[ev->event.ref].name : csv_name(t, ev);
	if (kind == EVENT_SAMPLE) {
		json_sample(x, ev);
	} else {
		if (*name)
			json_string(x, "name", name);
		json_fields(x, kind, ev->args);
	}
	if (ev->metric)
		json_metrics(x, ev->metric);
	fputs("}\n", x->f);
}
