/* tau-trace2profile.c: turns a trace into profiles over chosen windows. */
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/profile/profile.h"
#include "cmd/shared/message.h"
#include "cmd/shared/option.h"
#include "convert/formats.h"
#include "cmd/shared/choice.h"
#include "cmd/shared/tau_variables.h"
#include "cmd/shared/guard.h"
#include "cmd/shared/notes.h"
#include "cmd/shared/option_use.h"
#include "cmd/shared/parallel.h"
#include "cmd/profile/profile_convert.h"
#include "cmd/shared/progress.h"
#include "cmd/shared/trace_options.h"
#include "cmd/table/table_text.h"
#include "convert/io/input.h"
#include "convert/load.h"
#include "convert/profile_format.h"
#include "record/metadata.h"

#define COMPENSATED "text json csv" /* formats that have intervals */

/* Options that mean something for some formats only. */
static const struct option_use uses[] = {
	{"top", "text"}, {"metric", "text"}, {"counters", "text"}, {"all", "text"},
	{"compensate", COMPENSATED}, {0}};

/* The same for inputs. */
static const struct option_use input_uses[] = {
	{"compensate", "traces"}, {"sample-resolution", "traces"}, {"index", "traces"},
	{"stats", "traces"},	  {0}};

struct arguments {
	const char *callpath; /* NULL: flat; "": unlimited */
	const char *format, *to;
	int stats, compensate, alone;
	struct profile_text text;
	struct option_list given;
	struct trace_options trace_options;
};

static int depth_get(const char *text, int *depth, struct error *e)
{
	char *end;
	long n;

	*depth = text ? -1 : 0;
	if (!text || !*text)
		return 0;
	n = strtol(text, &end, 10);
	if (*end || n < 2 || n > 1000)
		return error_set(e, ERROR_USAGE, "--callpath: '%s' is not a depth; use 2 to 1000",
				 text);
	*depth = (int)n;
	return 0;
}

/* Has something been said of a window already? */
static int window_has_note(const struct load_report *r, const char *window)
{
	for (size_t i = 0; i < r->note_n; i++)
		if (r->note[i].window && !strcmp(r->note[i].window, window))
			return 1;
	return 0;
}

/* The notes about the profiles; each profile is read once. */
struct seen_files {
	size_t n, empty;
	char *first;	     /* empty window */
	double least, most; /* us of recording, with --compensate */
	size_t threads, costs; /* number of threads, and of those with the cost of a call in their
				  metadata */
	int counters, samples;	/* there are some */
};

static void look(void *to, const struct profile *p, size_t nth, size_t n)
{
	struct seen_files *s = to;

	(void)nth;
	s->n = n;
	if (p->window && !p->thread_n && !s->empty++)
		s->first = mem_string(p->window);
	s->threads += p->thread_n;
	for (size_t i = 0; i < p->timer_n && !s->samples; i++)
		s->samples = profile_timer_kind(&p->timer[i]) == TIMER_SAMPLE;
	s->counters |= p->counter_n > 0;
	for (uint32_t t = 0; t < p->thread_n; t++) {
		double least = profile_meta_number(p, t, TAU_META_RECORDING_LEAST_US),
		       most = profile_meta_number(p, t, TAU_META_RECORDING_MOST_US);

		s->least += isnan(least) ? 0 : least;
		s->most += isnan(most) ? 0 : most;
		s->costs += profile_meta(p, t, TAU_META_CALL_COST_INSIDE_PS) ||
			    profile_meta(p, UINT32_MAX, TAU_META_CALL_COST_INSIDE_PS);
	}
}

/* Windows in which nothing happened: one is named, more are counted. */
static void empty_print(const struct program *program, const struct load_report *r,
			const struct seen_files *s)
{
	if (s->empty > 1)
		message_print(program->name, "nothing happened in %zu of %zu windows; the first "
			"of them is '%s'", s->empty, s->n, s->first);
	else if (s->empty && !window_has_note(r, s->first))
		message_print(program->name, "window '%s': nothing happened in it", s->first);
}

/* What was lost or repaired, what a window missed, how much of the times is recording, and with --stats what reading cost. */
static void outcome_print(const struct program *program, const struct arguments *a,
			  const struct load_report *r, const struct seen_files *s)
{
	char text[2][QUANTITY_TEXT];

	notes_print(program->name, r->note, r->note_n);
	empty_print(program, r, s);
	if (s->most > 0)
		message_print(program->name, "recording is %s to %s of the times",
			      quantity_time_text(1000 * s->least, text[0]),
			      quantity_time_text(1000 * s->most, text[1]));
	if (a->compensate && s->threads && !s->costs)
		message_print(program->name, "--compensate adds nothing: the run does not "
			"contain the cost of recording a call");
	if (a->text.counters && s->threads && !s->counters)
		message_print(program->name, "--counters lists nothing: the profile has no "
			"counters");
	if (a->trace_options.resolution && s->threads && !s->samples)
		message_print(program->name, "--sample-resolution changes nothing: the profile "
			"has no samples; tau-record --sample takes them");
	if (a->stats)
		trace_options_stats(program->name, r->bytes_read, r->bytes_total, r->index_read,
			      r->events);
}

/* Without -o, standard output, unless the format is a directory. */
static int write_first(void *to, struct profile *p, size_t nth, size_t n, struct error *e)
{
	struct profile_writer *w = to;

	if (!w->to && (!w->format->print || (n > 1 && !(w->format->keeps & KEEPS_SERIES))))
		w->to = "profiles";
	return profile_writer_receive(w, p, nth, n, e);
}

/* Options for traces mean nothing for a profile. */
static int check_input(const struct arguments *a, struct input *in, struct error *e)
{
	const struct trace_format *f = trace_format_of(in);
	const char *path = in->path;
	struct error why = {0};

	if (f && !f->indexed && option_present(&a->given, "index"))
		return error_set(e, ERROR_USAGE,
				 "%s: --index is only for traces of tau-record; this is %s", path,
				 f->about);
	if (f || !profile_is(in) ||
	    !option_use_check(&a->given, input_uses, "profiles", &why))
		return 0;
	return error_set(e, ERROR_USAGE, "%s: %s", path, why.text);
}

/* --format is the name of no format. */
static int check_format(const char *format, struct error *e)
{
	const char *name[PROFILE_TARGETS], *suffix[PROFILE_TARGETS];
	size_t n = profile_target_names(name, suffix), found;

	return choice_get("--format", format, name, n, &found, e);
}

static int run(const struct program *program, struct arguments *a, struct input *in,
	       struct ranks *ranks, struct error *e)
{
	struct load_report report = {0};
	struct load_options o = {.report = &report, .compensate = a->compensate};
	struct seen_files seen = {0};
	struct profile_writer w = {.to = a->to,
				   .format = profile_target(a->format, ""),
				   .text = &a->text,
				   .look = look,
				   .look_to = &seen};
	struct progress progress;
	char *lost;
	int code;

	a->text.paths = a->callpath != NULL;
	a->text.width = a->to ? 0 : table_width(stdout);
	if (!w.format)
		return check_format(a->format, e);
	if (option_use_check(&a->given, uses, a->format, e) || check_input(a, in, e))
		return e->code;
	if (a->text.all && option_present(&a->given, "top"))
		return error_set(e, ERROR_USAGE, "--all and --top exclude each other");
	if (trace_options_parse(&a->trace_options, &o, e) ||
	    depth_get(a->callpath, &o.callpath_depth, e))
		return e->code;
	progress_begin(&progress, in->path);
	progress.on &= parallel_writes(ranks);
	o.progress = progress_replay;
	o.progress_to = &progress;
	o.ranks = ranks;
	code = load_each(in, &o, &(struct replay_sink){write_first, &w}, e);
	progress_end(&progress);
	code = profile_writer_end(&w, code, e);
	if (!code && parallel_writes(ranks)) {
		lost = profile_format_named(w.format->name) && w.format->print
			       ? profile_writer_lost(&w)
			       : NULL;
		if (lost)
			message_print(program->name, "%s", lost);
		free(lost);
		outcome_print(program, a, &report, &seen);
	}
	free(seen.first);
	load_report_release(&report);
	return code;
}

/* Started by a launcher, the processes of a job share the work, and end together. Returns the exit code. */
static int run_shared(const struct program *program, struct arguments *a, struct input *in)
{
	struct ranks *ranks;
	struct error e = {0};
	int code = parallel_begin(a->alone, &ranks, &e);

	if (!code)
		code = run(program, a, in, ranks, &e);
	return parallel_end(program, ranks, code, &e);
}

/* The variable is as the option, but no error. */
static void compensate_by_variable(const struct program *program, struct arguments *a)
{
	if (a->compensate || !choice_on(tau_variable("TAU_COMPENSATE")))
		return;
	a->compensate = option_is_word(COMPENSATED, a->format);
	if (!a->compensate)
		message_print(program->name, "TAU_COMPENSATE is for text, json and csv, not for "
			"profiles as %s", a->format);
}

#define KEPT_FREE (64 << 20) /* bytes of freed memory that the process keeps */

int main(int argc, char **argv)
{
	struct arguments a = {.format = "tau",
			      .trace_options = TRACE_OPTIONS_DEFAULT,
			      .text.top = PROFILE_TEXT_TOP};
	struct error e = {0};
	const struct option options[] = {
		OPTION_HEADING("Which part of a run"),
		TRACE_OPTIONS_WINDOWS(&a.trace_options),
		TRACE_OPTIONS_ONLY(&a.trace_options),
		OPTION_HEADING("Rows and values"),
		{'c', "callpath", OPTION_MAYBE, "DEPTH",
		 "add rows by call path: the DEPTH innermost regions (default: all)", &a.callpath},
		TRACE_OPTIONS_SAMPLES(&a.trace_options),
		{0, "compensate", OPTION_FLAG, NULL,
		 "add the times without the cost of recording, as intervals; for text, "
		 "json and csv", &a.compensate},
		OPTION_HEADING("Output"),
		{'f', "format", OPTION_TEXT, "FORMAT",
		 "write tau (a directory; default), text, json, csv, or a file format "
		 "of tau-formats(5)",
		 &a.format},
		{'o', "output", OPTION_TEXT, "PATH", "write to PATH (default: profiles for tau, "
						     "else standard output)",
		 &a.to},
		OPTION_HEADING("Output as text"),
		{0, "top", OPTION_NUMBER, "N", "print at most N rows of a table as text (default: "
					       "20; 0: all)",
		 &a.text.top},
		{0, "metric", OPTION_TEXT, "NAME", "print this metric as text (default: the first)",
		 &a.text.metric},
		{0, "counters", OPTION_FLAG, NULL, "add a table of counters to text",
		 &a.text.counters},
		{0, "all", OPTION_FLAG, NULL,
		 "print all rows of all threads, metrics and counters as text", &a.text.all},
		OPTION_HEADING("How it is read"),
		TRACE_OPTIONS_THREADS(&a.trace_options),
		{0, "alone", OPTION_FLAG, NULL,
		 "do not share work with the other processes of a parallel job", &a.alone},
		TRACE_OPTIONS_INDEX(&a.trace_options),
		{'s', "stats", OPTION_FLAG, NULL, "print how much of the trace was read", &a.stats},
		{0}};
	const struct program program = {
		.name = "tau-trace2profile",
		.usage = "[OPTION...] RUN",
		.options = options,
		.project = "top metric",
		.common = "window every callpath format output",
		.about = "Computes profiles of a run over time windows: calls, times and events of "
			 "each thread.",
		.given = &a.given,
	};
	int at = options_parse(&program, argc, argv);
	struct inputs known = {0};
	int code;

	/* Each stream frees its tables, and the next one needs as many again. */
	mallopt(M_TRIM_THRESHOLD, KEPT_FREE);
	compensate_by_variable(&program, &a);
	if (argc - at != 1) {
		error_set(&e, ERROR_USAGE,
			  "name one run: its directory, or one file of it (see %s --help)",
			  program.name);
		return program_fail(&program, &e);
	}
	guard_archives(&program, &known, argv + at, 1, NULL);
	code = run_shared(&program, &a, inputs_get(&known, argv[at]));
	inputs_release(&known);
	trace_options_release(&a.trace_options);
	free(a.given.v);
	return code;
}
