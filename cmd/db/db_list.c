/* db_list.c: tau-db list: the trials of a database as a table. */
#include "cmd/db/db_command.h"
#include "cmd/db/db_trials.h"
#include "cmd/shared/output.h"
#include "db/db.h"

static const struct option list_options[] = {OPTION_DB, OPTION_FORMAT, {0}};

static struct table *trials_table(const struct db_trial *t, size_t n)
{
	enum { ID, NAME, PES, THREADS, METRICS, TIMERS, COUNTERS, WINDOWS, DATE };
	static const struct {
		enum table_type type;
		const char *key, *title;
	} columns[] = {
		[ID] = {TABLE_INTEGER, "id", "id"},
		[NAME] = {TABLE_TEXT, "name", "name"},
		[PES] = {TABLE_INTEGER, "pes", "PEs"},
		[THREADS] = {TABLE_INTEGER, "threads", "threads"},
		[METRICS] = {TABLE_INTEGER, "metrics", "metrics"},
		[TIMERS] = {TABLE_INTEGER, "timers", "timers"},
		[COUNTERS] = {TABLE_INTEGER, "counters", "counters"},
		[WINDOWS] = {TABLE_INTEGER, "windows", "windows"},
		[DATE] = {TABLE_TEXT, "started", "started (UTC)"},
	};
	struct table *table = table_new(NULL);
	char date[32];

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		table_column(table, columns[i].type, columns[i].key, columns[i].title, NULL, 0);
	for (size_t i = 0; i < n; i++) {
		const int64_t v[] = {[ID] = t[i].id,
				     [PES] = t[i].nodes,
				     [THREADS] = t[i].threads,
				     [METRICS] = t[i].metrics,
				     [TIMERS] = t[i].timers,
				     [COUNTERS] = t[i].counters,
				     [WINDOWS] = (int64_t)t[i].window_n};

		table_row(table);
		for (size_t k = 0; k < sizeof(v) / sizeof(v[0]); k++)
			if (k != NAME)
				table_put_integer(table, k, v[k]);
		table_put_text(table, NAME, t[i].name);
		db_date(t[i].start_us, date);
		table_put_text(table, DATE, *date ? date : NULL);
	}
	return table;
}

static int run_list(int n, char **operand, struct error *e)
{
	enum table_format as;
	struct db_trial *t;
	struct table *table;
	struct output out;
	struct db *db;
	size_t found;
	int code = db_format(&as, e);

	if (n > 0)
		return error_set(e, ERROR_USAGE, "list takes no operand such as '%s'", operand[0]);
	if (code == 0)
		code = db_open(db_file(), DB_READ, &db, e);
	if (code < 0)
		return code;
	code = db_list(db, 0, &t, &found, e);
	db_close(db);
	if (code < 0)
		return code;
	output_open(&out);
	table = trials_table(t, found);
	table_print(table, out.file, as, table_width(stdout));
	table_free(table);
	db_trials_free(t, found);
	return output_close(&out, NULL, e);
}

const struct db_command command_list = {
	.run = run_list,
	.program.name = "tau-db list",
	.program.usage = "[options]",
	.program.about = "Lists the trials.",
	.program.options = list_options,
};
