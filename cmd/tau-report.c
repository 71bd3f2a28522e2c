/* tau-report.c: reads the command line, loads the runs and lets a kind of report print. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyze/base/base.h"
#include "cmd/shared/guard.h"
#include "cmd/shared/option.h"
#include "cmd/shared/option_use.h"
#include "cmd/shared/output.h"
#include "cmd/shared/parallel.h"
#include "cmd/report/explain.h"
#include "cmd/report/report.h"
#include "cmd/report/report_html.h"
#include "cmd/shared/table.h"

static const struct {
	const char *name;
	report_kind *print; /* NULL: a page of other kinds */
	const char *view;   /* where --view is not given */
	int paths;          /* --by stack makes sense */
	int whole;     /* about times: without --window everything, not what is before finalize */
	int part;      /* ranks, threads and regions of a trace can be chosen: 2 with call paths */
	int functions; /* samples are by function, not by line, unless --sample-resolution is used
			*/
	const char *word; /* an operand before the runs */
	int events;       /* it reads the events of one run itself */
	const char *about;
	int baseline;       /* --baseline names the runs before */
	int ci;             /* also as JUnit XML and GitHub annotations */
	const char *format; /* where --format is not given; NULL: text */
} kinds[] = {
	{"memory-scaling", report_memory_scaling,
	 .about = "which object types grow with the number of PEs, and how"},
	{"memory", report_memory, .paths = 1, .about = "what holds the memory of one run"},
	{"memory-growth", report_memory_growth,
	 .about = "what explains the difference between runs"},
	{"leaks", report_leaks, .view = "end", .paths = 1, .about = "blocks that were never freed"},
	{"series", report_series, .about = "time per region, window by window"},
	{"comm", report_comm, .events = 1, .about = "messages and bytes between PEs"},
	{"waits", report_waits, .events = 1, .about = "who waits for whom, and what causes it"},
	{"efficiency", report_efficiency, .events = 1, .about = "how well the PEs are used"},
	{"timeline", report_timeline, .events = 1, .about = "who does what when"},
	{"critical-path", report_critical_path, .events = 1,
	 .about = "where the longest dependent chain of the program runs"},
	{"io", report_io, .events = 1, .about = "reads and writes of files, and their sizes"},
	{"locks", report_locks, .events = 1,
	 .about = "locks that threads wait for, and who has them"},
	{"counters", report_counters, .events = 1,
	 .about = "values of counters, their rates, and their course over time"},
	{"anomalies", report_anomalies, .events = 1,
	 .about = "what takes unusually long, and where ranks are unlike the others"},
	{"overview", report_overview, .whole = 1, .part = 1, .functions = 1,
	 .about = "what ran, where the time went, and what to look at next (no KIND: this)"},
	{"profile", report_profile, .whole = 1, .part = 1,
	 .about = "time per region, rank, group or file, over all threads"},
	{"tree", report_tree, .whole = 1, .part = 2, .about = "call paths and their time"},
	{"callers", report_callers, .whole = 1, .part = 2, .word = "REGION",
	 .about = "REGION: who calls it, and what it calls"},
	{"flame", report_flame, .whole = 1, .part = 2,
	 .about = "picture of the call paths of regions or samples", .format = "svg"},
	{"imbalance", report_imbalance, .whole = 1, .part = 1,
	 .about = "regions by the time lost because threads have unequal shares"},
	{"threads", report_threads, .whole = 1, .part = 1, .word = "REGION",
	 .about = "REGION: its distribution over ranks and threads"},
	{"cluster", report_cluster, .whole = 1, .part = 1,
	 .about = "ranks that spend their time alike, and what distinguishes them"},
	{"groups", report_groups, .whole = 1, .part = 1, .about = "time per group of regions"},
	{"diff", report_diff, .whole = 1, .about = "what changed between two runs"},
	{"why", report_why, .whole = 1, .about = "the rows that explain that"},
	{"scaling", report_scaling, .whole = 1,
	 .about = "speedup and efficiency of runs and regions, with models"},
	{"breakdown", report_breakdown, .whole = 1,
	 .about = "shares of regions in the time over the number of PEs"},
	{"compare", report_compare, .whole = 1, .baseline = 1, .ci = 1,
	 .about = "repeated runs against a baseline, with tests and a verdict (--gate)"},
	{"html", NULL, .whole = 1, .format = "html",
	 .about = "all of this on one page for a browser"},
	{"correlate", report_correlate, .whole = 1,
	 .about = "regions and metadata that go with the total time of runs"},
	{"trend", report_trend, .whole = 1,
	 .about = "when the time of a program changed, over runs"},
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

/* Kinds that read the events of one run themselves. */
#define EVENTS "comm waits efficiency timeline critical-path io locks counters"
/* Kinds that compare the times of runs. */
#define RUNS "diff why scaling breakdown compare trend correlate"
/* Kinds about the times of one run, in samples, too. */
#define SAMPLED "profile tree callers flame threads"
/* All that read a run once, and all that can read a part of it. */
#define PART  SAMPLED " imbalance groups cluster overview"
#define TIMES "series " PART
/* Kinds for which ranks and threads can be selected, and those for which regions can. */
#define RANKS   TIMES " anomalies " EVENTS
#define REGIONS TIMES " comm waits timeline critical-path io locks anomalies"

/* Options that mean something for some kinds only. */
static const struct option_use uses[] = {
	{"view", "memory-scaling memory memory-growth"},
	{"per", "memory-scaling memory memory-growth diff why"},
	{"by", "memory-scaling memory memory-growth leaks profile cluster " EVENTS " " RUNS},
	{"metric", RUNS " html " PART},
	{"where", "memory-scaling memory memory-growth leaks html " RUNS " " PART},
	{"sort", "profile"},
	{"cut", "tree breakdown"},
	{"inclusive", "diff"},
	{"at", "memory-scaling memory memory-growth leaks"},
	{"predict", "memory-scaling scaling"},
	{"label", "trend"},
	{"order", "trend"},
	{"problem", "scaling"},
	{"baseline", "compare"},
	{"gate", "compare trend memory-growth leaks"},
	{"samples", "series " RUNS " " SAMPLED},
	{"sample-resolution", SAMPLED " overview"},
	{"windows", "series"},
	{"every", "series"},
	{"slices", "series"},
	{"rank", RANKS},
	{"thread", RANKS},
	{"group", REGIONS},
	{"region", REGIONS},
	{"inside", REGIONS},
	{"threads", TIMES},
	{0},
};

/* The text of --help; to be freed. */
static char *about_text(void)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	fputs("Reports over runs, profiles, or trials of a database.\n\nKinds:", f);
	for (size_t i = 0; i < KINDS; i++)
		fprintf(f, "\n  %-15s %s", kinds[i].name, kinds[i].about);
	fclose(f);
	return text;
}

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
		return error_set(e, ERROR_USAGE, "%s: --at and --window exclude each other", kind);
	o->window = o->at_window ? o->at_window : r->window.v_n ? r->window.v[0] : NULL;
	return 0;
}

/* What a kind reads that can choose parts of a trace; its window is o->window. */
static int take_load(struct report_options *o, struct reading *r, size_t kind,
		     struct load_options *load, struct error *e)
{
	int rc;

	if (!kinds[kind].part && !kinds[kind].events)
		return 0;
	load->resolution = kinds[kind].functions ? STACK_FUNCTION : STACK_LINE;
	rc = kinds[kind].part ? reading_take(r, load, e) : reading_only(r, &load->only, e);
	load->callpath_depth = kinds[kind].part > 1 ? -1 : 0;
	o->load = load;
	return rc;
}

/* The runs of --baseline, before the others. A text that is a file is one run, whatever commas are
 * in it. */
static int take_baseline(struct report_options *o, struct option_list *given,
			 const struct option_list *baseline, struct error *e)
{
	for (size_t i = 0; i < baseline->v_n; i++) {
		char *text = (char *)baseline->v[i];
		int whole = !o->db && !access(text, F_OK);

		for (char *end; text; text = end) {
			end = whole ? NULL : strchr(text, ',');
			if (end)
				*end++ = 0;
			*array_add(given, v) = text;
		}
	}
	o->baseline_n = given->v_n;
	for (size_t i = 0; i < o->operand_n; i++)
		*array_add(given, v) = o->operand[i];
	/* A condition selects trials without names. */
	if (!o->baseline_n || (!o->operand_n && !(o->db && o->where)))
		return error_set(e, ERROR_USAGE,
				 "compare: name runs before and after: tau-report compare "
				 "--baseline RUN,RUN RUN...");
	o->operand = (char *const *)given->v;
	o->operand_n = given->v_n;
	return 0;
}

/* The operands: a word of some kinds, then the runs. */
static int take_operands(struct report_options *o, size_t kind, char **argv, int n, struct error *e)
{
	int words = kinds[kind].word != NULL;

	if (n < words)
		return error_set(e, ERROR_USAGE, "%s: name a %s: tau-report %s %s RUN",
				 kinds[kind].name, kinds[kind].word, kinds[kind].name,
				 kinds[kind].word);
	o->word = words ? argv[0] : NULL;
	o->operand = argv + words;
	o->operand_n = (size_t)(n - words);
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

/* The word that names a kind; a run or trial in its place means an overview. *first: the operand
 * after the kind. */
static const char *kind_name(const char *word, const char *db, int *first)
{
	for (size_t i = 0; i < KINDS; i++)
		if (!strcmp(kinds[i].name, word))
			return ++*first, word;
	if (db || !access(word, F_OK))
		return "overview";
	++*first;
	return word;
}

/* Markdown and HTML are the tables of the text, written in another way. */
static void take_format(struct report_options *o, enum report_format format)
{
	o->format = format >= REPORT_MARKDOWN ? REPORT_TEXT : format;
	o->text_as = format == REPORT_MARKDOWN ? TABLE_AS_MARKDOWN
		     : format == REPORT_HTML   ? TABLE_AS_HTML
					       : TABLE_AS_TEXT;
}

/* What a kind has where an option is absent. */
static void take_defaults(struct report_options *o, size_t k)
{
	if (!o->view)
		o->view = kinds[k].view;
	o->whole = kinds[k].whole;
	o->callpaths = o->whole && o->by && !strcmp(o->by, "path");
	o->paths = o->by && !strcmp(o->by, "stack");
	if (o->paths && kinds[k].paths)
		o->by = "site";
}

/* The runs that kinds of a page share, and what of them is loaded. */
struct loaded {
	struct report_runs runs, one;
	struct load_options load;
	int any, whole, depth;
};

static int load_again(struct loaded *l, struct report_options *o, int depth, struct error *e)
{
	int rc;

	if (l->any && l->whole == o->whole && l->depth == depth)
		return 0;
	report_release(&l->runs);
	*l = (struct loaded){.load = {.callpath_depth = depth}, .whole = o->whole, .depth = depth};
	o->load = depth ? &l->load : NULL;
	rc = report_load(o, &l->runs, e);
	l->any = !rc;
	return rc;
}

static int part_get(void *of, const struct report_options *from, const char *kind, size_t only,
		    struct report_part *part, struct error *e)
{
	struct loaded *l = of;
	size_t k = 0, operand;
	int rc = 0;

	while (strcmp(kinds[k].name, kind) != 0)
		k++;
	part->o = *from;
	part->print = kinds[k].print;
	part->o.kind = kinds[k].name;
	take_defaults(&part->o, k);
	/* A kind that reads events needs the name of the run, which the others have loaded. */
	if (!kinds[k].events)
		rc = load_again(l, &part->o, kinds[k].part > 1 ? -1 : 0, e);
	l->one = l->runs;
	if (only != SIZE_MAX && only < l->runs.run_n) {
		l->one.run += only;
		l->one.run_n = 1;
		operand = l->one.run->operand;
		if (from->operand_n && operand < from->operand_n) {
			part->o.operand = from->operand + operand;
			part->o.operand_n = 1;
		}
	}
	part->runs = part->o.inputs = &l->one;
	return rc;
}

/* Prints a kind, or a page. */
static int print(struct report_options *o, size_t k, const struct report_runs *runs,
		 struct output *out, struct error *e)
{
	struct report_part part;
	struct loaded l = {0};
	const struct report_parts parts = {part_get, &l};
	int rc;

	o->kind = kinds[k].name;
	o->inputs = runs;
	part = (struct report_part){*o, runs, kinds[k].print};
	if (!kinds[k].print) {
		o->ranks = NULL;
		rc = o->text_as == TABLE_AS_HTML
			     ? report_html(o, &parts, out, e)
			     : error_set(e, ERROR_USAGE, "html: --format html is the only one");
		report_release(&l.runs);
		return rc;
	}
	if (o->text_as == TABLE_AS_HTML)
		return report_page(&part, kinds[k].name, out, e);
	return kinds[k].print(o, runs, out, o->output ? 0 : table_width(stdout), e);
}

/* The format that the suffix of a file names, NULL without one. */
static const char *format_of(const char *file)
{
	static const char *const suffix[] = {"txt", "csv", "json", "svg", "folded", "md", "html"};
	const char *dot = file ? strrchr(file, '.') : NULL;

	for (size_t i = 0; dot && i < sizeof suffix / sizeof *suffix; i++)
		if (!strcmp(dot + 1, suffix[i]))
			return i ? suffix[i] : "text";
	return NULL;
}

/* status: the exit status if nothing goes wrong. */
static int report(struct report_options *o, const char *format, size_t k, int *status,
		  struct error *e)
{
	struct report_runs runs = {0};
	struct output out;
	size_t choice = 0;
	int rc;

	format = format ? format : format_of(o->output);
	format = !format ? kinds[k].format : !strcmp(format, "md") ? "markdown" : format;
	rc = choice_option("--format", format, report_formats, REPORT_FORMATS, &choice, e);

	if (rc < 0)
		return rc;
	take_format(o, (enum report_format)choice);
	if ((o->format == REPORT_JUNIT || o->format == REPORT_GITHUB) && !kinds[k].ci)
		return error_set(e, ERROR_USAGE, "%s: --format %s is for compare", kinds[k].name,
				 report_formats[o->format]);
	take_defaults(o, k);
	rc = report_explain_check(o, e);
	rc = rc < 0 ? rc : report_unit(o, e);
	if (rc < 0)
		return rc;
	rc = kinds[k].format ? 0 : report_paths_check(o, e);
	if (rc < 0)
		return rc;
	rc = kinds[k].events || !kinds[k].print ? 0 : report_load(o, &runs, e);
	if (!rc && parallel_writes(o->ranks)) {
		output_open(&out);
		if (o->output && !strcmp(o->output, "-"))
			o->output = NULL;
		rc = print(o, k, &runs, &out, e);
		if (rc < 0) {
			output_drop(&out);
		} else {
			*status = rc;
			rc = output_close(&out, o->output, e);
		}
	}
	report_release(&runs);
	return rc;
}

/* What the command line says, from the kind on. status: the exit status of a gate. */
static int answer(const struct program *program, struct report_options *o, struct reading *reading,
		  struct option_list *baseline, const char *format, int argc, char **argv,
		  int *status, struct error *e)
{
	struct option_list operands = {0};
	struct load_options load = {0};
	int first = 0, rc;
	const char *name = kind_name(argv[0], o->db, &first);
	size_t kind;

	rc = take_kind(name, program->given, &kind, e);
	if (!rc)
		rc = take_operands(o, kind, argv + first, argc - first, e);
	if (!rc && kinds[kind].baseline)
		rc = take_baseline(o, &operands, baseline, e);
	if (!rc)
		rc = take_windows(o, reading, name, e);
	if (!rc)
		rc = take_load(o, reading, kind, &load, e);
	if (!rc)
		guard_archives(program, (char **)o->operand, o->operand_n, NULL);
	if (!rc)
		rc = parallel_begin(o->alone, &o->ranks, e);
	if (!rc)
		rc = report(o, format, kind, status, e);
	free(operands.v);
	return rc;
}

/* Parses the command line, which sets o, reading, baseline and format, and prints the report. */
static int run(const struct program *program, struct report_options *o, struct reading *reading,
	       struct option_list *baseline, const char **format, int argc, char **argv)
{
	struct error e = {0};
	char *at_window = NULL;
	int first = options_parse(program, argc, argv), status = 0, rc;

	if (first == argc) {
		error_set(&e, ERROR_USAGE, "no kind of report given (see tau-report --help)");
		return program_fail(program, &e);
	}
	if (o->at)
		o->at_window = at_window = mem_printf(":%s", o->at);
	rc = answer(program, o, reading, baseline, *format, argc - first, argv + first, &status,
		    &e);
	free(at_window);
	rc = parallel_end(program, o->ranks, rc, &e);
	return rc ? rc : status;
}

int main(int argc, char **argv)
{
	struct report_options o = {.top = -1};
	struct reading reading = READING_DEFAULT;
	struct option_list given = {0}, baseline = {0};
	const char *format = NULL;
	char *about = about_text();
	const struct option options[] = {
		{0, "db", OPTION_TEXT, "FILE",
		 "read trials of this database; RUN names trials (default: all)", &o.db},
		{'W', "where", OPTION_TEXT, "CONDITION",
		 "select runs or trials by facts and metadata: 'pes>=8 and Compiler~gcc*'",
		 &o.where},
		READING_WINDOWS(&reading),
		{0, "at", OPTION_TEXT, "TIME", "use the memory that is live at TIME", &o.at},
		READING_ONLY(&reading),
		READING_THREADS(&reading),
		READING_SAMPLES(&reading),
		{0, "view", OPTION_TEXT, "VIEW", "show live (default), peak or cumulative bytes",
		 &o.view},
		{0, "per", OPTION_TEXT, "WHAT",
		 "show the mean over PEs (pe, default), the largest PE (max) or the sum (job)",
		 &o.per},
		{0, "by", OPTION_TEXT, "WHAT",
		 "print one row per type (default), owner, parent, site or all; memory: also "
		 "stack, pe, region, time; comm: pair (default), size, collective; waits: path"
		 " (default), rank, all, cause, causes; efficiency: factor (default), rank; "
		 "timeline: group (default), region; critical-path: region (default), path, "
		 "rank, step; io: file (default), size; locks: lock (default), holder, waiter;"
		 " counters: counter (default), thread, time; cluster: cluster (default), "
		 "region; profile: rank, thread, group or file; diff, why, scaling, breakdown:"
		 " region (default), path, group",
		 &o.by},
		{0, "inclusive", OPTION_FLAG, NULL,
		 "diff: compare inclusive values (default: exclusive)", &o.inclusive},
		{0, "top", OPTION_NUMBER, "N",
		 "print at most N rows, 0 for all (default: text 20, svg 6, csv and json all)",
		 &o.top},
		{0, "metric", OPTION_TEXT, "NAME", "use this metric (default: the first)",
		 &o.metric},
		{0, "sort", OPTION_TEXT, "COLUMN",
		 "sort by exclusive (default), inclusive, calls, mean, largest, imbalance or name",
		 &o.sort},
		{0, "cut", OPTION_TEXT, "PERCENT",
		 "tree: exclude call paths below PERCENT of the whole (default: text 1, else 0); "
		 "breakdown: the same of regions, which others has",
		 &o.cut},
		{0, "predict", OPTION_LIST, "PES",
		 "memory-scaling and scaling: print the forecast of the models for PES processing "
		 "elements; may be repeated",
		 &o.predict},
		{0, "baseline", OPTION_LIST, "RUNS",
		 "compare: runs before, or trials by number, name or tag, separated by commas; "
		 "may be repeated",
		 &baseline},
		{0, "gate", OPTION_TEXT, "LIMIT",
		 "end with status 1 if the change exceeds LIMIT: 3% (compare, trend, "
		 "memory-growth), or bytes lost (leaks)",
		 &o.gate},
		{0, "label", OPTION_TEXT, "NAME",
		 "trend: print this metadata, or tags, of the first run after a change, such as a "
		 "commit",
		 &o.label},
		{0, "order", OPTION_TEXT, "FILE",
		 "trend: order runs by the lines with their --label in FILE, as git rev-list "
		 "--reverse prints them; -: standard input",
		 &o.order},
		{0, "problem", OPTION_TEXT, "SIZE",
		 "scaling: the size of the problem is the same in all runs (strong), or grows with "
		 "the PEs (weak); default: detected",
		 &o.problem},
		{0, "unit", OPTION_TEXT, "UNIT",
		 "print all times in ns, us, ms or s, or all bytes in B, KiB, MiB, GiB, TiB, KB, "
		 "MB, GB or TB",
		 &o.unit_name},
		{0, "explain", OPTION_FLAG, NULL,
		 "print what each column is, its formula, and the runs that it is computed from",
		 &o.explain},
		{0, "samples", OPTION_FLAG, NULL, "show the sampled code instead of the timers",
		 &o.samples},
		{0, "alone", OPTION_FLAG, NULL,
		 "do not share work with the other processes of a parallel job", &o.alone},
		{'f', "format", OPTION_TEXT, "FORMAT",
		 "print text, markdown, html, csv, json, svg or folded (default: by the suffix of "
		 "--output, else text); compare: also junit, github",
		 &format},
		{'o', "output", OPTION_TEXT, "FILE", "write to FILE (default: -, standard output)",
		 &o.output},
		{0},
	};
	const struct program program = {
		.name = "tau-report",
		.usage = "[KIND] [options] [RUN...]",
		.about = about,
		.options = options,
		.given = &given,
	};
	int rc = run(&program, &o, &reading, &baseline, &format, argc, argv);

	free(given.v);
	free(baseline.v);
	reading_release(&reading);
	free(about);
	free(o.predict.v);
	return rc;
}
