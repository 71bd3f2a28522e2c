/* store_define.c: the definitions of a trial -> rows: trial, threads, metrics, counters, timers, call paths, windows. */
#include <math.h>
#include <string.h>

#include "analyze/profile/profile.h"
#include "analyze/profile/waiting_threads.h"
#include "analyze/trace/timer_name.h"
#include "db/content.h"
#include "db/private.h"
#include "db/ranges.h"
#include "db/store.h"

static void bind_origin(sqlite3_stmt *q, const struct db_origin *o)
{
	const struct db_origin none = {0};
	const char *text[5];

	o = o ? o : &none;
	text[0] = o->path;
	text[1] = o->host;
	text[2] = o->program;
	text[3] = o->command;
	text[4] = o->options;
	for (int i = 0; i < 5; i++)
		db_bind_text(q, 8 + i, text[i]);
}

static int store_trial(struct db_store *s)
{
	const struct profile *p = s->all;
	const struct profile_summary *summary = &p->summary;
	sqlite3_stmt *q = NULL;
	int32_t contexts = 0, threads = 0;
	int code = db_prepare(s->db, &q, s->e,
			      "INSERT INTO trial (name, data_source, node_count, "
			      "contexts_per_node, threads_per_context, "
			      "total_threads, content, source_path, source_host, stored_by, "
			      "stored_command, stored_options) "
			      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
	char *content = content_text(&s->content);

	for (size_t i = 0; i < p->thread_n; i++) {
		contexts = p->thread[i].context >= contexts ? p->thread[i].context + 1 : contexts;
		threads = p->thread[i].thread >= threads ? p->thread[i].thread + 1 : threads;
	}
	if (summary->pes) {
		contexts = summary->contexts;
		threads = summary->per_context;
	}
	if (code == 0) {
		db_bind_text(q, 1, p->name);
		sqlite3_bind_int64(q, 2, p->source);
		sqlite3_bind_int64(q, 3, (int64_t)(summary->pes ? summary->pes : profile_pes(p)));
		sqlite3_bind_int64(q, 4, contexts);
		sqlite3_bind_int64(q, 5, threads);
		sqlite3_bind_int64(q, 6, (int64_t)(summary->pes ? summary->threads : p->thread_n));
		db_bind_text(q, 7, content);
		bind_origin(q, s->origin);
		code = db_insert(s->db, q, &s->trial, s->e);
	}
	sqlite3_finalize(q);
	free(content);
	return code;
}

/* The column `waiting` of a thread (schema.sql). */
static int64_t waiting_number(enum waiting_class class)
{
	switch (class) {
	case WAITING_WAITS:
		return 1;
	case WAITING_QUEUE:
		return 2;
	case WAITING_VALUES:
		return 3;
	default:
		return 0;
	}
}

static int store_thread(struct db_store *s, sqlite3_stmt *q, int64_t node, int64_t context,
			int64_t thread, int64_t index, int64_t waiting, int64_t *id)
{
	const int64_t v[] = { s->trial, node, context, thread, index, waiting };

	for (int i = 0; i < 6; i++)
		sqlite3_bind_int64(q, i + 1, v[i]);
	return db_insert(s->db, q, id, s->e);
}

/* thread_index counts as TAU's loader does: all PEs have as many contexts, and these as many threads, as the largest. */
static int store_threads(struct db_store *s)
{
	const struct profile *p = s->all;
	sqlite3_stmt *q = NULL;
	int64_t contexts = 1, threads = 1;
	int code = db_prepare(
		s->db, &q, s->e,
		"INSERT INTO thread (trial, node_rank, context_rank, thread_rank, thread_index, "
		"waiting) VALUES (?, ?, ?, ?, ?, ?)");

	for (size_t i = 0; i < p->thread_n; i++) {
		const struct profile_thread *t = &p->thread[i];

		contexts = t->context >= contexts ? t->context + 1 : contexts;
		threads = t->thread >= threads ? t->thread + 1 : threads;
	}
	for (size_t i = 0; code == 0 && i < p->thread_n; i++) {
		const struct profile_thread *t = &p->thread[i];

		code = store_thread(s, q, t->node, t->context, t->thread,
				    (t->node * contexts + t->context) * threads + t->thread,
				    waiting_number(waiting_class(s->waiting, t)),
				    array_add(&s->thread, v));
	}
	for (int d = 0; code == 0 && d < STATS_DERIVED; d++)
		code = store_thread(s, q, -1 - d, -1 - d, -1 - d, -1 - d, 0, &s->derived[d]);
	sqlite3_finalize(q);
	return code;
}

static int store_metrics(struct db_store *s)
{
	sqlite3_stmt *q = NULL;
	int code = db_prepare(s->db, &q, s->e, "INSERT INTO metric (trial, name) VALUES (?, ?)");

	for (size_t i = 0; code == 0 && i < s->all->metric_n; i++) {
		sqlite3_bind_int64(q, 1, s->trial);
		db_bind_text(q, 2, s->all->metric[i].name);
		code = db_insert(s->db, q, array_add(&s->metric, v), s->e);
	}
	sqlite3_finalize(q);
	return code;
}

static int store_counters(struct db_store *s)
{
	sqlite3_stmt *q = NULL;
	int code = db_prepare(
		s->db, &q, s->e,
		"INSERT INTO counter_base (trial, name, object, number) VALUES (?, ?, ?, ?)");

	for (size_t i = 0; code == 0 && i < s->all->counter_n; i++) {
		const struct profile_counter *c = &s->all->counter[i];
		int memory = c->number != NUMBER_NONE;

		sqlite3_bind_int64(q, 1, s->trial);
		db_bind_text(q, 2, memory ? NULL : c->name);
		db_bind_known(q, 3, memory ? s->object.v[c->object] : 0);
		db_bind_known(q, 4, (int64_t)c->number);
		code = db_insert(s->db, q, array_add(&s->counter, v), s->e);
	}
	sqlite3_finalize(q);
	return code;
}

/* Two strings for one timer, of which only the first n bytes count: a group or a parameter. */
static int store_pair(struct db_store *s, sqlite3_stmt *q, int64_t timer, const char *a, size_t a_n,
		      const char *b, size_t b_n)
{
	sqlite3_bind_int64(q, 1, timer);
	sqlite3_bind_text(q, 2, a, (int)a_n, SQLITE_STATIC);
	if (b)
		sqlite3_bind_text(q, 3, b, (int)b_n, SQLITE_STATIC);
	return db_insert(s->db, q, NULL, s->e);
}

static int store_groups(struct db_store *s, sqlite3_stmt *q, int64_t timer, const char *groups)
{
	int code = 0;

	while (code == 0 && *groups) {
		size_t n = strcspn(groups, "|");

		if (n)
			code = store_pair(s, q, timer, groups, n, NULL, 0);
		groups += n + (groups[n] == '|');
	}
	return code;
}

static int store_parameters(struct db_store *s, sqlite3_stmt *q, int64_t timer, const char *name)
{
	struct name_parameter p;
	int code = 0;

	while (code == 0 && name_parameter(&name, &p))
		code = store_pair(s, q, timer, p.key, p.key_n, p.value, p.value_n);
	return code;
}

/* The source location is the one in the name, or the one that the profile knows besides. */
static int store_timer(struct db_store *s, sqlite3_stmt *q, const struct profile_timer *t,
		       int64_t *id)
{
	struct name_location l = { 0 };

	if (!name_location(t->name, &l) && t->file) {
		l.file = t->file;
		l.file_n = strlen(t->file);
		l.line = t->line;
	}
	sqlite3_bind_int64(q, 1, s->trial);
	db_bind_text(q, 2, t->name);
	sqlite3_bind_text(q, 3, t->name, (int)name_short(t->name), SQLITE_STATIC);
	sqlite3_bind_text(q, 4, l.file, (int)l.file_n, SQLITE_STATIC);
	db_bind_known(q, 5, l.line);
	db_bind_known(q, 6, l.line_end);
	db_bind_known(q, 7, l.column);
	db_bind_known(q, 8, l.column_end);
	return db_insert(s->db, q, id, s->e);
}

static int store_timers(struct db_store *s)
{
	sqlite3_stmt *timer = NULL, *group = NULL, *parameter = NULL;
	int code = db_prepare(s->db, &timer, s->e,
			      "INSERT INTO timer (trial, name, short_name, source_file, "
			      "line_number, line_number_end, "
			      "column_number, column_number_end) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");

	if (code == 0)
		code = db_prepare(s->db, &group, s->e,
				  "INSERT INTO timer_group (timer, group_name) VALUES (?, ?)");
	if (code == 0)
		code = db_prepare(s->db, &parameter, s->e,
				  "INSERT INTO timer_parameter (timer, parameter_name, "
				  "parameter_value) VALUES (?, ?, ?)");
	for (size_t i = 0; code == 0 && i < s->all->timer_n; i++) {
		const struct profile_timer *t = &s->all->timer[i];
		int64_t *id = array_add(&s->timer, v);

		code = store_timer(s, timer, t, id);
		if (code == 0)
			code = store_groups(s, group, *id, t->groups);
		if (code == 0)
			code = store_parameters(s, parameter, *id, t->name);
	}
	sqlite3_finalize(timer);
	sqlite3_finalize(group);
	sqlite3_finalize(parameter);
	return code;
}

static int store_paths(struct db_store *s)
{
	sqlite3_stmt *q = NULL;
	int code = db_prepare(s->db, &q, s->e,
			      "INSERT INTO timer_callpath (timer, parent) VALUES (?, ?)");

	for (size_t i = 0; code == 0 && i < s->all->path_n; i++) {
		const struct profile_path *p = &s->all->path[i];

		sqlite3_bind_int64(q, 1, s->timer.v[p->timer]);
		db_bind_known(q, 2, p->parent == PROFILE_FLAT ? 0 : s->path.v[p->parent]);
		code = db_insert(s->db, q, array_add(&s->path, v), s->e);
	}
	sqlite3_finalize(q);
	return code;
}

/* A time in microseconds: the integer that TAU's column holds, and the time itself, if that has a fraction. */
static void bind_time(sqlite3_stmt *q, int whole, int exact, double us)
{
	double rounded = round(us);

	if (fabs(rounded) < 9e18)
		sqlite3_bind_int64(q, whole, (int64_t)rounded);
	else
		sqlite3_bind_double(q, whole, us); /* only a damaged file has it */
	if (rounded == us)
		sqlite3_bind_null(q, exact);
	else
		sqlite3_bind_double(q, exact, us);
}

/* One row per window, except for a single one of everything, which TAU's tools then find as they know it. */
static int store_ranges(struct db_store *s)
{
	sqlite3_stmt *q = NULL;
	int code = db_prepare(
		s->db, &q, s->e,
		"INSERT INTO time_range (type, start, end, trial, name, overlapping, exact_start, "
		"exact_end) VALUES (1, ?, ?, ?, ?, ?, ?, ?)");

	for (size_t i = 0; code == 0 && i < s->span_n; i++) {
		const struct span *p = &s->span[i];
		int64_t *id = array_add(&s->range, v);

		if (s->span_n == 1 && !p->window && !(p->end_us >= p->begin_us))
			break;
		bind_time(q, 1, 6, p->end_us >= p->begin_us ? p->begin_us : 0);
		bind_time(q, 2, 7, p->end_us >= p->begin_us ? p->end_us : 0);
		if (!(p->end_us >= p->begin_us))
			sqlite3_bind_null(q, 2);
		sqlite3_bind_int64(q, 3, s->trial);
		db_bind_text(q, 4, p->window);
		sqlite3_bind_int(q, 5,
				 p->end_us >= p->begin_us
					 ? ranges_add(&s->kept, p->begin_us, p->end_us)
					 : ranges_add(&s->kept, 0, HUGE_VAL));
		code = db_insert(s->db, q, id, s->e);
	}
	sqlite3_finalize(q);
	return code;
}

/*
 * The numbers that timer_call_data will give to its rows: they tie these to those of
 * timer_value_base without asking back. To insert them costs more: SQLite searches each.
 */
static int next_call_data(struct db_store *s)
{
	sqlite3_stmt *q = NULL;
	int code = db_prepare(s->db, &q, s->e,
			      "SELECT max(coalesce((SELECT max(id) FROM timer_call_data), 0), "
			      "coalesce((SELECT seq FROM sqlite_sequence WHERE name = "
			      "'timer_call_data'), 0)) + 1");

	if (code == 0 && (code = db_step(s->db, q, s->e)) == 1) {
		s->call_data = s->first_call_data = sqlite3_column_int64(q, 0);
		code = 0;
	}
	sqlite3_finalize(q);
	return code;
}

int store_definitions(struct db_store *s)
{
	static int (*const steps[])(struct db_store * s) = {
		store_trial,  store_threads, store_metrics, store_objects, store_counters,
		store_peers, store_timers,  store_paths,   store_ranges,  next_call_data,
	};
	int code = 0;

	for (size_t i = 0; code == 0 && i < sizeof(steps) / sizeof(steps[0]); i++)
		code = steps[i](s);
	return code;
}
