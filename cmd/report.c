/* report.c: loads the runs or trials that a report is about. */
#include "report.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "../convert/load.h"
#include "../db/db.h"

int report_choice(const char *option, const char *word, const char *const *name, size_t n,
		  size_t *choice, struct error *e)
{
	char known[128] = "";

	if (!word)
		return 0;
	for (size_t i = 0; i < n; i++) {
		size_t used = strlen(known);

		if (!strcmp(word, name[i])) {
			*choice = i;
			return 0;
		}
		snprintf(known + used, sizeof(known) - used, "%s%s",
			 !i          ? ""
			 : i + 1 < n ? ", "
				     : " or ",
			 name[i]);
	}
	return error_set(e, ERROR_USAGE, "%s: '%s' is not %s", option, word, known);
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
	for (size_t i = 0; i < r->note_n; i++)
		table_note(t, "%s", r->note[i]);
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
			     : error_set(e, ERROR_USAGE, "%s is about one run, %zu were given",
					 kind, r->run_n);
}

void report_table(struct table *t, const struct report_options *o, FILE *f, size_t width)
{
	static const enum table_format format[] = {TABLE_AS_TEXT, TABLE_AS_CSV, TABLE_AS_JSON};

	table_print(t, f, format[o->format], width);
	table_free(t);
}

int report_no_memory(const struct report_run *run, struct error *e)
{
	return error_set(e, ERROR_INPUT,
			 "%s: no memory counters in it; was it recorded with the memory wrapper?",
			 run->name);
}

static int has_meta(const struct profile *p, const char *name)
{
	for (uint32_t i = 0; i < p->thread_n; i++)
		if (profile_meta(p, i, name))
			return 1;
	return profile_meta(p, UINT32_MAX, name) != NULL;
}

/* A trace says how long that was when it is read, trials and profiles have it in their metadata. */
static void note_pauses(struct report_runs *r, const char *name, const struct profile *p)
{
	static const char off[] = ": recording was off ";
	size_t n = strlen(name);

	for (size_t i = 0; i < r->note_n; i++)
		if (!strncmp(r->note[i], name, n) && !strncmp(r->note[i] + n, off, sizeof(off) - 1))
			return;
	if (has_meta(p, "TAU Recording Paused"))
		*array_add(r, note) = mem_printf("%s%sat times (metadata TAU Recording Paused): "
						 "regions that were open then have that in their "
						 "times",
						 name, off);
}

/* After what was said of it is noted. */
static void run_add(struct report_runs *r, char *name, char *title, struct profile *p)
{
	struct report_run *run = array_add(r, run);

	run->name = name;
	run->title = title;
	run->profile = p;
	note_pauses(r, name, p);
}

static void trial_add(struct report_runs *r, const struct db_trial *t, struct profile *p)
{
	char *name = mem_printf("trial %" PRId64 " (%s)", t->id, t->name);

	run_add(r, name, mem_string(name), p);
}

static int load_window(const char *path, const char *window, int paths, struct load_report *said,
		       struct profile ***p, size_t *n, struct error *e)
{
	struct load_options o = {.window = &window,
				 .window_n = window != NULL,
				 .paths = paths,
				 .report = said};

	return load_profiles(path, &o, p, n, e);
}

static int is_live(const struct report_options *o)
{
	return !o->view || !strcmp(o->view, "live");
}

/* Most notes begin with their file, and that window has a name only here. */
static char *note_words(const char *path, const char *note)
{
	static const char before[] = ": window '" LOAD_BEFORE_FINALIZE "'";
	size_t n = strlen(path), m = sizeof(before) - 1;

	if (strncmp(note, path, n))
		return mem_printf("%s: %s", path, note);
	return strncmp(note + n, before, m)
		       ? mem_string(note)
		       : mem_printf("%s: before finalize%s", path, note + n + m);
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
	struct profile **p;
	size_t n;
	int rc = -1;

	if (!window && is_live(options))
		rc = load_window(path, LOAD_BEFORE_FINALIZE, options->paths, &said, &p, &n, e);
	if (rc < 0) {
		load_report_release(&said);
		memset(&said, 0, sizeof(said));
		rc = load_window(path, window, options->paths, &said, &p, &n, e);
	}
	if (rc < 0) {
		load_report_release(&said);
		return rc;
	}
	if (n != 1) {
		rc = error_set(
			e, ERROR_INPUT,
			"%s: window '%s' is %zu windows, and a report looks at one: as in '%s'",
			path, window, n, n ? p[0]->window : "NAME#1");
		for (size_t i = 0; i < n; i++)
			profile_free(p[i]);
		free(p);
		load_report_release(&said);
		return rc;
	}
	for (size_t i = 0; i < said.note_n; i++)
		*array_add(r, note) = note_words(path, said.note[i]);
	load_report_release(&said);
	for (size_t i = 0; i < n; i++)
		run_add(r, mem_string(path), load_name(path), p[i]);
	free(p);
	return 0;
}

/* All windows of one run, each as a run of its own. */
static int load_series(const char *path, const struct report_options *options,
		       struct report_runs *r, struct error *e)
{
	struct load_report said = {0};
	struct load_options o = {.report = &said};
	struct profile **p;
	size_t n;
	int rc = reading_take(options->series, &o, e);

	if (!rc)
		rc = load_profiles(path, &o, &p, &n, e);
	for (size_t i = 0; !rc && i < said.note_n; i++)
		*array_add(r, note) = mem_string(said.note[i]);
	for (size_t i = 0; !rc && i < n; i++)
		run_add(r, mem_string(path), load_name(path), p[i]);
	if (!rc)
		free(p);
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
static int load_trial_series(struct db *db, const char *file, const struct db_trial *t,
			     const struct reading *series, struct report_runs *r, struct error *e)
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
			trial_add(r, t, p);
	}
	return rc;
}

/* A trial has the windows and threads that it was stored with. */
static int check_trial_series(struct reading *series, struct error *e)
{
	struct load_options none = {0};

	if (series->every || reading_sliced(series))
		return error_set(e, ERROR_USAGE,
				 "series: --every and --slices cut runs; a trial has the windows "
				 "that it was stored with");
	if (series->rank.v_n || series->thread.v_n)
		return error_set(e, ERROR_USAGE,
				 "series: --rank and --thread are for runs, not for trials");
	return reading_take(series, &none, e);
}

/* A trial is meant by its number or its name. */
static int is_meant(const struct db_trial *t, const char *word)
{
	char number[24];

	snprintf(number, sizeof(number), "%" PRId64, t->id);
	return !strcmp(word, number) || !strcmp(word, t->name);
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
	int rc = db_list(db, 0, &t, &n, e);

	if (rc < 0)
		return rc;
	if (!n)
		rc = error_set(e, ERROR_INPUT, "%s: holds no trials", file);
	else if (o->series && !o->operand_n && n > 1)
		rc = error_set(e, ERROR_USAGE,
			       "series: %s holds %zu trials, and one is needed: name it", file, n);
	for (size_t w = 0; !rc && w < words; w++) {
		size_t meant = 0;

		for (size_t i = 0; !rc && i < n; i++)
			if (!o->operand_n || is_meant(&t[i], o->operand[w])) {
				rc = o->series ? load_trial_series(db, file, &t[i], o->series, r,
								    e)
					       : load_trial(db, file, &t[i], o, r, e);
				meant++;
			}
		if (!rc && !meant)
			rc = error_set(e, ERROR_INPUT, "%s: has no trial '%s'", file,
				       o->operand[w]);
	}
	db_trials_free(t, n);
	return rc;
}

static int load_database(const char *file, const struct report_options *o, struct report_runs *r,
			 struct error *e)
{
	struct db *db;
	int rc = o->series ? check_trial_series(o->series, e) : 0;

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
		return error_set(e, ERROR_USAGE,
				 "series: one run is needed, or one trial with --db");

	if (!standard || !*standard)
		standard = "tau.db";
	if (!db && !o->operand_n) {
		if (access(standard, F_OK))
			return error_set(e, ERROR_USAGE,
					 "no runs given, and there is no database %s", standard);
		db = standard;
	}
	if (db)
		return load_database(db, o, r, e);
	for (size_t i = 0; i < o->operand_n; i++) {
		int rc = o->series ? load_series(o->operand[i], o, r, e)
				   : load_path(o->operand[i], o, r, e);

		if (rc < 0)
			return rc;
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
	for (size_t i = 0; i < r->note_n; i++)
		free(r->note[i]);
	free(r->run);
	free(r->note);
	memset(r, 0, sizeof(*r));
}
