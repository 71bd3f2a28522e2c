/* thread_sums.c: adds up the exclusive values of the timers of a thread: all of them, and those of MPI and OpenSHMEM. */
#include "db/thread_sums.h"

#include <math.h>
#include <string.h>

enum { NOT_ADDED, ADDED, ADDED_RUNTIME };

static int has_group(const char *groups, const char *const *name, size_t n)
{
	for (; *groups; groups += strcspn(groups, "|"), groups += *groups == '|')
		for (size_t i = 0; i < n; i++)
			if (strlen(name[i]) == strcspn(groups, "|") &&
			    !strncmp(groups, name[i], strlen(name[i])))
				return 1;
	return 0;
}

/* As the named queries select timers (queries.sql): by group. */
unsigned char *thread_sums_paths(const struct profile *p)
{
	static const char *const samples[] = {"TAU_SAMPLE", "TAU_SAMPLE_CONTEXT", "TAU_UNWIND"},
				 *const runtimes[] = {"MPI", "SHMEM"};
	unsigned char *to = mem_alloc(p->path_n + 1);

	for (size_t i = 0; i < p->path_n; i++) {
		const char *groups = p->timer[p->path[i].timer].groups;

		to[i] = p->path[i].parent != PROFILE_FLAT || has_group(groups, samples, 3)
				? NOT_ADDED
			: has_group(groups, runtimes, 2) ? ADDED_RUNTIME
							 : ADDED;
	}
	return to;
}

struct thread_sum thread_sums(const struct profile *p, const struct profile_thread *t,
			      size_t metric, const unsigned char *paths)
{
	struct thread_sum s = {0, NAN, NAN, NAN};
	double all = 0, runtimes = 0, largest = 0;
	int known = 0, known_runtimes = 0;

	for (size_t i = 0; i < t->row_n; i++) {
		unsigned char what = paths[t->row[i].path];
		double v = t->values[t->row[i].first + p->metric_n + metric],
		       inclusive = t->values[t->row[i].first + metric];

		if (inclusive > largest)
			largest = inclusive;
		if (what == NOT_ADDED)
			continue;
		s.timers++;
		/* The timers of other groups add 0 to the time in MPI and OpenSHMEM. */
		known_runtimes |= what == ADDED || !isnan(v);
		if (isnan(v))
			continue;
		known = 1;
		all += v;
		if (what == ADDED_RUNTIME)
			runtimes += v;
	}
	s.exclusive = known ? all : NAN;
	s.runtimes = known_runtimes ? runtimes : NAN;
	s.largest = largest > 0 ? largest : NAN;
	return s;
}

/* The sums above in SQL. */
int thread_sums_add(struct db *db, struct error *e)
{
	int code = db_run(
		db,
		"INSERT INTO main.thread_sum (thread, time_range, metric, timers, exclusive, "
		"runtimes) WITH lacking AS MATERIALIZED (SELECT t.id FROM trial "
		"t WHERE NOT EXISTS (SELECT 1 FROM thread h JOIN thread_sum s ON s.thread = h.id "
		"WHERE h.trial = t.id)), flat AS MATERIALIZED (SELECT p.id, EXISTS (SELECT 1 FROM "
		"timer_group g WHERE g.timer = t.id AND g.group_name IN ('MPI', 'SHMEM')) AS "
		"runtime FROM lacking k JOIN timer t ON t.trial = k.id JOIN timer_callpath p ON "
		"p.timer = t.id AND p.parent IS NULL WHERE NOT EXISTS (SELECT 1 FROM timer_group g "
		"WHERE g.timer = t.id AND g.group_name IN ('TAU_SAMPLE', 'TAU_SAMPLE_CONTEXT', "
		"'TAU_UNWIND'))) SELECT d.thread, d.time_range, v.metric, count(*), "
		"sum(v.exclusive_value), sum(CASE WHEN f.runtime THEN v.exclusive_value ELSE 0 "
		"END) FROM lacking k CROSS JOIN thread h ON h.trial = k.id AND h.node_rank >= 0 "
		"CROSS JOIN timer_call_data d ON d.thread = h.id CROSS JOIN flat f ON "
		"f.id = d.timer_callpath CROSS JOIN timer_value_base v ON v.timer_call_data = d.id "
		"GROUP BY d.thread, d.time_range, v.metric",
		e);

	if (code < 0)
		return code;
	return db_run(db,
		      "UPDATE main.thread_sum AS s SET largest = m.most FROM (SELECT d.thread, "
		      "d.time_range, v.metric, max(v.inclusive_value) AS most FROM "
		      "timer_call_data d JOIN timer_value_base v ON v.timer_call_data = d.id "
		      "WHERE d.thread IN (SELECT thread FROM thread_sum WHERE largest IS NULL) "
		      "GROUP BY d.thread, d.time_range, v.metric) m WHERE s.thread = m.thread AND "
		      "s.time_range IS m.time_range AND s.metric = m.metric AND s.largest IS NULL "
		      "AND m.most > 0",
		      e);
}

int values_near(double a, double b)
{
	double scale = fabs(a) > fabs(b) ? fabs(a) : fabs(b);

	return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-7 * scale + 1e-9;
}

/* 1: the row of q is as p has it, 0: it is not, -1: p has no such row. */
static int compare(sqlite3_stmt *q, const struct profile *p, const unsigned char *paths)
{
	const int32_t key[] = {sqlite3_column_int(q, 0), sqlite3_column_int(q, 1),
			       sqlite3_column_int(q, 2)};
	int64_t t = names_find(&p->thread_names, (const char *)key, sizeof(key));

	for (size_t m = 0; t >= 0 && m < p->metric_n; m++) {
		struct thread_sum s;

		if (strcmp(p->metric[m].name, db_text(q, 3)) != 0)
			continue;
		s = thread_sums(p, &p->thread[t], m, paths);
		return !s.timers ? -1
				 : s.timers == (size_t)sqlite3_column_int64(q, 4) &&
					   values_near(s.exclusive, db_number(q, 5)) &&
					   values_near(s.runtimes, db_number(q, 6)) &&
					   (s.largest == db_number(q, 7) ||
					    sqlite3_column_type(q, 7) == SQLITE_NULL);
	}
	return -1;
}

static int has_sums(struct db *db, int64_t trial, struct error *e)
{
	sqlite3_stmt *q = NULL;
	int code;

	if (!db->sums)
		return 0;
	code = db_prepare(db, &q, e,
			  "SELECT 1 FROM thread h JOIN thread_sum s ON s.thread = h.id WHERE "
			  "h.trial = ? LIMIT 1");
	if (code == 0) {
		sqlite3_bind_int64(q, 1, trial);
		code = db_step(db, q, e);
	}
	sqlite3_finalize(q);
	return code;
}

int thread_sums_check(struct db *db, int64_t trial, int64_t range, const struct profile *p,
		      int64_t *wrong, struct error *e)
{
	unsigned char *paths;
	char *sql;
	sqlite3_stmt *q = NULL;
	int64_t missing = 0, other = 0;
	int code = has_sums(db, trial, e);

	*wrong = 0;
	if (code <= 0)
		return code;
	sql = mem_printf("SELECT h.node_rank, h.context_rank, h.thread_rank, m.name, s.timers, "
			 "s.exclusive, s.runtimes, %s FROM thread h JOIN thread_sum s ON s.thread "
			 "= h.id LEFT JOIN metric m ON m.id = s.metric WHERE h.trial = ?1 AND "
			 "s.time_range IS ?2",
			 db->values ? "s.largest" : "NULL");
	code = db_prepare(db, &q, e, sql);
	free(sql);
	if (code == 0) {
		sqlite3_bind_int64(q, 1, trial);
		db_bind_known(q, 2, range);
	}
	paths = thread_sums_paths(p);
	for (size_t t = 0; t < p->thread_n; t++)
		for (size_t m = 0; p->thread[t].node >= 0 && m < p->metric_n; m++)
			missing += thread_sums(p, &p->thread[t], m, paths).timers > 0;
	while (code == 0 && (code = db_step(db, q, e)) == 1) {
		int result = compare(q, p, paths);

		missing -= result == 1;
		other += result < 0;
		code = 0;
	}
	/* Below 0: a row is there twice. */
	*wrong = (missing < 0 ? -missing : missing) + other;
	sqlite3_finalize(q);
	free(paths);
	return code;
}
