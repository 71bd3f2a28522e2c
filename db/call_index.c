/*
 * call_index.c: drops the index of timer_call_data by call path before many rows come. Threads follow
 * one another in that table, so the index grows at as many places as there are call paths. Readers see
 * the drop and the new index as one change: both are in the transaction.
 */
#include "db/call_index.h"

#include <string.h>

/* A new index costs less than one that grows if at least this many rows come for one that is there. */
enum { ROWS_FOR_ONE = 2 };

int call_index_drop(struct db *db, int64_t rows, char **sql, struct error *e)
{
	sqlite3_stmt *q = NULL;
	int code = db_prepare(db, &q, e,
			      "SELECT sql FROM main.sqlite_master WHERE type = 'index' AND "
			      "name = 'timer_call_data_timer_callpath' AND (SELECT "
			      "coalesce(max(id), 0) FROM timer_call_data) <= ?");

	*sql = NULL;
	if (code == 0) {
		sqlite3_bind_int64(q, 1, rows / ROWS_FOR_ONE);
		code = db_step(db, q, e);
	}
	if (code == 1)
		*sql = mem_string(db_text(q, 0));
	sqlite3_finalize(q);
	if (code == 1)
		code = db_run(db, "DROP INDEX main.timer_call_data_timer_callpath", e);
	return code < 0 ? code : 0;
}
