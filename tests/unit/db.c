/* db.c: what is stored is loaded again, exactly; trials are listed and removed; foreign files are refused. */
#include <math.h>
#include <sqlite3.h>
#include <time.h>
#include <unistd.h>

#include "tests/inputs.h"
#include "analyze/profile/derived_threads.h"
#include "convert/tau/tau_profile.h"
#include "db/db.h"
#include "files.h"
#include "profiles.h"
#include "sql.h"
#include "tap.h"

static char scratch[] = "/tmp/tau-test.XXXXXX";

static const char *below(const char *name)
{
	return file_below(scratch, name);
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

static void check_query(const char *file, const char *sql, const char *expected)
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


/* Three threads; main calls foo [ <i> = <3> ]; an event in the context of both. */
static struct profile *small(void)
{
	struct profile *p = profile_new();
	uint32_t main_path, foo, c, below_main;

	p->name = mem_string("small");
	p->source = 1;
	profile_add_metric(p, "TIME");
	main_path = profile_add_path(p, profile_add_timer(p, "int main() C [{m.c} {3,1}-{9,2}]", "TAU_USER|IO", "m.c", 3),
				     PROFILE_FLAT);
	foo = profile_add_timer(p, "foo [ <i> = <3> ]", "TAU_USER", NULL, 0);
	below_main = profile_add_path(p, foo, main_path);
	c = profile_add_counter(p, "E", COUNTER_EVENT);
	for (uint32_t t = 0; t < 3; t++) {
		struct profile_row *r;

		profile_add_thread(p, (int32_t)t, 0, 0);
		profile_set_meta(p, t, "Hostname", t ? "n1" : "n0");
		r = profile_add_row(p, t, main_path);
		r->calls = 1;
		p->thread[t].values[r->first] = 100;
		p->thread[t].values[r->first + 1] = 60 + t;
		if (t == 2)
			continue;
		r = profile_add_row(p, t, below_main);
		r->calls = 4;
		p->thread[t].values[r->first] = 40;
		p->thread[t].values[r->first + 1] = 40;
		*profile_add_sample(p, t, c, PROFILE_FLAT) = (struct profile_sample){ c, PROFILE_FLAT, 2, 3, 1, 2, 10 };
		*profile_add_sample(p, t, c, below_main) = (struct profile_sample){ c, below_main, 2, 3, 1, 2, 10 };
	}
	profile_set_meta(p, UINT32_MAX, "Application", "app");
	profile_set_meta(p, UINT32_MAX, "Experiment", "exp");
	profile_sort(p);
	return p;
}

static int64_t store(const char *file, const struct profile *const *w, size_t n)
{
	struct error e = { 0 };
	struct db *db = NULL;
	int64_t trial = -1;

	if (db_open(file, DB_CREATE, &db, &e) < 0 || db_store(db, w, n, &trial, &e) < 0)
		printf("# %s\n", e.text);
	db_close(db);
	return trial;
}

/* Loads, compares and reports. */
static void check_load(const char *what, const char *file, int64_t trial, size_t window, const struct profile *expected)
{
	struct profile *p = NULL;
	struct error e = { 0 };
	struct db *db = NULL;
	int good = db_open(file, DB_READ, &db, &e) == 0 && db_load(db, trial, window, &p, &e) == 0;

	ok(good && profiles_same(expected, p), "%s%s%s", what, *e.text ? ": " : "", e.text);
	profile_free(p);
	db_close(db);
}

static void check_tables(void)
{
	struct profile *p = small();
	const struct profile *one[1] = { p };
	const char *f = below("small.db");

	ok(store(f, one, 1) == 1 && store(f, one, 1) == 2, "trials are numbered from 1");
	check_load("what a person would check by hand is loaded again", f, 2, 0, p);
	check_query(f, "SELECT group_concat(version) FROM schema_version", "2");
	check_query(f, "SELECT name || ' ' || data_source || ' ' || node_count || ' ' || contexts_per_node || ' ' || "
		     "threads_per_context || ' ' || total_threads FROM trial", "small 1 3 1 1 3");
	check_query(f, "SELECT group_concat(thread_index) FROM (SELECT * FROM thread WHERE trial = 2 ORDER BY id)",
		  "0,1,2,-1,-2,-3,-4,-5,-6,-7");
	check_query(f, "SELECT short_name || '|' || source_file || '|' || line_number || '|' || line_number_end || '|' || "
		     "column_number || '|' || column_number_end FROM timer WHERE trial = 2 AND line_number", "int main() C|m.c|3|9|1|2");
	check_query(f, "SELECT short_name || parameter_name || parameter_value FROM timer_parameter p JOIN timer t "
		     "ON p.timer = t.id", "fooi3");
	check_query(f, "SELECT group_concat(group_name) FROM (SELECT * FROM timer_group WHERE timer = 1 ORDER BY rowid)", "TAU_USER,IO");
	check_query(f, "SELECT count(*) FROM timer_callpath WHERE parent IS NULL", "2");
	check_query(f, "SELECT group_concat(round(inclusive_value, 6)) FROM timer_value v JOIN timer_call_data d "
		     "ON v.timer_call_data = d.id JOIN thread t ON d.thread = t.id WHERE t.trial = 1 AND thread_index < 0 "
		     "AND d.timer_callpath = 2", "40.0,80.0,0.0,40.0,40.0,26.666667,18.856181");
	check_query(f, "SELECT inclusive_percent || ' ' || exclusive_percent FROM timer_value LIMIT 1", "100.0 60.0");
	check_query(f, "SELECT sum_exclusive_squared FROM timer_value v JOIN timer_call_data d ON v.timer_call_data = d.id "
		     "JOIN thread t ON d.thread = t.id WHERE thread_index = -2", "11165.0");
	check_query(f, "SELECT sum_exclusive_squared FROM timer_value WHERE timer_call_data = 2", "NULL");
	check_query(f, "SELECT count(DISTINCT time_range) || ' ' || count(*) FROM timer_call_data, (SELECT count(*) FROM time_range)",
		  "0 38");
	check_query(f, "SELECT group_concat(sample_count || ':' || standard_deviation) FROM counter_value v JOIN thread t "
		     "ON v.thread = t.id WHERE t.trial = 1 AND timer_callpath IS NULL AND thread_index IN (0, 1, -1, -2, -6)",
		  "2:1.0,2:1.0,2:1.0,4:1.0,1.33333333333333:1.0");
	check_query(f, "SELECT count(*) FROM counter_value WHERE timer_callpath = 2", "9");
	check_query(f, "SELECT group_concat(name || '=' || value || coalesce(thread, '-')) FROM primary_metadata WHERE trial = 1",
		  "Application=app-,Experiment=exp-,Hostname=n01");
	check_query(f, "SELECT group_concat(value) FROM secondary_metadata WHERE trial = 1", "n0,n1,n1");
	check_query(f, "SELECT group_concat(v.name || '<' || coalesce(v.parent, '')) FROM taudb_view v",
		  "All Trials<,Application-app<,Experiment-exp<2");
	check_query(f, "SELECT group_concat(table_name || column_name || operator || value) FROM taudb_view_parameter",
		  "trialtotal_threads>-1,primary_metadataApplication=app,primary_metadataExperiment=exp");
	check_query(f, "SELECT count(*) FROM interval_mean_summary", "4");
	check_query(f, "SELECT count(*) FROM atomic_total_summary WHERE sample_count = 4", "4");
	check_query(f, "SELECT count(*) FROM data_source", "21");
	check_query(f, "SELECT count(DISTINCT content) || ' ' || length(min(content)) FROM trial", "1 32");
	check_query(f, "PRAGMA integrity_check", "ok");
	check_query(f, "PRAGMA foreign_key_check", "no more rows available");
	profile_free(p);
}

static void check_windows(void)
{
	struct profile *a = small(), *b = small();
	const struct profile *w[2] = { a, b };
	const char *f = below("windows.db");
	struct error e = { 0 };
	struct db_trial *t = NULL;
	struct db *db = NULL;
	size_t n = 0;

	a->window = mem_string("0:50%");
	a->end_us = 1000.5;
	b->window = mem_string("50%:");
	b->begin_us = 1000.5;
	b->end_us = 2001;
	b->thread[1].values[0] = 77;
	b->thread[0].sample[0].n = 5;
	profile_set_meta(b, UINT32_MAX, "Application", "other");
	profile_set_meta(b, 1, "Hostname", "n2");
	store(f, w, 2);
	check_load("the first window is itself", f, 1, 0, a);
	check_load("so is the second", f, 1, 1, b);
	check_query(f, "SELECT group_concat(type || ' ' || start || ' ' || end || ' ' || trial || ' ' || name) FROM time_range",
		  "1 0 1001 1 0:50%,1 1001 2001 1 50%:");
	check_query(f, "SELECT group_concat(coalesce(exact_start, '-') || ' ' || coalesce(exact_end, '-')) FROM time_range",
		  "- 1000.5,1000.5 -");
	check_query(f, "SELECT count(*) || ' ' || count(time_range) || ' ' || count(DISTINCT time_range) FROM timer_call_data",
		  "38 38 2");
	check_query(f, "SELECT count(*) || ' ' || count(time_range) || ' ' || count(DISTINCT time_range) FROM counter_value",
		  "36 36 2");
	check_query(f, "SELECT count(*) FROM thread", "10");
	check_query(f, "SELECT time_start || '-' || time_end || coalesce(iteration_start, '') FROM time_range_iteration",
		  "0-1001");
	ok(db_open(f, DB_READ, &db, &e) == 0 && db_list(db, 0, &t, &n, &e) == 0 && n == 1 && t->window_n == 2 &&
		   !strcmp(t->window[1].name, "50%:") && t->window[1].begin_us == 1000.5 && t->threads == 3 && t->timers == 2,
	   "windows are listed");
	db_trials_free(t, n);
	ok(db_load(db, 1, 2, &a, &e) == ERROR_INPUT && strstr(e.text, "trial 1 has no window 2; its last one is 1"), "%s", e.text);
	ok(db_load(db, 9, 0, &a, &e) == ERROR_INPUT && strstr(e.text, "there is no trial 9"), "%s", e.text);
	db_close(db);
	ok(sql_run(f, "UPDATE time_range SET start = coalesce(exact_start, start), \"end\" = coalesce(exact_end, \"end\");"
		      "ALTER TABLE time_range DROP COLUMN exact_start; ALTER TABLE time_range DROP COLUMN exact_end"),
	   "fractions in start and end, as an earlier version stores them");
	check_load("such a window is read", f, 1, 1, b);
	store(f, w, 2);
	check_query(f, "SELECT group_concat(start || ' ' || end || ' ' || coalesce(exact_start, '-') || ' ' || coalesce(exact_end, '-')) "
		     "FROM time_range WHERE trial = 1",
		  "0 1001 - 1000.5,1001 2001 1000.5 -");
	check_load("with the next write it gets integers, and is read as before", f, 1, 1, b);
	profile_free((struct profile *)w[0]);
	profile_free(b);
}

/* Makes of the views of counters the tables that TAU has, and that earlier versions had. */
static const char tables_of_tau[] =
	"CREATE TABLE counters (id INTEGER PRIMARY KEY AUTOINCREMENT, trial INT NOT NULL, name VARCHAR NOT NULL);"
	"INSERT INTO counters SELECT id, trial, name FROM counter;"
	"CREATE TABLE counter_values (counter INT NOT NULL, timer_callpath INT, thread INT NOT NULL, sample_count INT, "
	"maximum_value DOUBLE PRECISION, minimum_value DOUBLE PRECISION, mean_value DOUBLE PRECISION, "
	"standard_deviation DOUBLE PRECISION, sum_of_squares DOUBLE PRECISION, time_range INT);"
	"INSERT INTO counter_values SELECT * FROM counter_value;"
	"DROP VIEW atomic_location_profile; DROP VIEW atomic_total_summary; DROP VIEW atomic_mean_summary;"
	"DROP VIEW atomic_event_value; DROP VIEW atomic_event; DROP VIEW memory_by_thread; DROP VIEW counter_value;"
	"DROP VIEW memory_deviation; DROP VIEW memory_sum; DROP VIEW memory_row_mean; DROP VIEW memory_row; DROP VIEW counter;"
	"DROP TABLE counter_value_base; DROP TABLE counter_base; DROP TABLE memory_value; DROP TABLE memory_object;"
	"DROP VIEW message_by_pair; DROP TABLE message_value; DROP TABLE message_peer; DROP TABLE message_kind;"
	"DROP TABLE memory_owner; DROP TABLE memory_name; DROP TABLE memory_number; DROP TABLE memory_kind; DROP TABLE memory_family;"
	"DROP INDEX thread_place;"
	"ALTER TABLE counters RENAME TO counter; ALTER TABLE counter_values RENAME TO counter_value;"
	"CREATE INDEX counter_trial_index ON counter (trial, name); CREATE INDEX counter_value_index ON counter_value (counter, thread);";

/* A database as TAU's loader leaves it: without our columns, sums of squares as deviations, contexts in names. */
static void check_taus_own(void)
{
	struct profile *p = small(), *q = NULL;
	const struct profile *one[1] = { p };
	const char *f = below("tau.db");
	struct error e = { 0 };
	struct db *db = NULL;

	store(f, one, 1);
	ok(sql_run(f, tables_of_tau), "counters in TAU's tables");
	ok(sql_run(f, "INSERT INTO counter (trial, name) VALUES (1, 'E : int main() C [{m.c} {3,1}-{9,2}] => foo [ <i> = <3> ]');"
		      "UPDATE counter_value SET counter = 2, timer_callpath = NULL WHERE timer_callpath IS NOT NULL;"
		      "DELETE FROM counter_value WHERE thread > 3;"
		      "UPDATE counter_value SET standard_deviation = sum_of_squares;"
		      "DELETE FROM primary_metadata WHERE thread IS NOT NULL;"
		      "ALTER TABLE counter_value DROP COLUMN sum_of_squares; ALTER TABLE counter_value DROP COLUMN time_range;"
		      "ALTER TABLE primary_metadata DROP COLUMN thread; DROP VIEW time_range_iteration;"
		      "DROP VIEW flat_profile; DROP VIEW interval_location_profile; DROP VIEW interval_total_summary;"
		      "DROP VIEW interval_mean_summary; DROP VIEW interval_event_value; ALTER TABLE time_range DROP COLUMN overlapping;"
		      "DROP INDEX time_range_trial; ALTER TABLE time_range DROP COLUMN trial;"
		      "ALTER TABLE time_range DROP COLUMN name; DROP INDEX timer_call_data_thread;"),
	   "a database without our columns");
	check_load("is understood", f, 1, 0, p);
	sql_run(f, "UPDATE counter_value SET standard_deviation = 1");
	check_load("and real deviations are told from sums of squares", f, 1, 0, p);
	ok(store(f, one, 1) == 2, "trials can be added to it");
	check_load("and are what they were", f, 2, 0, p);
	check_load("while its own stays", f, 1, 0, p);
	ok(db_open(f, DB_WRITE, &db, &e) == 0 && db_remove(db, (int64_t[]){ 1 }, 1, &e) == 0 && db_load(db, 1, 0, &q, &e) < 0,
	   "and can be removed: %s", e.text);
	db_close(db);
	profile_free(p);
}

/* Opens file, which must fail with this code and sentence. */
static void check_refused(const char *file, enum db_mode mode, int code, const char *text)
{
	struct error e = { 0 };
	struct db *db;
	int got = db_open(file, mode, &db, &e);

	ok(got == code && strstr(e.text, text), "refused: %s", e.text);
	if (got == 0)
		db_close(db);
}

static void check_foreign(void)
{
	struct profile *p = small();
	const struct profile *one[1] = { p };
	FILE *f = fopen(below("text.db"), "w");

	for (int i = 0; i < 100; i++)
		fputs("this is no database, whatever its name\n", f);
	fclose(f);
	fclose(fopen(below("empty.db"), "w"));
	check_refused(below("text.db"), DB_CREATE, ERROR_INPUT, "text.db: not an SQLite database");
	check_refused(below("none.db"), DB_READ, ERROR_SYSTEM, "none.db: No such file or directory");
	check_refused(below("no/none.db"), DB_CREATE, ERROR_SYSTEM, "none.db: No such file or directory");
	check_refused(scratch, DB_CREATE, ERROR_SYSTEM, "Is a directory");
	check_refused(below("empty.db"), DB_READ, ERROR_INPUT, "an empty file, not a TauDB");
	sql_run(below("music.db"), "CREATE TABLE trial (id INT, name TEXT)");
	check_refused(below("music.db"), DB_CREATE, ERROR_INPUT, "not a TauDB (it has no table schema_version)");
	sql_run(below("perfdmf.db"), "CREATE TABLE interval_location_profile (a INT)");
	check_refused(below("perfdmf.db"), DB_READ, ERROR_INPUT, "PerfDMF");
	sql_run(below("plugin.db"), "CREATE TABLE counter_value (a INT)");
	check_refused(below("plugin.db"), DB_READ, ERROR_INPUT, "run-time SQLite plug-in");
	store(below("old.db"), one, 1);
	sql_run(below("old.db"), "UPDATE schema_version SET version = 1");
	check_refused(below("old.db"), DB_READ, ERROR_INPUT, "TauDB schema version 1, this program knows 2 only");
	store(below("part.db"), one, 1);
	sql_run(below("part.db"), "ALTER TABLE trial DROP COLUMN node_count");
	check_refused(below("part.db"), DB_READ, ERROR_INPUT, "table trial has no column node_count");
	profile_free(p);
}

/* Rows that refer to what is not there are errors, not accesses to it. */
static void check_dangling(void)
{
	static const struct {
		const char *sql, *text;
	} harm[] = {
		{ "UPDATE timer_call_data SET timer_callpath = 999", "its call path is missing" },
		{ "UPDATE timer_value SET metric = 999", "its metric is missing" },
		{ "UPDATE timer_callpath SET parent = 2 WHERE id = 1", "a call path has no beginning" },
		{ "UPDATE timer_callpath SET parent = 999", "a call path has no beginning" },
		{ "UPDATE counter_value_base SET timer_callpath = 999", "its call path is missing" },
		{ "UPDATE secondary_metadata SET thread = 999", "there is no such thread" },
		{ "INSERT INTO thread (trial, node_rank, context_rank, thread_rank, thread_index) VALUES (1, 0, 0, 0, 3)",
		  "the same thread for the second time" },
	};
	struct profile *p = small(), *q = NULL;
	const struct profile *one[1] = { p };

	for (size_t i = 0; i < sizeof(harm) / sizeof(harm[0]); i++) {
		const char *f = below("dangling.db");
		struct error e = { 0 };
		struct db *db = NULL;

		unlink(f);
		store(f, one, 1);
		sql_run(f, harm[i].sql);
		ok(db_open(f, DB_READ, &db, &e) == 0 && db_load(db, 1, 0, &q, &e) == ERROR_INPUT && strstr(e.text, harm[i].text),
		   "%s", e.text);
		db_close(db);
	}
	sql_run(below("dangling.db"), "DELETE FROM thread WHERE thread_index = 3;"
				      "INSERT INTO timer_callpath (id, timer, parent) VALUES (10, 2, 12), (11, 1, NULL), (12, 2, 11)");
	check_load("a parent may come after its child", below("dangling.db"), 1, 0, p);
	profile_free(p);
}

static void check_removal(void)
{
	static const char *const tables[] = { "trial", "thread", "metric", "timer", "timer_group", "timer_parameter",
					      "timer_callpath", "time_range", "timer_call_data", "timer_value", "counter",
					      "counter_value", "primary_metadata", "secondary_metadata" };
	struct profile *p = small(), *q = small();
	const struct profile *two[2] = { p, q };
	const char *f = below("removal.db");
	struct error e = { 0 };
	struct db *db = NULL;
	char pages[400], sql[100];

	store(f, two, 2);
	store(f, two, 2);
	snprintf(pages, sizeof(pages), "%s", ask(f, "PRAGMA page_count"));
	db_open(f, DB_WRITE, &db, &e);
	ok(db_remove(db, (int64_t[]){ 1, 7 }, 2, &e) == ERROR_INPUT && strstr(e.text, "there is no trial 7"), "%s", e.text);
	check_query(f, "SELECT count(*) FROM trial", "2");
	ok(db_remove(db, (int64_t[]){ 1, 2 }, 2, &e) == 0, "trials are removed: %s", e.text);
	db_close(db);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", tables[i]);
		check_query(f, sql, "0");
	}
	ok(store(f, two, 2) == 3 && store(f, two, 2) == 4, "numbers are not given out again");
	check_query(f, "PRAGMA page_count", pages);
	profile_free(p);
	profile_free(q);
}

/* Profiles that TAU wrote are the same after the database, and as files again. */
static void check_real(const char *set)
{
	const char *data = getenv("TAU_TEST_DATA") ? getenv("TAU_TEST_DATA") : "../shared/data";
	struct profile *p = NULL, *q = NULL, *r = NULL;
	struct error e = { 0 };
	struct db *db = NULL;
	char dir[4096];
	int64_t trial;

	snprintf(dir, sizeof(dir), "%s/tau/profiles/%s", data, set);
	if (access(dir, R_OK) < 0) {
		skip(set, "the recorded data are not here");
		return;
	}
	path_tau_profile_read(dir, &p, &e);
	trial = store(below("real.db"), (const struct profile *[]){ p }, 1);
	check_load(set, below("real.db"), trial, 0, p);
	ok(db_open(below("real.db"), DB_READ, &db, &e) == 0 && db_load(db, trial, 0, &q, &e) == 0 &&
		   tau_profile_write(below(set), q, &e) == 0 && path_tau_profile_read(below(set), &r, &e) == 0 && profiles_same(p, r),
	   "%s as files again: %s", set, e.text);
	db_close(db);
	profile_free(p);
	profile_free(q);
	profile_free(r);
}

/* No number is changed on its way, whatever it is. */
static void check_numbers(void)
{
	const double odd[] = { INFINITY, -INFINITY, NAN, 0.1, 5e-324, 1.7976931348623157e308, 9007199254740993.0, -0.5 };
	struct profile *p = small();
	const struct profile *one[1] = { p };

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		struct profile *q = small();
		char what[60];

		q->thread[0].values[0] = q->thread[1].sample[0].sumsq = q->thread[1].sample[0].max = odd[i];
		q->thread[0].row[0].calls = isnan(odd[i]) ? 0 : odd[i];
		one[0] = q;
		snprintf(what, sizeof(what), "%.17g stays", odd[i]);
		if (isnan(odd[i]))
			q->thread[1].sample[0].sumsq = 10;
		check_load(what, below("numbers.db"), store(below("numbers.db"), one, 1), 0, q);
		profile_free(q);
	}
	profile_free(p);
}

/* A trial that has only derived threads stores how many threads there were; the derived threads are read back unchanged. */
static void check_summary(void)
{
	struct profile *p = small(), *s = small(), *q = NULL;
	struct profile_thread derived[STATS_DERIVED];
	struct error e = { 0 };
	struct db *db;
	int64_t trial;

	derived_derive(p, NULL, NULL, derived);
	for (size_t i = 0; i < s->thread_n; i++) {
		free(s->thread[i].row);
		free(s->thread[i].values);
		free(s->thread[i].sample);
		for (size_t k = 0; k < s->thread[i].meta_n; k++) {
			free(s->thread[i].meta[k].name);
			free(s->thread[i].meta[k].value);
		}
		free(s->thread[i].meta);
	}
	names_release(&s->thread_names);
	s->thread_n = 0;
	s->summary = (struct profile_summary){ 1048576, 2097152, 1, 2 };
	for (int d = 0; d < STATS_DERIVED; d++) {
		uint32_t id = profile_add_thread(s, -1 - d, -1 - d, -1 - d);

		s->thread[id] = derived[d];
	}
	profile_sort(s);
	trial = store(below("summary.db"), (const struct profile *[]){ s }, 1);
	ok(db_open(below("summary.db"), DB_READ, &db, &e) == 0 && db_load(db, trial, 0, &q, &e) == 0 && profiles_same(s, q) &&
		   q->summary.pes == 1048576 && q->summary.threads == 2097152 && profile_pes(q) == 1048576,
	   "a summary comes back as it is: %s", e.text);
	check_query(below("summary.db"), "SELECT node_count || ' ' || total_threads || ' ' || (SELECT count(*) FROM thread) FROM trial",
		  "1048576 2097152 7");
	db_close(db);
	profile_free(q);
	profile_free(s);
	profile_free(p);
}

/* CPU time per window of storing n windows with much metadata. */
static double cost_of_windows(const char *file, size_t n)
{
	struct profile **w = mem_alloc(n * sizeof(*w));
	struct db *db = NULL;
	struct error e;
	int64_t trial;
	clock_t begin;

	for (size_t i = 0; i < n; i++) {
		char text[32];

		w[i] = profile_new();
		snprintf(text, sizeof(text), "step#%zu", i + 1);
		w[i]->window = mem_string(text);
		profile_add_metric(w[i], "TIME");
		profile_add_thread(w[i], 0, 0, 0);
		for (int k = 0; k < 100; k++) {
			snprintf(text, sizeof(text), "Attribute %d", k);
			profile_set_meta(w[i], 0, text, "the same in all windows");
		}
		profile_sort(w[i]);
	}
	begin = clock();
	if (db_open(file, DB_CREATE, &db, &e) || db_store(db, (const struct profile *const *)w, n, &trial, &e))
		printf("# %s\n", e.text);
	db_close(db);
	begin = clock() - begin;
	for (size_t i = 0; i < n; i++)
		profile_free(w[i]);
	free(w);
	return (double)begin / (double)n;
}

static void check_many(void)
{
	double few = cost_of_windows(below("few.db"), 100), many = cost_of_windows(below("many.db"), 1600);

	ok(many < 3 * few, "a window costs the same among many: %.1f and %.1f us", few, many);
	check_query(below("many.db"), "SELECT count(*) FROM secondary_metadata", "100");
}

int main(void)
{
	char command[100];

	if (!mkdtemp(scratch))
		return 1;
	check_random();
	check_query(below("random.db"), "SELECT count(*) FROM trial", "60");
	check_tables();
	check_windows();
	check_taus_own();
	check_foreign();
	check_dangling();
	check_removal();
	check_numbers();
	check_summary();
	check_many();
	check_real("cpi-callpath-4");
	check_real("matmult-4");
	check_real("workflow-8");
	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	return tap_end() | (system(command) != 0);
}
