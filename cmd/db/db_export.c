/* db_export.c: tau-db export: trials as files of other programs. */
#include <stdio.h>
#include <string.h>

#include "analyze/profile/profile.h"
#include "cmd/db/db_command.h"
#include "cmd/db/db_tidy.h"
#include "cmd/db/db_trials.h"
#include "cmd/shared/choice.h"
#include "cmd/shared/message.h"
#include "cmd/shared/output.h"
#include "cmd/profile/profile_convert.h"
#include "db/db.h"
#include "db/postgres.h"

static const char *to, *out, *condition;
static long window = -1;

static const struct option export_options[] = {
	OPTION_DB,
	OPTION_TIMEOUT(db_common.timeout),
	{'t', "to", OPTION_TEXT, "FORMAT",
	 "write a format of profiles, as tau-convert does, or tidy or postgresql (default: by the "
	 "ending of OUT)",
	 &to},
	{'o', "output", OPTION_TEXT, "OUT", "write to OUT (default: standard output)", &out},
	{'w', "window", OPTION_NUMBER, "NUMBER",
	 "write only this window of each trial, counted from 0 (default: all)", &window},
	OPTION_WHERE(condition),
	{0},
};

/* The format: --to, or what OUT ends in. */
static int format_of(const char **name, struct error *e)
{
	const char *known[PROFILE_TARGETS + 2], *suffix[PROFILE_TARGETS];
	size_t found, n = out ? strlen(out) : 0, known_n = profile_target_names(known, suffix);
	const struct profile_format *f;

	known[known_n++] = "tidy";
	known[known_n++] = "postgresql";
	*name = to;
	if (to)
		return choice_get("--to", to, known, known_n, &found, e);
	if (!out)
		return error_set(e, ERROR_USAGE, "name the format by --to, or a file by --output");
	if (n > 4 && !strcmp(out + n - 4, ".sql")) {
		*name = "postgresql";
	} else {
		f = profile_target(NULL, out);
		*name = f ? f->name : "tau";
	}
	return 0;
}

/* What the windows of trials are written by: a profile, or a table of all values. */
struct export_writer {
	struct db *db;
	const struct db_trial *trial;
	struct profile_writer *profiles; /* NULL: f */
	FILE *f;
};

static int write_window(struct export_writer *w, size_t nth, size_t first, size_t n,
			struct error *e)
{
	struct profile *p;
	int code = db_load(w->db, w->trial->id, nth, &p, e);

	if (code < 0)
		return code;
	if (w->profiles)
		return profile_writer_receive(w->profiles, p, nth - first, n, e);
	tidy_print(w->f, w->trial->id, nth, p);
	profile_free(p);
	return 0;
}

static int write_windows(struct export_writer *w, struct error *e)
{
	size_t n = w->trial->window_n, first = window < 0 ? 0 : (size_t)window;
	int code = 0;

	if (window >= 0 && first >= n)
		return error_set(e, ERROR_INPUT,
				 "%s: trial %jd has no window %zu; its last one is %zu", db_file(),
				 (intmax_t)w->trial->id, first, n - 1);
	if (window >= 0)
		return write_window(w, first, first, 1, e);
	for (size_t i = 0; code == 0 && i < n; i++)
		code = write_window(w, i, 0, n, e);
	return code;
}

static int export_profile(struct export_writer *w, const char *name, struct error *e)
{
	struct profile_writer profiles = {.to = out, .format = profile_target(name, "")};
	char *lost;
	int code;

	if (!out && !strcmp(name, "tau"))
		return error_set(e, ERROR_USAGE,
				 "tau profiles are a directory: name it by --output");
	w->profiles = &profiles;
	code = profile_writer_end(&profiles, write_windows(w, e), e);
	if (code < 0)
		return code;
	lost = profile_writer_lost(&profiles);
	if (lost)
		message_print("tau-db export", "%s", lost);
	free(lost);
	return 0;
}

static int export_tidy(struct export_writer *w, const struct db_trial *all, size_t n,
		       const struct trial_list *trials, struct error *e)
{
	struct output o;
	int code = output_begin(&o, out, e);

	if (code < 0)
		return code;
	w->f = o.file;
	tidy_head(w->f);
	for (size_t i = 0, k = 0; code == 0 && i < n && k < trials->v_n; i++)
		if (all[i].id == trials->v[k]) {
			k++;
			w->trial = &all[i];
			code = write_windows(w, e);
			if (code == 0)
				code = output_flush(&o, out, e);
		}
	if (code == 0)
		return output_close(&o, out, e);
	output_drop(&o);
	return code;
}

static int export_postgres(struct db *db, const struct trial_list *trials, int all, struct error *e)
{
	struct db_postgres report = {0};
	struct output o;
	int code;

	if (window >= 0)
		return error_set(e, ERROR_USAGE, "--window is not for postgresql");
	code = output_begin(&o, out, e);
	if (code < 0)
		return code;
	code = db_postgres_print(db, trials->v, all ? 0 : trials->v_n, o.file, &report, e);
	if (code == 0) {
		code = output_close(&o, out, e);
		if (code == 0 && report.wide)
			message_print("tau-db export", "columns that hold fractions are DOUBLE "
				"PRECISION instead of integers: %s", report.wide);
		if (code == 0 && report.replaced)
			message_print("tau-db export", "%zu text%s that are not UTF-8 contain "
				"U+FFFD for the wrong bytes", report.replaced,
				plural(report.replaced));
	} else {
		output_drop(&o);
	}
	free(report.wide);
	return code;
}

/* all: the trials are all that there are. */
static int export_trials(struct db *db, const char *name, const struct trial_list *trials, int all,
			 struct error *e)
{
	struct export_writer w = {.db = db};
	struct db_trial *t;
	size_t n, i = 0;
	int code;

	if (!strcmp(name, "postgresql"))
		return export_postgres(db, trials, all, e);
	if (strcmp(name, "tidy") != 0 && trials->v_n > 1)
		return error_set(e, ERROR_USAGE,
				 "%s is a format of one trial; tidy and postgresql hold several",
				 name);
	code = db_list(db, 0, &t, &n, e);
	if (code < 0)
		return code;
	if (!strcmp(name, "tidy")) {
		code = export_tidy(&w, t, n, trials, e);
	} else {
		while (t[i].id != trials->v[0])
			i++;
		w.trial = &t[i];
		code = export_profile(&w, name, e);
	}
	db_trials_free(t, n);
	return code;
}

static int run_export(int n, char **operand, struct error *e)
{
	struct trial_list trials;
	const char *name;
	struct db *db;
	int code = format_of(&name, e);

	if (code == 0 && window < -1)
		code = error_set(e, ERROR_USAGE, "--window: the number is below 0");
	if (code == 0)
		code = db_open_file(DB_READ, &db, e);
	if (code < 0)
		return code;
	code = n || condition
		       ? db_trials_select(db, db_file(), operand, (size_t)n, condition, &trials, e)
		       : db_trials_select(db, db_file(), NULL, 0, "id", &trials, e);
	if (code == 0) {
		code = export_trials(db, name, &trials, !n && !condition, e);
		free(trials.v);
	}
	db_close(db);
	return code;
}

const struct db_command command_export = {
	.run = run_export,
	.program.name = "tau-db export",
	.program.usage = "[options] [TRIAL...]",
	.program.about = "Writes trials (default: all) as profiles, as one table of all values, or "
			 "as a script for PostgreSQL.",
	.program.options = export_options,
};
