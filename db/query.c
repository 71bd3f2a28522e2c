/* query.c: runs SQL that only reads: a read-only connection, and an authorizer that refuses everything else. */
#include "db/query.h"

#include <stdio.h>
#include <string.h>

#include "db/events_table.h"
#include "db/private.h"

struct db_query {
	struct db *db;
	sqlite3_stmt *statement;
	struct events_module events[2];
	const char *refused;	/* what the authorizer refused; NULL: nothing */
};

/* What a statement may not do, for the message. */
static const char *action_name(int action)
{
	static const struct {
		int action;
		const char *name;
	} known[] = {
		{ SQLITE_ATTACH, "ATTACH" },
		{ SQLITE_DETACH, "DETACH" },
		{ SQLITE_INSERT, "INSERT" },
		{ SQLITE_UPDATE, "UPDATE" },
		{ SQLITE_DELETE, "DELETE" },
		{ SQLITE_ALTER_TABLE, "ALTER TABLE" },
		{ SQLITE_TRANSACTION, "a transaction" },
		{ SQLITE_SAVEPOINT, "a savepoint" },
		{ SQLITE_REINDEX, "REINDEX" },
		{ SQLITE_ANALYZE, "ANALYZE" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].action == action)
			return known[i].name;
	return "this statement";
}

static int is_one_of(const char *word, const char *const *known, size_t n)
{
	for (size_t i = 0; word && i < n; i++)
		if (!sqlite3_stricmp(word, known[i]))
			return 1;
	return 0;
}

/* Pragmas that only describe tables; with a value some others would set something. */
static int pragma_reads(const char *name)
{
	static const char *const known[] = {
		"table_info",       "table_xinfo", "table_list",	"index_list", "index_info",
		"index_xinfo",      "user_version",     "foreign_key_list", "page_count",
		"freelist_count",   "page_size",	"compile_options",  "collation_list",
	};

	return is_one_of(name, known, sizeof(known) / sizeof(known[0]));
}

/* Functions of SQLite and its shell that load code or read and write files. */
static int function_is_safe(const char *name)
{
	static const char *const unsafe[] = {
		"load_extension", "fts3_tokenizer", "readfile",		  "writefile",
		"edit",		  "fsdir",	    "sqlite_drop_column", "zipfile",
	};

	return !is_one_of(name, unsafe, sizeof(unsafe) / sizeof(unsafe[0]));
}

/* a and b: what the action is about (sqlite3_set_authorizer). */
static int authorize(void *to, int action, const char *a, const char *b, const char *database,
		     const char *trigger)
{
	static const char *const settable[] = {"user_version", "page_size"};
	static const char *const master = "sqlite_master";
	struct db_query *q = to;

	(void)database;
	(void)trigger;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		if (function_is_safe(b))
			return SQLITE_OK;
		q->refused = "a function that loads code or uses files";
		return SQLITE_DENY;
	case SQLITE_PRAGMA:
		if (pragma_reads(a) &&
		    !(b && is_one_of(a, settable, sizeof(settable) / sizeof(settable[0]))))
			return SQLITE_OK;
		q->refused = "this PRAGMA";
		return SQLITE_DENY;
	case SQLITE_CREATE_TABLE:
	case SQLITE_INSERT:
	case SQLITE_UPDATE:
		/*
		 * A table-valued function such as json_each() declares its columns by a CREATE TABLE. A statement that is one
		 * is refused by prepare(), because it is not read-only.
		 */
		if (action == SQLITE_CREATE_TABLE || is_one_of(a, &master, 1))
			return SQLITE_OK;
		/* fallthrough */
	default:
		if (!q->refused)
			q->refused = action_name(action);
		return SQLITE_DENY;
	}
}

/*
 * Databases of TAU's loader and of earlier versions get this table with the next write. Until then no trial has sums there, and
 * queries compute them from the values.
 */
static int add_sums(struct db *db, struct error *e)
{
	return db_run(db,
		      "PRAGMA temp_store = MEMORY; CREATE TEMP VIEW thread_sum (thread, "
		      "time_range, metric, timers, exclusive, runtimes, largest) AS "
		      "SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL WHERE 0",
		      e);
}

/* The same for columns of windows: what an earlier version has stored is in start and end. */
static int add_exact(struct db *db, struct error *e)
{
	return db_run(db,
		      "PRAGMA temp_store = MEMORY; CREATE TEMP VIEW time_range AS SELECT *, "
		      "NULL AS exact_start, NULL AS exact_end FROM main.time_range",
		      e);
}

/* What db_open() has recognised is opened once more: a connection whose statements the authorizer sees from the first one. */
static int reopen(struct db_query *q, const char *file, const struct db_event_source *events,
		  struct error *e)
{
	struct db *db = q->db;

	sqlite3_close(db->handle);
	db->handle = NULL;
	if (file) {
		if (db_handle_open(db, DB_READ, e) < 0)
			return e->code;
	} else {
		if (sqlite3_open_v2(":memory:", &db->handle,
				    SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY |
					    SQLITE_OPEN_NOMUTEX,
				    NULL) != SQLITE_OK)
			return db_fail(db, e);
		db_handle_prepare(db);
	}
	sqlite3_exec(db->handle, "PRAGMA cache_size = -65536", NULL, NULL, NULL);
	if (file && !db->sums && add_sums(db, e) < 0)
		return e->code;
	if (file && !db->has[ADDED_RANGE_START] && add_exact(db, e) < 0)
		return e->code;
	if (events && events_install(db, q->events, events, NULL) < 0)
		return db_fail(db, e);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_limit(db->handle, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_set_authorizer(db->handle, authorize, q);
	return 0;
}

/*
 * What to do if the SQL has a table or column that is not there: events are in runs, and a database of TAU's loader or of an
 * earlier version lacks some columns.
 */
static const char *hint(const struct db *db, const char *error)
{
	if (strncmp(error, "no such ", 8) != 0)
		return "";
	if (!strcmp(error, "no such table: event") || !strcmp(error, "no such table: call"))
		return "; name the run that has it by --run";
	for (size_t i = 0; i < ADDED_COLUMNS; i++)
		if (!db->has[i])
			return "; this database lacks the columns that tau-db adds: run tau-db gc";
	return "";
}

static int wrong_sql(struct db_query *q, struct error *e)
{
	const char *error = sqlite3_errmsg(q->db->handle);
	int at = sqlite3_error_offset(q->db->handle);

	if (q->refused)
		return error_set(e, ERROR_USAGE, "SQL: %s is refused: a query only reads",
				 q->refused);
	if ((sqlite3_errcode(q->db->handle) & 0xff) != SQLITE_ERROR)
		return db_fail(q->db, e);
	if (at >= 0)
		return error_set(e, ERROR_USAGE, "SQL: at character %d: %s%s", at + 1,
				 error, hint(q->db, error));
	return error_set(e, ERROR_USAGE, "SQL: %s%s", error, hint(q->db, error));
}

/* Blanks and comments may follow a statement, but no second one. */
static int only_blanks(struct db_query *q, const char *rest)
{
	sqlite3_stmt *second = NULL;
	int code;

	while (*rest) {
		code = sqlite3_prepare_v2(q->db->handle, rest, -1, &second, &rest);
		sqlite3_finalize(second);
		if (code != SQLITE_OK || second)
			return 0;
	}
	return 1;
}

static int prepare(struct db_query *q, const char *sql, struct error *e)
{
	const char *rest;

	if (sqlite3_prepare_v2(q->db->handle, sql, -1, &q->statement, &rest) != SQLITE_OK)
		return wrong_sql(q, e);
	if (!q->statement)
		return error_set(e, ERROR_USAGE, "SQL: there is no statement");
	if (!only_blanks(q, rest))
		return error_set(e, ERROR_USAGE, "SQL: a query is one statement; this is more");
	if (!sqlite3_stmt_readonly(q->statement) || !sqlite3_column_count(q->statement))
		return error_set(e, ERROR_USAGE,
				 "SQL: this statement is refused: a query only reads");
	return 0;
}

int db_query_open(const char *file, uint64_t limit_ns, const struct db_event_source *events,
		  const char *sql, struct db_query **out, struct error *e)
{
	struct db_query *q = mem_alloc(sizeof(*q));
	int code = 0;

	if (file) {
		code = db_open_within(file, DB_READ, limit_ns, &q->db, e);
	} else {
		q->db = mem_alloc(sizeof(*q->db));
		q->db->file = mem_string("SQL");
		q->db->mode = DB_READ;
		q->db->limit_ns = limit_ns;
		memset(q->db->has, 1, sizeof(q->db->has));
	}
	if (code == 0)
		code = reopen(q, file, events, e);
	if (code == 0)
		code = prepare(q, sql, e);
	if (code < 0) {
		db_query_close(q);
		return code;
	}
	*out = q;
	return 0;
}

void db_query_close(struct db_query *q)
{
	if (!q)
		return;
	sqlite3_finalize(q->statement);
	db_close(q->db);
	free(q);
}

int db_query_set(struct db_query *q, const char *name, const struct db_value *v, struct error *e)
{
	char *colon = mem_printf(":%s", name);
	int at = sqlite3_bind_parameter_index(q->statement, colon);

	free(colon);
	if (!at)
		return error_set(e, ERROR_USAGE, "the query has no parameter '%s'", name);
	switch (v->type) {
	case DB_NULL:
		sqlite3_bind_null(q->statement, at);
		break;
	case DB_INTEGER:
		sqlite3_bind_int64(q->statement, at, v->integer);
		break;
	case DB_NUMBER:
		sqlite3_bind_double(q->statement, at, v->number);
		break;
	case DB_TEXT:
		sqlite3_bind_text64(q->statement, at, v->text, v->n, SQLITE_TRANSIENT, SQLITE_UTF8);
		break;
	case DB_BYTES:
		sqlite3_bind_blob64(q->statement, at, v->text, v->n, SQLITE_TRANSIENT);
		break;
	}
	return 0;
}

size_t db_query_columns(const struct db_query *q)
{
	return (size_t)sqlite3_column_count(q->statement);
}

const char *db_query_column(const struct db_query *q, size_t column)
{
	const char *name = sqlite3_column_name(q->statement, (int)column);

	return name ? name : "";
}

int db_query_next(struct db_query *q, struct error *e)
{
	int code = sqlite3_step(q->statement);

	return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : wrong_sql(q, e);
}

struct db_value db_query_value(const struct db_query *q, size_t column)
{
	struct db_value v = {.type = DB_NULL};
	int at = (int)column;

	switch (sqlite3_column_type(q->statement, at)) {
	case SQLITE_INTEGER:
		v.type = DB_INTEGER;
		v.integer = sqlite3_column_int64(q->statement, at);
		break;
	case SQLITE_FLOAT:
		v.type = DB_NUMBER;
		v.number = sqlite3_column_double(q->statement, at);
		break;
	case SQLITE_TEXT:
		v.text = (const char *)sqlite3_column_text(q->statement, at);
		v.n = (size_t)sqlite3_column_bytes(q->statement, at);
		v.type = v.text && strlen(v.text) == v.n ? DB_TEXT : DB_BYTES;
		break;
	case SQLITE_BLOB:
		v.text = sqlite3_column_blob(q->statement, at);
		v.n = (size_t)sqlite3_column_bytes(q->statement, at);
		v.type = DB_BYTES;
		break;
	}
	return v;
}
