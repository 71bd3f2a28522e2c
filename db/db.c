/* db.c: opens a database, tells what it is, and turns SQLite's errors into sentences. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "db/private.h"

enum { SCHEMA_VERSION = 2 };

static const char schema[] =
#include "schema.inc"
	;

/* What every TauDB has. */
static const struct {
	const char *table, *columns;
} expected[] = {
	{ "trial",
	  "id name data_source node_count contexts_per_node threads_per_context total_threads" },
	{ "thread", "id trial node_rank context_rank thread_rank thread_index" },
	{ "metric", "id trial name" },
	{ "timer", "id trial name short_name source_file line_number line_number_end column_number "
		   "column_number_end" },
	{ "timer_group", "timer group_name" },
	{ "timer_parameter", "timer parameter_name parameter_value" },
	{ "timer_callpath", "id timer parent" },
	{ "time_range", "id type start end" },
	{ "timer_call_data", "id timer_callpath thread calls subroutines time_range" },
	{ "timer_value", "timer_call_data metric inclusive_value exclusive_value inclusive_percent "
			 "exclusive_percent "
			 "sum_exclusive_squared" },
	{ "counter", "id trial name" },
	{ "counter_value",
	  "counter timer_callpath thread sample_count maximum_value minimum_value mean_value "
	  "standard_deviation" },
	{ "primary_metadata", "trial name value" },
	{ "secondary_metadata", "trial thread time_range name value" },
	{ "taudb_view", "id parent name conjoin" },
	{ "taudb_view_parameter", "taudb_view table_name column_name operator value" },
};

static const struct {
	const char *table, *column, *type;
} added[ADDED_COLUMNS] = {
	[ADDED_RANGE_TRIAL] = { "time_range", "trial", "INT" },
	[ADDED_RANGE_NAME] = { "time_range", "name", "VARCHAR" },
	[ADDED_COUNTER_SQUARES] = { "counter_value", "sum_of_squares", "DOUBLE PRECISION" },
	[ADDED_COUNTER_RANGE] = { "counter_value", "time_range", "INT" },
	[ADDED_PRIMARY_THREAD] = { "primary_metadata", "thread", "INT" },
};

/* Other databases that may be taken for one. table: found only there, once schema_version is missing. */
static const struct {
	const char *table, *what;
} foreign[] = {
	{ "interval_location_profile",
	  "a PerfDMF database, TauDB's predecessor (schema version 0)" },
	{ "counter_value", "a database of TAU's run-time SQLite plug-in" },
};

int db_fail(struct db *db, struct error *e)
{
	static const struct {
		int sqlite, code;
		const char *what; /* NULL: SQLite's own words */
	} known[] = {
		{ SQLITE_NOTADB, ERROR_INPUT, "not an SQLite database" },
		{ SQLITE_CORRUPT, ERROR_INPUT, "the database is damaged" },
		{ SQLITE_BUSY, ERROR_SYSTEM, "another program keeps the database locked" },
		{ SQLITE_FULL, ERROR_SYSTEM, "no space left for the database" },
		{ SQLITE_IOERR, ERROR_SYSTEM, NULL },
		{ SQLITE_CANTOPEN, ERROR_SYSTEM, NULL },
		{ SQLITE_READONLY, ERROR_SYSTEM,
		  "the database, or its directory, cannot be written" },
		{ SQLITE_PERM, ERROR_SYSTEM, NULL },
		{ SQLITE_NOMEM, ERROR_SYSTEM, NULL },
	};
	int sqlite = sqlite3_errcode(db->handle) & 0xff, system = sqlite3_system_errno(db->handle);

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].sqlite == sqlite)
			return error_set(e, known[i].code, "%s: %s", db->file,
					 known[i].what ? known[i].what
					 : system      ? strerror(system)
						       : sqlite3_errmsg(db->handle));
	return error_set(e, ERROR_INPUT, "%s: %s", db->file, sqlite3_errmsg(db->handle));
}

int db_run(struct db *db, const char *sql, struct error *e)
{
	return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : db_fail(db, e);
}

int db_prepare(struct db *db, sqlite3_stmt **out, struct error *e, const char *sql)
{
	return sqlite3_prepare_v2(db->handle, sql, -1, out, NULL) == SQLITE_OK ? 0 : db_fail(db, e);
}

int db_step(struct db *db, sqlite3_stmt *s, struct error *e)
{
	int code = sqlite3_step(s);

	return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : db_fail(db, e);
}

int db_insert(struct db *db, sqlite3_stmt *q, int64_t *id, struct error *e)
{
	if (sqlite3_step(q) != SQLITE_DONE)
		return db_fail(db, e);
	if (id)
		*id = sqlite3_last_insert_rowid(db->handle);
	sqlite3_reset(q);
	return 0;
}

int db_end(struct db *db, int code, struct error *e)
{
	if (code == 0)
		code = db_run(db, "COMMIT", e);
	if (code < 0 && !sqlite3_get_autocommit(db->handle))
		sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
	return code;
}

const char *db_text(sqlite3_stmt *s, int column)
{
	const char *text = (const char *)sqlite3_column_text(s, column);

	return text ? text : "";
}

double db_number(sqlite3_stmt *s, int column)
{
	return sqlite3_column_type(s, column) == SQLITE_NULL ? NAN
							     : sqlite3_column_double(s, column);
}

void db_bind_known(sqlite3_stmt *s, int at, int64_t v)
{
	if (v)
		sqlite3_bind_int64(s, at, v);
	else
		sqlite3_bind_null(s, at);
}

void db_bind_text(sqlite3_stmt *s, int at, const char *text)
{
	if (text)
		sqlite3_bind_text(s, at, text, -1, SQLITE_STATIC);
	else
		sqlite3_bind_null(s, at);
}

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

static int has_column(struct db *db, const char *table, const char *column, int64_t *found,
		      struct error *e)
{
	return query_number(db, found, e,
			    "SELECT count(*) FROM pragma_table_info(?) WHERE name = ?", table,
			    column);
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
	int code = has_table(db, "schema_version", &found, e);

	if (code < 0)
		return code;
	if (!found)
		return refuse_foreign(db, e);
	code = query_number(db, &found, e, "SELECT max(version) FROM schema_version", NULL, NULL);
	if (code == 0 && found != SCHEMA_VERSION)
		code = error_set(e, ERROR_INPUT,
				 "%s: TauDB schema version %jd, this program knows %d only",
				 db->file, (intmax_t)found, SCHEMA_VERSION);
	return code;
}

static int check_columns(struct db *db, const char *table, const char *columns, struct error *e)
{
	char *list = mem_string(columns), *save;
	int code = 0;

	for (char *c = strtok_r(list, " ", &save); code == 0 && c; c = strtok_r(NULL, " ", &save)) {
		int64_t found;

		code = has_column(db, table, c, &found, e);
		if (code == 0 && !found)
			code = error_set(e, ERROR_INPUT,
					 "%s: not a whole TauDB: table %s has no column %s",
					 db->file, table, c);
	}
	free(list);
	return code;
}

/* Sets db->empty and db->has. */
static int check_schema(struct db *db, struct error *e)
{
	int64_t n;
	int code = query_number(db, &n, e, "SELECT count(*) FROM sqlite_master", NULL, NULL);

	if (code < 0)
		return code;
	db->empty = n == 0;
	if (db->empty)
		return 0;
	code = check_version(db, e);
	for (size_t i = 0; code == 0 && i < sizeof(expected) / sizeof(expected[0]); i++)
		code = check_columns(db, expected[i].table, expected[i].columns, e);
	for (size_t i = 0; code == 0 && i < ADDED_COLUMNS; i++) {
		code = has_column(db, added[i].table, added[i].column, &n, e);
		db->has[i] = n > 0;
	}
	return code;
}

int db_upgrade(struct db *db, struct error *e)
{
	/* Another program may have made the schema since we looked. */
	int code = check_schema(db, e);

	if (code == 0 && db->empty) {
		code = db_run(db, schema, e);
		if (code == 0)
			code = check_schema(db, e);
	}
	for (size_t i = 0; code == 0 && i < ADDED_COLUMNS; i++) {
		char *sql;

		if (db->has[i])
			continue;
		sql = mem_printf("ALTER TABLE %s ADD COLUMN %s %s", added[i].table, added[i].column,
				 added[i].type);
		code = db_run(db, sql, e);
		db->has[i] = 1;
		free(sql);
	}
	return code;
}

/*
 * What cannot be made SQLite tries to read, and says then that it is not there: why it cannot be made is known to whoever tries.
 */
static int open_fail(struct db *db, enum db_mode mode, struct error *e)
{
	int code = db_fail(db, e), fd;

	if (mode != DB_CREATE || !access(db->file, F_OK))
		return code;
	fd = open(db->file, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return error_set(e, ERROR_SYSTEM, "%s: %s", db->file, strerror(errno));
	close(fd);
	return code;
}

int db_open(const char *file, enum db_mode mode, struct db **out, struct error *e)
{
	/*
	 * A reader may write too: what a killed program left half-done must be rolled back first. Where the
	 * file cannot be written, SQLite opens it for reading by itself.
	 */
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
		    (mode == DB_CREATE ? SQLITE_OPEN_CREATE : 0);
	struct db *db;
	int code;

	if (mode != DB_CREATE && access(file, F_OK) < 0)
		return error_set(e, ERROR_SYSTEM, "%s: %s", file, strerror(errno));
	db = mem_alloc(sizeof(*db));
	db->file = mem_string(file);
	code = sqlite3_open_v2(file, &db->handle, flags, NULL) == SQLITE_OK
		       ? 0
		       : open_fail(db, mode, e);
	if (code == 0) {
		sqlite3_extended_result_codes(db->handle, 1);
		sqlite3_busy_timeout(db->handle, DB_PATIENCE_MS);
		code = check_schema(db, e);
	}
	if (code == 0 && db->empty && mode != DB_CREATE)
		code = error_set(e, ERROR_INPUT, "%s: an empty file, not a TauDB", file);
	if (code < 0) {
		db_close(db);
		return code;
	}
	sqlite3_exec(db->handle,
		     mode == DB_READ ? "PRAGMA query_only = 1" :
				       "PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY",
		     NULL, NULL, NULL);
	*out = db;
	return 0;
}

void db_close(struct db *db)
{
	if (!db)
		return;
	sqlite3_close(db->handle);
	free(db->file);
	free(db);
}
