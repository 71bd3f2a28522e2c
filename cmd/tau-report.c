/* tau-report.c: reads the command line, loads the runs and lets a kind of report print. */
#include <stdio.h>
#include <string.h>

#include "analyze/base/base.h"
#include "cmd/shared/guard.h"
#include "cmd/shared/option.h"
#include "cmd/shared/option_use.h"
#include "cmd/shared/output.h"
#include "cmd/shared/parallel.h"
#include "cmd/report/report.h"
#include "cmd/shared/table.h"

static const struct {
	const char *name;
	report_kind *print;
	const char *view; /* where --view is not given */
	int paths;	  /* --by stack makes sense */
	int whole;	  /* about times: without --window everything, not what is before finalize */
} kinds[] = {
	{"memory-scaling", report_memory_scaling, NULL, 0, 0},
	{"memory", report_memory, NULL, 1, 0},
	{"memory-growth", report_memory_growth, NULL, 0, 0},
	{"leaks", report_leaks, "end", 1, 0},
	{"series", report_series, NULL, 0, 0},
	{"diff", report_diff, NULL, 0, 1},
	{"why", report_why, NULL, 0, 1},
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

/* Options that mean something for some kinds only. */
static const struct option_use uses[] = {
	{"view", "memory-scaling memory memory-growth"},
	{"per", "memory-scaling memory memory-growth diff why"},
	{"by", "memory-scaling memory memory-growth leaks diff why"},
	{"metric", "diff why"},
	{"inclusive", "diff"},
	{"at", "memory-scaling memory memory-growth leaks"},
	{"predict", "memory-scaling"},
	{"samples", "series diff why"},
	{"windows", "series"},
	{"every", "series"},
	{"slices", "series"},
	{"rank", "series"},
	{"thread", "series"},
	{"group", "series"},
	{"region", "series"},
	{"inside", "series"},
	{"threads", "series"},
	{0},
};

/* Most kinds look at one window of each run. */
static int take_windows(struct report_options *o, struct reading *r, const char *kind,
			struct error *e)
{
	if (!strcmp(kind, "series")) {
		o->series = r;
		return 0;
	}
	if (r->window.v_n > 1)
		return error_set(e, ERROR_USAGE,
				 "%s: this report uses one window; series shows several", kind);
	if (o->at && r->window.v_n)
		return error_set(e, ERROR_USAGE, "%s: --at and --window exclude each other",
				 kind);
	o->window = o->at_window ? o->at_window : r->window.v_n ? r->window.v[0] : NULL;
	return 0;
}

/* The number of the kind of that name, for which all options that were given mean something. */
static int take_kind(const char *name, const struct option_list *given, size_t *kind,
		     struct error *e)
{
	const char *known[KINDS];

	for (size_t i = 0; i < KINDS; i++)
		known[i] = kinds[i].name;
	if (choice_get("kind of report", name, known, KINDS, kind, e))
		return e->code;
	return option_use_check(given, uses, name, e);
}

static int report(struct report_options *o, const char *format, size_t k, struct error *e)
{
	static const char *const formats[] = {"text", "csv", "json", "svg", "folded"};
	struct report_runs runs = {0};
	struct output out;
	size_t choice = 0;
	int rc = choice_option("--format", format, formats, sizeof(formats) / sizeof(*formats),
			       &choice, e);

	if (rc < 0)
		return rc;
	o->format = (enum report_format)choice;
	if (!o->view)
		o->view = kinds[k].view;
	o->whole = kinds[k].whole;
	o->callpaths = o->whole && o->by && !strcmp(o->by, "path");
	o->paths = o->by && !strcmp(o->by, "stack");
	if (o->paths && kinds[k].paths)
		o->by = "site";
	rc = report_paths_check(o, e);
	if (rc < 0)
		return rc;
	rc = report_load(o, &runs, e);
	if (!rc && parallel_writes(o->ranks)) {
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
	struct option_list given = {0};
	const char *format = NULL;
	const struct option options[] = {
		{0, "db", OPTION_TEXT, "FILE",
		 "read trials of this database; RUN names trials (default: all)", &o.db},
		READING_WINDOWS(&reading),
		{0, "at", OPTION_TEXT, "TIME",
		 "use the memory that is live at TIME", &o.at},
		READING_ONLY(&reading),
		READING_THREADS(&reading),
		{0, "view", OPTION_TEXT, "VIEW", "show live (default), peak or "
						 "cumulative bytes",
		 &o.view},
		{0, "per", OPTION_TEXT, "WHAT",
		 "show the mean over PEs (pe, default), the largest PE (max) or the sum (job)",
		 &o.per},
		{0, "by", OPTION_TEXT, "WHAT",
		 "print one row per type (default), owner, "
		 "parent, site or all; memory: also stack, pe, region, time; diff and why: "
		 "region (default), path, group",
		 &o.by},
		{0, "metric", OPTION_TEXT, "NAME", "compare this metric (default: the first)",
		 &o.metric},
		{0, "inclusive", OPTION_FLAG, NULL,
		 "diff: compare inclusive values (default: exclusive)", &o.inclusive},
		{0, "top", OPTION_NUMBER, "N",
		 "print at most N rows, 0 for all (default: text 20, svg 6, csv and json all)",
		 &o.top},
		{0, "predict", OPTION_LIST, "PES",
		 "memory-scaling: print the forecast of the models for PES processing elements; "
		 "may be repeated",
		 &o.predict},
		{0, "samples", OPTION_FLAG, NULL,
		 "show the sampled code instead of the timers",
		 &o.samples},
		{0, "alone", OPTION_FLAG, NULL,
		 "do not share work with the other processes of a parallel job", &o.alone},
		{'f', "format", OPTION_TEXT, "FORMAT",
		 "print text (default), csv, json, svg or folded", &format},
		{'o', "output", OPTION_TEXT, "FILE", "write to FILE (default: -, standard output)",
		 &o.output},
		{0},
	};
	const struct program program = {
		.name = "tau-report",
		.usage = "KIND [options] [RUN...]",
		.about =
			"Reports over runs, directories of TAU profiles, or trials of a "
			"database.\nKinds: memory-scaling (which object types grow with the number "
			"of PEs, and how),\nmemory (what holds the memory of one run), "
			"memory-growth (what explains the\ndifference between runs), leaks (blocks "
			"that were never freed),\nseries (time per region, window by window), "
			"diff (what changed between two\nruns), why (the rows that explain it)",
		.options = options,
		.given = &given,
	};
	struct error e = {0};
	char *at_window = NULL;
	size_t kind;
	int first = options_parse(&program, argc, argv), rc;

	if (first == argc) {
		error_set(&e, ERROR_USAGE, "no kind of report given (see tau-report --help)");
		return program_fail(&program, &e);
	}
	o.operand = argv + first + 1;
	o.operand_n = (size_t)(argc - first - 1);
	if (o.at)
		o.at_window = at_window = mem_printf(":%s", o.at);
	guard_archives(&program, argv + first + 1, o.operand_n, NULL);
	rc = take_kind(argv[first], &given, &kind, &e);
	if (!rc)
		rc = take_windows(&o, &reading, argv[first], &e);
	if (!rc)
		rc = parallel_begin(o.alone, &o.ranks, &e);
	if (!rc)
		rc = report(&o, format, kind, &e);
	free(given.v);
	reading_release(&reading);
	free(at_window);
	free(o.predict.v);
	return parallel_end(&program, o.ranks, rc, &e);
}
