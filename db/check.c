/* check.c: verifies a database by SQL, and the derived threads by computing them again. */
#include "db/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/profile/derived_threads.h"
#include "analyze/profile/profile.h"
#include "analyze/profile/waiting_threads.h"
#include "db/load.h"
#include "db/private.h"
#include "db/tables.h"
#include "db/thread_sums.h"

struct db_check {
	struct db *db;
	struct error *e;
	void (*receive)(void *to, const struct db_defect *d);
	void *to;
	struct db_check_result *result;
};

static void report(struct db_check *c, const struct db_defect *d)
{
	c->result->defects++;
	c->receive(c->to, d);
}

static void found(struct db_check *c, const char *check, int64_t trial, int64_t rows,
		  const char *what)
{
	report(c, &(struct db_defect){.check = check, .trial = trial, .rows = rows, .what = what});
}

/*
 * What must hold. Each statement yields trials and the number of rows that break it. Values may
 * differ from what they should be by rounding. On derived threads, only TOTAL, MEAN, MIN and MAX
 * are values of the same kind.
 */
static const struct {
	const char *name, *what, *sql;
	/* The databases that it is of: all, those with tables of memory by type or not, those with
	   tables of messages, those whose values are in timer_value_base or not. */
	enum { ALL, MEMORY, NO_MEMORY, MESSAGES, VALUES, NO_VALUES } of;
	int imported;	/* db_defect */
} invariants[] = {
	{"exclusive", "an exclusive value is larger than the inclusive value",
	 "SELECT h.trial, count(*) FROM thread h JOIN timer_call_data d ON d.thread = h.id JOIN "
	 "timer_value v ON v.timer_call_data = d.id WHERE h.thread_index >= -2 AND "
	 "v.exclusive_value > v.inclusive_value + 1e-9 * abs(v.inclusive_value) GROUP BY h.trial",
	 ALL, 1},
	{"ranks", "the number of a node, context or thread is not between 0 and 2^31 - 1",
	 "SELECT trial, count(*) FROM thread WHERE thread_index NOT BETWEEN -7 AND -1 AND NOT "
	 "(typeof(node_rank) = 'integer' AND typeof(context_rank) = 'integer' AND "
	 "typeof(thread_rank) = 'integer' AND typeof(thread_index) = 'integer' AND node_rank "
	 "BETWEEN 0 AND 2147483647 AND context_rank BETWEEN 0 AND 2147483647 AND thread_rank "
	 "BETWEEN 0 AND 2147483647 AND thread_index BETWEEN 0 AND 4611686018427387903) GROUP "
	 "BY trial",
	 ALL, 0},
	{"shape", "fewer nodes than trial.node_count have threads",
	 "SELECT t.id, t.node_count - n FROM (SELECT trial, max(node_rank) + 1 AS n FROM thread "
	 "WHERE thread_index >= 0 GROUP BY trial) JOIN trial t ON t.id = trial WHERE "
	 "t.node_count > n",
	 ALL, 0},
	{"call paths", "a call path is its own parent",
	 "SELECT t.trial, count(*) FROM timer_callpath p JOIN timer t ON t.id = p.timer WHERE "
	 "p.parent = p.id GROUP BY t.trial",
	 ALL, 0},
	{"numbers", "a value of a timer is not a number",
	 "SELECT h.trial, count(*) FROM thread h JOIN timer_call_data d ON d.thread = h.id LEFT "
	 "JOIN timer_value v ON v.timer_call_data = d.id WHERE typeof(d.calls) IN ('text', "
	 "'blob') OR typeof(d.subroutines) IN ('text', 'blob') OR typeof(v.inclusive_value) IN "
	 "('text', 'blob') OR typeof(v.exclusive_value) IN ('text', 'blob') GROUP BY h.trial",
	 ALL, 0},
	{"calls", "a number of calls is below 0",
	 "SELECT h.trial, count(*) FROM thread h JOIN timer_call_data d ON d.thread = h.id WHERE "
	 "d.calls < 0 OR d.subroutines < 0 GROUP BY h.trial",
	 ALL, 1},
	{"metrics", "a metric belongs to another trial than its values",
	 "SELECT h.trial, count(*) FROM thread h JOIN timer_call_data d ON d.thread = h.id JOIN "
	 "timer_value v ON v.timer_call_data = d.id JOIN metric m ON m.id = v.metric WHERE "
	 "m.trial <> h.trial GROUP BY h.trial",
	 ALL, 0},
	{"timers", "a timer belongs to another trial than its values",
	 "SELECT h.trial, count(*) FROM thread h JOIN timer_call_data d ON d.thread = h.id JOIN "
	 "timer_callpath p ON p.id = d.timer_callpath JOIN timer t ON t.id = p.timer WHERE "
	 "t.trial <> h.trial GROUP BY h.trial",
	 ALL, 0},
	{"percent", "a percentage is not between 0 and 100",
	 "SELECT h.trial, count(*) FROM thread h JOIN timer_call_data d ON d.thread = h.id JOIN "
	 "timer_value v ON v.timer_call_data = d.id WHERE h.thread_index >= 0 AND "
	 "v.inclusive_value >= 0 AND v.exclusive_value >= 0 AND (v.inclusive_percent NOT BETWEEN "
	 "-1e-9 AND 100.0000001 OR v.exclusive_percent NOT BETWEEN -1e-9 AND 100.0000001) GROUP "
	 "BY h.trial",
	 NO_VALUES, 1},
	/* Those that are not stored follow from the largest value, which check_sums() verifies. */
	{"percent", "a percentage is not between 0 and 100",
	 "SELECT h.trial, count(*) FROM thread h JOIN timer_call_data d ON d.thread = h.id JOIN "
	 "timer_value_base v ON v.timer_call_data = d.id WHERE h.thread_index >= 0 AND "
	 "v.inclusive_value >= 0 AND v.exclusive_value >= 0 AND (v.inclusive_percent NOT BETWEEN "
	 "-1e-9 AND 100.0000001 OR v.exclusive_percent NOT BETWEEN -1e-9 AND 100.0000001) GROUP "
	 "BY h.trial",
	 VALUES, 1},
	{"counters", "a mean is not between minimum and maximum",
	 "SELECT k.trial, count(*) FROM counter k JOIN counter_value v ON v.counter = k.id JOIN "
	 "thread h ON h.id = v.thread WHERE h.thread_index >= -2 AND h.thread_index <> -1 AND "
	 "v.sample_count > 0 AND v.mean_value NOT BETWEEN v.minimum_value - 1e-9 * "
	 "abs(v.minimum_value) AND v.maximum_value + 1e-9 * abs(v.maximum_value) GROUP BY "
	 "k.trial",
	 NO_MEMORY, 1},
	{"counters", "a mean is not between minimum and maximum",
	 "SELECT k.trial, count(*) FROM counter_base k JOIN counter_value_base v ON v.counter = "
	 "k.id JOIN "
	 "thread h ON h.id = v.thread WHERE h.thread_index >= -2 AND h.thread_index <> -1 AND "
	 "v.sample_count > 0 AND v.mean_value NOT BETWEEN v.minimum_value - 1e-9 * "
	 "abs(v.minimum_value) AND v.maximum_value + 1e-9 * abs(v.maximum_value) GROUP BY "
	 "k.trial",
	 MEMORY, 1},
	{"samples", "a number of samples is below 0",
	 "SELECT k.trial, count(*) FROM counter k JOIN counter_value v ON v.counter = k.id WHERE "
	 "v.sample_count < 0 GROUP BY k.trial",
	 NO_MEMORY, 1},
	{"samples", "a number of samples is below 0",
	 "SELECT k.trial, count(*) FROM counter_base k JOIN counter_value_base v ON v.counter = "
	 "k.id WHERE "
	 "v.sample_count < 0 GROUP BY k.trial",
	 MEMORY, 1},
	{"threads", "a thread has two rows",
	 "SELECT trial, count(*) FROM (SELECT trial FROM thread GROUP BY trial, node_rank, "
	 "context_rank, thread_rank HAVING count(*) > 1) GROUP BY trial",
	 ALL, 0},
	{"total threads", "the number of threads differs from trial.total_threads",
	 "SELECT t.id, abs(t.total_threads - n) FROM (SELECT trial, count(*) AS n FROM thread "
	 "WHERE thread_index >= 0 GROUP BY trial) JOIN trial t ON t.id = trial WHERE "
	 "t.total_threads <> n",
	 ALL, 0},
	{"rows", "a timer has two rows on a thread in the same window",
	 "SELECT trial, count(*) FROM (SELECT h.trial FROM thread h JOIN timer_call_data d ON "
	 "d.thread = h.id GROUP BY d.thread, d.timer_callpath, d.time_range HAVING count(*) > 1) "
	 "GROUP BY trial",
	 ALL, 0},
	{"values", "a metric has two values in a row",
	 "SELECT h.trial, count(*) FROM (SELECT timer_call_data FROM timer_value GROUP BY "
	 "timer_call_data, metric HAVING count(*) > 1) x JOIN timer_call_data d ON d.id = "
	 "x.timer_call_data JOIN thread h ON h.id = d.thread GROUP BY h.trial",
	 ALL, 1},
	{"memory", "a sum of blocks is not between what their number and their extremes allow",
	 "SELECT o.trial, count(*) FROM memory_object o JOIN memory_value m ON m.object = o.id "
	 "WHERE "
	 "m.alloc_bytes NOT BETWEEN m.alloc_blocks * m.alloc_min AND m.alloc_blocks * m.alloc_max "
	 "OR m.free_bytes NOT BETWEEN m.free_blocks * m.free_min AND m.free_blocks * m.free_max "
	 "OR m.retyped_bytes NOT BETWEEN m.retyped_blocks * m.retyped_min AND m.retyped_blocks * "
	 "m.retyped_max OR m.last_node < m.first_node GROUP BY o.trial",
	 MEMORY, 0},
	{"messages", "a sum of sizes is not between what their number and their extremes allow",
	 "SELECT p.trial, count(*) FROM message_peer p JOIN message_value v ON v.message_peer = "
	 "p.id WHERE v.bytes NOT BETWEEN v.messages * v.smallest AND v.messages * v.largest OR "
	 "v.messages < 1 OR v.last_node < v.first_node GROUP BY p.trial",
	 MESSAGES, 0},
	{"messages", "a counter belongs to another trial than its messages",
	 "SELECT p.trial, count(*) FROM message_peer p JOIN counter_base c ON c.id = p.counter "
	 "WHERE c.trial <> p.trial GROUP BY p.trial",
	 MESSAGES, 0},
};
enum { INVARIANTS = sizeof(invariants) / sizeof(invariants[0]) };

static int is_of(const struct db *db, size_t i)
{
	switch (invariants[i].of) {
	case MEMORY:
		return db->memory;
	case NO_MEMORY:
		return !db->memory;
	case MESSAGES:
		return db->messages;
	case VALUES:
		return db->values;
	case NO_VALUES:
		return !db->values;
	default:
		return 1;
	}
}

static int check_invariant(struct db_check *c, size_t i)
{
	sqlite3_stmt *q = NULL;
	int code;

	if (!is_of(c->db, i))
		return 0;
	code = db_prepare(c->db, &q, c->e, invariants[i].sql);

	while (code == 0 && (code = db_step(c->db, q, c->e)) == 1) {
		report(c, &(struct db_defect){.check = invariants[i].name,
					      .trial = sqlite3_column_int64(q, 0),
					      .rows = sqlite3_column_int64(q, 1),
					      .what = invariants[i].what,
					      .imported = invariants[i].imported});
		code = 0;
	}
	c->result->checks++;
	sqlite3_finalize(q);
	return code;
}

/* What SQLite finds: pages, indexes, constraints. */
static int check_integrity(struct db_check *c)
{
	sqlite3_stmt *q = NULL;
	int code = db_prepare(c->db, &q, c->e, "PRAGMA integrity_check(20)");

	while (code == 0 && (code = db_step(c->db, q, c->e)) == 1) {
		if (strcmp(db_text(q, 0), "ok") != 0)
			found(c, "integrity", 0, 1, db_text(q, 0));
		code = 0;
	}
	c->result->checks++;
	sqlite3_finalize(q);
	return code;
}

/* "FROM t WHERE c IS NOT NULL AND there is no such row of target" */
static char *orphans_sql(const char *what, const struct db_table *t, const struct db_column *c,
			 const struct db_table *target)
{
	char *table = db_quoted(t->name), *column = db_quoted(c->name),
	     *other = db_quoted(target->name);
	char *sql = mem_printf("%s FROM %s WHERE %s IS NOT NULL AND NOT EXISTS (SELECT 1 FROM %s "
			       "o WHERE o.id = %s.%s)",
			       what, table, column, other, table, column);

	free(table);
	free(column);
	free(other);
	return sql;
}

static int check_orphans(struct db_check *c, const struct db_table *t,
			 const struct db_column *column, const struct db_table *target)
{
	char *sql = orphans_sql("SELECT count(*)", t, column, target);
	sqlite3_stmt *q = NULL;
	int code = db_prepare(c->db, &q, c->e, sql);

	if (code == 0 && (code = db_step(c->db, q, c->e)) == 1) {
		int64_t rows = sqlite3_column_int64(q, 0);
		char *what = mem_printf("rows of %s refer to rows of %s that do not exist", t->name,
					target->name);

		if (rows)
			found(c, "references", 0, rows, what);
		free(what);
		code = 0;
	}
	c->result->checks++;
	sqlite3_finalize(q);
	free(sql);
	return code;
}

static int check_references(struct db_check *c, const struct db_tables *tables)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < tables->v_n; i++)
		for (size_t k = 0; code == 0 && k < tables->v[i].column_n; k++) {
			const struct db_column *column = &tables->v[i].column[k];

			if (column->target != TABLE_NONE)
				code = check_orphans(c, &tables->v[i], column,
						     &tables->v[column->target]);
		}
	return code;
}

/* ---- derived threads ---- */

/* Rows of a derived thread that differ from what they should be, and rows that should not be or are
 * missing. */
static int64_t wrong_rows(const struct profile *p, const struct profile_thread *is,
			  const struct profile_thread *should)
{
	int64_t wrong = 0;

	for (size_t i = 0; i < should->row_n; i++) {
		const struct profile_row *a = &should->row[i], *b = profile_row_get(is, a->path);
		int same = b && values_near(a->calls, b->calls) && values_near(a->subrs, b->subrs);

		for (size_t k = 0; same && k < 2 * p->metric_n; k++)
			same = values_near(should->values[a->first + k], is->values[b->first + k]);
		wrong += !same;
	}
	for (size_t i = 0; i < is->row_n; i++)
		wrong += !profile_row_get(should, is->row[i].path);
	return wrong;
}

/* Counters of TAU's loader have no derived rows: only those that are there are compared. */
static int64_t wrong_samples(const struct profile_thread *is, const struct profile_thread *should)
{
	int64_t wrong = 0;

	for (size_t i = 0; i < is->sample_n; i++) {
		const struct profile_sample *b = &is->sample[i],
					    *a = profile_sample_get(should, b->counter, b->path);

		wrong += !a || !values_near(a->n, b->n) || !values_near(a->max, b->max) ||
			 !values_near(a->min, b->min) || !values_near(a->mean, b->mean);
	}
	return wrong;
}

/* Earlier versions counted queues of devices as threads, and stored of none that it is one. */
static int stored_queues_as_threads(struct db_check *c, int64_t trial, const struct profile *p,
				    int *so)
{
	sqlite3_stmt *q = NULL;
	int queues = 0, code = 0;

	*so = 0;
	for (size_t t = 0; t < p->thread_n; t++)
		queues |= p->thread[t].node >= 0 && waiting_is_queue(&p->thread[t]);
	if (!queues || !c->db->has[ADDED_THREAD_WAITING])
		return 0;
	code = db_prepare(c->db, &q, c->e,
			  "SELECT count(*) = 0 FROM thread WHERE trial = ?1 AND waiting = ?2");
	if (code == 0) {
		sqlite3_bind_int64(q, 1, trial);
		sqlite3_bind_int(q, 2, WAITING_QUEUE);
		code = db_step(c->db, q, c->e);
		*so = code == 1 && sqlite3_column_int(q, 0);
	}
	sqlite3_finalize(q);
	return code < 0 ? code : 0;
}

static void compare_derived(struct db_check *c, int64_t trial, const struct profile *p,
			    const struct profile_thread derived[STATS_DERIVED], int older)
{
	int64_t wrong[STATS_DERIVED] = {0};

	for (size_t t = 0; t < p->thread_n; t++) {
		const struct profile_thread *is = &p->thread[t];
		int d = -1 - is->node;

		if (d < 0 || d >= STATS_DERIVED)
			continue;
		wrong[d] = wrong_rows(p, is, &derived[d]) + wrong_samples(is, &derived[d]);
	}
	for (int d = 0; d < STATS_DERIVED; d++) {
		char *what = mem_printf("rows of derived thread %d %s", -1 - d,
					older ? "count queues of devices as threads, as earlier "
						"versions did: remove the trial and import its run "
						"again"
					      : "differ from its threads");

		if (wrong[d])
			report(c, &(struct db_defect){.check = "derived",
						      .trial = trial,
						      .rows = wrong[d],
						      .what = what,
						      .imported = older});
		free(what);
	}
}

static int check_sums(struct db_check *c, const struct db_trial *t, size_t window,
		      const struct profile *p)
{
	int64_t wrong = 0;
	int code = thread_sums_check(c->db, t->id, t->window[window].id, p, &wrong, c->e);

	if (wrong)
		found(c, "sums", t->id, wrong, "rows of thread_sum differ from their threads");
	return code;
}

/* All windows of a trial: threads wait if they do in all of them. */
static int check_derived(struct db_check *c, const struct db_trial *t)
{
	struct profile **p = mem_alloc(t->window_n * sizeof(*p));
	struct profile_thread derived[STATS_DERIVED];
	struct waiting *waiting;
	int code = 0, older = 0;

	for (size_t w = 0; code == 0 && w < t->window_n; w++) {
		code = db_load_derived(c->db, t->id, w, &p[w], c->e);
		if (code == 0)
			code = check_sums(c, t, w, p[w]);
	}
	if (code == 0)
		code = stored_queues_as_threads(c, t->id, p[0], &older);
	if (code == 0 && !p[0]->summary.pes) {
		waiting =
			waiting_find((const struct profile *const *)p, t->window_n, TIMER_MEASURED);
		for (size_t w = 0; w < t->window_n; w++) {
			derived_derive(p[w], waiting, NULL, derived);
			compare_derived(c, t->id, p[w], derived, older);
			derived_release(derived);
		}
		waiting_free(waiting);
	}
	for (size_t w = 0; w < t->window_n; w++)
		profile_free(p[w]);
	free(p);
	if (code == ERROR_INPUT) {
		report(c, &(struct db_defect){.check = "loading",
					      .trial = t->id,
					      .rows = 1,
					      .what = c->e->text,
					      .sentence = 1});
		code = 0;
	}
	return code;
}

static int check_all(struct db_check *c)
{
	struct db_tables tables = {0};
	struct db_trial *t = NULL;
	size_t n = 0;
	int code = check_integrity(c);

	if (code == 0)
		code = db_tables_read(c->db, "main", &tables, c->e);
	if (code == 0)
		code = check_references(c, &tables);
	for (size_t i = 0; code == 0 && i < INVARIANTS; i++)
		code = check_invariant(c, i);
	db_tables_release(&tables);
	if (code == 0)
		code = db_list(c->db, 0, &t, &n, c->e);
	if (code == 0) {
		c->result->checks++;
		c->result->trials = n;
		for (size_t i = 0; code == 0 && i < n; i++)
			code = check_derived(c, &t[i]);
		db_trials_free(t, n);
	}
	return code;
}

int db_check(struct db *db, void (*receive)(void *to, const struct db_defect *d), void *to,
	     struct db_check_result *out, struct error *e)
{
	struct db_check c = {.db = db, .e = e, .receive = receive, .to = to, .result = out};

	*out = (struct db_check_result){0};
	return check_all(&c);
}

/* ---- gc ---- */

/* Removes rows of all tables that refer to nothing, until none is left: what referred to them goes
 * in the next round. */
static int remove_orphans(struct db *db, int64_t *rows, struct error *e)
{
	struct db_tables tables;
	int code = db_tables_read(db, "main", &tables, e);
	int64_t before = -1;

	while (code == 0 && *rows > before) {
		before = *rows;
		for (size_t i = 0; code == 0 && i < tables.v_n; i++)
			for (size_t k = 0; code == 0 && k < tables.v[i].column_n; k++) {
				const struct db_column *column = &tables.v[i].column[k];
				char *sql;

				if (column->target == TABLE_NONE)
					continue;
				sql = orphans_sql("DELETE", &tables.v[i], column,
						  &tables.v[column->target]);
				code = db_run(db, sql, e);
				*rows += code == 0 ? sqlite3_changes(db->handle) : 0;
				free(sql);
			}
	}
	db_tables_release(&tables);
	return code;
}

static int size_of(struct db *db, int64_t *out, struct error *e)
{
	sqlite3_stmt *q = NULL;
	int code = db_prepare(db, &q, e,
			      "SELECT page_count * page_size FROM pragma_page_count(), "
			      "pragma_page_size()");

	if (code == 0 && (code = db_step(db, q, e)) == 1) {
		*out = sqlite3_column_int64(q, 0);
		code = 0;
	}
	sqlite3_finalize(q);
	return code;
}

int db_gc(struct db *db, struct db_gc_result *out, struct error *e)
{
	int code;

	*out = (struct db_gc_result){0};
	code = size_of(db, &out->bytes_before, e);
	if (code == 0)
		code = db_run(db, "BEGIN IMMEDIATE", e);
	if (code < 0)
		return code;
	code = db_upgrade(db, e);
	if (code == 0)
		code = remove_orphans(db, &out->rows, e);
	if (code == 0)
		code = db_order_values(db, e);
	if (code == 0)
		code = thread_sums_add(db, e);
	if (code == 0)
		code = db_percents_compute(db, e);
	code = db_end(db, code, e);
	if (code == 0)
		code = db_run(db, "VACUUM", e);
	return code < 0 ? code : size_of(db, &out->bytes_after, e);
}
