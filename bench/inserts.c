/* inserts.c: FILE THREADS TIMERS: inserts as many rows as an import of such a trial stores for its threads, with a bound statement for each table. */
#include <sqlite3.h>
#include <stdlib.h>

static void check(int code)
{
	if (code != SQLITE_OK && code != SQLITE_DONE)
		exit(1);
}

static void insert(sqlite3_stmt *q, const sqlite3_int64 *integer, int n, double number)
{
	for (int i = 0; i < n; i++)
		check(sqlite3_bind_int64(q, i + 1, integer[i]));
	for (int i = n; i < n + 3 && i < sqlite3_bind_parameter_count(q); i++)
		check(sqlite3_bind_double(q, i + 1, number + i));
	check(sqlite3_step(q));
	check(sqlite3_reset(q));
}

int main(int argc, char **argv)
{
	/* The tables and indexes of db/schema.sql and db/schema_values.sql that have a row for each value. */
	static const char before[] =
		"PRAGMA cache_size = -65536; BEGIN; CREATE TABLE d (id INTEGER PRIMARY KEY AUTOINCREMENT, timer_callpath INT NOT NULL, "
		"thread INT NOT NULL, calls INT, subroutines INT, time_range INT); CREATE INDEX d_thread ON d (thread);"
		"CREATE TABLE v (timer_call_data INT NOT NULL, metric INT NOT NULL, i DOUBLE PRECISION, e DOUBLE PRECISION, "
		"ip DOUBLE PRECISION, ep DOUBLE PRECISION, s DOUBLE PRECISION, PRIMARY KEY (timer_call_data, metric)) WITHOUT ROWID";
	sqlite3 *h;
	sqlite3_stmt *d, *v;
	sqlite3_int64 at = 0;

	if (argc < 4)
		return 2;
	check(sqlite3_open(argv[1], &h));
	check(sqlite3_exec(h, before, NULL, NULL, NULL));
	check(sqlite3_prepare_v2(h, "INSERT INTO d (timer_callpath, thread, calls, subroutines, time_range) VALUES (?, ?, ?, ?, ?)", -1, &d, NULL));
	check(sqlite3_prepare_v2(h, "INSERT INTO v (timer_call_data, metric, i, e, s) VALUES (?, ?, ?, ?, ?)", -1, &v, NULL));
	for (sqlite3_int64 thread = 1; thread <= atoll(argv[2]); thread++)
		for (sqlite3_int64 timer = 1; timer <= atoll(argv[3]); timer++) {
			insert(d, (sqlite3_int64[]){timer, thread, thread + timer, 0, 1}, 5, 0);
			insert(v, (sqlite3_int64[]){++at, 1}, 2, (double)(thread * timer));
		}
	check(sqlite3_finalize(d));
	check(sqlite3_finalize(v));
	check(sqlite3_exec(h, "CREATE INDEX d_timer_callpath ON d (timer_callpath); COMMIT", NULL, NULL, NULL));
	return sqlite3_close(h) != SQLITE_OK;
}
