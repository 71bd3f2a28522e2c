/* tau-dump.c: prints a trace record by record, or verifies its files. */
#include <stdio.h>
#include <string.h>

#include "analyze/summary/filter_cursor.h"
#include "analyze/trace/filter.h"
#include "analyze/trace/trace.h"
#include "analyze/window/window.h"
#include "convert/formats.h"
#include "convert/io/input.h"
#include "convert/native/native.h"
#include "cmd/dump/dump_check.h"
#include "cmd/dump/dump_events.h"
#include "cmd/dump/dump_stream.h"
#include "cmd/shared/guard.h"
#include "cmd/shared/choice.h"
#include "cmd/shared/notes.h"
#include "cmd/shared/option.h"
#include "cmd/shared/trace_options.h"

static const struct {
	const char *name;
	enum dump_show show;
} show_name[] = {
	{ "files", SHOW_FILES }, { "chunks", SHOW_CHUNKS }, { "definitions", SHOW_DEFINITIONS },
	{ "snapshots", SHOW_SNAPSHOTS }, { "records", SHOW_RECORDS }, { "index", SHOW_INDEX },
};

struct arguments {
	const char *window, *what;
	int verify;
	unsigned show;
	struct trace_options trace_options;
	const struct filter *only;
};

/* A run of ours as its files have it, each stream within its window. */
static int dump_native(const struct program *program, struct trace *t, const struct arguments *a,
		       const struct window_span *span)
{
	int code = 0;

	for (uint32_t i = 0; i < t->stream_n; i++) {
		struct window_span all = {INT64_MIN, INT64_MAX};
		int bad;

		if (span)
			all = span[t->stream[i].process];
		if (!filter_stream(a->only, t, i) || all.end <= all.begin)
			continue;
		bad = dump_stream(program, t, &t->stream[i], a->show, all);
		code = bad ? bad : code;
	}
	return code;
}

static int is_native(struct input *in)
{
	const struct trace_format *f = trace_format_of(in);

	return !f || f->open == native_open_input;
}

/* Of what is chosen by regions, and of other formats, events are printed, not records. */
static int dump(const struct program *program, struct input *in, const struct arguments *a,
		struct error *e)
{
	const struct filter *o = a->only;
	int events = !is_native(in) || (o && (o->group.v_n || o->region.v_n || o->path.v_n));
	struct window_span *span = NULL;
	struct trace *t;
	int code = a->window ? window_check(a->window, e) : 0;

	if (!code)
		code = events ? trace_open_input(in, NULL, &t, e)
			      : native_open_input(in, NULL, &t, e);
	if (!code && !events)
		trace_text_note(t);
	if (code)
		return program_fail(program, e), code;
	if (a->window) {
		span = mem_alloc((t->process_n + 1) * sizeof(*span));
		code = trace_options_spans(t, a->window, span, e);
	}
	if (!code)
		code = filter_check(o, t, e);
	if (!code)
		code = filter_cursor_install(t, o, e);
	if (!code && events)
		code = dump_events(t,
				   &(struct dump_events){o, span, a->show & SHOW_FILES,
							 a->show & SHOW_DEFINITIONS,
							 a->show & SHOW_SNAPSHOTS,
							 a->show & SHOW_RECORDS},
				   e);
	if (code)
		program_fail(program, e);
	else if (!events)
		code = dump_native(program, t, a, span);
	for (uint32_t i = 0; i < t->stream_n && !code; i++)
		code = t->stream[i].damaged && filter_stream(o, t, i) ? ERROR_INPUT : 0;
	fflush(stdout);
	trace_settle(t);
	notes_print(program->name, t->note, t->note_n);
	trace_free(t);
	free(span);
	return code;
}

static void no_show(const char *text, size_t n, struct error *e)
{
	const char *known[sizeof(show_name) / sizeof(*show_name)];
	size_t found, names = sizeof(known) / sizeof(*known);
	char *word = mem_printf("%.*s", (int)n, text);

	for (size_t i = 0; i < names; i++)
		known[i] = show_name[i].name;
	choice_get("--only", word, known, names, &found, e);
	free(word);
}

/* Names separated by commas. 0 when one is unknown. */
static unsigned show_parse(const char *text, struct error *e)
{
	unsigned show = 0;

	while (*text) {
		size_t n = strcspn(text, ","), i = 0,
		       known = sizeof(show_name) / sizeof(*show_name);

		while (i < known &&
		       (strlen(show_name[i].name) != n || strncmp(show_name[i].name, text, n)))
			i++;
		if (i == known) {
			no_show(text, n, e);
			return 0;
		}
		show |= show_name[i].show;
		text += n + (text[n] == ',');
	}
	return show;
}

int main(int argc, char **argv)
{
	struct arguments a = {.show = SHOW_ALL, .trace_options = TRACE_OPTIONS_DEFAULT};
	struct inputs known = {0};
	struct input *in;
	int at, code = 0;
	struct error e = {0};
	const struct option options[] = {
		OPTION_HEADING("What it does"),
		{'c', "check", OPTION_FLAG, NULL,
		 "verify each file and print no records; status 3 if something is wrong",
		 &a.verify},
		{0, "only", OPTION_TEXT, "WHAT,...",
		 "print only these parts: files, "
		 "chunks, definitions, snapshots, records, index",
		 &a.what},
		OPTION_HEADING("Which part of a trace"),
		{'w', "window", OPTION_TEXT, "WINDOW",
		 "print only the events in a window: BEGIN:END, or one instance of a region",
		 &a.window},
		TRACE_OPTIONS_ONLY(&a.trace_options),
		{0}};
	const struct program program = {
		.name = "tau-dump",
		.usage = "[OPTION...] RUN|FILE",
		.options = options,
		.about = "Prints a trace record by record, or verifies it.",
	};

	at = options_parse(&program, argc, argv);
	if (argc - at != 1)
		error_set(&e, ERROR_USAGE, "name one trace, or one file of it (see %s --help)",
			  program.name);
	else if (a.what)
		a.show = show_parse(a.what, &e);
	if (!e.code)
		trace_options_only(&a.trace_options, &a.only, &e);
	if (!e.code && a.verify && (a.window || a.only || a.what))
		error_set(&e, ERROR_USAGE, "--check verifies the whole trace");
	if (e.code)
		return program_fail(&program, &e);
	guard_archives(&program, &known, argv + at, 1, NULL);
	in = inputs_get(&known, argv[at]);
	if (!a.verify)
		code = dump(&program, in, &a, &e);
	else if (is_native(in))
		code = dump_check(in, &e);
	else
		code = dump_check_events(in, &e);
	inputs_release(&known);
	if (code && a.verify && code != ERROR_INPUT)
		program_fail(&program, &e);
	trace_options_release(&a.trace_options);
	return program_end(&program, -code);
}
