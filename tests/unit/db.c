/* db.c: what is stored is loaded again, exactly; trials are listed and removed; foreign files are refused. */
#include <math.h>
#include <sqlite3.h>
#include <unistd.h>

#include "analyze/stats.h"
#include "convert/tau_profile.h"
#include "db/db.h"
#include "profiles.h"
#include "tap.h"

static char scratch[] = "/tmp/tau-test.XXXXXX";

/* A path below the scratch folder; four are kept at a time. */
static const char *below(const char *name)
{
	static char path[4][4200];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", scratch, name);
	return path[turn];
}

static int run_sql(const char *file, const char *sql)
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

/* The first column of the first row as text; "" when there is none. */
static const char *ask(const char *file, const char *sql)
{
	static char answer[400];
	sqlite3 *h;
	sqlite3_stmt *q = NULL;

	*answer = 0;
	if (sqlite3_open(file, &h) == SQLITE_OK && sqlite3_prepare_v2(h, sql, -1, &q, NULL) == SQLITE_OK &&
	    sqlite3_step(q) == SQLITE_ROW)
		snprintf(answer, sizeof(answer), "%s",
			 sqlite3_column_text(q, 0) ? (const char *)sqlite3_column_text(q, 0) : "NULL");
	else
		snprintf(answer, sizeof(answer), "%s", sqlite3_errmsg(h));
	sqlite3_finalize(q);
	sqlite3_close(h);
	return answer;
}

static void check_ask(const char *file, const char *sql, const char *expected)
{
	const char *got = ask(file, sql);

	if (!ok(!strcmp(got, expected), "%s", sql))
		printf("# got: %s\n# expected: %s\n", got, expected);
}

/* load(store(x)) = x over random trials of up to three windows. */
static void check_random(void)
{
	uint64_t seed = 7;
	const char *file = below("random.db");
	int same = 1, i;

	for (i = 0; i < 60 && same; i++) {
		struct profile *w[3] = { NULL }, *got;
		size_t n = 1 + i % 3;
		struct error e = { 0 };
		struct db *db = NULL;
		int64_t trial = 0;

		for (size_t k = 0; k < n; k++)
			w[k] = profiles_make(&seed, 1 + (uint64_t)i);
		same = db_open(file, DB_CREATE, &db, &e) == 0 &&
		       db_store(db, (const struct profile *const *)w, n, &trial, &e) == 0;
		for (size_t k = 0; same && k < n; k++) {
			got = NULL;
			same = db_load(db, trial, k, &got, &e) == 0 && profiles_same(w[k], got);
			profile_free(got);
		}
		if (!same)
			printf("# trial %d: %s\n", i, e.text);
		for (size_t k = 0; k < n; k++)
			profile_free(w[k]);
		db_close(db);
	}
	ok(same, "random trials are loaded as they were stored (seed 7, %d of 60)", i);
}

int main(void)
{
	char command[100];

	if (!mkdtemp(scratch))
		return 1;
	check_random();
	check_ask(below("random.db"), "SELECT count(*) FROM trial", "60");
	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	return tap_end() | (system(command) != 0);
}
