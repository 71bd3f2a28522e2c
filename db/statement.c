/* statement.c: runs SQL, and turns SQLite's errors into sentences. */
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "analyze/base/quantity.h"
#include "db/private.h"

/* Why SQLite could not write, as far as its codes and the limits of the process show; NULL: unknown. */
static char *write_cause(struct db *db)
{
	struct rlimit limit;
	char text[QUANTITY_TEXT];

	switch (sqlite3_extended_errcode(db->handle)) {
	case SQLITE_READONLY_ROLLBACK:
		if (db->mode == DB_READ)
			return mem_printf("a program was killed while it wrote, and reading does "
					  "not change a database; to undo it: tau-db gc --db %s",
					  db->file);
		return mem_string("a program was killed while it wrote; to undo that, the database "
				  "and its directory must be writable");
	case SQLITE_INTERRUPT:
		return mem_printf("stopped after %s (--timeout)",
				  quantity_time_text((double)db->limit_ns, text));
	case SQLITE_IOERR_WRITE:
		if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY)
			return NULL;
		return mem_printf("the database cannot be written; the limit of a file is %ju "
				  "bytes (ulimit -f)",
				  (uintmax_t)limit.rlim_cur);
	default:
		return NULL;
	}
}

int db_fail(struct db *db, struct error *e)
{
	static const struct {
		int sqlite, code;
		const char *what; /* NULL: SQLite's own words */
	} known[] = {
		{SQLITE_NOTADB, ERROR_INPUT, "not an SQLite database"},
		{SQLITE_CORRUPT, ERROR_INPUT, "the database is damaged"},
		{SQLITE_BUSY, ERROR_SYSTEM, "another program keeps the database locked"},
		{SQLITE_FULL, ERROR_SYSTEM, "no space left for the database"},
		{SQLITE_IOERR, ERROR_SYSTEM, NULL},
		{SQLITE_CANTOPEN, ERROR_SYSTEM, NULL},
		{SQLITE_READONLY, ERROR_SYSTEM,
		 "the database, or its directory, cannot be written"},
		{SQLITE_PERM, ERROR_SYSTEM, NULL},
		{SQLITE_NOMEM, ERROR_SYSTEM, NULL},
	};
	int sqlite = sqlite3_errcode(db->handle) & 0xff, system = sqlite3_system_errno(db->handle);
	char *cause = write_cause(db);

	if (cause) {
		error_set(e, ERROR_SYSTEM, "%s: %s", db->file, cause);
		free(cause);
		return e->code;
	}
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

void db_bind_message(sqlite3_stmt *s, int at, const struct message_counter *m)
{
	sqlite3_bind_int64(s, at, m->kind);
	sqlite3_bind_null(s, at + 1);
	sqlite3_bind_null(s, at + 2);
	if (m->peer != MESSAGE_PEER_UNKNOWN)
		sqlite3_bind_int64(s, at + 1, m->peer);
	if (m->size_class != MESSAGE_ALL_SIZES)
		sqlite3_bind_int64(s, at + 2, m->size_class);
}
