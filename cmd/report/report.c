/* report.c: loads the runs or trials that a report is about. */
#include "cmd/shared/parallel.h"
#include "cmd/shared/progress.h"
#include "cmd/report/report.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "convert/load.h"
#include "convert/profile_format.h"
#include "convert/throttled.h"
#include "db/db.h"
#include "db/meta.h"
#include "record/metadata.h"

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
		const char *window = r->run[k].profile->window;

		size_t pes = profile_pes(r->run[k].profile);

		table_note(t, "%s: %zu PE%s, window: %s.", r->run[k].name, pes, plural(pes),
			   !window || !strcmp(window, ":")         ? "everything"
			   : !strcmp(window, LOAD_BEFORE_FINALIZE) ? "everything before finalize"
								   : window);
	}
	report_load_notes(t, r);
}

size_t report_rows_shown(const struct report_options *o, size_t n, size_t text_top)
{
	size_t top = o->top > 0                                ? (size_t)o->top
		     : o->top == 0 || o->format != REPORT_TEXT ? n
							       : text_top;

	return top < n ? top : n;
}

int report_one_run(const struct report_runs *r, const char *kind, struct error *e)
{
	return r->run_n == 1 ? 0
			     : error_set(e, ERROR_USAGE, "%s needs one run, %zu were given", kind,
					 r->run_n);
}

void report_table(struct table *t, const struct report_options *o, FILE *f, size_t width)
{
	const enum table_format format[] = {o->text_as, TABLE_AS_CSV, TABLE_AS_JSON};

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
	return error_set(e, ERROR_INPUT,
			 "%s: it contains no memory counters. Try: tau-record --memory", run->name);
}

static int has_meta(const struct profile *p, const char *name)
{
	for (uint32_t i = 0; i < p->thread_n; i++)
		if (profile_meta(p, i, name))
			return 1;
	return profile_meta(p, UINT32_MAX, name) != NULL;
}

/* Trials and profiles have pauses in their metadata; of a trace they are noted when it is read. */
static void note_pauses(struct report_runs *r, const char *name)
{
	*array_add(r, note) = (struct note){
		.kind = NOTE_PAUSED,
		.run = mem_string(name),
		.text = mem_printf("recording was off at times (metadata TAU Recording Paused): "
				   "the region MEASUREMENT OFF has that time")};
}

static int has_note(const struct load_report *said, enum note_kind kind)
{
	for (size_t i = 0; i < said->note_n; i++)
		if (said->note[i].kind == kind)
			return 1;
	return 0;
}

/* said: what was noted when it was read. */
static void run_add(struct report_runs *r, char *name, char *title, struct profile *p,
		    const struct load_report *said)
{
	struct report_run *run = array_add(r, run);

	run->name = name;
	run->title = title;
	run->profile = p;
	run->operand = SIZE_MAX;
	if (has_meta(p, TAU_META_RECORDING_PAUSED) && !has_note(said, NOTE_PAUSED))
		note_pauses(r, name);
}

/* The runs that were added last are those of this operand. */
static void runs_number(struct report_runs *r, size_t operand)
{
	for (size_t i = r->run_n; i-- && r->run[i].operand == SIZE_MAX;)
		r->run[i].operand = operand;
}

static void trial_add(struct report_runs *r, const struct db_trial *t, struct profile *p)
{
	char *name = mem_printf("trial %" PRId64 " (%s)", t->id, t->name);
	char *throttled = throttled_in_profile(p, name);

	if (throttled)
		*array_add(r, note) = (struct note){.kind = NOTE_THROTTLED, .text = throttled};

	run_add(r, name, mem_string(name), p, &(struct load_report){0});
}

/* The only window, or none. */
struct one {
	const char *path, *window;
	struct profile *profile;
};

static int take_one(void *to, struct profile *p, size_t at, size_t n, struct error *e)
{
	struct one *one = to;
	int code = 0;

	(void)at;
	if (n == 1) {
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

	o.window = &window;
	o.window_n = window != NULL;
	o.paths = options->paths;
	o.ranks = options->ranks;
	o.report = said;
	progress_begin(&progress, path);
	progress.on &= parallel_writes(options->ranks);
	o.progress = progress_replay;
	o.progress_to = &progress;
	code = load_each(path, &o, &(struct replay_sink){take_one, &one}, e);
	progress_end(&progress);
	*p = one.profile;
	return code;
}

static int is_live(const struct report_options *o)
{
	return !o->whole && (!o->view || !strcmp(o->view, "live"));
}

/* Several runs are told apart by their paths, and the window before finalize has a name only here.
 */
static struct note note_of_run(const char *path, const struct note *from)
{
	struct note n = note_copy(from);

	if (!n.run && n.kind >= NOTE_SYMBOLS)
		n.run = mem_string(path);
	if (n.window && !strcmp(n.window, LOAD_BEFORE_FINALIZE)) {
		free(n.window);
		n.window = NULL;
		free(n.text);
		n.text = mem_printf("before finalize: %s", from->text);
	}
	return n;
}

/*
 * Without a window: what was live when the runtime was about to be taken down, where the run has
 * that moment; afterwards everything is freed, and its end tells nothing.
 */
static int load_path(const char *path, const struct report_options *options, struct report_runs *r,
		     struct error *e)
{
	struct load_report said = {0};
	const char *window = options->window;
	struct profile *p;
	int rc = -1;

	if (!window && is_live(options))
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
	if (p)
		run_add(r, mem_string(path), profile_name_of(path), p, &said);
	load_report_release(&said);
	return 0;
}

static struct timeline *series_begin(struct report_runs *r, const struct report_options *o,
				     char *name, char *title)
{
	r->series = mem_alloc(sizeof(*r->series));
	timeline_begin(r->series, o->samples ? TIMER_SAMPLE : TIMER_MEASURED);
	*array_add(r, run) = (struct report_run){.name = name, .title = title};
	return r->series;
}

static int series_look(void *to, struct profile *p, size_t at, size_t n, struct error *e)
{
	struct report_runs *r = to;

	(void)at;
	(void)n;
	(void)e;
	timeline_look(r->series, p);
	return 0;
}

static int series_take(void *to, struct profile *p, size_t at, size_t n, struct error *e)
{
	struct report_runs *r = to;

	(void)at;
	(void)n;
	(void)e;
	timeline_add(r->series, p);
	r->run[0].paused |= has_meta(p, TAU_META_RECORDING_PAUSED);
	profile_free(p);
	return 0;
}

/* All windows of one run. */
static int load_series(const char *path, const struct report_options *options,
		       struct report_runs *r, struct error *e)
{
	const struct replay_sink look = {series_look, r}, take = {series_take, r};
	struct load_report said = {0};
	struct load_options o = {.report = &said};
	int rc = reading_take(options->series, &o, e);

	o.ranks = options->ranks;
	series_begin(r, options, mem_string(path), profile_name_of(path));
	if (!rc)
		rc = load_twice(path, &o, &look, &take, e);
	for (size_t i = 0; !rc && i < said.note_n; i++)
		*array_add(r, note) = note_copy(&said.note[i]);
	if (r->run[0].paused && !has_note(&said, NOTE_PAUSED))
		note_pauses(r, r->run[0].name);
	timeline_end(r->series);
	load_report_release(&said);
	return rc;
}

/* The window of that name, or the first when none is asked for. */
static int find_window(const char *file, const struct db_trial *t, const char *window,
		       size_t *found, struct error *e)
{
	for (*found = 0; window && *found < t->window_n; ++*found)
		if (t->window[*found].name && !strcmp(t->window[*found].name, window))
			return 0;
	if (*found < t->window_n)
		return 0;
	return error_set(e, ERROR_INPUT,
			 "%s: trial %" PRId64 " has no window '%s'; it has %zu, the first is '%s'",
			 file, t->id, window, t->window_n,
			 t->window[0].name ? t->window[0].name : "everything");
}

/* The windows asked for by name, in that order; all when none is. */
static int each_of_trial(struct db *db, const char *file, const struct db_trial *t,
			 const struct reading *series, const struct replay_sink *sink,
			 struct error *e)
{
	size_t n = series->text.v_n ? series->text.v_n : t->window_n;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		size_t w = i;
		struct profile *p;

		if (series->text.v_n)
			rc = find_window(file, t, series->text.v[i], &w, e);
		if (!rc)
			rc = db_load(db, t->id, w, &p, e);
		if (!rc)
			rc = sink->take(sink->to, p, i, n, e);
	}
	return rc;
}

static int series_look_free(void *to, struct profile *p, size_t at, size_t n, struct error *e)
{
	series_look(to, p, at, n, e);
	profile_free(p);
	return 0;
}

static int load_trial_series(struct db *db, const char *file, const struct db_trial *t,
			     const struct report_options *o, struct report_runs *r, struct error *e)
{
	const struct replay_sink look = {series_look_free, r}, take = {series_take, r};
	char *name = mem_printf("trial %" PRId64 " (%s)", t->id, t->name);
	int rc;

	series_begin(r, o, name, mem_string(name));
	rc = each_of_trial(db, file, t, o->series, &look, e);
	if (!rc)
		rc = each_of_trial(db, file, t, o->series, &take, e);
	if (r->run[0].paused)
		note_pauses(r, name);
	timeline_end(r->series);
	return rc;
}

/* A trial has the windows and threads that it was stored with. */
static int check_trial_series(struct reading *series, struct error *e)
{
	struct load_options none = {0};

	if (series->every || reading_sliced(series))
		return error_set(e, ERROR_USAGE,
				 "series: --every and --slices are for runs: a trial has the "
				 "windows that it was stored with");
	if (series->rank.v_n || series->thread.v_n)
		return error_set(e, ERROR_USAGE,
				 "series: --rank and --thread are for runs, not for trials");
	return reading_take(series, &none, e);
}

/* Tags of trials, by trial. */
struct tags {
	int64_t *trial;
	size_t trial_n, trial_cap;
	char **text;
	size_t text_n, text_cap;
};

static void take_tags(void *to, int64_t trial, const char *value)
{
	struct tags *tags = to;

	*array_add(tags, trial) = trial;
	*array_add(tags, text) = mem_string(value);
}

static void tags_release(struct tags *tags)
{
	for (size_t i = 0; i < tags->text_n; i++)
		free(tags->text[i]);
	free(tags->text);
	free(tags->trial);
}

static int is_tagged(const struct db_trial *t, const struct tags *tags, const char *word)
{
	for (size_t i = 0; i < tags->trial_n; i++)
		if (tags->trial[i] == t->id && db_has_tag(tags->text[i], word))
			return 1;
	return 0;
}

/* A trial is meant by its number, its name or a tag. */
static int is_meant(const struct db_trial *t, const struct tags *tags, const char *word)
{
	char number[24];

	snprintf(number, sizeof(number), "%" PRId64, t->id);
	return !strcmp(word, number) || !strcmp(word, t->name) || is_tagged(t, tags, word);
}

static int load_trial(struct db *db, const char *file, const struct db_trial *t,
		      const struct report_options *o, struct report_runs *r, struct error *e)
{
	struct error none = {0};
	struct profile *p;
	size_t found;
	int rc = -1;

	if (!o->window && is_live(o))
		rc = find_window(file, t, LOAD_BEFORE_FINALIZE, &found, &none);
	if (rc < 0)
		rc = find_window(file, t, o->window, &found, e);
	if (!rc)
		rc = db_load(db, t->id, found, &p, e);
	if (!rc)
		trial_add(r, t, p);
	return rc;
}

/* The trials that the operands mean, in their order; all without operands. */
static int load_trials(struct db *db, const char *file, const struct report_options *o,
		       struct report_runs *r, struct error *e)
{
	struct db_trial *t;
	size_t n, words = o->operand_n ? o->operand_n : 1;
	struct tags tags = {0};
	int rc = db_list(db, 0, &t, &n, e);

	if (rc < 0)
		return rc;
	rc = db_meta_values(db, DB_META_TAGS, take_tags, &tags, e);
	if (!rc && !n)
		rc = error_set(e, ERROR_INPUT, "%s: it contains no trials", file);
	else if (!rc && o->series && !o->operand_n && n > 1)
		rc = error_set(e, ERROR_USAGE, "series: %s contains %zu trials: name one", file, n);
	for (size_t w = 0; !rc && w < words; w++) {
		size_t meant = 0;

		for (size_t i = 0; !rc && i < n; i++)
			if (!o->operand_n || is_meant(&t[i], &tags, o->operand[w])) {
				rc = o->series ? load_trial_series(db, file, &t[i], o, r, e)
					       : load_trial(db, file, &t[i], o, r, e);
				meant++;
			}
		runs_number(r, w);
		if (!rc && !meant)
			rc = error_set(e, ERROR_INPUT, "%s: there is no trial '%s'", file,
				       o->operand[w]);
	}
	db_trials_free(t, n);
	tags_release(&tags);
	return rc;
}

static int load_database(const char *file, const struct report_options *o, struct report_runs *r,
			 struct error *e)
{
	struct db *db;
	int rc = o->series ? check_trial_series(o->series, e) : 0;

	if (!rc && o->load && o->load->only)
		rc = error_set(e, ERROR_USAGE,
			       "--rank, --thread, --group, --region and --inside are for runs, "
			       "not for trials");
	if (!rc)
		rc = db_open(file, DB_READ, &db, e);
	if (rc < 0)
		return rc;
	rc = load_trials(db, file, o, r, e);
	db_close(db);
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
		if (access(standard, F_OK))
			return error_set(e, ERROR_USAGE,
					 "no runs given, and there is no database %s", standard);
		db = standard;
	}
	if (db)
		return parallel_writes(o->ranks) ? load_database(db, o, r, e) : 0;
	for (size_t i = 0; i < o->operand_n; i++) {
		int rc = o->series ? load_series(o->operand[i], o, r, e)
				   : load_path(o->operand[i], o, r, e);

		if (rc < 0)
			return rc;
		runs_number(r, i);
	}
	return 0;
}

void report_release(struct report_runs *r)
{
	for (size_t i = 0; i < r->run_n; i++) {
		free(r->run[i].name);
		free(r->run[i].title);
		profile_free(r->run[i].profile);
	}
	if (r->series)
		timeline_release(r->series);
	free(r->series);
	notes_free(r->note, r->note_n);
	free(r->run);
	memset(r, 0, sizeof(*r));
}
