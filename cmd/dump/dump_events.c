/* dump_events.c: events of any trace for people, one a line. */
#include "cmd/dump/dump_events.h"

#include <inttypes.h>
#include <stdio.h>

#include "convert/clip.h"

struct printer {
	const struct trace *trace;
	uint64_t number;
	int64_t now; /* ns of the event before */
};

static const char *const kind_name[EVENT_KINDS] = {
	[EVENT_LEAVE] = "LEAVE",
	[EVENT_ENTER] = "ENTER",
	[EVENT_UNWIND] = "UNWIND",
	[EVENT_VALUE] = "VALUE",
	[EVENT_SEND] = "SEND",
	[EVENT_RECV] = "RECV",
	[EVENT_COLL] = "COLL",
	[EVENT_RMA] = "RMA",
	[EVENT_IO] = "IO",
	[EVENT_ALLOC] = "ALLOC",
	[EVENT_FREE] = "FREE",
	[EVENT_RETYPE] = "RETYPE",
	[EVENT_THREAD_BEGIN] = "THREAD_BEGIN",
	[EVENT_THREAD_END] = "THREAD_END",
	[EVENT_OFF] = "OFF",
	[EVENT_ON] = "ON",
	[EVENT_METRICS] = "METRICS",
	[EVENT_FOLD] = "FOLD",
	[EVENT_SAMPLE] = "SAMPLE",
};
static const char *const coll_name[COLLS] = {
	"barrier",  "broadcast", "reduce",  "allreduce", "gather",         "allgather",
	"alltoall", "scatter",   "scan",    "reduce-scatter", "other",
};
static const char *const rma_name[RMAS] = {"put", "get", "atomic"};

static const char *comm_name(const struct trace *t, uint32_t comm)
{
	return comm < t->comm_n ? t->comm[comm].name : "world";
}

/* Regions, the outermost first. */
static void print_regions(const struct trace *t, const uint32_t *region, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		printf("%s%s", i ? " => " : " ", t->region[region[i]].name);
}

/* The functions of a sample, the innermost first. */
static void print_code(const struct trace *t, const uint32_t *code, uint32_t n)
{
	for (uint32_t i = 0; i < n && t->ops->code; i++) {
		struct trace_place p = trace_place(t, code[i]);

		for (size_t k = 0; k < p.n; k++)
			printf("%s%s", i || k ? " < " : " ",
			       p.code[k].name ? p.code[k].name : p.code[k].module);
	}
}

static void print_memory(const struct trace *t, uint32_t kind, const struct event_args *a)
{
	printf(" %s", t->memtype[a->block.type].name);
	if (kind == EVENT_RETYPE)
		printf(" to %s", t->memtype[a->block.to].name);
	printf(" bytes=%llu", (unsigned long long)a->block.bytes);
}

static void print_args(const struct trace *t, const struct clip_event *ev)
{
	const struct event_args *a = ev->args;

	switch (ev->event.kind) {
	case EVENT_VALUE:
		printf(" %s value=%.17g", t->event[a->value.event].name, a->value.value);
		break;
	case EVENT_SEND:
	case EVENT_RECV:
		printf(" peer=%" PRId64 " comm=%s tag=%" PRId64 " bytes=%" PRIu64, a->message.peer,
		       comm_name(t, a->message.comm), a->message.tag, a->message.bytes);
		break;
	case EVENT_COLL:
		printf(" %s comm=%s root=%" PRId64 " sent=%" PRIu64 " received=%" PRIu64,
		       coll_name[a->coll.op], comm_name(t, a->coll.comm), a->coll.root,
		       a->coll.sent, a->coll.received);
		break;
	case EVENT_RMA:
		printf(" %s peer=%" PRId64 " bytes=%" PRIu64, rma_name[a->rma.op], a->rma.peer,
		       a->rma.bytes);
		break;
	case EVENT_IO:
		printf(" %s %s bytes=%" PRIu64 " ns=%" PRId64,
		       a->io.op == IO_READ ? "read" : "write", t->event[a->io.file].name,
		       a->io.bytes, a->io.ns);
		break;
	case EVENT_ALLOC:
	case EVENT_FREE:
	case EVENT_RETYPE:
		print_memory(t, ev->event.kind, a);
		break;
	case EVENT_ON:
		print_regions(t, ev->regions + a->on.open.first, a->on.open.n);
		break;
	case EVENT_FOLD:
		print_regions(t, ev->regions + a->fold.path.first, a->fold.path.n);
		printf(" out=%" PRId64 " calls=%" PRIu64 " ns=%" PRId64, a->fold.frames,
		       a->fold.calls, a->fold.ns);
		break;
	case EVENT_SAMPLE:
		printf(" ns=%" PRIu64 " missed=%" PRId64 " inside=%" PRIu64, a->sample.ns,
		       a->sample.missed, a->sample.inside);
		print_code(t, ev->code + a->sample.stack.first, a->sample.stack.n);
		break;
	default:
		break;
	}
}

static void print_event(struct printer *p, const struct clip_event *ev)
{
	const struct trace *t = p->trace;
	uint32_t kind = ev->event.kind;

	printf("  #%llu %.9f +%lld ns %s", (unsigned long long)p->number++,
	       (double)ev->event.time / 1e9, (long long)(ev->event.time - p->now),
	       kind_name[kind]);
	p->now = ev->event.time;
	if (kind == EVENT_ENTER || (kind == EVENT_LEAVE && ev->event.ref < t->region_n))
		printf(" %s", t->region[ev->event.ref].name);
	else if (kind == EVENT_UNWIND)
		printf(" %u", ev->event.ref);
	else if (kind >= EVENT_VALUE)
		print_args(t, ev);
	putchar('\n');
	if (!ev->metric)
		return;
	fputs("    ", stdout);
	for (size_t i = 0; i < t->metric_n; i++)
		printf(" %s=%lld", t->metric[i].name, (long long)ev->metric[i]);
	putchar('\n');
}

/* What is open where the window, or the stream, begins. */
static void print_state(const struct trace *t, const struct clip *c)
{
	printf("  at %.9f %zu regions are open%s\n", (double)c->begin / 1e9, c->state.frame_n,
	       c->state.in_use ? "" : ", and no thread runs");
	for (size_t i = 0; i < c->state.frame_n; i++)
		printf("    %s since %.9f\n", t->region[c->state.frame[i].region].name,
		       (double)c->state.frame[i].enter / 1e9);
	for (size_t i = 0; i < t->memtype_n; i++)
		if (c->level[i].bytes || c->level[i].blocks)
			printf("    %s %lld bytes in %lld blocks\n", t->memtype[i].name,
			       (long long)c->level[i].bytes, (long long)c->level[i].blocks);
}

static void print_definitions(const struct trace *t)
{
	for (size_t i = 0; i < t->region_n; i++)
		printf("region %s groups=%s\n", t->region[i].name, t->region[i].groups);
	for (size_t i = 0; i < t->event_n; i++)
		printf("event %s\n", t->event[i].name);
	for (size_t i = 0; i < t->metric_n; i++)
		printf("metric %s\n", t->metric[i].name);
	for (size_t i = 0; i < t->comm_n; i++) {
		const struct trace_comm *c = &t->comm[i];

		if (trace_comm_second(t->comm, i))
			continue;
		printf("communicator %s of %zu", c->name, c->n);
		if (c->inter)
			printf(" and %zu", t->comm[c->inter - 1].n);
		puts(" ranks");
	}
	for (size_t i = 0; i < t->memtype_n; i++)
		printf("type %s\n", t->memtype[i].name);
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
		printf("thread %d.%u of process %u%s%s\n", t->process[s->process].node, s->thread,
		       t->process[s->process].pid, s->label ? ": " : "", s->label ? s->label : "");
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
