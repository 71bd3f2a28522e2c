/* report.c: loads the runs or trials that a report is about. */
#include "cmd/report/report.h"

#include "analyze/base/note.h"
#include "analyze/base/quantity.h"
#include "analyze/profile/profile.h"
#include "analyze/profile/profile_series.h"
#include "cmd/shared/choice.h"
#include "cmd/shared/parallel.h"
#include "cmd/shared/progress.h"
#include "cmd/report/explain.h"
#include "cmd/report/report_runs.h"
#include "cmd/shared/trace_options.h"
#include "cmd/table/table.h"
#include "cmd/table/table_sort.h"
#include "cmd/table/table_unit.h"

#include <string.h>
#include <unistd.h>

#include "convert/io/input.h"
#include "convert/io/paths.h"
#include "convert/load.h"
#include "convert/profile_format.h"

#define TOP_TEXT 20

void report_load_notes(struct table *t, const struct report_runs *r)
{
	for (size_t i = 0; i < r->note_n; i++) {
		char *sentence = note_sentence(&r->note[i]);

		table_note(t, "%s", sentence);
		free(sentence);
	}
}

void report_notes(struct table *t, const struct report_runs *r)
{
	for (size_t k = 0; k < r->run_n; k++) {
		size_t pes = profile_pes(r->run[k].profile);

		table_note(t, "%s: %zu PE%s, window: %s.", r->run[k].name, pes, plural(pes),
			   load_window_words(r->run[k].profile->window));
	}
	report_load_notes(t, r);
}

/* How many of n rows --top allows. */
static size_t rows_left(const struct report_options *o, size_t n, size_t text_top)
{
	size_t top = o->top > 0                                ? (size_t)o->top
		     : o->top == 0 || o->format != REPORT_TEXT ? n
							       : text_top;

	return top < n ? top : n;
}

/* If rows are to be sorted, all of them: report_table() cuts the table after it has sorted it. */
size_t report_rows_shown(const struct report_options *o, size_t n, size_t text_top)
{
	return o->sorting ? n : rows_left(o, n, text_top);
}

void report_sorting_key(struct report_sorting *s, const char *key)
{
	for (size_t i = 0; i < s->key_n; i++)
		if (!strcmp(s->key[i], key))
			return;
	*array_add(s, key) = mem_string(key);
}

/* Sorts the rows by the column of --sort, and cuts them after --top rows. */
static void sort_rows(struct table *t, const struct report_options *o)
{
	struct report_sorting *s = o->sorting;
	int reversed = *s->column == '-';
	size_t n, shown;

	for (size_t c = 0; !table_keeps_order(t) && c < table_columns(t); c++)
		report_sorting_key(s, table_key(t, c));
	if (table_sort(t, s->column + reversed, reversed))
		s->found = 1;
	n = table_cut(t, SIZE_MAX);
	shown = rows_left(o, n, TOP_TEXT);
	if (shown == n || table_keeps_order(t))
		return;
	table_cut(t, shown);
	table_remark(t, "%zu of %zu rows; --top 0 lists all.", shown, n);
}

int report_sorting_check(const struct report_options *o, struct error *e)
{
	const struct report_sorting *s = o->sorting;
	size_t found;

	if (!s || s->found)
		return 0;
	if (o->format > REPORT_JSON)
		return error_set(e, ERROR_USAGE,
				 "--sort is for tables: text, markdown, html, csv and json, not %s",
				 report_formats[o->format]);
	if (!s->key_n)
		return error_set(e, ERROR_USAGE,
				 "%s: --sort: the rows of this table keep their order",
				 o->kind->name);
	return choice_get("--sort", s->column + (*s->column == '-'),
			  (const char *const *)s->key, s->key_n, &found, e);
}

int report_one_run(const struct report_runs *r, const char *kind, struct error *e)
{
	return r->run_n == 1 ? 0
			     : error_set(e, ERROR_USAGE, "%s needs one run, %zu were given", kind,
					 r->run_n);
}

int report_unit(struct report_options *o, struct error *e)
{
	int table = o->format == REPORT_TEXT || o->format == REPORT_CSV || o->format == REPORT_JSON;

	if (!o->unit_name)
		return 0;
	if (!table)
		return error_set(e, ERROR_USAGE,
				 "--unit is for tables: text, markdown, html, csv and json, not %s",
				 report_formats[o->format]);
	return table_unit_get(o->unit_name, &o->unit, e);
}

const struct table_unit *report_unit_time(const struct report_options *o)
{
	return o->unit.size > 0 && !o->unit.bytes ? &o->unit : NULL;
}

/* print: for a time whose unit --unit does not name. */
static const char *in_unit(const struct report_options *o, double ns, char text[QUANTITY_TEXT],
			   const char *(*print)(double ns, char to[QUANTITY_TEXT]))
{
	const struct table_unit *u = report_unit_time(o);

	return u ? quantity_in_text(ns / 1000 / u->size, u->precision, u->name, text)
		 : print(ns, text);
}

const char *report_time(const struct report_options *o, double ns, char text[QUANTITY_TEXT])
{
	return in_unit(o, ns, text, quantity_time_text);
}

const char *report_moment(const struct report_options *o, double ns, char text[QUANTITY_TEXT])
{
	return in_unit(o, ns, text, quantity_moment_text);
}

int report_explain_check(const struct report_options *o, struct error *e)
{
	if (o->explain && o->format != REPORT_TEXT && o->format != REPORT_JSON)
		return error_set(e, ERROR_USAGE,
				 "--explain: %s has no place for explanations; use text, markdown, "
				 "html or json",
				 report_formats[o->format]);
	return 0;
}

int report_draws(struct report_options *o, struct output **out)
{
	struct report_picture *p = o->picture;

	if (!p)
		return 0;
	o->picture = NULL;
	o->format = REPORT_SVG;
	o->top = -1;
	*out = &p->out;
	return p->drawn = 1;
}

void report_table(struct table *t, const struct report_options *o, FILE *f, size_t width)
{
	const enum table_format format[] = {o->text_as, TABLE_AS_CSV, TABLE_AS_JSON};

	if (o->unit.size > 0 && !table_unit_set(t, &o->unit) &&
	    strcmp(o->kind->name, "overview") != 0)
		table_remark(t, "--unit %s: no column of this table has %s.", o->unit.name,
			     o->unit.bytes ? "bytes" : "times");
	if (o->sorting)
		sort_rows(t, o);
	if (o->explain)
		explain_table(t, o);
	table_print(t, f, format[o->format], width);
	table_free(t);
}

int report_metric(const struct report_options *o, const struct report_run *run, size_t *metric,
		  struct error *e)
{
	const struct profile *p = run->profile;
	const char **name = mem_alloc((p->metric_n + 1) * sizeof(*name));
	int code = 0;

	*metric = 0;
	for (size_t i = 0; i < p->metric_n; i++)
		name[i] = p->metric[i].name;
	if (!p->metric_n)
		code = error_set(e, ERROR_INPUT, "%s: it contains no times and no metrics",
				 run->name);
	else if (o->metric)
		code = choice_get("--metric", o->metric, name, p->metric_n, metric, e);
	free(name);
	return code;
}

int report_one_profile(const struct report_options *o, const struct report_runs *r,
		       const char *kind, const char *formats, size_t *metric, struct error *e)
{
	if (report_one_run(r, kind, e) || report_format_check(o, kind, formats, e))
		return e->code;
	return report_metric(o, &r->run[0], metric, e);
}

const char *const report_formats[REPORT_FORMATS] = {"text", "csv", "json", "svg", "folded",
						      "junit", "github", "markdown", "html"};

int report_format_check(const struct report_options *o, const char *kind, const char *formats,
			struct error *e)
{
	const char *name = report_formats[o->format];
	const char *given = o->format != REPORT_TEXT || o->text_as == TABLE_AS_TEXT ? name
			    : o->text_as == TABLE_AS_MARKDOWN			    ? "markdown"
										    : "html";
	const char *at = strstr(formats, name);

	if (at && (at == formats || at[-1] == ' ') && strchr(" ", at[strlen(name)]))
		return 0;
	return error_set(e, ERROR_USAGE, "%s: --format %s is not one of: %s", kind, given, formats);
}

int report_no_memory(const struct report_run *run, struct error *e)
{
	const char *window = run->profile->window;

	if (window)
		return error_set(e, ERROR_INPUT, "%s: no memory was recorded in window %s",
				 run->name, window);
	return error_set(e, ERROR_INPUT,
			 "%s: it contains no memory counters. Try: tau-record --memory", run->name);
}

/* The only window, or none. */
struct one {
	const char *path, *window;
	struct profile *profile;
};

static int receive_one(void *to, struct profile *p, size_t at, size_t n, struct error *e)
{
	struct one *one = to;
	int code = 0;

	(void)at;
	if (n == 1) {
		profile_whole(p);
		one->profile = p;
		return 0;
	}
	code = error_set(e, ERROR_INPUT,
			 "%s: window '%s' is %zu windows, and a report uses one: as in '%s'",
			 one->path, one->window, n, p->window);
	profile_free(p);
	return code;
}

static int load_window(const char *path, const char *window, const struct report_options *options,
		       struct load_report *said, struct profile **p, struct error *e)
{
	struct load_options o =
		options->load
			? *options->load
			: (struct load_options){.callpath_depth = options->callpaths ? -1 : 0};
	struct one one = {path, window, NULL};
	struct progress progress;
	int code;

	if (options->callpaths)
		o.callpath_depth = -1;
	o.window = &window;
	o.window_n = window != NULL;
	o.paths = options->paths;
	o.squares = options->squares;
	o.all_levels = options->kind && options->kind->all_levels;
	o.no_memory = options->kind && options->kind->no_memory;
	o.no_recorder = runs_without_recorder(options);
	o.all_threads = options->kind && options->kind->several;
	o.freed = options->at != NULL;
	o.ranks = options->ranks;
	o.kept = options->kept;
	o.report = said;
	progress_begin(&progress, path);
	progress.on &= parallel_writes(options->ranks);
	o.progress = progress_replay;
	o.progress_to = &progress;
	code = load_each(inputs_get(options->known, path), &o,
			 &(struct replay_sink){receive_one, &one}, e);
	progress_end(&progress);
	*p = one.profile;
	return code;
}

/* Several runs are distinguished by their paths, and the window before finalize has a name only here.
 */
static struct note note_of_run(const char *path, const struct note *from)
{
	struct note n = note_copy(from);

	if (!n.run && n.kind >= NOTE_SYMBOLS)
		n.run = mem_string(path);
	if (load_before_finalize(n.window)) {
		free(n.window);
		n.window = NULL;
		free(n.text);
		n.text = mem_printf("before finalize: %s", from->text);
	}
	return n;
}

/* That a part of a run is selected, by which options. */
static struct note note_of_part(const char *path, const struct filter *f)
{
	const struct {
		const char *option;
		size_t n;
	} by[] = {{"--rank", f->rank.v_n},
		  {"--thread", f->thread.v_n},
		  {"--group", f->group.v_n},
		  {"--region", f->region.v_n},
		  {"--inside", f->path.v_n}};
	char *options = mem_string(""), *text;

	for (size_t i = 0; i < sizeof(by) / sizeof(*by); i++) {
		char *more;

		if (!by[i].n)
			continue;
		more = mem_printf("%s%s%s", options, *options ? " and " : "", by[i].option);
		free(options);
		options = more;
	}
	text = mem_printf("only the part that %s select%s counts", options,
			  strstr(options, " and ") ? "" : "s");
	free(options);
	return (struct note){.kind = NOTE_CHOICE, .run = mem_string(path), .text = text};
}

/*
 * Without a window: what was live when the runtime was about to be taken down, where the run has
 * that moment; afterwards everything is freed, and its end shows nothing.
 */
static int load_path(const char *path, const struct report_options *options, struct report_runs *r,
		     struct error *e)
{
	struct load_report said = {0};
	const char *window = options->window;
	struct profile *p;
	int rc = -1;

	if (!window && runs_are_live(options))
		rc = load_window(path, LOAD_BEFORE_FINALIZE, options, &said, &p, e);
	if (rc < 0) {
		load_report_release(&said);
		memset(&said, 0, sizeof(said));
		rc = load_window(path, window, options, &said, &p, e);
	}
	if (rc < 0) {
		load_report_release(&said);
		return rc;
	}
	for (size_t i = 0; i < said.note_n; i++)
		*array_add(r, note) = note_of_run(path, &said.note[i]);
	if (options->load && options->load->only)
		*array_add(r, note) = note_of_part(path, options->load->only);
	if (p)
		runs_add(r, mem_string(path), path_name(path), p, &said);
	load_report_release(&said);
	return 0;
}

/* All windows of one run. */
static int load_series(const char *path, const struct report_options *options,
		       struct report_runs *r, struct error *e)
{
	const struct replay_sink look = {runs_series_look, r}, receive = {runs_series_receive, r};
	struct load_report said = {0};
	struct load_options o = {.report = &said};
	int rc = trace_options_parse(options->series, &o, e);

	o.no_recorder = !o.only || !(o.only->region.v_n || o.only->group.v_n);

	o.ranks = options->ranks;
	o.kept = options->kept;
	runs_series_begin(r, options, mem_string(path), path_name(path));
	if (!rc)
		rc = load_twice(inputs_get(options->known, path), &o, &look, &receive, e);
	for (size_t i = 0; !rc && i < said.note_n; i++)
		*array_add(r, note) = note_copy(&said.note[i]);
	if (r->run[0].paused && !runs_has_note(&said, NOTE_PAUSED))
		runs_note_pauses(r, r->run[0].name);
	timeline_end(r->series);
	load_report_release(&said);
	return rc;
}

int report_load(const struct report_options *o, struct report_runs *r, struct error *e)
{
	const char *db = o->db, *standard = getenv("TAUDB");

	if (o->series && o->operand_n > 1)
		return error_set(e, ERROR_USAGE, "series: name one run, or one trial with --db");

	if (!standard || !*standard)
		standard = "tau.db";
	if (!db && !o->operand_n) {
		if (access(standard, F_OK) && o->kind->word)
			return error_set(e, ERROR_USAGE, "%s: name a run: tau-report %s %s RUN",
					 o->kind->name, o->kind->name, o->kind->word);
		if (access(standard, F_OK))
			return error_set(e, ERROR_USAGE,
					 "no runs given, and there is no database %s", standard);
		db = standard;
	}
	if (db)
		return parallel_writes(o->ranks) ? report_load_trials(db, o, r, e) : 0;
	if (o->timeout)
		return error_set(e, ERROR_USAGE,
				 "--timeout is for trials of a database, not for runs");
	for (size_t i = 0; i < o->operand_n; i++) {
		int rc = report_load_experiment(o->operand[i], o, r, e);

		if (!rc)
			rc = o->series ? load_series(o->operand[i], o, r, e)
				       : load_path(o->operand[i], o, r, e);
		if (rc < 0)
			return rc;
		runs_number(r, i);
	}
	return o->where && parallel_writes(o->ranks) ? report_where_runs(o, r, e) : 0;
}

void report_release(struct report_runs *r)
{
	for (size_t i = 0; i < r->run_n; i++)
		report_run_release(&r->run[i]);
	if (r->series)
		timeline_release(r->series);
	free(r->series);
	notes_free(r->note, r->note_n);
	free(r->run);
	memset(r, 0, sizeof(*r));
}
