/* dump_events.c: events of any trace for people, one a line. */
#include "cmd/dump/dump_events.h"

#include <inttypes.h>
#include <stdio.h>

#include "analyze/trace/event_fields.h"
#include "analyze/trace/filter.h"
#include "cmd/shared/message.h"
#include "convert/clip.h"

struct printer {
	const struct trace *trace;
	uint64_t number;
	int64_t now; /* ns of the event before */
};

/* Regions, the outermost first. */
static void print_regions(const struct trace *t, const uint32_t *region, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		text_printf(stdout, "%s%s", i ? " => " : "", t->region[region[i]].name);
}

/* The functions of a sample, the innermost first. */
static void print_code(const struct trace *t, const uint32_t *code, uint32_t n)
{
	for (uint32_t i = 0; i < n && t->ops->code; i++) {
		struct trace_place p = trace_place(t, code[i]);

		for (size_t k = 0; k < p.n; k++)
			text_printf(stdout, "%s%s", i || k ? " < " : "",
			       p.code[k].name ? p.code[k].name : p.code[k].module);
	}
}

static void print_field(const struct trace *t, const struct clip_event *ev,
			const struct event_field *f)
{
	struct event_list l;

	printf(" %s=", f->name);
	switch (f->type) {
	case EVENT_TYPE_NUMBER:
		printf("%.17g", event_field_double(f, ev->args));
		break;
	case EVENT_TYPE_REGIONS:
	case EVENT_TYPE_PATH:
		l = event_field_list(f, ev->args);
		print_regions(t, ev->regions + l.first, l.n);
		break;
	case EVENT_TYPE_CODE:
		l = event_field_list(f, ev->args);
		print_code(t, ev->code + l.first, l.n);
		break;
	case EVENT_TYPE_SIZE:
	case EVENT_TYPE_AMOUNT:
		printf("%" PRIu64, (uint64_t)event_field_number(f, &ev->event, ev->args));
		break;
	default:
		if (event_field_is_number(f))
			printf("%" PRId64, event_field_number(f, &ev->event, ev->args));
		else
			name_print(stdout, event_field_text(f, t, ev->args, ev->regions));
	}
}

static void print_event(struct printer *p, const struct clip_event *ev)
{
	const struct trace *t = p->trace;
	uint32_t kind = ev->event.kind;

	printf("  #%llu %.9f +%lld ns %s", (unsigned long long)p->number++,
	       (double)ev->event.time / 1e9, (long long)(ev->event.time - p->now),
	       event_row[kind].title);
	p->now = ev->event.time;
	if (kind == EVENT_ENTER || (kind == EVENT_LEAVE && ev->event.ref < t->region_n))
		text_printf(stdout, " %s", t->region[ev->event.ref].name);
	for (const struct event_field *f = event_row[kind].field; f->name; f++)
		if (event_field_is_there(f, ev->args))
			print_field(t, ev, f);
	putchar('\n');
	if (!ev->metric)
		return;
	fputs("    ", stdout);
	for (size_t i = 0; i < t->metric_n; i++)
		text_printf(stdout, " %s=%lld", t->metric[i].name, (long long)ev->metric[i]);
	putchar('\n');
}

/* What is open where the window, or the stream, begins. */
static void print_state(const struct trace *t, const struct clip *c)
{
	printf("  at %.9f %zu regions are open%s\n", (double)c->begin / 1e9, c->state.frame_n,
	       c->state.in_use ? "" : ", and no thread runs");
	for (size_t i = 0; i < c->state.frame_n; i++)
		text_printf(stdout, "    %s since %.9f\n",
			    t->region[c->state.frame[i].region].name,
			    (double)c->state.frame[i].enter / 1e9);
	for (size_t i = 0; i < t->memtype_n; i++)
		if (c->level[i].bytes || c->level[i].blocks)
			text_printf(stdout, "    %s %lld bytes in %lld blocks\n",
				    t->memtype[i].name, (long long)c->level[i].bytes,
				    (long long)c->level[i].blocks);
}

static void print_definitions(const struct trace *t)
{
	for (size_t i = 0; i < t->region_n; i++)
		text_printf(stdout, "region %s groups=%s\n", t->region[i].name,
			    t->region[i].groups);
	for (size_t i = 0; i < t->event_n; i++)
		text_printf(stdout, "event %s\n", t->event[i].name);
	for (size_t i = 0; i < t->metric_n; i++)
		text_printf(stdout, "metric %s\n", t->metric[i].name);
	for (size_t i = 0; i < t->comm_n; i++) {
		const struct trace_comm *c = &t->comm[i];

		if (trace_comm_second(t->comm, i))
			continue;
		text_printf(stdout, "communicator %s of %zu", c->name, c->n);
		if (c->inter)
			printf(" and %zu", t->comm[c->inter - 1].n);
		puts(" ranks");
	}
	for (size_t i = 0; i < t->memtype_n; i++)
		text_printf(stdout, "type %s\n", t->memtype[i].name);
	for (size_t i = 0; i < t->process_n; i++)
		for (size_t k = 0; k < t->process[i].meta_n; k++)
			text_printf(stdout, "metadata of node %d: %s=%s\n", t->process[i].node,
				    t->process[i].meta[k].name, t->process[i].meta[k].value);
}

static int print_stream(struct trace *t, uint32_t stream, const struct dump_events *o,
			struct window_span span, struct error *e)
{
	const struct trace_stream *s = &t->stream[stream];
	struct printer p = {.trace = t};
	struct clip_event ev;
	struct clip c;
	int code = clip_open(&c, t, stream, span, 0, e);

	if (code >= 0 && c.used && o->threads)
		text_printf(stdout, "thread %d.%u of process %u%s%s\n",
			    t->process[s->process].node, s->thread, t->process[s->process].pid,
			    s->label ? ": " : "", s->label ? s->label : "");
	if (code >= 0 && c.used && o->states)
		print_state(t, &c);
	p.now = c.begin;
	while (code >= 0 && c.used && o->events && (code = clip_next(&c, &ev, e)) > 0)
		print_event(&p, &ev);
	clip_close(&c);
	return code < 0 ? code : 0;
}

int dump_events(struct trace *t, const struct dump_events *o, struct error *e)
{
	int code = 0;

	if (o->definitions)
		print_definitions(t);
	for (uint32_t s = 0; s < t->stream_n && !code; s++) {
		struct window_span span = {INT64_MIN, INT64_MAX};

		if (o->span)
			span = o->span[t->stream[s].process];
		if (filter_stream(o->only, t, s) && span.end > span.begin)
			code = print_stream(t, s, o, span, e);
	}
	return code;
}
