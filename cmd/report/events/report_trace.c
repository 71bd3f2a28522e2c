/* report_trace.c: opens a run as a trace, and prints what kinds that read events have in common. */
#include "cmd/report/events/report_trace.h"

#include <inttypes.h>
#include <string.h>

#include "analyze/base/mem_stream.h"
#include "analyze/base/note.h"
#include "analyze/messages/selection.h"
#include "analyze/trace/trace.h"
#include "cmd/shared/choice.h"
#include "cmd/shared/trace_options.h"
#include "cmd/table/region_name.h"
#include "cmd/table/table.h"
#include "convert/formats.h"
#include "convert/io/input.h"

int report_trace_open(const struct report_options *o, const char *kind, struct report_trace *r,
		      struct error *e)
{
	int code = 0;

	*r = (struct report_trace){.o = o, .window = o->window, .text = o->format == REPORT_TEXT};
	if (o->db)
		return error_set(e, ERROR_USAGE,
				 "%s reads the events of a trace, and a database has none: name "
				 "a run instead of --db",
				 kind);
	if (o->operand_n != 1)
		return error_set(e, ERROR_USAGE, "%s needs one run, %zu were given", kind,
				 o->operand_n);
	code = trace_open_input(inputs_get(o->known, o->operand[0]), o->kept, &r->trace, e);
	if (code)
		return code;
	if (o->window) {
		r->span = mem_alloc((r->trace->process_n + 1) * sizeof(*r->span));
		code = trace_options_spans(r->trace, o->window, r->span, e);
	}
	r->messages.trace = r->trace;
	r->messages.span = r->span;
	if (!code && o->load && o->load->only) {
		code = selection_make(&r->selection, r->trace, o->load->only, e);
		r->messages.selection = &r->selection;
	}
	r->part = mem_printf("%s%s%s", o->window ? " in window " : "", o->window ? o->window : "",
			     r->messages.selection ? " in the selected threads and regions" : "");
	return code;
}

int report_trace_begin(const struct report_options *o, const char *kind, size_t *by,
		       struct report_trace *r, struct error *e)
{
	int code = report_by(o, by, e);

	*r = (struct report_trace){0};
	return code ? code : report_trace_open(o, kind, r, e);
}

int report_trace_read(struct report_trace *r, struct messages_use *use, size_t n, struct error *e)
{
	int code;

	r->messages.use = use;
	r->messages.use_n = n;
	r->messages.cuts = 1;
	code = messages_read(&r->messages, e);
	if (!code)
		trace_settle(r->trace);
	return code;
}

void report_trace_again(struct report_trace *r)
{
	struct selection *const selection = r->messages.selection;
	const char *const skip = r->messages.skip;

	messages_again(&r->messages);
	r->messages.trace = r->trace;
	r->messages.span = r->span;
	r->messages.selection = selection;
	r->messages.skip = skip;
}

void report_trace_release(struct report_trace *r)
{
	messages_release(&r->messages);
	selection_release(&r->selection);
	free(r->span);
	free(r->part);
	if (r->trace)
		trace_free(r->trace);
}

static void messages_notes(struct table *t, const struct messages_found *f)
{
	if (f->unreceived + f->unsent)
		table_note(t,
			   "%" PRIu64 " sent messages have no receive in the trace, %" PRIu64
			   " received ones have no send.",
			   f->unreceived, f->unsent);
	if (f->unmet)
		table_note(t,
			   "%" PRIu64 " collective operations are incomplete: not all members "
			   "of the communicator recorded them.",
			   f->unmet);
	if (f->disagreed)
		table_note(t,
			   "%" PRIu64 " communicators: their processes recorded different "
			   "collective operations; waiting in these is unknown.",
			   f->disagreed);
	if (f->early)
		table_note(t,
			   "%" PRIu64 " messages are received before they are sent: the clocks "
			   "disagree.",
			   f->early);
}

static void names_note(struct table *t, const char *what, const struct filter_names *v)
{
	for (size_t i = 0; i < v->v_n; i++)
		table_note(t, "Selected %s: %s.", what, v->v[i]);
}

static void selection_note(struct table *t, const struct report_trace *r)
{
	const struct filter *f = r->selection.filter;
	size_t n = 0, threads = 0;

	if (!r->messages.selection)
		return;
	for (uint32_t s = 0; s < r->trace->stream_n; s++) {
		int is_thread = !r->trace->stream[s].values;

		threads += (size_t)is_thread;
		n += is_thread && selection_stream(&r->selection, s);
	}
	if (selection_streams(&r->selection))
		table_note(t, "Selected: %zu of %zu threads.", n, threads);
	names_note(t, "group", &f->group);
	names_note(t, "region", &f->region);
	names_note(t, "call path", &f->path);
}

void report_trace_notes(struct table *t, const struct report_trace *r)
{
	size_t pes = trace_pes(r->trace);

	table_note(t, "%s: %zu PE%s, window: %s.", r->trace->path, pes, plural(pes),
		   r->window ? r->window : "everything");
	selection_note(t, r);
	for (size_t i = 0; i < r->trace->note_n; i++) {
		char *sentence = note_sentence(&r->trace->note[i]);

		table_note(t, "%s", sentence);
		free(sentence);
	}
	messages_notes(t, &r->messages.found);
}

char *report_trace_name(const struct report_trace *r, const char *name)
{
	return r->text ? region_name_short(name) : mem_string(name);
}

char *report_trace_regions(const struct report_trace *r, const uint32_t *region, size_t n)
{
	char *text = region_names_joined(r->trace, region, n), *shown = report_trace_name(r, text);

	free(text);
	return shown;
}

char *report_trace_path(const struct report_trace *r, uint32_t path)
{
	const struct callstack_path *v = r->messages.paths.v;
	size_t n = 0, at = 0;
	uint32_t *region;
	char *text;

	for (uint32_t i = path; i; i = v[i].parent)
		n++;
	region = mem_resize(NULL, n + 1, sizeof(*region));
	for (uint32_t i = path; i; i = v[i].parent)
		region[n - ++at] = v[i].region;
	text = report_trace_regions(r, region, n);
	free(region);
	return text;
}

static int by_place(const void *va, const void *vb, void *to)
{
	const struct trace *t = to;
	const struct trace_stream *a = &t->stream[*(const uint32_t *)va];
	const struct trace_stream *b = &t->stream[*(const uint32_t *)vb];
	int32_t x = t->process[a->process].node, y = t->process[b->process].node;

	if (x != y)
		return x < y ? -1 : 1;
	return (a->thread > b->thread) - (a->thread < b->thread);
}

void report_trace_order(const struct report_trace *r, uint32_t *stream, size_t n)
{
	if (n)
		qsort_r(stream, n, sizeof(*stream), by_place, r->trace);
}

double report_ms(double ns)
{
	return ns / 1e6;
}

const char *report_trace_time(const struct report_trace *r, double ns, char text[QUANTITY_TEXT])
{
	return report_time(r->o, ns, text);
}

int report_no_picture(const struct report_options *o, const char *kind, struct error *e)
{
	if (o->format != REPORT_SVG)
		return 0;
	return error_set(e, ERROR_USAGE,
			 "%s: there is no picture; formats are text, markdown, html, csv and json",
			 kind);
}
