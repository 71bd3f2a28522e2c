/* schema.c: recognises a TauDB, makes one, and adds what older ones lack. */
#include <math.h>
#include <string.h>

#include "db/private.h"
#include "db/ranges.h"

enum { SCHEMA_VERSION = 2 };

static const char schema[] =
#include "schema.inc"
	;
static const char schema_values[] =
#include "schema_values.inc"
	;
static const char schema_counters[] =
#include "schema_counters.inc"
	;
static const char schema_messages[] =
#include "schema_messages.inc"
	;
static const char schema_sums[] =
#include "schema_sums.inc"
	;
static const char schema_views[] =
#include "schema_views.inc"
	;

/* What every TauDB has. */
static const struct {
	const char *table, *columns;
} expected[] = {
	{"trial",
	 "id name data_source node_count contexts_per_node threads_per_context total_threads"},
	{"thread", "id trial node_rank context_rank thread_rank thread_index"},
	{"metric", "id trial name"},
	{"timer", "id trial name short_name source_file line_number line_number_end column_number "
		  "column_number_end"},
	{"timer_group", "timer group_name"},
	{"timer_parameter", "timer parameter_name parameter_value"},
	{"timer_callpath", "id timer parent"},
	{"time_range", "id type start end"},
	{"timer_call_data", "id timer_callpath thread calls subroutines time_range"},
	{"timer_value", "timer_call_data metric inclusive_value exclusive_value inclusive_percent "
			"exclusive_percent "
			"sum_exclusive_squared"},
	{"counter", "id trial name"},
	{"counter_value",
	 "counter timer_callpath thread sample_count maximum_value minimum_value mean_value "
	 "standard_deviation"},
	{"primary_metadata", "trial name value"},
	{"secondary_metadata", "trial thread time_range name value"},
	{"taudb_view", "id parent name conjoin"},
	{"taudb_view_parameter", "taudb_view table_name column_name operator value"},
};

static const struct {
	const char *table, *column, *type;
} added[ADDED_COLUMNS] = {
	[ADDED_RANGE_TRIAL] = {"time_range", "trial", "INT"},
	[ADDED_RANGE_NAME] = {"time_range", "name", "VARCHAR"},
	[ADDED_COUNTER_SQUARES] = {"counter_value", "sum_of_squares", "DOUBLE PRECISION"},
	[ADDED_COUNTER_RANGE] = {"counter_value", "time_range", "INT"},
	[ADDED_TRIAL_CONTENT] = {"trial", "content", "VARCHAR"},
	[ADDED_TRIAL_PATH] = {"trial", "source_path", "VARCHAR"},
	[ADDED_TRIAL_HOST] = {"trial", "source_host", "VARCHAR"},
	[ADDED_TRIAL_BY] = {"trial", "stored_by", "VARCHAR"},
	[ADDED_TRIAL_COMMAND] = {"trial", "stored_command", "VARCHAR"},
	[ADDED_TRIAL_OPTIONS] = {"trial", "stored_options", "VARCHAR"},
	[ADDED_RANGE_START] = {"time_range", "exact_start", "DOUBLE PRECISION"},
	[ADDED_RANGE_END] = {"time_range", "exact_end", "DOUBLE PRECISION"},
	[ADDED_RANGE_OVERLAPS] = {"time_range", "overlapping", "INT"},
	[ADDED_THREAD_WAITING] = {"thread", "waiting", "INT"},
	[ADDED_PRIMARY_THREAD] = {"primary_metadata", "thread", "INT"},
};

/* Other databases that may be taken for one. table: found only there, once schema_version is
 * missing. */
static const struct {
	const char *table, *what;
} foreign[] = {
	{"interval_location_profile", "a PerfDMF database, TauDB's predecessor (schema version 0)"},
	{"counter_value", "a database of TAU's run-time SQLite plug-in"},
};

/* The first column of the first row of a query, NULL or no row: -1. */
static int query_number(struct db *db, int64_t *out, struct error *e, const char *sql,
			const char *a, const char *b)
{
	sqlite3_stmt *s = NULL;
	int code = db_prepare(db, &s, e, sql);

	*out = -1;
	if (code == 0) {
		if (a)
			db_bind_text(s, 1, a);
		if (b)
			db_bind_text(s, 2, b);
		code = db_step(db, s, e);
		if (code == 1 && sqlite3_column_type(s, 0) != SQLITE_NULL)
			*out = sqlite3_column_int64(s, 0);
	}
	sqlite3_finalize(s);
	return code < 0 ? code : 0;
}

static int has_table(struct db *db, const char *table, int64_t *found, struct error *e)
{
	return query_number(db, found, e, "SELECT count(*) FROM sqlite_master WHERE name = ?",
			    table, NULL);
}

static int refuse_foreign(struct db *db, struct error *e)
{
	int64_t found;
	int code;

	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		code = has_table(db, foreign[i].table, &found, e);
		if (code < 0)
			return code;
		if (found)
			return error_set(e, ERROR_INPUT, "%s: %s, not a TauDB of schema version %d",
					 db->file, foreign[i].what, SCHEMA_VERSION);
	}
	return error_set(e, ERROR_INPUT,
			 "%s: an SQLite database, but not a TauDB (it has no table schema_version)",
			 db->file);
}

static int check_version(struct db *db, struct error *e)
{
	int64_t found;
	int code = query_number(db, &found, e, "SELECT max(version) FROM schema_version", NULL,
				NULL);

	if (code == 0 && found != SCHEMA_VERSION)
		code = error_set(e, ERROR_INPUT,
				 "%s: TauDB schema version %jd, this program knows %d only",
				 db->file, (intmax_t)found, SCHEMA_VERSION);
	return code;
}

/* Is name among the columns, which are "one\ntwo\n"? */
static int has_column(const char *columns, const char *name, size_t n)
{
	for (const char *c = columns; *c; c = strchr(c, '\n') + 1)
		if (!strncmp(c, name, n) && c[n] == '\n')
			return 1;
	return 0;
}

/* Which of the columns are there that we add. */
static void note_added(struct db *db, const char *table, const char *columns)
{
	for (size_t i = 0; i < ADDED_COLUMNS; i++)
		if (!strcmp(added[i].table, table))
			db->has[i] = has_column(columns, added[i].column, strlen(added[i].column));
}

/* q: reads the columns of table ?1. */
static int check_columns(struct db *db, sqlite3_stmt *q, const char *table, const char *columns,
			 struct error *e)
{
	const char *found;
	int code;

	sqlite3_reset(q);
	db_bind_text(q, 1, table);
	code = db_step(db, q, e);
	if (code < 0)
		return code;
	found = db_text(q, 0);
	for (const char *c = columns; *c; c += strspn(c, " ")) {
		size_t n = strcspn(c, " ");

		if (!has_column(found, c, n))
			return error_set(e, ERROR_INPUT,
					 "%s: not a whole TauDB: table %s has no column %.*s",
					 db->file, table, (int)n, c);
		c += n;
	}
	note_added(db, table, found);
	return 0;
}

/* All columns of a table in one row: a query for each column would cost more than the smaller commands do. */
static int check_tables(struct db *db, struct error *e)
{
	sqlite3_stmt *q = NULL;
	int code = db_prepare(db, &q, e,
			      "SELECT group_concat(name || char(10), '') "
			      "FROM pragma_table_info(?, 'main')");

	for (size_t i = 0; code == 0 && i < sizeof(expected) / sizeof(expected[0]); i++)
		code = check_columns(db, q, expected[i].table, expected[i].columns, e);
	sqlite3_finalize(q);
	return code;
}

/* Which tables there are. *version: schema_version is one of them. */
static int look_at_tables(struct db *db, int *version, struct error *e)
{
	sqlite3_stmt *q = NULL;
	int code = db_prepare(db, &q, e,
			      "SELECT count(*), max(name = 'schema_version'), "
			      "max(name = 'counter_base'), max(name = 'message_value'), "
			      "max(name = 'thread_sum'), max(name = 'timer_value_base') "
			      "FROM sqlite_master");

	if (code == 0)
		code = db_step(db, q, e);
	if (code == 1) {
		db->empty = !sqlite3_column_int64(q, 0);
		*version = sqlite3_column_int(q, 1);
		db->memory = sqlite3_column_int(q, 2);
		db->messages = sqlite3_column_int(q, 3);
		db->sums = sqlite3_column_int(q, 4);
		db->values = sqlite3_column_int(q, 5);
	}
	sqlite3_finalize(q);
	return code < 0 ? code : 0;
}

int db_recognise(struct db *db, struct error *e)
{
	int version = 0, code = look_at_tables(db, &version, e);

	if (code < 0 || db->empty)
		return code;
	if (!version)
		return refuse_foreign(db, e);
	code = check_version(db, e);
	return code == 0 ? check_tables(db, e) : code;
}

/* TAU's tables become views of these numbers; views of users that read them see the same. */
static int move_counters(struct db *db, struct error *e)
{
	static const char before[] =
		"PRAGMA legacy_alter_table = 1;"
		"DROP VIEW IF EXISTS main.atomic_location_profile;"
		"DROP VIEW IF EXISTS main.atomic_total_summary;"
		"DROP VIEW IF EXISTS main.atomic_mean_summary;"
		"DROP VIEW IF EXISTS main.atomic_event_value;"
		"DROP VIEW IF EXISTS main.atomic_event;"
		"DROP INDEX IF EXISTS main.counter_trial_index;"
		"DROP INDEX IF EXISTS main.counter_value_index;"
		"ALTER TABLE main.counter RENAME TO counter_before;"
		"ALTER TABLE main.counter_value RENAME TO counter_value_before;";
	static const char after[] = "INSERT INTO counter_base (id, trial, name) SELECT id, trial, "
				    "name FROM counter_before;"
				    "INSERT INTO counter_value_base SELECT counter, "
				    "timer_callpath, thread, sample_count, "
				    "maximum_value, minimum_value, mean_value, standard_deviation, "
				    "sum_of_squares, time_range "
				    "FROM counter_value_before;"
				    "UPDATE sqlite_sequence SET seq = (SELECT seq FROM "
				    "sqlite_sequence WHERE name = 'counter_before') "
				    "WHERE name = 'counter_base' AND EXISTS "
				    "(SELECT 1 FROM sqlite_sequence WHERE name = 'counter_before');"
				    "DROP TABLE counter_value_before; DROP TABLE counter_before;"
				    "PRAGMA legacy_alter_table = 0;";
	int code = db_run(db, before, e);

	if (code == 0)
		code = db_run(db, schema_counters, e);
	if (code == 0)
		code = db_run(db, after, e);
	db->memory = code == 0;
	return code;
}

int db_round_ranges(struct db *db, struct error *e)
{
	return db_run(db,
		      "UPDATE main.time_range SET exact_start = start, "
		      "start = CAST(round(start) AS INT) WHERE typeof(start) = 'real';"
		      "UPDATE main.time_range SET exact_end = \"end\", "
		      "\"end\" = CAST(round(\"end\") AS INT) WHERE typeof(\"end\") = 'real'",
		      e);
}

/* Windows of trials that were stored before this column: one is kept if it overlaps none of the windows kept before it. */
static int mark_overlaps(struct db *db, struct error *e)
{
	sqlite3_stmt *read = NULL, *mark = NULL;
	int64_t trial = 0;
	struct ranges kept = {0};
	int code = db_prepare(db, &read, e,
			      "SELECT id, trial, coalesce(exact_start, start), "
			      "coalesce(exact_end, \"end\") FROM time_range "
			      "WHERE type = 1 AND trial IS NOT NULL ORDER BY trial, id");

	if (code == 0)
		code = db_prepare(db, &mark, e,
				  "UPDATE time_range SET overlapping = ? WHERE id = ?");
	while (code == 0 && (code = db_step(db, read, e)) == 1) {
		if (sqlite3_column_int64(read, 1) != trial)
			kept.v_n = 0;
		trial = sqlite3_column_int64(read, 1);
		sqlite3_bind_int64(mark, 1,
				   ranges_add(&kept, sqlite3_column_double(read, 2),
					      sqlite3_column_type(read, 3) == SQLITE_NULL
						      ? HUGE_VAL
						      : sqlite3_column_double(read, 3)));
		sqlite3_bind_int64(mark, 2, sqlite3_column_int64(read, 0));
		code = db_insert(db, mark, NULL, e);
	}
	sqlite3_finalize(read);
	sqlite3_finalize(mark);
	free(kept.v);
	return code < 0 ? code : 0;
}

/* TAU's table becomes a view; the rows, whose percentages are all there, stay as they are. */
static int move_values(struct db *db, struct error *e)
{
	int64_t has;
	int code = query_number(db, &has, e,
				"SELECT count(*) FROM pragma_table_info('thread_sum', 'main') "
				"WHERE name = 'largest'",
				NULL, NULL);

	if (code == 0 && !has)
		code = db_run(db,
			      "ALTER TABLE main.thread_sum ADD COLUMN largest DOUBLE PRECISION;"
			      "DROP INDEX IF EXISTS main.thread_sum_thread;"
			      "CREATE INDEX main.thread_sum_place ON thread_sum (thread, metric, "
			      "time_range);",
			      e);
	if (code == 0)
		code = db_run(db,
			      "PRAGMA legacy_alter_table = 1;"
			      "ALTER TABLE main.timer_value RENAME TO timer_value_base;"
			      "PRAGMA legacy_alter_table = 0;",
			      e);
	db->values = code == 0;
	return code;
}

static int make_schema(struct db *db, struct error *e)
{
	int code = db_run(db, schema, e);

	if (code == 0)
		code = db_run(db, schema_values, e);
	if (code == 0)
		code = db_run(db, schema_counters, e);
	if (code == 0)
		code = db_run(db, schema_messages, e);
	if (code == 0)
		code = db_run(db, schema_sums, e);
	if (code == 0)
		code = db_run(db, schema_views, e);
	if (code < 0)
		return code;
	db->empty = 0;
	db->memory = db->messages = db->sums = db->values = 1;
	for (size_t i = 0; i < ADDED_COLUMNS; i++)
		db->has[i] = 1;
	return 0;
}

int db_upgrade(struct db *db, struct error *e)
{
	/* Another program may have made the schema since we looked. */
	int code = db_recognise(db, e), older = !db->empty && !db->has[ADDED_RANGE_OVERLAPS];

	if (code == 0 && db->empty)
		code = make_schema(db, e);
	older |= code == 0 && (!db->memory || !db->messages || !db->values);
	for (size_t i = 0; code == 0 && i < ADDED_COLUMNS; i++) {
		char *sql;

		if (db->has[i])
			continue;
		sql = mem_printf("ALTER TABLE main.%s ADD COLUMN %s %s", added[i].table,
				 added[i].column, added[i].type);
		code = db_run(db, sql, e);
		if (code == 0 && i == ADDED_RANGE_END)
			code = db_round_ranges(db, e);
		if (code == 0 && i == ADDED_RANGE_OVERLAPS)
			code = mark_overlaps(db, e);
		db->has[i] = 1;
		free(sql);
	}
	if (code == 0 && !db->memory)
		code = move_counters(db, e);
	if (code == 0 && !db->messages) {
		code = db_run(db, schema_messages, e);
		if (code == 0)
			code = db_move_messages(db, e);
		db->messages = code == 0;
	}
	if (code == 0 && !db->sums) {
		code = db_run(db, schema_sums, e);
		db->sums = code == 0;
	}
	if (code == 0 && !db->values)
		code = move_values(db, e);
	if (code == 0 && !older) {
		int64_t has = 1;

		/* The newest of what schema_views makes. */
		code = query_number(db, &has, e,
				    "SELECT count(*) FROM main.sqlite_master WHERE type = 'index' "
				    "AND name = 'thread_no_thread'",
				    NULL, NULL);
		older = !has;
	}
	return code == 0 && older ? db_run(db, schema_views, e) : code;
}

int db_order_values(struct db *db, struct error *e)
{
	/* Columns, indexes and triggers of others would be lost, and so would a second value of a metric. */
	static const char plain[] =
		"SELECT (SELECT count(*) = 7 AND max(pk) = 0 FROM pragma_table_info("
		"'timer_value_base', 'main')) AND NOT EXISTS (SELECT 1 FROM main.sqlite_master "
		"WHERE tbl_name = 'timer_value_base' AND type IN ('index', 'trigger') AND name <> "
		"'timer_value_index') AND NOT EXISTS (SELECT 1 FROM main.timer_value_base WHERE "
		"timer_call_data IS NULL OR metric IS NULL) AND NOT EXISTS (SELECT 1 FROM "
		"main.timer_value_base GROUP BY timer_call_data, metric HAVING count(*) > 1)";
	static const char before[] =
		"PRAGMA legacy_alter_table = 1;"
		"DROP INDEX IF EXISTS main.timer_value_index;"
		"ALTER TABLE main.timer_value_base RENAME TO timer_value_before;";
	static const char after[] =
		"INSERT INTO main.timer_value_base SELECT timer_call_data, metric, "
		"inclusive_value, exclusive_value, inclusive_percent, exclusive_percent, "
		"sum_exclusive_squared FROM main.timer_value_before "
		"ORDER BY timer_call_data, metric;"
		"DROP TABLE main.timer_value_before; PRAGMA legacy_alter_table = 0;";
	int64_t found;
	int code = query_number(db, &found, e, plain, NULL, NULL);

	if (code < 0 || found != 1)
		return code;
	code = db_run(db, before, e);
	if (code == 0)
		code = db_run(db, schema_values, e);
	return code == 0 ? db_run(db, after, e) : code;
}

int db_percents_compute(struct db *db, struct error *e)
{
	return db_run(
		db,
		"UPDATE main.timer_value_base AS v SET inclusive_percent = NULL, exclusive_percent "
		"= NULL FROM thread_sum s CROSS JOIN timer_call_data d ON d.thread = s.thread AND "
		"d.time_range IS s.time_range WHERE v.timer_call_data = d.id AND v.metric = "
		"s.metric AND (v.inclusive_percent IS NOT NULL OR v.exclusive_percent IS NOT NULL) "
		"AND v.inclusive_percent IS 100.0 * v.inclusive_value / s.largest "
		"AND v.exclusive_percent IS 100.0 * v.exclusive_value / s.largest",
		e);
}
