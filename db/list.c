/* list.c: which trials there are, and removing them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "db/private.h"
#include "db/db.h"

struct listed_trials {
	struct db_trial *v;
	size_t v_n, v_cap;
};

/* q: of list_all_windows(), NULL if the database has no windows. */
static int list_windows(struct db *db, sqlite3_stmt *q, struct db_trial *t, struct error *e)
{
	int code = 0;

	if (q)
		sqlite3_bind_int64(q, 1, t->id);
	while (q && (code = db_step(db, q, e)) == 1) {
		struct db_window *w = array_add(t, window);
		int known = sqlite3_column_type(q, 2) != SQLITE_NULL;

		w->id = sqlite3_column_int64(q, 0);
		w->begin_us = known ? sqlite3_column_double(q, 1) : 0;
		w->end_us = known ? sqlite3_column_double(q, 2) : -1;
		w->name = sqlite3_column_type(q, 3) == SQLITE_NULL ? NULL
								   : mem_string(db_text(q, 3));
	}
	if (q)
		sqlite3_reset(q);
	if (code == 0 && !t->window_n)
		array_add(t, window)->end_us = -1;
	return code;
}

static int list_all_windows(struct db *db, struct listed_trials *out, struct error *e)
{
	sqlite3_stmt *q = NULL;
	int code = 0;

	if (db->has[ADDED_RANGE_TRIAL] && db->has[ADDED_RANGE_NAME])
		code = db_prepare(db, &q, e,
				  db->has[ADDED_RANGE_START] && db->has[ADDED_RANGE_END]
					  ? "SELECT id, coalesce(exact_start, start), "
					    "coalesce(exact_end, end), name FROM time_range WHERE "
					    "trial = ? ORDER BY id"
					  : "SELECT id, start, end, name FROM time_range WHERE "
					    "trial = ? ORDER BY id");
	for (size_t i = 0; code == 0 && i < out->v_n; i++)
		code = list_windows(db, q, &out->v[i], e);
	sqlite3_finalize(q);
	return code;
}

static void read_trial(struct db_trial *t, sqlite3_stmt *q)
{
	const char *start = db_text(q, 8);
	char *end;

	t->id = sqlite3_column_int64(q, 0);
	t->name = mem_string(db_text(q, 1));
	t->source = sqlite3_column_int64(q, 2);
	t->nodes = sqlite3_column_int64(q, 3);
	t->threads = sqlite3_column_int64(q, 4);
	t->metrics = sqlite3_column_int64(q, 5);
	t->timers = sqlite3_column_int64(q, 6);
	t->counters = sqlite3_column_int64(q, 7);
	t->start_us = strtod(start, &end);
	if (end == start)
		t->start_us = NAN;
}

static int list_trials(struct db *db, int64_t trial, struct listed_trials *out, struct error *e)
{
	sqlite3_stmt *q = NULL;
	const char *others = !db->has[ADDED_THREAD_WAITING]
				     ? ""
				     : " - (SELECT count(*) FROM thread h WHERE h.trial = t.id "
				       "AND h.waiting > 1)";
	char *sql = mem_printf("SELECT id, name, data_source, node_count, total_threads%s, "
			       "(SELECT count(*) FROM metric m WHERE m.trial = t.id), "
			       "(SELECT count(*) FROM timer r WHERE r.trial = t.id), "
			       "(SELECT count(*) FROM %s c WHERE c.trial = t.id), "
			       "(SELECT value FROM primary_metadata p WHERE p.trial = t.id "
			       "AND p.name = 'Starting Timestamp' LIMIT 1) "
			       "FROM trial t WHERE ?1 = 0 OR id = ?1 ORDER BY id",
			       others, db->memory ? "counter_base" : "counter");
	int code = db_prepare(db, &q, e, sql);

	free(sql);
	if (code == 0)
		sqlite3_bind_int64(q, 1, trial);
	while (code == 0 && (code = db_step(db, q, e)) == 1) {
		read_trial(array_add(out, v), q);
		code = 0;
	}
	sqlite3_finalize(q);
	if (code == 0)
		code = list_all_windows(db, out, e);
	if (code == 0 && trial && !out->v_n)
		code = error_set(e, ERROR_INPUT, "%s: there is no trial %jd", db->file,
				 (intmax_t)trial);
	return code;
}

int db_list(struct db *db, int64_t trial, struct db_trial **out, size_t *n, struct error *e)
{
	struct listed_trials t = {0};
	/* One transaction: otherwise, each statement locks the file, reads its state and unlocks it again. */
	int begins = sqlite3_get_autocommit(db->handle), code = begins ? db_run(db, "BEGIN", e) : 0;

	if (code == 0)
		code = list_trials(db, trial, &t, e);
	if (begins && !sqlite3_get_autocommit(db->handle))
		code = db_end(db, code, e);
	if (code < 0) {
		db_trials_free(t.v, t.v_n);
		return code;
	}
	*out = t.v;
	*n = t.v_n;
	return 0;
}

void db_trials_free(struct db_trial *t, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t w = 0; w < t[i].window_n; w++)
			free(t[i].window[w].name);
		free(t[i].window);
		free(t[i].name);
	}
	free(t);
}

int db_origin_read(struct db *db, int64_t trial,
		   void (*receive)(void *to, const char *fact, const char *value), void *to,
		   struct error *e)
{
	static const char *const fact[] = {"run", "host", "stored by", "command", "options",
					   "content"};
	const int known = db->has[ADDED_TRIAL_PATH] && db->has[ADDED_TRIAL_OPTIONS];
	sqlite3_stmt *q = NULL;
	int code = 0;

	if (known)
		code = db_prepare(db, &q, e,
				  "SELECT source_path, source_host, stored_by, stored_command, "
				  "stored_options, content FROM trial WHERE id = ?");
	if (code == 0 && known) {
		sqlite3_bind_int64(q, 1, trial);
		code = db_step(db, q, e);
	}
	for (int i = 0; code == 1 && i < (int)(sizeof(fact) / sizeof(*fact)); i++)
		receive(to, fact[i],
			sqlite3_column_type(q, i) == SQLITE_NULL ? NULL : db_text(q, i));
	sqlite3_finalize(q);
	return code < 0 ? code : 0;
}

/* What belongs to trial ?1, children before parents. */
static const char *const removal[] = {
	"DELETE FROM timer_value_base WHERE timer_call_data IN (SELECT d.id FROM timer_call_data d "
	"JOIN thread t ON d.thread = t.id WHERE t.trial = ?1)",
	"DELETE FROM thread_sum WHERE thread IN (SELECT id FROM thread WHERE trial = ?1)",
	"DELETE FROM secondary_metadata WHERE trial = ?1",
	"DELETE FROM primary_metadata WHERE trial = ?1",
	"DELETE FROM timer_call_data WHERE thread IN (SELECT id FROM thread WHERE trial = ?1)",
	"DELETE FROM counter_value_base WHERE counter IN (SELECT id FROM counter_base WHERE trial "
	"= ?1)",
	"DELETE FROM memory_value WHERE object IN (SELECT id FROM memory_object WHERE trial = ?1)",
	"DELETE FROM message_value WHERE message_peer IN (SELECT id FROM message_peer WHERE trial "
	"= ?1)",
	"DELETE FROM message_peer WHERE trial = ?1",
	"DELETE FROM timer_group WHERE timer IN (SELECT id FROM timer WHERE trial = ?1)",
	"DELETE FROM timer_parameter WHERE timer IN (SELECT id FROM timer WHERE trial = ?1)",
	"DELETE FROM timer_callpath WHERE timer IN (SELECT id FROM timer WHERE trial = ?1)",
	"DELETE FROM timer WHERE trial = ?1",
	"DELETE FROM counter_base WHERE trial = ?1",
	"DELETE FROM memory_object WHERE trial = ?1",
	"DELETE FROM metric WHERE trial = ?1",
	"DELETE FROM thread WHERE trial = ?1",
	"DELETE FROM time_range WHERE trial = ?1",
	"DELETE FROM trial WHERE id = ?1",
};

/* Words of memory that no trial uses any more. */
static const char unused_names[] = "DELETE FROM memory_owner WHERE chain NOT IN (SELECT owner FROM "
				   "memory_object WHERE owner NOT NULL);"
				   "DELETE FROM memory_name WHERE id NOT IN (SELECT type FROM "
				   "memory_object WHERE type NOT NULL "
				   "UNION SELECT library FROM memory_object WHERE library NOT NULL "
				   "UNION SELECT owner FROM memory_object WHERE owner NOT NULL "
				   "UNION SELECT site FROM memory_object WHERE site NOT NULL UNION "
				   "SELECT name FROM memory_owner);";

static int remove_trial(struct db *db, int64_t trial, struct error *e)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < sizeof(removal) / sizeof(removal[0]); i++) {
		sqlite3_stmt *q = NULL;

		code = db_prepare(db, &q, e, removal[i]);
		if (code == 0) {
			sqlite3_bind_int64(q, 1, trial);
			code = db_step(db, q, e);
		}
		sqlite3_finalize(q);
	}
	if (code == 0 && sqlite3_changes(db->handle) == 0)
		code = error_set(e, ERROR_INPUT, "%s: there is no trial %jd", db->file,
				 (intmax_t)trial);
	return code;
}

int db_remove(struct db *db, const int64_t *trial, size_t n, struct error *e)
{
	int code = db_run(db, "BEGIN IMMEDIATE", e);

	if (code < 0)
		return code;
	code = db_upgrade(db, e);
	for (size_t i = 0; code == 0 && i < n; i++)
		code = remove_trial(db, trial[i], e);
	if (code == 0)
		code = db_run(db, unused_names, e);
	return db_end(db, code, e);
}
