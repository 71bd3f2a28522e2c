/* report_trials.c: loads the trials of a database that a report is about. */
#include "analyze/profile/profile.h"
#include "analyze/profile/profile_series.h"
#include "cmd/report/report_runs.h"
#include "cmd/shared/trace_options.h"
#include "cmd/shared/trial_facts.h"
#include "db/db.h"

#include <inttypes.h>
#include <string.h>

#include "analyze/base/nearest.h"
#include "analyze/profile/recorder_rows.h"
#include "cmd/shared/db_timeout.h"
#include "cmd/shared/trial_where.h"
#include "convert/load.h"
#include "convert/throttled.h"
#include "db/meta.h"

static void trial_add(struct report_runs *r, const struct db_trial *t, struct profile *p)
{
	char *name = mem_printf("trial %" PRId64 " (%s)", t->id, t->name);
	char *throttled = throttled_in_profile(p, name);

	if (throttled)
		*array_add(r, note) = (struct note){.kind = NOTE_THROTTLED, .text = throttled};

	runs_add(r, name, mem_string(name), p, &(struct load_report){0});
}

/* The window of that name, or the first if none is requested. */
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

/* The windows requested by name, in that order; without one, all. */
static int each_of_trial(struct db *db, const char *file, const struct db_trial *t,
			 const struct trace_options *series, const struct replay_sink *sink,
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
			recorder_rows_remove(p);
		if (!rc)
			rc = sink->receive(sink->to, p, i, n, e);
	}
	return rc;
}

static int series_look_free(void *to, struct profile *p, size_t at, size_t n, struct error *e)
{
	runs_series_look(to, p, at, n, e);
	profile_free(p);
	return 0;
}

static int load_trial_series(struct db *db, const char *file, const struct db_trial *t,
			     const struct report_options *o, struct report_runs *r, struct error *e)
{
	const struct replay_sink look = {series_look_free, r}, receive = {runs_series_receive, r};
	char *name = mem_printf("trial %" PRId64 " (%s)", t->id, t->name);
	int rc;

	runs_series_begin(r, o, name, mem_string(name));
	rc = each_of_trial(db, file, t, o->series, &look, e);
	if (!rc)
		rc = each_of_trial(db, file, t, o->series, &receive, e);
	if (r->run[0].paused)
		runs_note_pauses(r, name);
	timeline_end(r->series);
	return rc;
}

/* A trial has the windows and threads that it was stored with. */
static int check_trial_series(struct trace_options *series, struct error *e)
{
	struct load_options none = {0};

	if (series->every || trace_options_sliced(series))
		return error_set(e, ERROR_USAGE,
				 "series: --every and --slices are for runs: a trial has the "
				 "windows that it was stored with");
	if (series->rank.v_n || series->thread.v_n)
		return error_set(e, ERROR_USAGE,
				 "series: --rank and --thread are for runs, not for trials");
	return trace_options_parse(series, &none, e);
}

/* Tags of trials, by trial. */
struct tags {
	int64_t *trial;
	size_t trial_n, trial_cap;
	char **text;
	size_t text_n, text_cap;
};

static void receive_tags(void *to, int64_t trial, const char *value)
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

/*
 * Are the derived threads of this window enough for the kind? They are of all threads but those
 * that wait in all windows of the trial. Another window is judged by itself, as in a run.
 */
static int sums_suffice(const struct report_options *o, const struct db_trial *t, size_t window)
{
	const char *name = t->window[window].name;

	return o->kind->sums && !o->samples && (!name || !strcmp(name, ":"));
}

static int load_trial(struct db *db, const char *file, const struct db_trial *t,
		      const struct report_options *o, struct report_runs *r, struct error *e)
{
	struct error none = {0};
	struct profile *p;
	size_t found;
	int rc = -1;

	if (!o->window && runs_are_live(o))
		rc = find_window(file, t, LOAD_BEFORE_FINALIZE, &found, &none);
	if (rc < 0)
		rc = find_window(file, t, o->window, &found, e);
	if (!rc)
		rc = sums_suffice(o, t, found) ? db_load_sums(db, t->id, found, &p, e)
					       : db_load(db, t->id, found, &p, e);
	if (!rc) {
		profile_whole(p);
		if (runs_without_recorder(o))
			recorder_rows_remove(p);
		trial_add(r, t, p);
	}
	return rc;
}

/* Trials that can be selected, and their selectors. */
struct report_trials {
	const struct report_options *o;
	struct facts facts;
	struct tags tags;
	struct where *where; /* NULL: all */
	char *numbers;       /* by operand: it is the number of a trial */
};

static int is_number(const struct db_trial *t, const char *word)
{
	char number[24];

	snprintf(number, sizeof(number), "%" PRId64, t->id);
	return !strcmp(word, number);
}

static void numbers_find(struct report_trials *t)
{
	t->numbers = mem_alloc(t->o->operand_n + 1);
	for (size_t w = 0; w < t->o->operand_n; w++)
		for (size_t i = 0; !t->numbers[w] && i < t->facts.trial_n; i++)
			t->numbers[w] = (char)is_number(&t->facts.trial[i], t->o->operand[w]);
}

/*
 * A trial is selected by its number, its name or a tag. As in tau-db, the number of a trial means
 * this trial alone, even if others have it as their name.
 */
static int is_meant(const struct report_trials *t, const struct db_trial *about, size_t operand)
{
	const char *word = t->o->operand[operand];

	if (t->numbers[operand])
		return is_number(about, word);
	return !strcmp(word, about->name) || is_tagged(about, &t->tags, word);
}

/* Does operand number w mean the trial? The number after the last one means all trials that are not in the baseline. */
static int is_selected(const struct report_trials *t, size_t w, size_t trial)
{
	const struct report_options *o = t->o;
	const struct db_trial *about = &t->facts.trial[trial];

	if (w < o->operand_n && !is_meant(t, about, w))
		return 0;
	for (size_t i = 0; w == o->operand_n && i < o->baseline_n; i++)
		if (is_meant(t, about, i))
			return 0;
	return 1;
}

static int no_trial(const char *file, const char *word, const struct report_trials *t,
		    struct error *e)
{
	struct nearest near;

	nearest_begin(&near, word);
	for (size_t i = 0; i < t->facts.trial_n; i++) {
		const char *name = t->facts.trial[i].name;

		nearest_try(&near, name, strlen(name), name);
	}
	return error_set(e, ERROR_INPUT, "%s: there is no trial '%s'%s%s%s", file, word,
			 near.best ? "; did you mean '" : "", near.best ? near.best : "",
			 near.best ? "'?" : "");
}

/* The trials that one operand means; the condition is about those that are not the baseline. */
static int load_operand(struct db *db, const char *file, const struct report_trials *t, size_t w,
			struct report_runs *r, struct error *e)
{
	const struct report_options *o = t->o;
	const struct where *where = w < o->baseline_n ? NULL : t->where;
	size_t selected = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < t->facts.trial_n; i++) {
		const struct db_trial *trial = &t->facts.trial[i];

		if (!is_selected(t, w, i))
			continue;
		selected++;
		if (where_holds(where, &t->facts, i))
			rc = o->series ? load_trial_series(db, file, trial, o, r, e)
				       : load_trial(db, file, trial, o, r, e);
	}
	runs_number(r, w);
	if (!rc && !selected && w < o->operand_n)
		rc = no_trial(file, o->operand[w], t, e);
	return rc;
}

/* The trials that the operands mean, in their order; without operands all, or all others than the baseline. */
static int load_operands(struct db *db, const char *file, const struct report_trials *t,
			 struct report_runs *r, struct error *e)
{
	const struct report_options *o = t->o;
	size_t words = o->operand_n + (o->operand_n == o->baseline_n);
	int rc = 0;

	for (size_t w = 0; !rc && w < words; w++)
		rc = load_operand(db, file, t, w, r, e);
	if (!rc && t->where && (!r->run_n || r->run[r->run_n - 1].operand < o->baseline_n))
		rc = report_where_none(o, "trial", e);
	return rc;
}

static int load_trials(struct db *db, const char *file, const struct report_options *o,
		       struct report_runs *r, struct error *e)
{
	struct report_trials t = {.o = o};
	int rc = facts_open(db, &t.facts, e);

	if (!rc)
		rc = db_meta_values(db, DB_META_TAGS, receive_tags, &t.tags, e);
	if (!rc)
		numbers_find(&t);
	if (!rc && !t.facts.trial_n)
		rc = error_set(e, ERROR_INPUT, "%s: it contains no trials", file);
	else if (!rc && o->series && !o->operand_n && t.facts.trial_n > 1)
		rc = error_set(e, ERROR_USAGE, "series: %s contains %zu trials: name one", file,
			       t.facts.trial_n);
	if (!rc && o->where)
		rc = where_parse(o->where, &t.facts, &t.where, e);
	if (!rc)
		rc = load_operands(db, file, &t, r, e);
	where_free(t.where);
	facts_release(&t.facts);
	free(t.numbers);
	tags_release(&t.tags);
	return rc;
}

int report_load_trials(const char *file, const struct report_options *o, struct report_runs *r,
		       struct error *e)
{
	struct db *db;
	uint64_t limit_ns;
	int rc = o->series ? check_trial_series(o->series, e) : 0;

	if (!rc && o->load && o->load->only)
		rc = error_set(e, ERROR_USAGE,
			       "--rank, --thread, --group, --region and --inside are for runs, "
			       "not for trials");
	if (!rc)
		rc = db_timeout(o->timeout, &limit_ns, e);
	if (!rc)
		rc = db_open_within(file, DB_READ, limit_ns, &db, e);
	if (rc < 0)
		return rc;
	rc = load_trials(db, file, o, r, e);
	db_close(db);
	return rc;
}
