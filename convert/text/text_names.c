/* text_names.c: what writers of text share: names of events, values, a file from its first stream to its last. */
#include "convert/text/text_names.h"

#include "analyze/trace/event_fields.h"
#include "convert/io/whole_file.h"
#include "convert/trace_write.h"

#include <inttypes.h>
#include <string.h>

/* A block that was never freed is reported by an ALLOC event, which is not an allocation. */
static const char *const leak_name[] = {
	[LEAK_LOST] = "lost", [LEAK_INDIRECT] = "lost behind", [LEAK_REACHABLE] = "not freed"};

const char *text_kind_of(const struct trace *t, const struct clip_event *ev)
{
	const struct event_field *f = event_in_column(ev->event.kind, EVENT_COLUMN_KIND);

	if (f)
		return event_field_text(f, t, ev->args, NULL);
	if (ev->event.kind == EVENT_ALLOC && t->memtype[ev->args->block.type].leak)
		return leak_name[t->memtype[ev->args->block.type].leak];
	return event_row[ev->event.kind].text;
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
