/*
 * load.c: database -> struct profile. Rows refer to each other by number, so every number is looked up in what was loaded
 * before it is used; a database is no more trusted than a file.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/profile/context.h"
#include "analyze/profile/derived_threads.h"
#include "analyze/profile/memory_side.h"
#include "analyze/profile/profile.h"
#include "analyze/profile/waiting_threads.h"
#include "db/db.h"
#include "db/load.h"

static int read_trial(struct load *l, sqlite3_stmt *q)
{
	free(l->p->name);
	l->p->name = sqlite3_column_type(q, 0) == SQLITE_NULL ? NULL : mem_string(db_text(q, 0));
	l->p->source = (uint32_t)sqlite3_column_int64(q, 1);
	return 0;
}

static int read_metric(struct load *l, sqlite3_stmt *q)
{
	numbers_add(&l->metric, sqlite3_column_int64(q, 0),
		    profile_add_metric(l->p, db_text(q, 1)));
	return 0;
}

static int read_thread(struct load *l, sqlite3_stmt *q)
{
	uint32_t before = (uint32_t)l->p->thread_n, t;

	t = profile_add_thread(l->p, sqlite3_column_int(q, 1), sqlite3_column_int(q, 2),
			       sqlite3_column_int(q, 3));
	if (t < before)
		return load_bad(l, "thread", sqlite3_column_int64(q, 0),
			   "the same thread for the second time");
	numbers_add(&l->thread, sqlite3_column_int64(q, 0), t);
	return 0;
}

static int read_timer(struct load *l, sqlite3_stmt *q)
{
	const char *file = sqlite3_column_type(q, 2) == SQLITE_NULL ? NULL : db_text(q, 2);
	uint32_t line = (uint32_t)sqlite3_column_int64(q, 3);

	numbers_add(&l->timer, sqlite3_column_int64(q, 0),
		profile_add_timer(l->p, db_text(q, 1), NULL, file && *file ? file : NULL, line));
	return 0;
}

/* Groups come ordered by timer: each adds to what is there. */
static int read_group(struct load *l, sqlite3_stmt *q)
{
	uint32_t timer;
	struct profile_timer *t;
	char *groups;

	if (!numbers_find(&l->timer, sqlite3_column_int64(q, 0), &timer))
		return 0;
	t = &l->p->timer[timer];
	groups = mem_printf("%s%s%s", t->groups, *t->groups ? "|" : "", db_text(q, 1));
	free(t->groups);
	t->groups = groups;
	return 0;
}

/* A path whose parent is not there yet waits for the next round (load_paths). */
static int read_path(struct load *l, sqlite3_stmt *q)
{
	int64_t id = sqlite3_column_int64(q, 0);
	uint32_t timer, parent = PROFILE_FLAT, known;

	if (numbers_find(&l->path, id, &known))
		return 0;
	if (!numbers_find(&l->timer, sqlite3_column_int64(q, 1), &timer))
		return load_bad(l, "timer_callpath", id, "its timer is missing");
	if (sqlite3_column_type(q, 2) != SQLITE_NULL &&
	    !numbers_find(&l->path, sqlite3_column_int64(q, 2), &parent))
		return 0;
	numbers_add(&l->path, id, profile_add_path(l->p, timer, parent));
	return 0;
}

static int entry_order(const void *x, const void *y)
{
	const struct map_entry *a = x, *b = y;

	return (a->id > b->id) - (a->id < b->id);
}

/* Parents mostly come before their children. Where they do not, rounds are made until nothing more is found. */
static int load_paths(struct load *l)
{
	static const char sql[] = "SELECT p.id, p.timer, p.parent FROM timer t JOIN timer_callpath "
				  "p ON p.timer = t.id "
				  "WHERE t.trial = ?1 ORDER BY p.id";
	sqlite3_stmt *q = NULL;
	int64_t total = 0;
	size_t before;
	int code = db_prepare(l->db, &q, l->e,
			      "SELECT count(*) FROM timer t JOIN timer_callpath p ON p.timer = "
			      "t.id WHERE t.trial = ?1");

	if (code == 0) {
		sqlite3_bind_int64(q, 1, l->trial);
		code = db_step(l->db, q, l->e);
		total = sqlite3_column_int64(q, 0);
	}
	sqlite3_finalize(q);
	do {
		before = l->path.entry_n;
		code = code < 0 ? code : load_rows(l, sql, read_path);
		if (l->path.entry_n)
			qsort(l->path.entry, l->path.entry_n, sizeof(*l->path.entry), entry_order);
	} while (code == 0 && l->path.entry_n > before && (int64_t)l->path.entry_n < total);
	if (code == 0 && (int64_t)l->path.entry_n < total)
		code = error_set(l->e, ERROR_INPUT, "%s: trial %jd: a call path has no beginning",
				 l->db->file, (intmax_t)l->trial);
	return code;
}

/* The counter and path that a row's counter means: TAU's loader leaves contexts inside names. */
static int resolve_context(struct load *l, sqlite3_stmt *q, uint32_t *counter, uint32_t *path)
{
	const char *name;
	char *event;
	size_t base;

	*path = PROFILE_FLAT;
	if (!numbers_find(&l->counter, sqlite3_column_int64(q, 1), counter))
		return load_bad(l, "counter_value of counter", sqlite3_column_int64(q, 1),
			   "there is no such counter");
	if (sqlite3_column_type(q, 2) != SQLITE_NULL)
		return numbers_find(&l->path, sqlite3_column_int64(q, 2), path)
			       ? 0
			       : load_bad(l, "counter_value of counter", sqlite3_column_int64(q, 1),
				     "its call path is missing");
	name = l->p->counter[*counter].name;
	base = sqlite3_column_type(q, 8) == SQLITE_NULL
		       ? context_base(l->p, &l->counter_names, name)
		       : 0;
	if (!base)
		return 0;
	event = mem_printf("%.*s", (int)base, name);
	*path = context_add_path(l->p, strstr(name + base, " : ") + 3, NULL);
	*counter = profile_read_counter(l->p, event);
	free(event);
	return 0;
}

static int read_sample(struct load *l, sqlite3_stmt *q)
{
	uint32_t thread, counter, path;
	struct profile_sample *s;
	int code;

	if (!numbers_find(&l->thread, sqlite3_column_int64(q, 0), &thread))
		return 0;
	code = resolve_context(l, q, &counter, &path);
	if (code < 0)
		return code;
	s = profile_add_sample(l->p, thread, counter, path);
	s->n = sqlite3_column_double(q, 3);
	s->max = db_number(q, 4);
	s->min = db_number(q, 5);
	s->mean = db_number(q, 6);
	s->sumsq = db_number(q, 8);
	if (sqlite3_column_type(q, 8) == SQLITE_NULL && sqlite3_column_type(q, 7) != SQLITE_NULL)
		*array_add(l, doubtful) =
			(struct doubtful){ thread, l->p->thread[thread].sample_n - 1,
					   db_number(q, 7) };
	return 0;
}

/*
 * Is the column standard_deviation really the sum of squares, as TAU's loader fills it? A deviation is never larger than
 * half of the range between the extremes, and a sum of squares never smaller than n mean^2. Whichever a row
 * breaks first decides for the trial; where none breaks either, both readings give the same, up to rounding.
 */
static int holds_squares(const struct load *l)
{
	for (size_t i = 0; i < l->doubtful_n; i++) {
		const struct doubtful *d = &l->doubtful[i];
		const struct profile_sample *s = &l->p->thread[d->thread].sample[d->sample];

		if (d->deviation > (s->max - s->min) * 0.5000001)
			return 1;
		if (d->deviation < s->n * s->mean * s->mean * 0.9999999)
			return 0;
	}
	return 1;
}

static void settle_doubts(struct load *l)
{
	int squares = holds_squares(l);

	for (size_t i = 0; i < l->doubtful_n; i++) {
		const struct doubtful *d = &l->doubtful[i];
		struct profile_sample *s = &l->p->thread[d->thread].sample[d->sample];

		s->sumsq = squares ? d->deviation
				   : s->n * (d->deviation * d->deviation + s->mean * s->mean);
	}
}

static int read_metadata(struct load *l, sqlite3_stmt *q)
{
	uint32_t thread = UINT32_MAX;

	if (sqlite3_column_type(q, 2) != SQLITE_NULL &&
	    !numbers_find(&l->thread, sqlite3_column_int64(q, 2), &thread))
		return load_bad(l, "secondary_metadata of thread", sqlite3_column_int64(q, 2),
			   "there is no such thread");
	profile_set_meta(l->p, thread, db_text(q, 0), db_text(q, 1));
	return 0;
}

/* What the columns are called that TAU's own databases lack. */
static const char *or_null(const struct db *db, enum db_added a, const char *column)
{
	return db->has[a] ? column : "NULL";
}

static int load_numbers(struct load *l)
{
	char *sql;
	int code = load_timers(l);

	if (code < 0)
		return code;
	sql = mem_printf("SELECT v.thread, v.counter, v.timer_callpath, v.sample_count, "
			 "v.maximum_value, v.minimum_value, "
			 "v.mean_value, v.standard_deviation, %s FROM %s c JOIN %s "
			 "v ON v.counter = c.id "
			 "WHERE c.trial = ?1 AND %s IS ?2",
			 or_null(l->db, ADDED_COUNTER_SQUARES, "v.sum_of_squares"),
			 l->db->memory ? "counter_base" : "counter",
			 l->db->memory ? "counter_value_base" : "counter_value",
			 or_null(l->db, ADDED_COUNTER_RANGE, "v.time_range"));
	code = load_rows(l, sql, read_sample);
	free(sql);
	if (code == 0)
		settle_doubts(l);
	if (code == 0)
		code = load_amounts(l);
	return code < 0 ? code : load_messages(l);
}

static int load_metadata(struct load *l)
{
	char *sql = mem_printf(
		"SELECT name, value, NULL FROM primary_metadata WHERE trial = ?1 AND %s IS NULL",
		or_null(l->db, ADDED_PRIMARY_THREAD, "thread"));
	int code = load_rows(l, sql, read_metadata);

	free(sql);
	if (code < 0)
		return code;
	return load_rows(l,
			 "SELECT name, value, thread FROM secondary_metadata WHERE trial = ?1 "
			 "AND (time_range IS NULL OR time_range = ?2)",
			 read_metadata);
}

static int read_summary(struct load *l, sqlite3_stmt *q)
{
	struct profile_summary *s = &l->p->summary;
	int64_t pes = sqlite3_column_int64(q, 0), threads = sqlite3_column_int64(q, 3);

	if (pes < 1 || threads < pes)
		return 0;
	s->pes = (size_t)pes;
	s->threads = (size_t)threads;
	s->contexts = sqlite3_column_int(q, 1);
	s->per_context = sqlite3_column_int(q, 2);
	return 0;
}

/* Their numbers may be smaller than those of the other threads. */
static int load_derived_threads(struct load *l)
{
	int code = load_rows(l,
			     "SELECT id, node_rank, context_rank, thread_rank FROM thread WHERE "
			     "trial = ?1 AND node_rank BETWEEN -7 AND -1 ORDER BY id",
			     read_thread);

	if (l->thread.entry_n)
		qsort(l->thread.entry, l->thread.entry_n, sizeof(*l->thread.entry), entry_order);
	return code;
}

/* A trial without threads, though it had some: its derived threads are all there is. */
static int load_summary(struct load *l)
{
	int code = load_rows(l,
			     "SELECT node_count, contexts_per_node, threads_per_context, "
			     "total_threads FROM trial WHERE id = ?1",
			     read_summary);

	return code < 0 || !l->p->summary.pes ? code : load_derived_threads(l);
}

static int load_definitions(struct load *l)
{
	static const struct {
		const char *sql;
		int (*row)(struct load *l, sqlite3_stmt *q);
	} steps[] = {
		{"SELECT name, data_source FROM trial WHERE id = ?1", read_trial},
		{"SELECT id, name FROM metric WHERE trial = ?1 ORDER BY id", read_metric},
		{"SELECT id, node_rank, context_rank, thread_rank FROM thread WHERE trial = ?1 "
		 "AND node_rank >= 0 ORDER BY id",
		 read_thread},
		{"SELECT id, name, source_file, line_number FROM timer WHERE trial = ?1 ORDER BY "
		 "id",
		 read_timer},
		{"SELECT g.timer, g.group_name FROM timer t JOIN timer_group g ON g.timer = t.id "
		 "WHERE t.trial = ?1 "
		 "ORDER BY t.id, g.rowid",
		 read_group},
	};
	int code = 0;

	for (size_t i = 0; code == 0 && i < sizeof(steps) / sizeof(steps[0]); i++)
		code = load_rows(l, steps[i].sql, steps[i].row);
	if (code == 0)
		code = load_objects(l);
	if (code == 0)
		code = load_counters(l);
	if (code == 0 && !l->p->thread_n)
		code = load_summary(l);
	else if (code == 0 && l->rows_of != ROWS_OF_THREADS)
		code = load_derived_threads(l);
	return code < 0 ? code : load_paths(l);
}

/* Finds the trial and its window; sets the profile's window and l->range. */
static int load_window(struct load *l, size_t window)
{
	struct db_trial *t;
	size_t n;
	int code = db_list(l->db, l->trial, &t, &n, l->e);

	if (code < 0)
		return code;
	if (window >= t->window_n) {
		code = error_set(l->e, ERROR_INPUT,
				 "%s: trial %jd has no window %zu; its last one is %zu",
				 l->db->file, (intmax_t)l->trial, window, t->window_n - 1);
	} else {
		l->range = t->window[window].id;
		l->p->window = t->window[window].name ? mem_string(t->window[window].name) : NULL;
		l->p->begin_us = t->window[window].begin_us;
		l->p->end_us = t->window[window].end_us;
	}
	db_trials_free(t, n);
	return code;
}

static int load(struct db *db, int64_t trial, size_t window, enum load_rows_of rows_of,
		struct profile **out, struct error *e)
{
	struct load l = {
		.db = db, .e = e, .p = profile_new(), .trial = trial, .rows_of = rows_of};
	struct row_numbers *const maps[] = { &l.metric, &l.thread,  &l.timer,
				&l.path,   &l.counter, &l.object };
	int code = db_run(db, "BEGIN", e);

	l.p->squares = 1;
	if (code == 0)
		code = load_window(&l, window);
	if (code == 0)
		code = load_definitions(&l);
	if (code == 0)
		code = load_numbers(&l);
	if (code == 0)
		code = load_metadata(&l);
	code = db_end(db, code, e);
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		free(maps[i]->entry);
	names_release(&l.counter_names);
	free(l.doubtful);
	free(l.memory.v);
	if (code < 0) {
		profile_free(l.p);
		return code;
	}
	memory_side_read(l.p);
	profile_sort(l.p);
	*out = l.p;
	return 0;
}

int db_load(struct db *db, int64_t trial, size_t window, struct profile **out, struct error *e)
{
	return load(db, trial, window, ROWS_OF_THREADS, out, e);
}

int db_load_derived(struct db *db, int64_t trial, size_t window, struct profile **out,
		    struct error *e)
{
	return load(db, trial, window, ROWS_OF_ALL, out, e);
}

/* The derived threads have been computed without threads that wait: in trials of TAU and of earlier versions, that is unknown. */
static int has_statistics(struct db *db, int64_t trial, struct error *e)
{
	sqlite3_stmt *q = NULL;
	int code, has = 0;

	if (!db->has[ADDED_THREAD_WAITING])
		return 0;
	code = db_prepare(db, &q, e,
			  "SELECT count(*) FILTER (WHERE node_rank BETWEEN -7 AND -1) = 7 AND "
			  "count(waiting) = count(*) AND max(node_rank) >= 0 FROM thread "
			  "WHERE trial = ?");
	if (code == 0) {
		sqlite3_bind_int64(q, 1, trial);
		code = db_step(db, q, e);
		has = code == 1 && sqlite3_column_int(q, 0);
	}
	sqlite3_finalize(q);
	return code < 0 ? code : has;
}

/* Do all derived threads have rows, of the same paths? */
static int is_complete(const struct profile *p)
{
	const struct profile_thread *first = NULL;

	for (size_t i = 0; i < p->thread_n; i++) {
		const struct profile_thread *t = &p->thread[i];

		if (t->node >= 0)
			continue;
		first = first ? first : t;
		if (t->row_n != first->row_n)
			return 0;
		for (size_t r = 0; r < t->row_n; r++)
			if (t->row[r].path != first->row[r].path)
				return 0;
	}
	return first && first->row_n;
}

/* Gives the rows of p's derived threads to derived, which has none. */
static void move_rows(struct profile *p, struct profile_thread derived[STATS_DERIVED])
{
	for (size_t i = 0; i < p->thread_n; i++) {
		struct profile_thread *t = &p->thread[i], *to, old;

		if (t->node >= 0)
			continue;
		to = &derived[-1 - t->node];
		old = *to;
		to->row = t->row;
		to->row_n = t->row_n;
		to->values = t->values;
		to->values_n = t->values_n;
		to->squares = t->squares;
		to->squares_n = t->squares_n;
		t->row = old.row;
		t->row_n = t->row_cap = 0;
		t->values = old.values;
		t->values_n = t->values_cap = 0;
		t->squares = old.squares;
		t->squares_n = t->squares_cap = 0;
	}
}

/* Of the threads that count: those that only wait are in no derived thread. */
static int read_counts(struct load *l, sqlite3_stmt *q)
{
	l->p->summary.pes = (size_t)sqlite3_column_int64(q, 0);
	l->p->summary.threads = (size_t)sqlite3_column_int64(q, 1);
	return 0;
}

int db_load_sums(struct db *db, int64_t trial, size_t window, struct profile **out, struct error *e)
{
	int code = has_statistics(db, trial, e);
	struct load l = {.db = db, .e = e, .trial = trial};

	if (code > 0) {
		code = load(db, trial, window, ROWS_OF_DERIVED, out, e);
		if (code < 0)
			return code;
		l.p = *out;
		if (is_complete(*out))
			return load_rows(&l,
					 "SELECT count(DISTINCT node_rank), count(*) FILTER (WHERE "
					 "NOT waiting) FROM thread WHERE trial = ?1 AND node_rank "
					 ">= 0",
					 read_counts);
		profile_free(*out);
	}
	return code < 0 ? code : load(db, trial, window, ROWS_OF_THREADS, out, e);
}

int db_load_statistics(struct db *db, int64_t trial, size_t window, struct profile **out,
		       struct profile_thread derived[STATS_DERIVED], struct error *e)
{
	struct waiting *waiting;
	int stored = has_statistics(db, trial, e), code = stored < 0 ? stored : 0;

	if (stored > 0) {
		code = load(db, trial, window, ROWS_OF_DERIVED, out, e);
		stored = code == 0 && is_complete(*out);
		if (code == 0 && !stored)
			profile_free(*out);
	}
	if (code == 0 && !stored)
		code = load(db, trial, window, ROWS_OF_THREADS, out, e);
	if (code < 0)
		return code;
	waiting = waiting_find((const struct profile *const *)out, 1, TIMER_MEASURED);
	derived_derive(*out, waiting, NULL, derived);
	waiting_free(waiting);
	if (stored)
		move_rows(*out, derived);
	return 0;
}
