/* db_check.c: tau-db check and gc: verifies a database, and removes what belongs to nothing. */
#include <inttypes.h>
#include <stdio.h>

#include "cmd/db/db_command.h"
#include "cmd/shared/message.h"
#include "cmd/shared/output.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"
#include "cmd/table/table_text.h"
#include "db/check.h"
#include "db/db.h"

static const struct option check_options[] = {OPTION_DB, OPTION_FORMAT,
						OPTION_TIMEOUT(db_common.timeout), {0}};
static const struct option gc_options[] = {OPTION_DB, {0}};

/* One row, a member for each column. */
struct db_check_cells {
	const char *check;
	int64_t trial, rows;
	const char *what;
};

/* clang-format off: one column, one paragraph */
static const struct table_field fields[] = {
	{FIELD(struct db_check_cells, check), TABLE_TEXT, "check", "check",
	 .meaning = "name of the check that found the defect"},
	{FIELD(struct db_check_cells, trial), TABLE_INTEGER, "trial", "trial",
	 .meaning = "number of the trial; empty: of none"},
	{FIELD(struct db_check_cells, rows), TABLE_INTEGER, "rows", "rows",
	 .meaning = "number of rows that have the defect"},
	{FIELD(struct db_check_cells, what), TABLE_TEXT, "what", "what", .meaning = "the defect"},
	{0},
};
/* clang-format on */

static void print_defect(void *to, const struct db_defect *d)
{
	struct table *t = to;

	table_row(t);
	table_put_fields(t, &(struct db_check_cells){
				    .check = d->check,
				    .trial = d->trial ? d->trial : FIELD_MISSING,
				    .rows = d->rows,
				    .what = d->what,
			    });
}

static int run_check(int n, char **operand, struct error *e)
{
	struct db_check_result result = {0};
	enum table_format as;
	struct output out;
	struct table *t;
	struct db *db;
	int code = db_format(&as, e);

	if (n > 0)
		return error_set(e, ERROR_USAGE, "check takes no operand such as '%s'", operand[0]);
	if (code == 0)
		code = db_open_file(DB_READ, &db, e);
	if (code < 0)
		return code;
	output_open(&out);
	t = table_new(NULL);
	table_fields(t, fields, 0, NULL);
	code = db_check(db, print_defect, t, &result, e);
	db_close(db);
	if (code == 0 && as == TABLE_AS_TEXT && !result.defects)
		text_printf(out.file, "%s: %zu trial%s, %zu checks, no defects\n", db_file(),
			    result.trials, plural(result.trials), result.checks);
	else if (code == 0)
		table_print(t, out.file, as, table_width(stdout));
	table_free(t);
	if (code < 0) {
		output_drop(&out);
		return code;
	}
	code = output_close(&out, NULL, e);
	if (code == 0 && result.defects)
		code = error_set(e, ERROR_INPUT, "%s: %zu defect%s", db_file(), result.defects,
				 plural(result.defects));
	return code;
}

static int run_gc(int n, char **operand, struct error *e)
{
	struct db_gc_result r;
	struct db *db;
	int code;

	if (n > 0)
		return error_set(e, ERROR_USAGE, "gc takes no operand such as '%s'", operand[0]);
	code = db_open_file(DB_WRITE, &db, e);
	if (code < 0)
		return code;
	code = db_gc(db, &r, e);
	db_close(db);
	if (code == 0)
		printf("%s: %" PRId64 " rows without a trial removed, %" PRId64
		       " bytes, now %" PRId64 "\n",
		       db_file(), r.rows, r.bytes_before, r.bytes_after);
	return code;
}

const struct db_command command_check = {
	.run = run_check,
	.program.name = "tau-db check",
	.program.usage = "[options]",
	.program.about = "Verifies the database: its pages, the references between its rows, and "
			 "whether its values are consistent.",
	.program.options = check_options,
};

const struct db_command command_gc = {
	.run = run_gc,
	.program.name = "tau-db gc",
	.program.usage = "[options]",
	.program.about = "Removes rows that belong to no trial, adds missing columns, and frees "
			 "unused space.",
	.program.options = gc_options,
};
