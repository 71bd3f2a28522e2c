/* tau-convert.c: turns a trace, or a window of it, into another format. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/clocks/clocks.h"
#include "analyze/summary/filter_cursor.h"
#include "analyze/trace/filter.h"
#include "analyze/trace/trace.h"
#include "analyze/window/window.h"
#include "convert/formats.h"
#include "convert/io/input.h"
#include "convert/io/paths.h"
#include "convert/load.h"
#include "convert/profile_format.h"
#include "convert/trace_write.h"
#include "cmd/convert/follow_run.h"
#include "cmd/shared/choice.h"
#include "cmd/shared/guard.h"
#include "cmd/shared/message.h"
#include "cmd/shared/notes.h"
#include "cmd/shared/option.h"
#include "cmd/profile/profile_convert.h"
#include "cmd/shared/trace_options.h"

#define LEAST	    "10ms" /* of --anomalies */
#define EVERY	    "10s"
#define EVERY_LEAST "10ms"

struct arguments {
	const char *window, *to, *plugin, *anomalies, *every;
	int stats, clocks, follow;
	struct trace_options trace_options; /* ranks, threads, regions */
	const struct filter *only;
};

/* The format of traces that has the suffix of a name; of other names it is our own. */
static const char *format_of(const char *out)
{
	for (const struct write_format *f = write_formats; f->name; f++)
		if (path_ends_in(out, f->suffix))
			return f->name;
	return "tau";
}

/* Names and suffixes of all formats: those of traces, then those of profiles. */
#define FORMATS (PROFILE_TARGETS + 16)
static size_t formats_get(const char *name[FORMATS], const char *suffix[FORMATS])
{
	size_t n = 0, traces, more;

	for (const struct write_format *f = write_formats; f->name; f++, n++) {
		name[n] = f->name;
		suffix[n] = f->suffix;
	}
	traces = n;
	more = profile_target_names(name + n, suffix + n);
	for (size_t i = traces; i < traces + more; i++) {
		size_t k = 0;

		/* One name may be a format of both. */
		while (k < traces && strcmp(name[k], name[i]))
			k++;
		if (k < traces)
			continue;
		name[n] = name[i];
		suffix[n++] = suffix[i];
	}
	return n;
}

/* --to names a format. */
static int check_format(const char *to, struct error *e)
{
	const char *name[FORMATS], *suffix[FORMATS];
	size_t n = formats_get(name, suffix), found;

	return choice_option("--to", to, name, n, &found, e);
}

/*
 * Without --to the suffix of a name selects the format. The suffix of another kind of file, such as .png, is an error; a number,
 * as in run.16, is no suffix.
 */
static int check_ending(const char *out, const char **known, size_t n, struct error *e)
{
	const char *slash = strrchr(out, '/'), *file = slash ? slash + 1 : out,
		   *dot = strrchr(file, '.');
	char *near;

	if (!dot || dot == file || !isalpha((unsigned char)dot[1]))
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(dot, known[i]))
			return 0;
		known[i] += *known[i] == '.';
	}
	near = choice_near(dot + 1, known, n);
	error_set(e, ERROR_USAGE, "%s: no format has the ending '%s': name one with --to%s",
		  out, dot, near);
	free(near);
	return e->code;
}

static int check_converted(const char *out, struct error *e)
{
	const char *name[FORMATS], *known[FORMATS + 1], *slash = strrchr(out, '/');
	size_t n = formats_get(name, known);

	known[n++] = ".tau";
	return !strncmp(slash ? slash + 1 : out, "callgrind.out", 13)
		       ? 0
		       : check_ending(out, known, n, e);
}

static const struct write_format *target(const struct arguments *a, const char *out,
					 struct error *e)
{
	const char *name = a->to ? a->to : format_of(out);
	const struct write_format *f = write_format_of(name);

	if (!f)
		error_set(e, ERROR_USAGE, "--to: '%s' is a format of profiles", name);
	return f;
}

static void outcome_print(const struct program *program, struct input *in, struct trace *t,
		const struct write_options *o, const struct write_format *f, int stats)
{
	char *lost = write_losses(o), *over = trace_over_text(t), *choice = load_choice(in);

	if (choice)
		message_print(program->name, "%s", choice);
	free(choice);
	trace_settle(t);
	notes_print(program->name, t->note, t->note_n);
	if (over)
		message_print(program->name, "%s: records without a counterpart are not "
			"included: %s", t->path, over);
	if (lost)
		message_print(program->name, "%s does not contain: %s", f->name, lost);
	if (stats)
		trace_options_stats(program->name, t->bytes_read, t->bytes_total, t->index_read,
			      t->events);
	free(lost);
	free(over);
}

static int clocks_correct(struct trace *t, struct error *e)
{
	struct causality c;
	int code = causality_correct(t, &c, e);

	for (int collective = 0; collective < 2 && !code; collective++) {
		char *wrong = causality_text(&c, collective);

		if (wrong)
			trace_note(t, (struct note){.kind = NOTE_TIMES}, "%s: times were corrected",
				   wrong);
		free(wrong);
	}
	return code;
}

static int convert(const struct program *program, const struct arguments *a, struct input *in,
		   const char *out, struct error *e)
{
	const struct write_format *f = NULL;
	struct write_options o = {.only = a->only};
	struct window_span *span = NULL;
	struct trace *t = NULL;
	int code = a->window ? window_check(a->window, e) : 0;

	if (!code)
		code = trace_open_input(in, NULL, &t, e);
	if (!code && !(f = target(a, out, e)))
		code = e->code;
	if (!code && a->clocks)
		code = clocks_correct(t, e);
	if (!code && a->window) {
		o.span = span = mem_alloc((t->process_n + 1) * sizeof(*span));
		code = trace_options_spans(t, a->window, span, e);
	}
	if (!code)
		code = filter_check(a->only, t, e);
	if (!code)
		code = filter_cursor_install(t, a->only, e);
	if (!code)
		code = f->write(t, out, &o, e);
	if (!code)
		outcome_print(program, in, t, &o, f, a->stats);
	free(span);
	if (t)
		trace_free(t);
	return code;
}

/* A profile, or a trace if the requested format is one of profiles alone. */
static int convert_any(const struct program *program, const struct arguments *a, struct input *in,
		       const char *out, struct error *e)
{
	const struct profile_format *f = profile_target(a->to, out);
	int trace = trace_format_of(in) != NULL, profile = !trace && profile_is(in);
	int code = check_format(a->to, e);

	if (!code && !a->to && (trace || profile))
		code = check_converted(out, e);
	if (code)
		return code;
	if (!profile && (!trace || !f || write_format_of(f->name)))
		return convert(program, a, in, out, e);
	if (!f)
		return error_set(e, ERROR_USAGE,
				 "--to: %s is a format of traces, and %s is a profile",
				 a->to, in->path);
	if (a->clocks)
		return error_set(e, ERROR_USAGE,
				 "--clock-correct is for traces: write one, and a profile from "
				 "that");
	if (a->stats)
		return error_set(e, ERROR_USAGE, "--stats is for conversions of traces");
	return profile_convert(program, in, a->window, a->only, out, f, e);
}

/* "last=10s" in ns. */
static int last_get(const char *window, int64_t *last, struct error *e)
{
	static const char prefix[] = "last=";
	const char *time = window + strlen(prefix);

	if (strncmp(window, prefix, strlen(prefix)) != 0 ||
	    !quantity_read(QUANTITY_TIME, time, strlen(time), "s", last) || !*last)
		return error_set(e, ERROR_USAGE,
				 "--follow: the window is last=TIME, such as last=10s, not '%s'",
				 window);
	return 0;
}

/* The events of a run while it is recorded. A plug-in's exit status, or an error. */
static int follow(const struct program *program, const struct arguments *a, const char *in,
		  const char *out, struct error *e)
{
	static const char *const formats[] = {"json", "csv", "otf2"};
	static const struct quantity_option anomalies = {"--anomalies", QUANTITY_TIME, "s",
							 .least = "1ns", .example = LEAST},
					    every = {"--every", QUANTITY_TIME, "s",
						     .least = EVERY_LEAST, .example = EVERY};
	const char *endings[] = {".json", ".csv", ".otf2"};
	size_t format = path_ends_in(out, ".csv") ? 1 : path_ends_in(out, ".otf2") ? 2 : 0;
	struct follow_wish wish = {.only = a->only, .plugin = a->plugin};

	if (a->clocks || a->stats || filter_regions(a->only))
		return error_set(e, ERROR_USAGE,
				 "--follow writes whole threads as they grow: it excludes "
				 "--group, --region, --inside, --clock-correct and --stats");
	if (a->window && last_get(a->window, &wish.last, e))
		return e->code;
	if (a->anomalies && a->plugin)
		return error_set(e, ERROR_USAGE, "--anomalies and --plugin exclude each other");
	if ((a->anomalies || a->plugin) && a->to)
		return error_set(e, ERROR_USAGE, "--%s and --to exclude each other",
				 a->plugin ? "plugin" : "anomalies");
	wish.anomalies = a->anomalies != NULL;
	if (wish.anomalies &&
	    quantity_option(&anomalies, *a->anomalies ? a->anomalies : LEAST, &wish.least, e))
		return e->code;
	if (wish.anomalies || a->plugin)
		format = 0;
	else if (!a->to && check_ending(out, endings, 3, e))
		return e->code;
	if (choice_option("--follow --to", a->to ? a->to : formats[format], formats, 3, &format, e))
		return e->code;
	wish.json = format == 0;
	if (a->every && format != 2)
		return error_set(e, ERROR_USAGE, "--every is for --follow --to otf2");
	if (format == 2 && quantity_option(&every, a->every ? a->every : EVERY, &wish.every, e))
		return e->code;
	return follow_run(program, in, out, &wish, e);
}

int main(int argc, char **argv)
{
	struct arguments a = {.trace_options = TRACE_OPTIONS_DEFAULT};
	struct error e = {0};
	char *profiles = profile_target_text();
	char *formats = mem_printf("write tau, otf2, json or csv; a profile as %s (default: by the "
				   "ending of OUT)",
				   profiles);
	const struct option options[] = {
		OPTION_HEADING("Output"),
		{'t', "to", OPTION_TEXT, "FORMAT", formats, &a.to},
		OPTION_HEADING("Which part of a trace"),
		{'w', "window", OPTION_TEXT, "WINDOW",
		 "write only the events in a window: BEGIN:END, or one instance of a region",
		 &a.window},
		TRACE_OPTIONS_ONLY(&a.trace_options),
		OPTION_HEADING("How it is converted"),
		{'c', "clock-correct", OPTION_FLAG, NULL,
		 "shift times so that no message is received before it is sent", &a.clocks},
		{'s', "stats", OPTION_FLAG, NULL, "print how much of the trace was read", &a.stats},
		OPTION_HEADING("While the program runs"),
		{0, "follow", OPTION_FLAG, NULL,
		 "write the events of a run until it ends: one JSON object or line of CSV each, or "
		 "OTF2 archives",
		 &a.follow},
		{0, "every", OPTION_TEXT, "TIME",
		 "with --follow --to otf2: write an archive for each TIME of the run (default: "
		 "10s; default unit: s)",
		 &a.every},
		{0, "anomalies", OPTION_MAYBE, "TIME",
		 "with --follow: write instances of regions that take unusually long, TIME longer "
		 "than usual or more (default: 10ms; default unit: s), and ranks slower than the "
		 "others, as they happen",
		 &a.anomalies},
		{0, "plugin", OPTION_TEXT, "FILE[:ARGUMENT]",
		 "with --follow: give the events to this plug-in, tau-plugin(7), in place of OUT",
		 &a.plugin},
		{0},
	};
	const struct program program = {
		.name = "tau-convert",
		.usage = "[OPTION...] IN OUT",
		.options = options,
		.about = "Converts a trace, a window of a trace, or a profile to another format.",
	};
	int at = options_parse(&program, argc, argv);
	struct inputs known = {0};
	int code = 0;

	if ((a.plugin || a.anomalies || a.every) && !a.follow)
		code = error_set(&e, ERROR_USAGE, "--%s is for --follow",
				 a.plugin ? "plugin" : a.anomalies ? "anomalies" : "every");
	else if (argc - at != (a.plugin ? 1 : 2))
		code = error_set(&e, ERROR_USAGE,
				 "name a trace and the output, as in tau-convert RUN OUT, or with "
				 "--plugin a run (see %s --help)",
				 program.name);
	else
		code = trace_options_only(&a.trace_options, &a.only, &e);
	if (!code)
		guard_archives(&program, &known, argv + at, 1, a.plugin ? "-" : argv[at + 1]);
	if (!code && a.follow)
		code = follow(&program, &a, argv[at], a.plugin ? "-" : argv[at + 1], &e);
	else if (!code)
		code = convert_any(&program, &a, inputs_get(&known, argv[at]), argv[at + 1], &e);
	inputs_release(&known);
	trace_options_release(&a.trace_options);
	free(profiles);
	free(formats);
	if (code < 0)
		return program_fail(&program, &e);
	return program_end(&program, code);
}
