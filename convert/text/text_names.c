/* text_names.c: what writers of text share: names of events, values, a file from its first stream to its last. */
#include "convert/text/text_names.h"

#include <inttypes.h>
#include <string.h>

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
const char *const text_coll_name[COLLS] = {
	"barrier",    "broadcast", "reduce", "all-reduce",     "gather", "all-gather",
	"all-to-all", "scatter",   "scan",   "reduce-scatter", "other",
};
const char *const text_rma_name[RMAS] = {"put", "get", "atomic"};
const char *const text_io_name[2] = {[IO_READ] = "read", [IO_WRITE] = "write"};

/* A block that was never freed is reported by an ALLOC event, which is not an allocation. */
static const char *const leak_name[] = {
	[LEAK_LOST] = "lost", [LEAK_INDIRECT] = "lost behind", [LEAK_REACHABLE] = "not freed"};

const char *text_kind_of(const struct trace *t, const struct clip_event *ev)
{
	uint32_t kind = ev->event.kind;

	if (kind == EVENT_IO)
		return text_io_name[ev->args->io.op];
	if (kind == EVENT_ALLOC && t->memtype[ev->args->block.type].leak)
		return leak_name[t->memtype[ev->args->block.type].leak];
	return kind_name[kind];
}

void text_value(FILE *f, double v)
{
	char s[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(s, sizeof(s), "%.*g", digits, v);
		if (strtod(s, NULL) == v)
			break;
	}
	fputs(s, f);
}

const char *text_code_name(const struct trace_code *c)
{
	return c->name ? c->name : c->module ? c->module : "unknown";
}

int text_write(const struct text_kind *kind, struct trace *t, const char *to,
		      struct write_options *o, struct error *e)
{
	struct text x = {.kind = kind, .trace = t, .o = o, .floor = INT64_MIN};
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
