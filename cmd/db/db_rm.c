/* db_rm.c: tau-db rm, rename and tag: what changes trials that are stored. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/db/db_command.h"
#include "cmd/db/db_trials.h"
#include "db/db.h"
#include "db/meta.h"
#include "cmd/shared/message.h"

static const char *condition;
static int remove_tags;

static const struct option rm_options[] = {OPTION_DB, OPTION_WHERE(condition), {0}};

static const struct option rename_options[] = {OPTION_DB, {0}};

static const struct option tag_options[] = {
	OPTION_DB,
	OPTION_WHERE(condition),
	{'r', "remove", OPTION_FLAG, NULL, "remove the tags", &remove_tags},
	{0},
};

/* Opens the database for writing and selects trials in it. *db is open on success only. */
static int select_trials(char *const *word, size_t n, struct db **db, struct trial_list *out,
			 struct error *e)
{
	int code = db_open_file(DB_WRITE, db, e);

	if (code < 0)
		return code;
	code = db_trials_select(*db, db_file(), word, n, condition, out, e);
	if (code < 0)
		db_close(*db);
	return code;
}

static int run_rm(int n, char **operand, struct error *e)
{
	struct trial_list trials;
	struct db *db;
	int code = select_trials(operand, (size_t)n, &db, &trials, e);

	if (code < 0)
		return code;
	code = db_remove(db, trials.v, trials.v_n, e);
	db_close(db);
	free(trials.v);
	return code;
}

static int run_rename(int n, char **operand, struct error *e)
{
	struct trial_list trials;
	struct db *db;
	int code;

	if (n != 2 || !*operand[1])
		return error_set(e, ERROR_USAGE, "rename needs a trial and its new name");
	code = select_trials(operand, 1, &db, &trials, e);
	if (code < 0)
		return code;
	code = db_rename(db, trials.v[0], operand[1], e);
	db_close(db);
	free(trials.v);
	return code;
}

/* Each tag once. */
static int split_tags(char *list, struct option_list *out, struct error *e)
{
	char *save = NULL;

	for (char *w = strtok_r(list, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		size_t i = 0;

		if (strpbrk(w, " \t\r\n"))
			return error_set(e, ERROR_USAGE, "tag: '%s' contains a blank", w);
		while (i < out->v_n && strcmp(out->v[i], w) != 0)
			i++;
		if (i == out->v_n)
			*array_add(out, v) = w;
	}
	return out->v_n ? 0 : error_set(e, ERROR_USAGE, "tag: name at least one tag");
}

/* A tag to be removed that no trial has may be a wrong name: a note, but no error. */
static void absent_print(const struct option_list *tags, const size_t *had)
{
	for (size_t i = 0; i < tags->v_n; i++)
		if (!had[i])
			message_print("tau-db tag", "no selected trial has the tag '%s': there "
				"was nothing to remove", tags->v[i]);
}

static int run_tag(int n, char **operand, struct error *e)
{
	struct option_list tags = {0};
	struct trial_list trials;
	struct db *db;
	size_t *had;
	int code;

	if (n < 1)
		return error_set(e, ERROR_USAGE, "tag needs tags, separated by commas, and trials");
	code = split_tags(operand[0], &tags, e);
	if (code == 0)
		code = select_trials(operand + 1, (size_t)n - 1, &db, &trials, e);
	if (code == 0) {
		had = mem_alloc(tags.v_n * sizeof(*had));
		code = db_tag(db, trials.v, trials.v_n, (char *const *)tags.v, tags.v_n,
			      remove_tags, had, e);
		if (code == 0 && remove_tags)
			absent_print(&tags, had);
		free(had);
		db_close(db);
		free(trials.v);
	}
	free(tags.v);
	return code;
}

const struct db_command command_rm = {
	.run = run_rm,
	.program.name = "tau-db rm",
	.program.usage = "[options] TRIAL...",
	.program.about = "Removes trials, all of them or none.",
	.program.options = rm_options,
};

const struct db_command command_rename = {
	.run = run_rename,
	.program.name = "tau-db rename",
	.program.usage = "[options] TRIAL NAME",
	.program.about = "Gives a trial another name.",
	.program.options = rename_options,
};

const struct db_command command_tag = {
	.run = run_tag,
	.program.name = "tau-db tag",
	.program.usage = "[options] TAG[,TAG...] TRIAL...",
	.program.about = "Adds tags to trials, or removes them.",
	.program.options = tag_options,
};
