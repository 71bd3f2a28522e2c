/* tau-report.c: reads the command line, loads the runs and lets a kind of report print. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyze/base/base.h"
#include "cmd/report/report.h"
#include "cmd/shared/choice.h"
#include "cmd/shared/guard.h"
#include "cmd/shared/option.h"
#include "cmd/shared/option_use.h"
#include "cmd/shared/output.h"
#include "cmd/shared/parallel.h"
#include "cmd/report/explain.h"
#include "cmd/report/kinds.h"
#include "cmd/report/report_command.h"
#include "cmd/report/report_help.h"
#include "cmd/report/report_html.h"
#include "cmd/shared/trace_options.h"
#include "cmd/table/table.h"
#include "cmd/table/table_text.h"
#include "convert/code/symbols.h"
#include "convert/formats.h"
#include "convert/io/input.h"

/* Most kinds look at one window of each run. */
static int parse_windows(struct report_options *o, struct trace_options *r, struct error *e)
{
	const char *kind = o->kind->name;

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
static int parse_load(struct report_options *o, struct trace_options *r, struct load_options *load,
		      struct error *e)
{
	const struct report_kind *k = o->kind;
	int rc;

	if (!k->part && !k->events)
		return 0;
	load->resolution = k->functions ? STACK_FUNCTION : STACK_LINE;
	rc = k->part ? trace_options_parse(r, load, e) : trace_options_only(r, &load->only, e);
	if (!rc && !k->part)
		rc = trace_options_threads(r, &load->threads, e);
	load->callpath_depth = k->part == REPORT_PART_PATHS ? -1 : 0;
	o->load = load;
	return rc;
}

/* The runs of --baseline, before the others. A text that is a file is one run, whatever commas are
 * in it. */
static int parse_baseline(struct report_options *o, struct option_list *given,
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
static int parse_operands(struct report_options *o, char **argv, int n, struct error *e)
{
	const struct report_kind *k = o->kind;
	int words = k->word != NULL;

	if (n < words)
		return error_set(e, ERROR_USAGE, "%s: name a %s: tau-report %s %s RUN", k->name,
				 k->word, k->name, k->word);
	o->word = words ? argv[0] : NULL;
	o->operand = argv + words;
	o->operand_n = (size_t)(n - words);
	return 0;
}

/* The word that names a kind; a run, a path or a trial in its place means an overview. *first: the
 * operand after the kind. */
static const char *kind_name(const char *word, const char *db, int *first)
{
	if (kind_find(word))
		return ++*first, word;
	if (db || strpbrk(word, "/.") || !access(word, F_OK))
		return "overview";
	++*first;
	return word;
}

/* Markdown and HTML are the tables of the text, written in another way. */
static void set_format(struct report_options *o, enum report_format format)
{
	o->format = format >= REPORT_MARKDOWN ? REPORT_TEXT : format;
	o->text_as = format == REPORT_MARKDOWN ? TABLE_AS_MARKDOWN
		     : format == REPORT_HTML   ? TABLE_AS_HTML
					       : TABLE_AS_TEXT;
}

/* What a kind has where an option is absent. */
static void set_defaults(struct report_options *o)
{
	o->whole = o->kind->whole;
	o->callpaths = o->kind->callpaths || (o->whole && o->by && !strcmp(o->by, "path"));
	o->paths = o->by && !strcmp(o->by, "stack");
	if (o->paths && o->kind->paths)
		o->by = "site";
}

/* The runs that kinds of a page share, and what of them is loaded. */
struct loaded {
	struct report_runs runs, one;
	struct load_options load;
	int any, whole, depth;
};

/* What is read of profiles and of experiments is the same for all kinds; a trace is read for each window and depth. */
static int has_trace(const struct report_options *o)
{
	if (o->db || !o->operand_n)
		return 1;
	for (size_t i = 0; i < o->operand_n; i++)
		if (trace_format_of(inputs_get(o->known, o->operand[i])))
			return 1;
	return 0;
}

static int load_again(struct loaded *l, struct report_options *o, int depth, struct error *e)
{
	int rc;

	if (l->any && ((l->whole == o->whole && l->depth == depth) || !has_trace(o)))
		return 0;
	report_release(&l->runs);
	*l = (struct loaded){.load = {.callpath_depth = depth}, .whole = o->whole, .depth = depth};
	o->load = depth ? &l->load : NULL;
	rc = report_load(o, &l->runs, e);
	l->any = !rc;
	return rc;
}

static int part_get(void *of, const struct report_options *from, const struct report_kind *kind,
		    size_t only, struct report_part *part, struct error *e)
{
	struct loaded *l = of;
	size_t operand;
	int rc = 0;

	part->o = *from;
	part->print = kind->print;
	part->o.kind = kind;
	set_defaults(&part->o);
	/* A kind that reads events needs the name of the run, which the others have loaded. */
	if (!kind->events)
		rc = load_again(l, &part->o,
				kind->part == REPORT_PART_PATHS || kind->callpaths ? -1 : 0, e);
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
static int print(struct report_options *o, const struct report_runs *runs, struct output *out,
		 struct error *e)
{
	struct report_part part;
	struct loaded l = {0};
	const struct report_parts parts = {part_get, &l};
	int rc;

	o->inputs = runs;
	part = (struct report_part){*o, runs, o->kind->print};
	if (!o->kind->print) {
		o->ranks = NULL;
		rc = o->text_as == TABLE_AS_HTML
			     ? report_html(o, &parts, out, e)
			     : error_set(e, ERROR_USAGE, "html: --format html is the only one");
		report_release(&l.runs);
		return rc;
	}
	if (o->text_as == TABLE_AS_HTML)
		return report_page(&part, o->kind->name, out, e);
	return o->kind->print(o, runs, out, o->output ? 0 : table_width(stdout), e);
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

/* ERROR_USAGE: the suffix of the file is that of a picture that is not written. */
static int suffix_check(const char *file, struct error *e)
{
	static const char *const pictures[] = {"png", "pdf", "jpg", "jpeg", "gif", "ps", "eps"};
	const char *dot = file ? strrchr(file, '.') : NULL;

	for (size_t i = 0; dot && i < sizeof pictures / sizeof *pictures; i++)
		if (!strcmp(dot + 1, pictures[i]))
			return error_set(e, ERROR_USAGE,
					 "%s: pictures are written as .svg; rsvg-convert -o %s "
					 "makes this of it",
					 file, file);
	return 0;
}

/* status: the exit status if nothing goes wrong. */
static int report(struct report_options *o, const char *format, int *status, struct error *e)
{
	const struct report_kind *k = o->kind;
	struct report_runs runs = {0};
	struct output out;
	size_t choice = 0;
	int rc;

	if (!format && suffix_check(o->output, e))
		return e->code;
	format = format ? format : format_of(o->output);
	format = !format ? k->format : !strcmp(format, "md") ? "markdown" : format;
	rc = choice_option("--format", format, report_formats, REPORT_FORMATS, &choice, e);

	if (rc < 0)
		return rc;
	set_format(o, (enum report_format)choice);
	if ((o->format == REPORT_JUNIT || o->format == REPORT_GITHUB) && !k->ci)
		return error_set(e, ERROR_USAGE, "%s: --format %s is for compare", k->name,
				 report_formats[o->format]);
	set_defaults(o);
	rc = report_explain_check(o, e);
	rc = rc < 0 ? rc : report_unit(o, e);
	if (rc < 0)
		return rc;
	rc = k->format ? 0 : report_paths_check(o, e);
	if (rc < 0)
		return rc;
	rc = k->events || !k->print ? 0 : report_load(o, &runs, e);
	if (!rc && parallel_writes(o->ranks)) {
		output_open(&out);
		if (o->output && !strcmp(o->output, "-"))
			o->output = NULL;
		rc = print(o, &runs, &out, e);
		if (rc >= 0 && report_sorting_check(o, e))
			rc = e->code;
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

/* Prints the report that the command line names, from the kind on. status: the exit status of a
 * gate. */
static int answer(struct report_command *c, const struct program *program, int argc, char **argv,
		  int *status, struct error *e)
{
	struct report_options *o = &c->o;
	struct option_list operands = {0};
	struct load_options load = {0};
	int first = 0, rc;

	o->kind = kind_parse(kind_name(argv[0], o->db, &first), program->given, e);
	rc = o->kind ? parse_operands(o, argv + first, argc - first, e) : e->code;
	if (!rc && o->kind->baseline)
		rc = parse_baseline(o, &operands, &c->baseline, e);
	if (!rc)
		rc = parse_windows(o, &c->trace_options, e);
	if (!rc)
		rc = parse_load(o, &c->trace_options, &load, e);
	if (!rc)
		guard_archives(program, o->known, (char **)o->operand, o->operand_n, NULL);
	if (!rc)
		rc = parallel_begin(o->alone, &o->ranks, e);
	if (!rc)
		rc = report(o, c->format, status, e);
	free(operands.v);
	return rc;
}

/* Parses the command line, and prints the report. */
static int run(struct report_command *c, const struct program *program, int argc, char **argv)
{
	struct error e = {0};
	char *at_window = NULL;
	int first = options_parse(program, argc, argv), status = 0, rc;

	if (first == argc) {
		error_set(&e, ERROR_USAGE,
			  "name a run, or a kind of report and its runs (see tau-report --help)");
		return program_fail(program, &e);
	}
	if (c->o.top < 0 && option_present(program->given, "top")) {
		error_set(&e, ERROR_USAGE, "--top: %ld is less than 0", c->o.top);
		return program_fail(program, &e);
	}
	if (!c->o.db && option_present(program->given, "timeout")) {
		error_set(&e, ERROR_USAGE, "--timeout is for --db: no database is read");
		return program_fail(program, &e);
	}
	if (c->o.at && !strchr("0123456789.", *c->o.at)) {
		error_set(&e, ERROR_USAGE, "--at: '%s' is not a time, such as 10ms or 50%%",
			  c->o.at);
		return program_fail(program, &e);
	}
	if (c->sorting.column)
		c->o.sorting = &c->sorting;
	if (c->o.at)
		c->o.at_window = at_window = mem_printf(":%s", c->o.at);
	rc = answer(c, program, argc - first, argv + first, &status, &e);
	free(at_window);
	rc = parallel_end(program, c->o.ranks, rc, &e);
	return rc ? rc : status;
}

int main(int argc, char **argv)
{
	struct report_command command = {.o.top = -1, .trace_options = TRACE_OPTIONS_DEFAULT};
	struct option_list given = {0};
	struct option options[REPORT_OPTIONS];
	struct inputs known = {0};
	const struct program program = {
		.name = "tau-report",
		.usage = "[KIND] [options] [RUN...]",
		.about = "Reports over runs, profiles, or trials of a database.",
		.help = report_help,
		.word = report_word,
		.values = report_values_words,
		.options = options,
		.project = "top cut metric inclusive samples sample-resolution cells unit "
			   "problem threads",
		.given = &given,
	};
	int rc;

	report_command_options(&command, options);
	command.o.kept = symbols_kept_new();
	command.o.known = &known;
	rc = run(&command, &program, argc, argv);
	inputs_release(&known);
	symbols_kept_free(command.o.kept);
	free(given.v);
	free(command.baseline.v);
	trace_options_release(&command.trace_options);
	free(command.o.predict.v);
	for (size_t i = 0; i < command.sorting.key_n; i++)
		free(command.sorting.key[i]);
	free(command.sorting.key);
	return rc;
}
