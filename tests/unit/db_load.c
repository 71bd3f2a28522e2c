/*
 * db_load.c: values come to their rows in whatever order a database has both, over several windows, and where some are missing. The same
 * of the stored statistics, which are computed where they cannot be used.
 */
#include <math.h>
#include <sqlite3.h>
#include <unistd.h>

#include "db/db.h"
#include "files.h"
#include "profiles.h"
#include "sql.h"
#include "tap.h"

enum { THREADS = 4, TIMERS = 300, WINDOWS = 3, MISSING = 17 };

static char scratch[] = "/tmp/tau-test.XXXXXX";
static const char *file;

/* Many rows: those of a window are far from each other, because each thread's follow those of the thread before. */
static struct profile *window_of(uint64_t *seed, int window)
{
	struct profile *p = profile_new();

	p->name = mem_string("many");
	p->window = mem_printf("%d", window);
	p->begin_us = window;
	p->end_us = window + 1;
	profile_add_metric(p, "TIME");
	profile_add_metric(p, "PAPI_TOT_INS");
	for (int i = 0; i < TIMERS; i++) {
		char *name = mem_printf("timer %d", i);

		profile_add_path(p, profile_add_timer(p, name, "TAU_USER", NULL, 0), PROFILE_FLAT);
		free(name);
	}
	for (uint32_t t = 0; t < THREADS; t++) {
		profile_add_thread(p, (int32_t)t, 0, 0);
		for (uint32_t i = 0; i < TIMERS; i++) {
			struct profile_row *r = profile_add_row(p, t, i);

			r->calls = 1 + (double)profiles_random(seed, 9);
			for (int k = 0; k < 4; k++)
				p->thread[t].values[r->first + k] = profiles_value(seed);
		}
	}
	return p;
}

static void check_windows(const char *what, struct profile *const *w, int64_t trial)
{
	struct error e = { 0 };
	struct db *db = NULL;
	int same = db_open(file, DB_READ, &db, &e) == 0;

	for (size_t i = 0; same && i < WINDOWS; i++) {
		struct profile *p = NULL;

		same = db_load(db, trial, i, &p, &e) == 0 && profiles_same(w[i], p);
		profile_free(p);
	}
	ok(same, "%s%s%s", what, *e.text ? ": " : "", e.text);
	db_close(db);
}

static int same_numbers(const double *a, const double *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(a[i] == b[i] || (isnan(a[i]) && isnan(b[i]))))
			return 0;
	return 1;
}

/* Rows of a derived thread: the same paths, which profiles of the same definitions have, and numbers. */
static int same_rows(const struct profile_thread *a, const struct profile_thread *b, size_t metrics)
{
	int same = a->row_n == b->row_n && a->row_n == TIMERS;

	for (size_t i = 0; same && i < a->row_n; i++) {
		const struct profile_row *x = &a->row[i], *y = &b->row[i];

		same = x->path == y->path && x->calls == y->calls && x->subrs == y->subrs &&
		       same_numbers(&a->values[x->first], &b->values[y->first], 2 * metrics);
	}
	return same;
}

/* changed: the number of derived threads that differ from what the windows yield. */
static void check_statistics(const char *what, struct profile *const *w, int64_t trial, int changed)
{
	struct profile_thread is[STATS_DERIVED], should[STATS_DERIVED];
	struct waiting *waiting = waiting_find((const struct profile *const *)w, WINDOWS, TIMER_MEASURED);
	struct error e = { 0 };
	struct db *db = NULL;
	int code = db_open(file, DB_READ, &db, &e), different = 0;

	for (size_t i = 0; code == 0 && i < WINDOWS; i++) {
		struct profile *p;

		code = db_load_statistics(db, trial, i, &p, is, &e);
		if (code < 0)
			break;
		derived_derive(w[i], waiting, NULL, should);
		for (int d = 0; d < STATS_DERIVED; d++)
			different += !same_rows(&is[d], &should[d], w[i]->metric_n);
		derived_release(should);
		derived_release(is);
		profile_free(p);
	}
	waiting_free(waiting);
	ok(code == 0 && different == changed, "%s (%d differ)%s%s", what, different, *e.text ? ": " : "", e.text);
	db_close(db);
}

#define DERIVED_ROW "(SELECT d.id FROM timer_call_data d JOIN thread h ON h.id = d.thread JOIN timer_callpath p ON p.id = d.timer_callpath " \
	"JOIN timer t ON t.id = p.timer WHERE h.trial = 1 AND h.node_rank = -5 AND t.name = 'timer 17' ORDER BY d.id LIMIT 1)"

static void forget_values(struct profile *p)
{
	for (size_t t = 0; t < p->thread_n; t++)
		for (int k = 0; k < 4; k++)
			p->thread[t].values[p->thread[t].row[MISSING].first + k] = NAN;
}

int main(void)
{
	uint64_t seed = 11;
	struct profile *w[WINDOWS];
	struct error e = { 0 };
	struct db *db = NULL;
	int64_t trial = 0, second = 0;

	if (!mkdtemp(scratch))
		return 1;
	file = file_below(scratch, "rows.db");
	for (int i = 0; i < WINDOWS; i++)
		w[i] = window_of(&seed, i);
	ok(db_open(file, DB_CREATE, &db, &e) == 0 &&
		   db_store(db, (const struct profile *const *)w, WINDOWS, &trial, &e) == 0 &&
		   db_store(db, (const struct profile *const *)w, WINDOWS, &second, &e) == 0,
	   "two trials are stored%s", e.text);
	db_close(db);
	check_windows("rows thread by thread", w, trial);
	check_windows("and those of the second trial", w, second);
	check_statistics("statistics", w, trial, 0);

	/* 100,003 is a prime above all numbers: each gets another one. */
	ok(sql_run(file, "UPDATE timer_value SET timer_call_data = -(timer_call_data * 7919 % 100003);"
		   "UPDATE timer_call_data SET id = -(id * 7919 % 100003);"
		   "UPDATE timer_value SET timer_call_data = -timer_call_data;"
		   "UPDATE timer_call_data SET id = -id"), "rows of all threads, windows and trials are mixed");
	check_windows("mixed rows", w, trial);
	check_windows("mixed rows of the second trial", w, second);
	check_statistics("statistics of mixed rows", w, trial, 0);
	check_statistics("statistics of the second trial", w, second, 0);
	ok(sql_run(file, "UPDATE timer_value SET exclusive_value = 1 WHERE metric = 1 AND timer_call_data = " DERIVED_ROW),
	   "a value of a derived thread is changed");
	check_statistics("statistics are those that are stored", w, trial, 1);
	check_statistics("those of the other trial", w, second, 0);
	ok(sql_run(file, "UPDATE thread SET waiting = NULL WHERE node_rank = 2"),
	   "whether a thread waits is unknown, as in older databases");
	check_statistics("statistics are computed then", w, trial, 0);
	ok(sql_run(file, "UPDATE thread SET waiting = 0; DELETE FROM timer_call_data WHERE id = " DERIVED_ROW),
	   "a derived thread loses a row");
	check_statistics("statistics are computed if they are incomplete", w, trial, 0);

	ok(sql_run(file, "DELETE FROM timer_value WHERE timer_call_data IN (SELECT d.id FROM timer_call_data d "
		   "JOIN timer_callpath p ON p.id = d.timer_callpath JOIN timer t ON t.id = p.timer WHERE t.name = 'timer 17')"),
	   "a timer loses its values");
	for (int i = 0; i < WINDOWS; i++)
		forget_values(w[i]);
	check_windows("values that are missing", w, trial);

	for (int i = 0; i < WINDOWS; i++)
		profile_free(w[i]);
	unlink(file);
	rmdir(scratch);
	return tap_end();
}
