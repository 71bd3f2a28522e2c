/* tau-trace2profile.c: turns a trace into profiles over chosen windows. */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../convert/load.h"
#include "../convert/tau_profile.h"
#include "option.h"
#include "output.h"
#include "profile_print.h"
#include "progress.h"
#include "reading.h"

struct arguments {
	struct option_list window;
	const char *callpath; /* NULL: flat; "": unlimited */
	const char *format, *to, *resolution;
	int stats, compensate;
	struct reading reading;
};

static const struct print_format {
	const char *name;
	void (*print)(FILE *f, struct profile *const *p, size_t n); /* NULL: a directory */
} print_format[] = {
	{"tau", NULL},
	{"text", profile_print_text},
	{"json", profile_print_json},
	{"csv", profile_print_csv},
};

static const struct print_format *format_get(const char *name, struct error *e)
{
	for (size_t i = 0; i < sizeof(print_format) / sizeof(*print_format); i++)
		if (!strcmp(print_format[i].name, name))
			return &print_format[i];
	error_set(e, ERROR_USAGE, "--format: '%s' is none of tau, text, json, csv", name);
	return NULL;
}

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

/* ---- directories of several windows ---- */

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	remove(path);
	return 0;
}

/* A window's text as the name of a directory. */
static char *window_directory(const char *parent, const char *window)
{
	char *path = mem_printf("%s/%s", parent, window);

	for (char *c = path + strlen(parent) + 1; *c; c++)
		if (*c == '/')
			*c = '_';
	return path;
}

/* One directory per window below `to`, which appears when all of them are written. */
static int write_windows(const char *to, struct profile *const *p, size_t n, struct error *e)
{
	char *temporary = mem_printf("%s.tmp.%ld", to, (long)getpid());
	int code = 0;

	if (mkdir(temporary, 0777))
		code = error_set(e, ERROR_SYSTEM, "%s: %s", temporary, strerror(errno));
	for (size_t i = 0; i < n && !code; i++) {
		char *path = window_directory(temporary, p[i]->window);

		code = tau_profile_write(path, p[i], e);
		free(path);
	}
	if (!code && rename(temporary, to))
		code = error_set(e, ERROR_SYSTEM, "%s: %s", to, strerror(errno));
	if (code)
		nftw(temporary, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(temporary);
	return code;
}

static int write_profiles(const struct arguments *a, const struct print_format *format,
			  struct profile *const *p, size_t n, struct error *e)
{
	struct output out;

	if (!format->print) {
		const char *to = a->to ? a->to : "profiles";

		return n > 1 ? write_windows(to, p, n, e) : tau_profile_write(to, p[0], e);
	}
	output_open(&out);
	format->print(out.file, p, n);
	return output_close(&out, a->to, e);
}

/* What was lost or repaired, what a window missed, and with --stats what it cost. */
static void say(const struct program *program, const struct load_report *r,
		struct profile *const *p, size_t n, int stats)
{
	for (size_t i = 0; i < r->note_n; i++)
		fprintf(stderr, "%s: %s\n", program->name, r->note[i]);
	for (size_t i = 0; i < n; i++)
		if (p[i]->window && !p[i]->thread_n)
			fprintf(stderr, "%s: window '%s': nothing happened in it\n", program->name,
				p[i]->window);
	if (stats)
		fprintf(stderr, "%s: read %llu of %llu bytes, decoded %llu events\n", program->name,
			(unsigned long long)r->bytes_read, (unsigned long long)r->bytes_total,
			(unsigned long long)r->events);
}

static int run(const struct program *program, const struct arguments *a, const char *path,
	       struct error *e)
{
	const struct print_format *format = format_get(a->format, e);
	struct load_report report = {0};
	struct load_options o = {.window = a->window.v,
				 .window_n = a->window.v_n,
				 .report = &report,
				 .compensate = a->compensate};
	struct profile **profile;
	size_t n;
	struct progress progress;
	int code;

	if (!format || reading_take(&a->reading, &o, e) ||
	    depth_get(a->callpath, &o.callpath_depth, e) ||
	    resolution_get(a->resolution, &o.resolution, e))
		return e->code;
	progress_begin(&progress, path);
	o.progress = progress_replay;
	o.progress_to = &progress;
	code = load_profiles(path, &o, &profile, &n, e);
	progress_end(&progress);
	if (code)
		return code;
	code = write_profiles(a, format, profile, n, e);
	if (!code)
		say(program, &report, profile, n, a->stats);
	for (size_t i = 0; i < n; i++)
		profile_free(profile[i]);
	free(profile);
	load_report_release(&report);
	return code;
}

int main(int argc, char **argv)
{
	struct arguments a = {.format = "tau", .reading = READING_DEFAULT};
	struct error e = {0};
	const struct option options[] = {
		{'w', "window", OPTION_LIST, "WINDOW",
		 "only BEGIN:END, or a region; may stand several times", &a.window},
		{'c', "callpath", OPTION_MAYBE, "DEPTH",
		 "rows by call path, the DEPTH innermost regions or all", &a.callpath},
		{'f', "format", OPTION_TEXT, "FORMAT", "tau (a directory), text, json or csv",
		 &a.format},
		{'o', "output", OPTION_TEXT, "PATH", "where to write: profiles, or standard output",
		 &a.to},
		{0, "sample-resolution", OPTION_TEXT, "WHAT",
		 "what samples tell apart: line, function or file (default: line)", &a.resolution},
		{0, "compensate", OPTION_FLAG, NULL,
		 "take from the times what recording itself cost", &a.compensate},
		READING_THREADS(&a.reading),
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
	int code = 0;

	a.compensate |= wanted && *wanted && strcmp(wanted, "0") != 0;

	if (argc - at != 1)
		error_set(&e, ERROR_USAGE,
			  "one run is needed: its directory, or one file of it (see %s --help)",
			  program.name);
	else
		code = run(&program, &a, argv[at], &e);
	free(a.window.v);
	if (e.code)
		return program_fail(&program, &e);
	return program_end(&program, code);
}
