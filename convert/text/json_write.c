/*
 * json_write.c: a trace as Chrome's trace events (JSON), which Perfetto and speedscope read, too.
 *
 * "B" and "E" are enters and leaves, both with the name of the region: readers match them by it, and take what has
 * arguments for another function with each of their values, so they have none. "C" are values: of the program's events, of
 * metrics at enters and leaves (one track a thread), and the live memory of a process. "i" are collectives, transfers and
 * the like, "s" and "f" the two ends of a message; the n-th send from A to B with one tag belongs to the n-th receive.
 * Samples are calls on a track of their own (json_tracks.c). Times are microseconds with three decimals.
 */
#include <inttypes.h>
#include <string.h>

#include "analyze/trace/event_fields.h"
#include "convert/io/utf8.h"
#include "convert/text/json_parts.h"
#include "convert/text/json_tracks.h"
#include "convert/text/text_names.h"

static void json_begin(struct text *x, uint32_t stream)
{
	const struct trace *t = x->trace;
	const struct trace_process *p = &t->process[t->stream[stream].process];
	char *name = p->rank >= 0 ? mem_printf("rank %lld", (long long)p->rank)
				  : mem_printf("process %d", p->node);

	json_name(x, "process_name", name);
	free(name);
	if (t->stream[stream].label)
		json_name(x, "thread_name", t->stream[stream].label);
}

/*
 * Identifies a message in both of its events. Upper 32 bits: number of the channel; lower: number of the
 * message in it.
 */
static uint64_t pair_id(struct text *x, const char *key, int sent)
{
	uint32_t pair = names_add(&x->pairs, key, strlen(key));
	size_t at = 2 * (size_t)pair + (sent != 0);

	if (at >= x->count_n) {
		size_t n = at * 2 + 16;

		x->count = mem_resize(x->count, n, sizeof(*x->count));
		memset(x->count + x->count_n, 0, (n - x->count_n) * sizeof(*x->count));
		x->count_n = n;
	}
	return (uint64_t)pair << 32 | (uint32_t)x->count[at]++;
}

static void json_message(struct text *x, const struct clip_event *ev)
{
	const struct event_args *a = ev->args;
	int sent = ev->event.kind == EVENT_SEND;
	long long from = sent ? x->node : a->message.peer, to = sent ? a->message.peer : x->node;
	char *key = mem_printf("%lld.%lld.%lld.%u", from, to, (long long)a->message.tag,
			       a->message.comm);

	json_head(x, sent ? "s" : "f", ev->event.time, "message");
	fprintf(x->f,
		",\"cat\":\"message\",\"id\":\"0x%" PRIx64 "\"%s,\"args\":{\"bytes\":%" PRIu64
		",\"tag\":%lld,\"peer\":%lld}}",
		pair_id(x, key, sent), sent ? "" : ",\"bp\":\"e\"", a->message.bytes,
		(long long)a->message.tag, (long long)a->message.peer);
	free(key);
}

static void json_instant(struct text *x, const struct clip_event *ev, const char *name)
{
	json_head(x, "i", ev->event.time, name);
	fputs(",\"s\":\"t\"", x->f);
}

/* The values of metrics at an enter or a leave: counters of the thread. */
static void json_metrics(struct text *x, const struct clip_event *ev)
{
	for (size_t i = 0; ev->metric && i < x->trace->metric_n; i++) {
		json_head(x, "C", ev->event.time, x->trace->metric[i].name);
		fprintf(x->f,
			",\"cat\":\"metric\",\"id\":\"0x%x\",\"args\":{\"value\":%" PRId64 "}}",
			x->thread, ev->metric[i]);
	}
}

static void json_memory(struct text *x, const struct clip_event *ev)
{
	const struct event_args *a = ev->args;
	const struct trace *t = x->trace;

	json_instant(x, ev, text_kind_of(t, ev));
	fputs(",\"cat\":\"memory\",\"args\":{\"type\":", x->f);
	json_text(x->f, t->memtype[a->block.type].name);
	if (ev->event.kind == EVENT_RETYPE) {
		fputs(",\"to\":", x->f);
		json_text(x->f, t->memtype[a->block.to].name);
	}
	fprintf(x->f, ",\"bytes\":%" PRIu64 "}}", a->block.bytes);
}

static void json_transfer(struct text *x, const struct clip_event *ev)
{
	const struct event_args *a = ev->args;

	json_instant(x, ev, event_io_name[a->io.op]);
	fputs(",\"cat\":\"io\",\"args\":{\"file\":", x->f);
	json_text(x->f, x->trace->event[a->io.file].name);
	fprintf(x->f, ",\"bytes\":%" PRIu64 ",\"ns\":%lld", a->io.bytes, (long long)a->io.ns);
	if (a->io.at >= 0)
		fprintf(x->f, ",\"offset\":%lld", (long long)a->io.at);
	fputs("}}", x->f);
}

static void json_event(struct text *x, const struct clip_event *ev)
{
	const struct event_args *a = ev->args;
	const struct trace *t = x->trace;

	switch (ev->event.kind) {
	case EVENT_ENTER:
		json_head(x, "B", ev->event.time, t->region[ev->event.ref].name);
		fputs(",\"cat\":", x->f);
		json_text(x->f, t->region[ev->event.ref].groups);
		putc('}', x->f);
		json_metrics(x, ev);
		break;
	case EVENT_LEAVE:
		json_head(x, "E", ev->event.time, t->region[ev->event.ref].name);
		putc('}', x->f);
		json_metrics(x, ev);
		break;
	case EVENT_VALUE:
		json_counter(x, ev->event.time, "value", t->event[a->value.event].name,
			     a->value.value);
		break;
	case EVENT_SEND:
	case EVENT_RECV:
		json_message(x, ev);
		break;
	case EVENT_COLL:
		json_instant(x, ev, event_coll_name[a->coll.op]);
		fprintf(x->f,
			",\"cat\":\"collective\",\"args\":{\"sent\":%" PRIu64
			",\"received\":%" PRIu64 ",\"root\":%lld}}",
			a->coll.sent, a->coll.received, (long long)a->coll.root);
		break;
	case EVENT_RMA:
		json_instant(x, ev, event_rma_name[a->rma.op]);
		fprintf(x->f, ",\"cat\":\"rma\",\"args\":{\"bytes\":%" PRIu64 ",\"peer\":%lld}}",
			a->rma.bytes, (long long)a->rma.peer);
		break;
	case EVENT_SYNC:
		json_instant(x, ev, event_sync_name[a->sync.op]);
		fprintf(x->f, ",\"cat\":\"sync\",\"args\":{\"peer\":%lld}}",
			(long long)a->sync.peer);
		break;
	case EVENT_WAITS:
		json_instant(x, ev, event_wait_name[a->wait.kind]);
		fprintf(x->f, ",\"cat\":\"waits\",\"args\":{\"peer\":%lld,\"tag\":%lld}}",
			(long long)a->wait.peer, (long long)a->wait.tag);
		break;
	case EVENT_WAITS_FILE:
		json_instant(x, ev, t->event[a->file_wait.file].name);
		fprintf(x->f, ",\"cat\":\"waits\",\"args\":{\"holder\":%lld}}",
			(long long)a->file_wait.holder);
		break;
	case EVENT_MARK:
		json_instant(x, ev, t->event[a->mark.name].name);
		fprintf(x->f, ",\"cat\":\"%s\",\"args\":{\"number\":%" PRId64 "}}",
			event_mark_name[a->mark.kind], a->mark.number);
		break;
	case EVENT_ALLOC:
	case EVENT_FREE:
	case EVENT_RETYPE:
		json_memory(x, ev);
		break;
	case EVENT_OFF:
	case EVENT_ON:
	case EVENT_METRICS:
		json_instant(x, ev, text_kind_of(t, ev));
		fputs(",\"cat\":\"recording\"}", x->f);
		json_metrics(x, ev);
		break;
	case EVENT_SAMPLE:
		json_sample(x, ev);
		break;
	case EVENT_IO:
		json_transfer(x, ev);
		break;
	case EVENT_THREAD_BEGIN:
	case EVENT_THREAD_END: /* the thread's name is written */
		break;
	default:
		x->o->lost[ev->event.kind]++;
		break;
	}
}

static void json_open(struct text *x)
{
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", x->f);
}

int json_write(struct trace *t, const char *to, struct write_options *o, struct error *e)
{
	static const struct text_kind kind = {json_open,   json_begin, json_samples_end,
					      json_memory_tracks, json_event, "\n]}\n", 1};

	for (size_t i = 0; i < t->region_n; i++)
		o->loss[LOSS_BYTES] += utf8_is_not(t->region[i].name);
	for (size_t i = 0; i < t->event_n; i++)
		o->loss[LOSS_BYTES] += utf8_is_not(t->event[i].name);
	for (size_t i = 0; i < t->memtype_n; i++)
		o->loss[LOSS_BYTES] += utf8_is_not(t->memtype[i].name);
	return text_write(&kind, t, to, o, e);
}

