/* tau-trace2profile.c: turns a trace into profiles over chosen windows. */
#include <stdio.h>
#include <string.h>

#include "profile_convert.h"
#include "progress.h"
#include "reading.h"

#define FORMATS "tau, ppk, snapshot, folded, callgrind, pprof, json, csv, text"

struct arguments {
	const char *callpath; /* NULL: flat; "": unlimited */
	const char *format, *to, *resolution;
	int stats, compensate, alone;
	struct reading reading;
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
		return error_set(e, ERROR_USAGE, "--callpath: '%s' is no depth from 2 to 1000",
				 text);
	*depth = (int)n;
	return 0;
}

/* As TAU_EBS_RESOLUTION says where nothing else does. */
static int resolution_get(const char *text, enum stack_resolution *out, struct error *e)
{
	static const char *const name[] = {"line", "function", "file"};
	const char *from = text ? "--sample-resolution" : "TAU_EBS_RESOLUTION";

	if (!text)
		text = getenv("TAU_EBS_RESOLUTION");
	*out = STACK_LINE;
	for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++)
		if (!text || !*text || !strcmp(text, name[i])) {
			*out = (enum stack_resolution)i;
			return 0;
		}
	return error_set(e, ERROR_USAGE, "%s: '%s' is none of line, function, file", from, text);
}

/* Where nothing says where to, standard output, unless it is a directory. */
static int write_profiles(const struct program *program, const struct arguments *a,
			  const struct profile_format *f, struct profile *const *p, size_t n,
			  struct error *e)
{
	int directory = !f->print || (n > 1 && !(f->keeps & KEEPS_SERIES));
	int code = profiles_write(a->to || !directory ? a->to : "profiles", f, p, n, e);
	char *lost =
		!code && profile_format_named(f->name) && f->print ? profiles_lost(f, p, n) : NULL;

	if (lost)
		fprintf(stderr, "%s: %s\n", program->name, lost);
	free(lost);
	return code;
}

/* Has something been said of a window already? */
static int told(const struct load_report *r, const char *window)
{
	char *quoted = mem_printf("window '%s'", window);
	int found = 0;

	for (size_t i = 0; i < r->note_n && !found; i++)
		found = strstr(r->note[i], quoted) != NULL;
	free(quoted);
	return found;
}

/* Windows in which nothing happened: one is named, more are counted. */
static void say_empty(const struct program *program, const struct load_report *r,
		      struct profile *const *p, size_t n)
{
	const char *first = NULL;
	size_t empty = 0;

	for (size_t i = 0; i < n; i++) {
		if (!p[i]->window || p[i]->thread_n)
			continue;
		empty++;
		first = first ? first : p[i]->window;
	}
	if (empty > 1)
		fprintf(stderr,
			"%s: nothing happened in %zu of %zu windows, of which '%s' is the first\n",
			program->name, empty, n, first);
	else if (empty && !told(r, first))
		fprintf(stderr, "%s: window '%s': nothing happened in it\n", program->name, first);
}

/* How much --compensate took from the times of all threads, and how far off that may be. */
static void say_compensated(const struct program *program, struct profile *const *p, size_t n)
{
	double paid = 0, doubt = 0;

	for (size_t i = 0; i < n; i++)
		for (uint32_t t = 0; t < p[i]->thread_n; t++) {
			const char *us = profile_meta(p[i], t, "TAU Compensated (us)");
			const char *error = profile_meta(p[i], t, "TAU Compensation Error (us)");

			paid += us ? strtod(us, NULL) : 0;
			doubt += error ? strtod(error, NULL) : 0;
		}
	if (paid > 0)
		fprintf(stderr,
			"%s: recording cost %.3f ms, taken from the times; %.3f ms of it are in "
			"doubt\n",
			program->name, paid / 1000, doubt / 1000);
}

/* What was lost or repaired, what a window missed, and with --stats what it cost. */
static void say(const struct program *program, const struct load_report *r,
		struct profile *const *p, size_t n, int stats)
{
	for (size_t i = 0; i < r->note_n; i++)
		fprintf(stderr, "%s: %s\n", program->name, r->note[i]);
	say_empty(program, r, p, n);
	say_compensated(program, p, n);
	if (stats)
		reading_stats(program->name, r->bytes_read, r->bytes_total, r->index_read,
			      r->events);
}

static int run(const struct program *program, struct arguments *a, const char *path,
	       struct ranks *ranks, struct error *e)
{
	const struct profile_format *format = profile_target(a->format, "");
	struct load_report report = {0};
	struct load_options o = {.report = &report, .compensate = a->compensate};
	struct profile **profile;
	size_t n;
	struct progress progress;
	int code;

	if (!format)
		return error_set(e, ERROR_USAGE, "--format: '%s' is none of " FORMATS, a->format);
	if (reading_take(&a->reading, &o, e) || depth_get(a->callpath, &o.callpath_depth, e) ||
	    resolution_get(a->resolution, &o.resolution, e))
		return e->code;
	progress_begin(&progress, path);
	progress.on &= !ranks || !ranks_rank(ranks);
	o.progress = progress_replay;
	o.progress_to = &progress;
	o.ranks = ranks;
	code = load_profiles(path, &o, &profile, &n, e);
	progress_end(&progress);
	if (code || (ranks && ranks_rank(ranks)))
		return code;
	code = write_profiles(program, a, format, profile, n, e);
	if (!code)
		say(program, &report, profile, n, a->stats);
	for (size_t i = 0; i < n; i++)
		profile_free(profile[i]);
	free(profile);
	load_report_release(&report);
	return code;
}

/* Started by a launcher, the processes of a job share the work, and end together. Returns the exit
 * code. */
static int run_shared(const struct program *program, struct arguments *a, const char *path)
{
	unsigned rank = 0, size;
	struct ranks *ranks = NULL;
	struct error e = {0};
	char *job, *what;
	int code = 0;

	if (!a->alone && ranks_job(&rank, &size, &job)) {
		what = mem_printf("%s\n%s", path, a->to ? a->to : "");
		code = ranks_begin(rank, size, job, a->to ? a->to : "", what, &ranks, &e);
		free(what);
		free(job);
	}
	if (!code)
		code = run(program, a, path, ranks, &e);
	if (!e.code && !rank)
		code = program_end(program, 0);
	else if (!rank || !ranks)
		code = program_fail(program, &e);
	if (!ranks)
		return code;
	if (code > 0 && !e.code)
		e.code = -code;
	code = ranks_end(ranks, &e);
	return rank && code ? program_fail(program, &e) : -code;
}

int main(int argc, char **argv)
{
	struct arguments a = {.format = "tau", .reading = READING_DEFAULT};
	struct error e = {0};
	const struct option options[] = {
		READING_WINDOWS(&a.reading),
		READING_ONLY(&a.reading),
		{'c', "callpath", OPTION_MAYBE, "DEPTH",
		 "rows by call path, the DEPTH innermost regions or all", &a.callpath},
		{'f', "format", OPTION_TEXT, "FORMAT",
		 "tau (a directory; default), text, json, csv, or a file format of tau-formats(5)",
		 &a.format},
		{'o', "output", OPTION_TEXT, "PATH", "where to write: profiles, or standard output",
		 &a.to},
		{0, "sample-resolution", OPTION_TEXT, "WHAT",
		 "what samples tell apart: line, function or file (default: line)", &a.resolution},
		{0, "compensate", OPTION_FLAG, NULL,
		 "take from the times what recording itself cost", &a.compensate},
		READING_THREADS(&a.reading),
		{0, "alone", OPTION_FLAG, NULL,
		 "share no work with the other processes of a parallel job", &a.alone},
		READING_INDEX(&a.reading),
		{'s', "stats", OPTION_FLAG, NULL, "say how much of the trace was read", &a.stats},
		{0}};
	const struct program program = {
		.name = "tau-trace2profile",
		.usage = "[OPTION...] RUN",
		.options = options,
		.about = "Computes profiles of a run over windows of time: calls, times and events "
			 "of each thread.",
	};
	int at = options_parse(&program, argc, argv);
	const char *wanted = getenv("TAU_COMPENSATE");
	int code;

	a.compensate |= wanted && *wanted && strcmp(wanted, "0") != 0;
	if (argc - at != 1) {
		error_set(&e, ERROR_USAGE,
			  "one run is needed: its directory, or one file of it (see %s --help)",
			  program.name);
		return program_fail(&program, &e);
	}
	code = run_shared(&program, &a, argv[at]);
	reading_release(&a.reading);
	return code;
}
