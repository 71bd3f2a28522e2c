/* db.c: opens and closes a database. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "db/beside.h"
#include "db/private.h"
#include "db/db.h"

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Called by SQLite every now and then; not 0: the statement ends with SQLITE_INTERRUPT. */
static int is_late(void *to)
{
	struct db *db = to;

	return now_ns() > db->deadline_ns;
}

void db_handle_prepare(struct db *db)
{
	enum { STEPS = 10000, NS_PER_MS = 1000000 };
	uint64_t wait = db->limit_ns / NS_PER_MS + 1;

	sqlite3_extended_result_codes(db->handle, 1);
	if (!db->limit_ns || wait > DB_PATIENCE_MS)
		wait = DB_PATIENCE_MS;
	sqlite3_busy_timeout(db->handle, (int)wait);
	if (!db->limit_ns)
		return;
	db->deadline_ns = now_ns() + db->limit_ns;
	sqlite3_progress_handler(db->handle, STEPS, is_late, db);
}


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

/* "file:" and the path with what has a meaning in a URI encoded, and the parameters. */
static char *uri(const char *file, const char *parameters)
{
	char *out = mem_alloc(3 * strlen(file) + strlen(parameters) + sizeof("file:"));
	char *to = out;

	to += sprintf(to, "file:");
	/* Two slashes at the beginning would begin the name of a host. */
	while (file[0] == '/' && file[1] == '/')
		file++;
	for (; *file; file++) {
		if (strchr("%?#", *file))
			to += sprintf(to, "%%%02X", (unsigned char)*file);
		else
			*to++ = *file;
	}
	strcpy(to, parameters);
	return out;
}

/*
 * A database in mode WAL gets files beside it also when it is only read. If its log is empty, no
 * program has it open to write, and it can be read as a file that does not change.
 */
static int is_quiet_log(const char *file)
{
	unsigned char version[2] = {0};
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int wal = fd >= 0 && pread(fd, version, 2, 18) == 2 && version[0] == 2 && version[1] == 2;

	if (fd >= 0)
		close(fd);
	return wal && !beside_has_log(file);
}

char *db_reading_uri(const char *file)
{
	return uri(file, is_quiet_log(file) ? "?mode=ro&immutable=1" : "?mode=ro");
}

int db_handle_open(struct db *db, enum db_mode mode, struct error *e)
{
	char *name = mode == DB_READ ? db_reading_uri(db->file) : uri(db->file, "");
	int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI |
		    (mode == DB_READ     ? SQLITE_OPEN_READONLY
		     : mode == DB_CREATE ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
					 : SQLITE_OPEN_READWRITE);
	int code = beside_check(db->file, e);

	if (code == 0 && sqlite3_open_v2(name, &db->handle, flags, NULL) != SQLITE_OK)
		code = open_fail(db, mode, e);
	free(name);
	if (code < 0)
		return code;
	db_handle_prepare(db);
	return 0;
}

int db_open(const char *file, enum db_mode mode, struct db **out, struct error *e)
{
	return db_open_within(file, mode, 0, out, e);
}

int db_open_within(const char *file, enum db_mode mode, uint64_t limit_ns, struct db **out,
		   struct error *e)
{
	struct stat s;
	struct db *db;
	int code;

	if (stat(file, &s) < 0) {
		if (mode != DB_CREATE)
			return error_set(e, ERROR_SYSTEM, "%s: %s", file, strerror(errno));
	} else if (!S_ISREG(s.st_mode)) {
		if (S_ISDIR(s.st_mode))
			return error_set(e, ERROR_SYSTEM, "%s: %s", file, strerror(EISDIR));
		return error_set(e, ERROR_INPUT, "%s: a %s, not a TauDB", file,
				 S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode) ? "pipe or socket"
									    : "device");
	}
	db = mem_alloc(sizeof(*db));
	db->file = mem_string(file);
	db->mode = mode;
	db->limit_ns = limit_ns;
	code = db_handle_open(db, mode, e);
	if (code == 0)
		code = db_recognise(db, e);
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
