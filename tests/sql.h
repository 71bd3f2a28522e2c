/* sql.h: for tests that change a database beside the library. */
#ifndef TESTS_SQL_H
#define TESTS_SQL_H

#include <sqlite3.h>
#include <stdio.h>

/* 1: it has run; what was wrong is printed. */
static int sql_run(const char *file, const char *sql)
{
	sqlite3 *h;
	int code = sqlite3_open(file, &h);

	if (code == SQLITE_OK)
		code = sqlite3_exec(h, sql, NULL, NULL, NULL);
	if (code != SQLITE_OK)
		printf("# %s: %s\n", sql, sqlite3_errmsg(h));
	sqlite3_close(h);
	return code == SQLITE_OK;
}

#endif
