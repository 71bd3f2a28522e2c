/* db_merge.c: merging databases: trials stay as they were, and a kill at any write leaves the old or the new state. */
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/check.h"
#include "db/merge.h"
#include "files.h"
#include "profiles.h"
#include "sql.h"
#include "tap.h"

static char scratch[] = "/tmp/tau-test.XXXXXX";

enum { TRIALS = 5, MINE = 2 };

static struct profile *trial[TRIALS];

static const char *below(const char *name)
{
	return file_below(scratch, name);
}

/* ---- SQLite's files, of which write number `last` is the last that the process makes ---- */

static const sqlite3_io_methods *original;
static sqlite3_io_methods counted;
static sqlite3_vfs vfs;
static int (*open_original)(sqlite3_vfs *, const char *, sqlite3_file *, int, int *);
static long writes, last = -1;
static int fails;	/* the write fails instead */

static int enough(void)
{
	if (++writes <= last || last < 0)
		return 0;
	if (!fails)
		raise(SIGKILL);
	return 1;
}

static int count_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
	return enough() ? SQLITE_FULL : original->xWrite(f, p, n, at);
}

static int count_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	return enough() ? SQLITE_IOERR_TRUNCATE : original->xTruncate(f, size);
}

static int count_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out)
{
	int code = open_original(v, name, f, flags, out);

	if (code != SQLITE_OK || !f->pMethods)
		return code;
	original = f->pMethods;
	counted = *original;
	counted.xWrite = count_write;
	counted.xTruncate = count_truncate;
	f->pMethods = &counted;
	return code;
}

static void count_files(void)
{
	vfs = *sqlite3_vfs_find(NULL);
	open_original = vfs.xOpen;
	vfs.xOpen = count_open;
	vfs.zName = "counted";
	sqlite3_vfs_register(&vfs, 1);
}

/* ---- databases ---- */

static void store(const char *file, size_t first, size_t n)
{
	struct error e = {0};
	struct db *db = NULL;
	int64_t number;

	unlink(file);
	if (db_open(file, DB_CREATE, &db, &e) < 0)
		return;
	for (size_t i = first; i < first + n; i++)
		db_store(db, (const struct profile *const *)&trial[i], 1, &number, &e);
	db_close(db);
}

/* The number of trials if they are trial[0], trial[1] ..., each whole; otherwise -1. */
static int trials_in(const char *file)
{
	struct error e = {0};
	struct db_trial *t = NULL;
	struct db *db = NULL;
	size_t n = 0;
	/* For writing: what was left half-done is undone. */
	int good = db_open(file, DB_WRITE, &db, &e) == 0 && db_list(db, 0, &t, &n, &e) == 0;

	for (size_t i = 0; good && i < n; i++) {
		struct profile *p = NULL;

		good = i < TRIALS && db_load(db, t[i].id, 0, &p, &e) == 0 &&
		       profiles_same(trial[i], p);
		profile_free(p);
	}
	if (!good)
		printf("# %s\n", e.text);
	db_trials_free(t, n);
	db_close(db);
	return good ? (int)n : -1;
}

static void print_defect(void *to, const struct db_defect *d)
{
	(void)to;
	printf("# %s: trial %jd: %jd rows: %s\n", d->check, (intmax_t)d->trial, (intmax_t)d->rows,
	       d->what);
}

static int is_clean(const char *file)
{
	struct db_check_result result = {0};
	struct error e = {0};
	struct db *db = NULL;
	int code = db_open(file, DB_WRITE, &db, &e);

	if (code == 0)
		code = db_check(db, print_defect, NULL, &result, &e);
	db_close(db);
	if (code < 0)
		printf("# %s\n", e.text);
	return code == 0 && !result.defects && result.checks > 20;
}

static int merge(const char *into, const char *from, struct db_merged *m, struct error *e)
{
	struct db *db = NULL;
	int code = db_open(into, DB_CREATE, &db, e);

	if (code == 0)
		code = db_merge(db, from, MERGE_AGAIN, m, e);
	db_close(db);
	return code;
}

static void check_merge(void)
{
	const char *a = below("a.db"), *b = below("b.db"), *c = below("c.db");
	struct db_merged m;
	struct error e = {0};

	store(a, 0, MINE);
	store(b, MINE, TRIALS - MINE);
	ok(merge(a, b, &m, &e) == 0 && m.trials == TRIALS - MINE && m.first == MINE + 1 &&
		   m.last == TRIALS && !m.omitted,
	   "a merge reports the new numbers");
	ok(trials_in(a) == TRIALS && is_clean(a), "all trials are there as they were stored");
	ok(merge(c, a, &m, &e) == 0 && trials_in(c) == TRIALS && is_clean(c),
	   "merging into a new database");
	ok(merge(a, a, &m, &e) == ERROR_USAGE, "a database cannot be merged into itself: %s", e.text);
	unlink(c);
	ok(merge(a, c, &m, &e) == ERROR_SYSTEM && trials_in(a) == TRIALS,
	   "a database that does not exist: %s", e.text);
}

/* One merge in a process that ends, or fails, at its write number n; 1: it came to its end. */
static int stopped_merge(const char *a, const char *b, long n, int *old)
{
	pid_t child;
	int status = 0, after;

	store(a, 0, MINE);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		struct db_merged m;
		struct error e = {0};

		count_files();
		last = n;
		_exit(merge(a, b, &m, &e) < 0);
	}
	waitpid(child, &status, 0);
	after = trials_in(a);
	*old += after == MINE;
	if (after != MINE && after != TRIALS)
		return -1;
	/* What was stopped can be done again. */
	if (after == MINE) {
		struct db_merged m;
		struct error e = {0};

		if (merge(a, b, &m, &e) < 0 || trials_in(a) != TRIALS)
			return -1;
	}
	return status == 0;
}

static void check_stops(const char *how)
{
	const char *a = below("a.db"), *b = below("b.db");
	int step = getenv("TAU_TEST_LONG") ? 4 : 12, done = 0, old = 0, stops = 0, next = 0;

	store(b, MINE, TRIALS - MINE);
	for (long n = 0; done == 0 && stops < 5000; n++)
		if (n == next || n < 8) {
			done = stopped_merge(a, b, n, &old);
			stops++;
			next = n + step;
		}
	ok(done == 1 && stops > 20 && old > stops / 2,
	   "%s at a write: the old or the new state (%d times, %d old)", how, stops, old);
	ok(is_clean(a), "and the database has no defects");
}

static void keep_name(void *to, const struct db_defect *d)
{
	size_t n = strlen(to);

	snprintf((char *)to + n, 400 - n, "%s %jd;", d->check, (intmax_t)d->rows);
}

/* timer_value as TAU and earlier versions have it: a table, here with its rows in another order. */
#define TAUS_VALUES \
	"CREATE TABLE x AS SELECT * FROM timer_value; DROP VIEW timer_value; DROP TABLE timer_value_base;" \
	"CREATE TABLE timer_value (timer_call_data INT NOT NULL, metric INT NOT NULL, " \
	"inclusive_value DOUBLE PRECISION, exclusive_value DOUBLE PRECISION, " \
	"inclusive_percent DOUBLE PRECISION, exclusive_percent DOUBLE PRECISION, " \
	"sum_exclusive_squared DOUBLE PRECISION);" \
	"CREATE INDEX timer_value_index ON timer_value (timer_call_data, metric);" \
	"INSERT INTO timer_value SELECT * FROM x ORDER BY metric DESC, timer_call_data DESC; DROP TABLE x;" \
	"DROP INDEX thread_sum_place; CREATE INDEX thread_sum_thread ON thread_sum (thread);" \
	"ALTER TABLE thread_sum DROP COLUMN largest;"

/* Each check finds what it is for. */
static void check_defects(void)
{
	static const struct {
		const char *sql, *found;
	} harm[] = {
		{"UPDATE timer_value SET exclusive_value = inclusive_value + 1 WHERE timer_call_data = 1",
		 "exclusive"},
		{"UPDATE timer_call_data SET calls = -1 WHERE id = 1", "calls"},
		{"UPDATE timer_value SET inclusive_percent = 101, inclusive_value = 1, exclusive_value = 0 "
		 "WHERE timer_call_data = 1",
		 "percent"},
		{"UPDATE counter_value_base SET mean_value = maximum_value + 1 WHERE rowid = 1", "counters"},
		{"UPDATE counter_value_base SET sample_count = -1 WHERE rowid = 1", "samples"},
		{"UPDATE trial SET total_threads = 77", "total threads"},
		{"DELETE FROM timer_call_data WHERE id = 1", "references"},
		{"DELETE FROM trial", "references"},
		{"UPDATE timer_call_data SET calls = calls + 1 WHERE thread = (SELECT id FROM thread "
		 "WHERE thread_index = -2)",
		 "derived"},
		{"UPDATE counter_value_base SET mean_value = mean_value / 2, minimum_value = -1e300 WHERE "
		 "thread = (SELECT id FROM thread WHERE thread_index = -5)",
		 "derived"},
		{TAUS_VALUES "INSERT INTO timer_value SELECT * FROM timer_value WHERE timer_call_data = 1",
		 "values"},
	};
	const char *a = below("a.db");

	for (size_t i = 0; i < sizeof(harm) / sizeof(harm[0]); i++) {
		struct db_check_result result = {0};
		struct error e = {0};
		struct db *db = NULL;
		char names[400] = "", expected[40];

		store(a, 4, 1);
		sql_run(a, harm[i].sql);
		if (db_open(a, DB_READ, &db, &e) == 0)
			db_check(db, keep_name, names, &result, &e);
		db_close(db);
		snprintf(expected, sizeof(expected), "%s ", harm[i].found);
		ok(strstr(names, expected) != NULL, "%s is found: %s", harm[i].found, names);
	}
}

static void check_gc(void)
{
	const char *a = below("a.db");
	struct db_gc_result r = {0};
	struct error e = {0};
	struct db *db = NULL;
	int good;

	store(a, 0, TRIALS);
	sql_run(a, "DELETE FROM trial WHERE id > 2");
	good = db_open(a, DB_WRITE, &db, &e) == 0 && db_gc(db, &r, &e) == 0;
	ok(good && r.rows > 100 && r.bytes_after < r.bytes_before,
	   "gc removes what belongs to no trial: %jd rows, %jd of %jd bytes are left", (intmax_t)r.rows,
	   (intmax_t)r.bytes_after, (intmax_t)r.bytes_before);
	db_close(db);
	ok(trials_in(a) == 2 && is_clean(a), "and nothing else");
}

/* Has the table of values row numbers? It has the first of these names in older databases. */
static int has_row_numbers(const char *file)
{
	static const char *const names[] = {"timer_value", "timer_value_base"};
	sqlite3 *h;
	int found = 0, opened = sqlite3_open(file, &h) == SQLITE_OK;

	for (int i = 0; opened && i < 2; i++)
		found |= sqlite3_table_column_metadata(h, NULL, names[i], "rowid", NULL, NULL, NULL, NULL,
						       NULL) == SQLITE_OK;
	sqlite3_close(h);
	return found;
}

static int gc(const char *file)
{
	struct db_gc_result r = {0};
	struct error e = {0};
	struct db *db = NULL;
	int good = db_open(file, DB_WRITE, &db, &e) == 0 && db_gc(db, &r, &e) == 0;

	if (!good)
		printf("# %s\n", e.text);
	db_close(db);
	return good;
}

/* gc orders the values of older databases, unless something would be lost. */
static void check_order(void)
{
	static const char *const kept[] = {
		"ALTER TABLE timer_value ADD COLUMN mood",
		"CREATE INDEX mine ON timer_value (exclusive_value)",
		"CREATE TRIGGER mine AFTER DELETE ON timer_value BEGIN SELECT 1; END",
		"INSERT INTO timer_value SELECT * FROM timer_value WHERE timer_call_data = 1",
	};
	const char *a = below("a.db"), *b = below("b.db");
	struct db_merged m = {0};
	struct error e = {0};

	store(a, 0, TRIALS);
	sql_run(a, TAUS_VALUES);
	ok(has_row_numbers(a) && is_clean(a) && trials_in(a) == TRIALS, "values in any order are read");
	ok(gc(a) && !has_row_numbers(a) && is_clean(a) && trials_in(a) == TRIALS, "gc orders them");
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		store(a, 1, 1);
		sql_run(a, TAUS_VALUES);
		sql_run(a, kept[i]);
		ok(gc(a) && has_row_numbers(a), "but not after %s", kept[i]);
	}
	/* The last of them has a metric with two values. */
	store(b, 0, 1);
	ok(merge(b, a, &m, &e) == 0 && trials_in(b) == 2 && is_clean(b), "a merge keeps one value of a metric");
	db_merged_release(&m);
}

/* One gc in a process that ends, or fails, at its write number n: 1: it came to its end, 0: it did not, -1: trials differ. */
static int stopped_gc(const char *a, long n, int *old)
{
	pid_t child;
	int status = 0;

	store(a, 0, TRIALS);
	sql_run(a, TAUS_VALUES);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		count_files();
		last = n;
		_exit(!gc(a));
	}
	waitpid(child, &status, 0);
	if (trials_in(a) != TRIALS)
		return -1;
	*old += has_row_numbers(a);
	/* What was stopped can be done again. */
	if (!gc(a) || has_row_numbers(a) || trials_in(a) != TRIALS)
		return -1;
	return status == 0;
}

static void check_stopped_gc(const char *how)
{
	const char *a = below("a.db");
	int step = getenv("TAU_TEST_LONG") ? 4 : 24, done = 0, old = 0, stops = 0;

	for (long n = 0; done == 0 && stops < 5000; n += step, stops++)
		done = stopped_gc(a, n, &old);
	ok(done == 1 && stops > 5 && old > 2 && old < stops,
	   "%s at a write of gc: the old or the new order, and all trials (%d times, %d old)", how, stops, old);
	ok(is_clean(a), "and the database has no defects");
}

/* Random values as measured ones could be: exclusive within inclusive, means between the extremes. */
static void tame(struct profile *p)
{
	for (size_t t = 0; t < p->thread_n; t++) {
		struct profile_thread *at = &p->thread[t];

		for (size_t i = 0; i < at->values_n; i++)
			at->values[i] = isfinite(at->values[i]) ? fabs(at->values[i]) : 0;
		for (size_t i = 0; i < at->row_n; i++)
			for (size_t m = 0; m < p->metric_n; m++)
				profile_incl(at, &at->row[i])[m] +=
					profile_excl(p, at, &at->row[i])[m];
		for (size_t i = 0; i < at->sample_n; i++) {
			struct profile_sample *s = &at->sample[i];

			s->min = isfinite(s->min) ? s->min : 0;
			s->mean = s->min + 1;
			s->max = s->min + 2;
		}
	}
}

int main(void)
{
	uint64_t seed = 11;
	char command[100];

	if (!mkdtemp(scratch))
		return 1;
	for (size_t i = 0; i < TRIALS; i++)
		tame(trial[i] = profiles_make(&seed, 4 + 8 * i));
	check_merge();
	check_stops("a kill");
	fails = 1;
	check_stops("a failure");
	check_defects();
	check_gc();
	check_order();
	check_stopped_gc("a failure");
	fails = 0;
	check_stopped_gc("a kill");
	for (size_t i = 0; i < TRIALS; i++)
		profile_free(trial[i]);
	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	return tap_end() | (system(command) != 0);
}
