/* db.c: opens and closes a database. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/private.h"


/*
 * If a file cannot be created, SQLite tries to read it and reports that it is missing. So this creates it first, for the reason.
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
	struct stat s;
	struct db *db;
	int code;

	if (stat(file, &s) < 0) {
		if (mode != DB_CREATE)
			return error_set(e, ERROR_SYSTEM, "%s: %s", file, strerror(errno));
	} else if (S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode)) {
		return error_set(e, ERROR_INPUT, "%s: a pipe or socket, not a TauDB", file);
	}
	db = mem_alloc(sizeof(*db));
	db->file = mem_string(file);
	code = sqlite3_open_v2(file, &db->handle, flags, NULL) == SQLITE_OK
		       ? 0
		       : open_fail(db, mode, e);
	if (code == 0) {
		sqlite3_extended_result_codes(db->handle, 1);
		sqlite3_busy_timeout(db->handle, DB_PATIENCE_MS);
		code = db_recognise(db, e);
	}
	if (code == 0 && db->empty && mode != DB_CREATE)
		code = error_set(e, ERROR_INPUT, "%s: an empty file, not a TauDB", file);
	if (code < 0) {
		db_close(db);
		return code;
	}
	sqlite3_exec(db->handle,
		     mode == DB_READ ? "PRAGMA cache_size = -65536; PRAGMA query_only = 1" :
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
