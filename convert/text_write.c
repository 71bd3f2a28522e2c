/*
 * text_write.c: traces as text: Chrome's trace events (JSON, which Perfetto reads, too) and CSV
 * with one line an event.
 *
 * JSON: "B" and "E" are enters and leaves, with metrics in "args", "C" values, "i" collectives,
 * transfers, samples and the like, "s" and "f" the two ends of a message; the n-th send from A to B
 * with one tag belongs to the n-th receive. Times are microseconds with three decimals.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "text_lines.h"
#include "utf8.h"

static const char *const kind_name[EVENT_KINDS] = {
	[EVENT_LEAVE] = "leave",
	[EVENT_ENTER] = "enter",
	[EVENT_UNWIND] = "unwind",
	[EVENT_VALUE] = "value",
	[EVENT_SEND] = "send",
	[EVENT_RECV] = "recv",
	[EVENT_COLL] = "collective",
	[EVENT_RMA] = "rma",
	[EVENT_IO] = "io",
	[EVENT_ALLOC] = "alloc",
	[EVENT_FREE] = "free",
	[EVENT_RETYPE] = "retype",
	[EVENT_THREAD_BEGIN] = "thread begin",
	[EVENT_THREAD_END] = "thread end",
	[EVENT_OFF] = "off",
	[EVENT_ON] = "on",
	[EVENT_METRICS] = "metrics",
	[EVENT_FOLD] = "fold",
	[EVENT_SAMPLE] = "sample",
};
static const char *const coll_name[COLLS] = {
	"barrier",    "broadcast", "reduce", "all-reduce",     "gather", "all-gather",
	"all-to-all", "scatter",   "scan",   "reduce-scatter", "other",
};
static const char *const rma_name[RMAS] = {"put", "get", "atomic"};
static const char *const io_name[] = {[IO_READ] = "read", [IO_WRITE] = "write"};

/* A finding of what was never freed is told as an allocation, and is none. */
static const char *const leak_name[] = {
	[LEAK_LOST] = "lost", [LEAK_INDIRECT] = "lost behind", [LEAK_REACHABLE] = "not freed"};

static const char *kind_of(const struct trace *t, const struct clip_event *ev)
{
	uint32_t kind = ev->event.kind;

	if (kind == EVENT_IO)
		return io_name[ev->args->op];
	if (kind == EVENT_ALLOC && t->memtype[ev->args->type].leak)
		return leak_name[t->memtype[ev->args->type].leak];
	return kind_name[kind];
}

static void put_us(FILE *f, int64_t ns)
{
	fprintf(f, "%" PRId64 ".%03d", ns / 1000, (int)(ns % 1000));
}

/* The shortest text that reads back as the value. */
static void put_value(FILE *f, double v)
{
	char s[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(s, sizeof(s), "%.*g", digits, v);
		if (strtod(s, NULL) == v)
			break;
	}
	fputs(s, f);
}

static const char *code_name(const struct trace_code *c)
{
	return c->name ? c->name : c->module ? c->module : "unknown";
}

/* Who was running, the innermost first; the callers in one text behind. Free both. */
static void sample_names(const struct trace *t, const struct clip_event *ev, char **name,
			 char **callers)
{
	const struct event_args *a = ev->args;

	*name = NULL;
	*callers = mem_string("");
	for (uint32_t i = 0; i < a->n; i++) {
		struct trace_place p =
			t->ops->place((struct trace *)t, ev->code[a->first + i]);

		for (size_t k = 0; k < p.n; k++) {
			char *more;

			if (!*name) {
				*name = mem_string(code_name(&p.code[k]));
				continue;
			}
			more = mem_printf("%s%s%s", *callers, **callers ? " <= " : "",
					  code_name(&p.code[k]));
			free(*callers);
			*callers = more;
		}
	}
	if (!*name)
		*name = mem_string("");
}

/* ---- JSON ---- */

static void put_json(FILE *f, const char *s)
{
	const unsigned char *p = (const unsigned char *)s, *end = p + strlen(s);

	putc('"', f);
	while (p < end) {
		uint32_t c = utf8_next(&p, end);
		char out[4];

		if (c == '"' || c == '\\')
			fprintf(f, "\\%c", (int)c);
		else if (c < ' ')
			fprintf(f, "\\u%04x", (unsigned)c);
		else
			fwrite(out, 1, utf8_put(out, c), f);
	}
	putc('"', f);
}

static void json_head(struct text *x, const char *phase, int64_t time, const char *name)
{
	fprintf(x->f, "%s\n{\"ph\":\"%s\",\"pid\":%d,\"tid\":%u,\"ts\":", x->comma ? "," : "",
		phase, x->node, x->thread);
	x->comma = 1;
	text_time(x);
	put_us(x->f, time);
	if (name) {
		fputs(",\"name\":", x->f);
		put_json(x->f, name);
	}
}

static void json_begin(struct text *x, uint32_t stream)
{
	const struct trace *t = x->trace;
	const struct trace_process *p = &t->process[t->stream[stream].process];
	char *name = p->rank >= 0 ? mem_printf("rank %lld", (long long)p->rank)
				  : mem_printf("process %d", p->node);

	json_head(x, "M", 0, "process_name");
	fputs(",\"args\":{\"name\":", x->f);
	put_json(x->f, name);
	fputs("}}", x->f);
	free(name);
	if (!t->stream[stream].label)
		return;
	json_head(x, "M", 0, "thread_name");
	fputs(",\"args\":{\"name\":", x->f);
	put_json(x->f, t->stream[stream].label);
	fputs("}}", x->f);
}

/* Number of this message among those that match it. */
static uint64_t pair_count(struct text *x, char *key)
{
	uint32_t at = names_add(&x->pairs, key, strlen(key));

	if (at >= x->count_n) {
		x->count = mem_resize(x->count, (size_t)at * 2 + 16, sizeof(*x->count));
		memset(x->count + x->count_n, 0,
		       ((size_t)at * 2 + 16 - x->count_n) * sizeof(*x->count));
		x->count_n = (size_t)at * 2 + 16;
	}
	return x->count[at]++;
}

static void json_message(struct text *x, const struct clip_event *ev)
{
	const struct event_args *a = ev->args;
	int sent = ev->event.kind == EVENT_SEND;
	long long from = sent ? x->node : a->peer, to = sent ? a->peer : x->node;
	char *key = mem_printf("%s %lld.%lld.%lld.%u", sent ? "s" : "f", from, to,
			       (long long)a->tag, a->comm);
	uint64_t n = pair_count(x, key);

	json_head(x, sent ? "s" : "f", ev->event.time, "message");
	fprintf(x->f,
		",\"cat\":\"message\",\"id\":\"%s.%" PRIu64 "\"%s,\"args\":{\"bytes\":%" PRIu64
		",\"tag\":%lld,\"peer\":%lld}}",
		key + 2, n, sent ? "" : ",\"bp\":\"e\"", a->bytes, (long long)a->tag,
		(long long)a->peer);
	free(key);
}

static void json_counter(struct text *x, int64_t time, const char *name, double v)
{
	json_head(x, "C", time, name);
	fputs(",\"args\":{\"value\":", x->f);
	if (isfinite(v))
		put_value(x->f, v);
	else
		fputs("null", x->f);
	fputs("}}", x->f);
}

static void json_instant(struct text *x, const struct clip_event *ev, const char *name)
{
	json_head(x, "i", ev->event.time, name);
	fputs(",\"s\":\"t\"", x->f);
}

/* The values of metrics with an enter or a leave, and the end of the object. */
static void json_metrics(struct text *x, const struct clip_event *ev)
{
	for (size_t i = 0; ev->metric && i < x->trace->metric_n; i++) {
		fputs(i ? "," : ",\"args\":{", x->f);
		put_json(x->f, x->trace->metric[i].name);
		fprintf(x->f, ":%" PRId64, ev->metric[i]);
	}
	fputs(ev->metric && x->trace->metric_n ? "}}" : "}", x->f);
}

static void json_memory(struct text *x, const struct clip_event *ev)
{
	const struct event_args *a = ev->args;
	const struct trace *t = x->trace;

	json_instant(x, ev, kind_of(t, ev));
	fputs(",\"cat\":\"memory\",\"args\":{\"type\":", x->f);
	put_json(x->f, t->memtype[a->type].name);
	if (ev->event.kind == EVENT_RETYPE) {
		fputs(",\"to\":", x->f);
		put_json(x->f, t->memtype[a->to].name);
	}
	fprintf(x->f, ",\"bytes\":%" PRIu64 "}}", a->bytes);
}

static void json_sample(struct text *x, const struct clip_event *ev)
{
	char *name, *callers;

	if (!x->trace->ops->place) {
		x->o->loss[LOSS_SAMPLE]++;
		return;
	}
	sample_names(x->trace, ev, &name, &callers);
	json_instant(x, ev, name);
	fprintf(x->f, ",\"cat\":\"sample\",\"args\":{\"ns\":%" PRIu64 ",\"callers\":",
		ev->args->bytes);
	put_json(x->f, callers);
	fputs("}}", x->f);
	free(name);
	free(callers);
}

static void json_transfer(struct text *x, const struct clip_event *ev)
{
	const struct event_args *a = ev->args;

	json_instant(x, ev, io_name[a->op]);
	fputs(",\"cat\":\"io\",\"args\":{\"file\":", x->f);
	put_json(x->f, x->trace->event[a->file].name);
	fprintf(x->f, ",\"bytes\":%" PRIu64 ",\"ns\":%lld}}", a->bytes, (long long)a->tag);
}

static void json_take(struct text *x, const struct clip_event *ev)
{
	const struct event_args *a = ev->args;
	const struct trace *t = x->trace;

	switch (ev->event.kind) {
	case EVENT_ENTER:
		json_head(x, "B", ev->event.time, t->region[ev->event.ref].name);
		fputs(",\"cat\":", x->f);
		put_json(x->f, t->region[ev->event.ref].groups);
		json_metrics(x, ev);
		break;
	case EVENT_LEAVE:
		json_head(x, "E", ev->event.time, NULL);
		json_metrics(x, ev);
		break;
	case EVENT_VALUE:
		json_counter(x, ev->event.time, t->event[a->event].name, a->value);
		break;
	case EVENT_SEND:
	case EVENT_RECV:
		json_message(x, ev);
		break;
	case EVENT_COLL:
		json_instant(x, ev, coll_name[a->op]);
		fprintf(x->f,
			",\"cat\":\"collective\",\"args\":{\"sent\":%" PRIu64
			",\"received\":%" PRIu64 ",\"root\":%lld}}",
			a->bytes, a->received, (long long)a->peer);
		break;
	case EVENT_RMA:
		json_instant(x, ev, rma_name[a->op]);
		fprintf(x->f, ",\"cat\":\"rma\",\"args\":{\"bytes\":%" PRIu64 ",\"peer\":%lld}}",
			a->bytes, (long long)a->peer);
		break;
	case EVENT_ALLOC:
	case EVENT_FREE:
	case EVENT_RETYPE:
		json_memory(x, ev);
		break;
	case EVENT_OFF:
	case EVENT_ON:
	case EVENT_METRICS:
		json_instant(x, ev, kind_name[ev->event.kind]);
		fputs(",\"cat\":\"recording\"", x->f);
		json_metrics(x, ev);
		break;
	case EVENT_FOLD:
		x->o->loss[LOSS_FOLD]++;
		break;
	case EVENT_SAMPLE:
		json_sample(x, ev);
		break;
	case EVENT_IO:
		json_transfer(x, ev);
		break;
	default:
		break;
	}
}

static int text_write(const struct text_kind *kind, struct trace *t, const char *to,
		      struct write_options *o, struct error *e)
{
	struct text x = {.kind = kind, .trace = t, .o = o};
	struct whole w;
	int code = whole_open(&w, to, e), bad;

	if (code)
		return code;
	x.f = w.file;
	kind->open(&x);
	code = text_streams(&x, e);
	fputs(kind->close, x.f);
	write_paths_lost(t, o);
	if (!code)
		code = write_nothing(t, o, e);
	names_release(&x.pairs);
	free(x.count);
	bad = whole_close(&w, to, code != 0, e);
	return code ? code : bad;
}

static void json_open(struct text *x)
{
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", x->f);
}

int json_write(struct trace *t, const char *to, struct write_options *o, struct error *e)
{
	static const struct text_kind kind = {json_open, json_begin, json_take, "\n]}\n", 1};

	for (size_t i = 0; i < t->region_n; i++)
		o->loss[LOSS_BYTES] += utf8_is_not(t->region[i].name);
	for (size_t i = 0; i < t->event_n; i++)
		o->loss[LOSS_BYTES] += utf8_is_not(t->event[i].name);
	for (size_t i = 0; i < t->memtype_n; i++)
		o->loss[LOSS_BYTES] += utf8_is_not(t->memtype[i].name);
	return text_write(&kind, t, to, o, e);
}

/* ---- CSV ---- */

static void put_csv(FILE *f, const char *s)
{
	if (!strpbrk(s, ",\"\n\r")) {
		fputs(s, f);
		return;
	}
	putc('"', f);
	for (; *s; s++) {
		if (*s == '"')
			putc('"', f);
		putc(*s, f);
	}
	putc('"', f);
}

static const char *csv_name(const struct trace *t, const struct clip_event *ev)
{
	const struct event_args *a = ev->args;

	switch (ev->event.kind) {
	case EVENT_ENTER:
		return t->region[ev->event.ref].name;
	case EVENT_VALUE:
		return t->event[a->event].name;
	case EVENT_COLL:
		return coll_name[a->op];
	case EVENT_RMA:
		return rma_name[a->op];
	case EVENT_IO:
		return t->event[a->file].name;
	case EVENT_ALLOC:
	case EVENT_FREE:
	case EVENT_RETYPE:
		return t->memtype[a->type].name;
	case EVENT_FOLD:
		return a->n ? t->region[ev->regions[a->first + a->n - 1]].name : "";
	default:
		return "";
	}
}

static void csv_value(struct text *x, const struct clip_event *ev)
{
	const struct event_args *a = ev->args;

	switch (ev->event.kind) {
	case EVENT_VALUE:
		put_value(x->f, a->value);
		break;
	case EVENT_COLL:
		fprintf(x->f, "%" PRIu64, a->received);
		break;
	case EVENT_RETYPE:
		put_csv(x->f, x->trace->memtype[a->to].name);
		break;
	case EVENT_IO:
	case EVENT_FOLD:
		fprintf(x->f, "%lld", (long long)a->tag);
		break;
	default:
		break;
	}
}

static void csv_sample(struct text *x, const struct clip_event *ev)
{
	char *name, *callers;

	sample_names(x->trace, ev, &name, &callers);
	put_csv(x->f, name);
	fprintf(x->f, ",,,%" PRIu64 ",", ev->args->bytes);
	put_csv(x->f, callers);
	free(name);
	free(callers);
}

/* node,thread,time_ns,kind,name,peer,tag,bytes,value and the metrics */
static void csv_take(struct text *x, const struct clip_event *ev)
{
	const struct event_args *a = ev->args;
	const struct trace *t = x->trace;
	uint32_t kind = ev->event.kind;
	int bytes = (kind >= EVENT_SEND && kind <= EVENT_RETYPE) || kind == EVENT_FOLD;

	if (kind == EVENT_SAMPLE && !t->ops->place) {
		x->o->loss[LOSS_SAMPLE]++;
		return;
	}
	fprintf(x->f, "%d,%u,", x->node, x->thread);
	text_time(x);
	fprintf(x->f, "%" PRId64 ",%s,", ev->event.time, kind_of(t, ev));
	if (kind == EVENT_SAMPLE) {
		csv_sample(x, ev);
	} else {
		put_csv(x->f, csv_name(t, ev));
		putc(',', x->f);
		if (kind >= EVENT_SEND && kind <= EVENT_RMA)
			fprintf(x->f, "%lld", (long long)a->peer);
		putc(',', x->f);
		if (kind == EVENT_SEND || kind == EVENT_RECV)
			fprintf(x->f, "%lld", (long long)a->tag);
		putc(',', x->f);
		if (bytes)
			fprintf(x->f, "%" PRIu64, a->bytes);
		putc(',', x->f);
		csv_value(x, ev);
	}
	for (size_t i = 0; i < t->metric_n; i++) {
		putc(',', x->f);
		if (ev->metric)
			fprintf(x->f, "%" PRId64, ev->metric[i]);
	}
	putc('\n', x->f);
}

static void csv_open(struct text *x)
{
	fputs("node,thread,time_ns,kind,name,peer,tag,bytes,value", x->f);
	for (size_t i = 0; i < x->trace->metric_n; i++) {
		putc(',', x->f);
		put_csv(x->f, x->trace->metric[i].name);
	}
	putc('\n', x->f);
}

int csv_write(struct trace *t, const char *to, struct write_options *o, struct error *e)
{
	static const struct text_kind kind = {csv_open, NULL, csv_take, "", 0};

	return text_write(&kind, t, to, o, e);
}
