/* db_rm.c: tau-db rm: removes trials. */
#include <stdlib.h>

#include "cmd/db/db_command.h"
#include "cmd/db/db_trials.h"

static const struct option rm_options[] = {OPTION_DB, {0}};

static int run_rm(int n, char **operand, struct error *e)
{
	int64_t *trial;
	struct db *db;
	int code = 0;

	if (n < 1)
		return error_set(e, ERROR_USAGE, "name the trials to remove, by number or name");
	trial = mem_alloc((size_t)n * sizeof(*trial));
	code = db_open(db_file(), DB_WRITE, &db, e);
	if (code == 0) {
		code = db_trials_find(db, db_file(), operand, (size_t)n, trial, e);
		if (code == 0)
			code = db_remove(db, trial, (size_t)n, e);
		db_close(db);
	}
	free(trial);
	return code;
}

const struct db_command command_rm = {
	.run = run_rm,
	.program.name = "tau-db rm",
	.program.usage = "[options] TRIAL...",
	.program.about = "Removes trials, all of them or none.",
	.program.options = rm_options,
};
