/* tau-report.c: reads the command line, loads the runs and lets a kind of report print. */
#include <stdio.h>
#include <string.h>

#include "../analyze/base.h"
#include "option.h"
#include "output.h"
#include "report.h"
#include "table.h"

static const struct {
	const char *name;
	report_kind *print;
	const char *view; /* where --view is not given */
	int paths;	  /* --by stack makes sense */
} kinds[] = {
	{"memory-scaling", report_memory_scaling, NULL, 0},
	{"memory", report_memory, NULL, 1},
	{"memory-growth", report_memory_growth, NULL, 0},
	{"leaks", report_leaks, "end", 1},
	{"series", report_series, NULL, 0},
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

/* Most kinds look at one window of each run. */
static int take_windows(struct report_options *o, struct reading *r, const char *kind,
			struct error *e)
{
	if (!strcmp(kind, "series")) {
		o->series = r;
		return o->at ? error_set(e, ERROR_USAGE, "series: --at is for other reports") : 0;
	}
	if (r->window.v_n > 1 || r->windows || r->every || reading_sliced(r))
		return error_set(e, ERROR_USAGE,
				 "%s: a report looks at one window; series shows several", kind);
	if (r->rank.v_n || r->thread.v_n)
		return error_set(e, ERROR_USAGE, "%s: --rank and --thread are for series", kind);
	if (o->samples)
		return error_set(e, ERROR_USAGE, "%s: --samples is for series", kind);
	if (o->at && r->window.v_n)
		return error_set(e, ERROR_USAGE, "%s: --at and --window both say what to look at",
				 kind);
	o->window = o->at_window ? o->at_window : r->window.v_n ? r->window.v[0] : NULL;
	return 0;
}

static int report(struct report_options *o, const char *format, const char *kind, struct error *e)
{
	static const char *const formats[] = {"text", "csv", "json", "svg", "folded"};
	struct report_runs runs = {0};
	struct output out;
	size_t choice = 0, k = 0;
	int rc;

	while (k < KINDS && strcmp(kind, kinds[k].name))
		k++;
	if (k == KINDS)
		return error_set(e, ERROR_USAGE,
				 "'%s' is not a kind of report; there are: memory-scaling, "
				 "memory, memory-growth, leaks, series",
				 kind);
	rc = report_choice("--format", format, formats, sizeof(formats) / sizeof(*formats), &choice,
			   e);
	if (rc < 0)
		return rc;
	o->format = (enum report_format)choice;
	if (!o->view)
		o->view = kinds[k].view;
	o->paths = o->by && !strcmp(o->by, "stack");
	if (o->paths && kinds[k].paths)
		o->by = "site";
	rc = report_paths_check(o, e);
	if (rc < 0)
		return rc;
	rc = report_load(o, &runs, e);
	if (!rc) {
		output_open(&out);
		if (o->output && !strcmp(o->output, "-"))
			o->output = NULL;
		rc = kinds[k].print(o, &runs, &out, o->output ? 0 : table_width(stdout), e);
		if (rc < 0)
			output_drop(&out);
		else
			rc = output_close(&out, o->output, e);
	}
	report_release(&runs);
	return rc;
}

int main(int argc, char **argv)
{
	struct report_options o = {.top = -1};
	struct reading reading = READING_DEFAULT;
	const char *format = NULL;
	const struct option options[] = {
		{0, "db", OPTION_TEXT, "FILE",
		 "read trials of this database; RUN then names trials (default: all)", &o.db},
		READING_WINDOWS(&reading),
		{0, "at", OPTION_TEXT, "TIME",
		 "what was live at TIME: the window from the start to it", &o.at},
		READING_ONLY(&reading),
		READING_THREADS(&reading),
		{0, "view", OPTION_TEXT, "VIEW", "live (default), peak or cumulative bytes",
		 &o.view},
		{0, "per", OPTION_TEXT, "WHAT",
		 "pe: mean over PEs (default), max: the largest PE, job: the sum", &o.per},
		{0, "by", OPTION_TEXT, "WHAT",
		 "type (default), owner, parent, site or all; memory: also stack, pe, region, time",
		 &o.by},
		{0, "top", OPTION_NUMBER, "N",
		 "rows to show one by one, 0 for all (text 20, svg 6, csv and json all)", &o.top},
		{0, "predict", OPTION_LIST, "PES",
		 "memory-scaling: what the models say about so many PEs; may stand several times",
		 &o.predict},
		{0, "samples", OPTION_FLAG, NULL,
		 "series: the code that samples found, instead of the timers it ran in",
		 &o.samples},
		{'f', "format", OPTION_TEXT, "FORMAT",
		 "text (default), csv, json, svg or folded", &format},
		{'o', "output", OPTION_TEXT, "FILE", "write to FILE instead of standard output (-)",
		 &o.output},
		{0},
	};
	const struct program program = {
		.name = "tau-report",
		.usage = "KIND [options] [RUN...]",
		.about =
			"Reports over runs, directories of TAU profiles, or trials of a database.\n"
			"Kinds: memory-scaling (which object types grow with the number of PEs, "
			"and how),\n"
			"memory (who holds the memory of one run), memory-growth (what explains "
			"the difference\nof two), leaks (what was never freed), series\n(where the "
			"time goes, window by window)",
		.options = options,
	};
	struct error e = {0};
	char *at_window = NULL;
	int first = options_parse(&program, argc, argv), rc;

	if (first == argc) {
		error_set(&e, ERROR_USAGE, "no kind of report given (see tau-report --help)");
		return program_fail(&program, &e);
	}
	o.operand = argv + first + 1;
	o.operand_n = (size_t)(argc - first - 1);
	if (o.at)
		o.at_window = at_window = mem_printf(":%s", o.at);
	rc = take_windows(&o, &reading, argv[first], &e);
	if (!rc)
		rc = report(&o, format, argv[first], &e);
	reading_release(&reading);
	free(at_window);
	free(o.predict.v);
	return rc < 0 ? program_fail(&program, &e) : program_end(&program, 0);
}
