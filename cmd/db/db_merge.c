/* db_merge.c: tau-db merge: the trials of several databases in one. */
#include <inttypes.h>
#include <stdio.h>

#include "cmd/db/db_command.h"
#include "db/db.h"
#include "db/merge.h"
#include "cmd/shared/message.h"

static int again, unchecked;

static const struct option merge_options[] = {
	{0, "again", OPTION_FLAG, NULL, "copy a trial even if INTO contains the same one", &again},
	{0, "unchecked", OPTION_FLAG, NULL,
	 "copy FROM without checking it, which halves the time", &unchecked},
	OPTION_TIMEOUT(db_common.timeout),
	{0},
};

static void print_merged(const char *from, const struct db_merged *m)
{
	for (size_t i = 0; i < m->known_n; i++)
		printf("%s: trial %" PRId64 " is already stored as trial %" PRId64 "\n", from,
		       m->known[i].there, m->known[i].here);
	if (m->trials == 1)
		printf("%s: 1 trial, now %" PRId64 "\n", from, m->first);
	else if (m->trials)
		printf("%s: %zu trials, now %" PRId64 " to %" PRId64 "\n", from, m->trials,
		       m->first, m->last);
	else
		printf("%s: no %strials\n", from, m->known_n ? "new " : "");
	fflush(stdout);
	if (m->omitted)
		message_print("tau-db merge", "%s: not part of a TauDB and not copied: %s", from,
			m->omitted);
}

static int run_merge(int n, char **operand, struct error *e)
{
	struct db_merged merged;
	struct db *db;
	uint64_t limit_ns;
	int code = db_limit(&limit_ns, e);

	if (code == 0 && n < 2)
		return error_set(e, ERROR_USAGE,
				 "merge needs a database, and the databases to copy into it");
	if (code == 0)
		code = db_open_within(operand[0], DB_CREATE, limit_ns, &db, e);
	if (code < 0)
		return code;
	for (int i = 1; code == 0 && i < n; i++) {
		code = db_merge(db, operand[i],
				(again ? MERGE_AGAIN : 0) | (unchecked ? MERGE_UNCHECKED : 0),
				&merged, e);
		if (code == 0)
			print_merged(operand[i], &merged);
		db_merged_release(&merged);
	}
	db_close(db);
	return code;
}

const struct db_command command_merge = {
	.run = run_merge,
	.program.name = "tau-db merge",
	.program.usage = "[options] INTO FROM...",
	.program.about = "Copies all trials of the databases FROM into the database INTO. Of each "
			 "FROM, all trials are copied or none. Trials that INTO contains are not "
			 "copied again. A database with defects (tau-db check) is not copied.",
	.program.options = merge_options,
};
