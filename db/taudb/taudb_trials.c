/* taudb_trials.c: connections, and trials with what they define. */
#include "db/taudb/taudb.h"

#include <string.h>

#include "db/db.h"
#include "db/taudb/taudb_rows.h"

#define FIELD(s, kind, member)                         \
	{                                              \
		.type = kind, .offset = offsetof(s, member) \
	}
#define FIELDS(f) .field = f, .field_n = sizeof(f) / sizeof((f)[0])

static int read_sources(struct taudb_connection *c)
{
	static const struct taudb_field field[] = {
		FIELD(struct taudb_data_source, FIELD_INTEGER, id),
		FIELD(struct taudb_data_source, FIELD_TEXT, name),
		FIELD(struct taudb_data_source, FIELD_TEXT, description),
	};
	struct taudb_rows r = {
		.table = "data_source", .size = sizeof(struct taudb_data_source), FIELDS(field)};
	int code = taudb_rows_read(
		c, &r, "SELECT id, name, description FROM data_source ORDER BY id", NULL, 0);

	c->source = taudb_rows_end(&r, code, &c->source_n);
	return code;
}

struct taudb_connection *taudb_connect_file(const char *file)
{
	struct taudb_connection *c = mem_alloc(sizeof(*c));

	if (db_open(file, DB_READ, &c->db, &c->error) == 0 && read_sources(c) < 0) {
		db_close(c->db);
		c->db = NULL;
	}
	return c;
}

int taudb_check_connection(const struct taudb_connection *c)
{
	return c->db ? 0 : c->error.code;
}

void taudb_disconnect(struct taudb_connection *c)
{
	if (!c)
		return;
	db_close(c->db);
	names_release(&c->texts);
	free(c->source);
	free(c);
}

const char *taudb_error(const struct taudb_connection *c)
{
	return c->error.text;
}

int taudb_error_code(const struct taudb_connection *c)
{
	return c->error.code;
}

/* 0 if there is a database to read. The error of opening it stays. */
static int is_open(struct taudb_connection *c)
{
	return c->db ? 0 : c->error.code;
}

/* ---- trials ---- */

static int read_trials(struct taudb_connection *c, const struct taudb_trial *filter,
		       struct taudb_rows *r)
{
	const int64_t id = filter ? filter->id : 0;
	struct taudb_rows kept = *r;
	int code = taudb_rows_read(c, r,
				   "SELECT id, name, data_source, node_count, contexts_per_node, "
				   "threads_per_context, total_threads FROM trial "
				   "WHERE ?1 = 0 OR id = ?1 ORDER BY id",
				   &id, 1);

	if (code < 0 || !filter || !filter->name)
		return code;
	kept.v = r->v;
	for (size_t i = 0; i < r->v_n; i++) {
		const struct taudb_trial *t = (const struct taudb_trial *)(void *)r->v + i;

		if (t->name && !strcmp(t->name, filter->name))
			memmove(kept.v + kept.v_n++ * r->size, t, r->size);
	}
	r->v_n = kept.v_n;
	return 0;
}

struct taudb_trial *taudb_query_trials(struct taudb_connection *c, const struct taudb_trial *filter,
				       size_t *count)
{
	const struct taudb_list sources = {c->source, c->source_n, sizeof(*c->source)};
	const struct taudb_field field[] = {
		FIELD(struct taudb_trial, FIELD_INTEGER, id),
		FIELD(struct taudb_trial, FIELD_TEXT, name),
		{FIELD_ELEMENT, offsetof(struct taudb_trial, data_source), &sources},
		FIELD(struct taudb_trial, FIELD_INTEGER, node_count),
		FIELD(struct taudb_trial, FIELD_INTEGER, contexts_per_node),
		FIELD(struct taudb_trial, FIELD_INTEGER, threads_per_context),
		FIELD(struct taudb_trial, FIELD_INTEGER, total_threads),
	};
	struct taudb_rows r = {
		.table = "trial", .size = sizeof(struct taudb_trial), FIELDS(field)};
	int code = is_open(c);

	return taudb_rows_end(&r, code < 0 ? code : read_trials(c, filter, &r), count);
}

void taudb_delete_trials(struct taudb_trial *trials, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(trials[i].metrics);
		free(trials[i].time_ranges);
		free(trials[i].threads);
		free(trials[i].derived_threads);
		free(trials[i].timers);
		free(trials[i].timer_callpaths);
		free(trials[i].counters);
		free(trials[i].primary_metadata);
		free(trials[i].secondary_metadata);
	}
	free(trials);
}

/* ---- lists of a trial ---- */

/* Reads a list that sql selects by the trial, ?1. */
static void *read_list(struct taudb_connection *c, const struct taudb_trial *t,
		       struct taudb_rows *r, const char *sql, int64_t *count)
{
	int code = is_open(c);
	size_t n;
	void *list = taudb_rows_end(
		r, code < 0 ? code : taudb_rows_read(c, r, sql, &t->id, 1), &n);

	*count = (int64_t)n;
	return list;
}

struct taudb_metric *taudb_query_metrics(struct taudb_connection *c, struct taudb_trial *t)
{
	static const struct taudb_field field[] = {
		FIELD(struct taudb_metric, FIELD_INTEGER, id),
		FIELD(struct taudb_metric, FIELD_TEXT, name),
		FIELD(struct taudb_metric, FIELD_INTEGER, derived),
	};
	struct taudb_rows r = {
		.table = "metric", .size = sizeof(struct taudb_metric), FIELDS(field)};

	if (!t->metrics)
		t->metrics = read_list(
			c, t, &r,
			"SELECT id, name, CASE WHEN derived IN ('TRUE', 't', 1) THEN 1 ELSE 0 END "
			"FROM metric WHERE trial = ?1 ORDER BY id",
			&t->metric_count);
	return t->metrics;
}

struct taudb_time_range *taudb_query_time_ranges(struct taudb_connection *c, struct taudb_trial *t)
{
	static const struct taudb_field field[] = {
		FIELD(struct taudb_time_range, FIELD_INTEGER, id),
		FIELD(struct taudb_time_range, FIELD_TEXT, name),
		FIELD(struct taudb_time_range, FIELD_NUMBER, time_start),
		FIELD(struct taudb_time_range, FIELD_NUMBER, time_end),
		FIELD(struct taudb_time_range, FIELD_INTEGER, iteration_start),
		FIELD(struct taudb_time_range, FIELD_INTEGER, iteration_end),
	};
	struct taudb_rows r = {
		.table = "time_range", .size = sizeof(struct taudb_time_range), FIELDS(field)};
	/* TAU's own databases do not relate time ranges to trials, and their loader writes none. */
	const char *sql =
		c->db && (!c->db->has[ADDED_RANGE_TRIAL] || !c->db->has[ADDED_RANGE_NAME]) ?
			"SELECT NULL, NULL, NULL, NULL, NULL, NULL WHERE ?1 IS NULL" :
		c->db && c->db->has[ADDED_RANGE_START] && c->db->has[ADDED_RANGE_END] ?
			"SELECT id, name, CASE type WHEN 1 THEN coalesce(exact_start, start) END, "
			"CASE type WHEN 1 THEN coalesce(exact_end, end) END, CASE type WHEN 2 "
			"THEN start END, CASE type WHEN 2 THEN end END FROM time_range "
			"WHERE trial = ?1 ORDER BY id" :
			"SELECT id, name, CASE type WHEN 1 THEN start END, CASE type WHEN 1 "
			"THEN end END, CASE type WHEN 2 THEN start END, CASE type WHEN 2 THEN "
			"end END FROM time_range WHERE trial = ?1 ORDER BY id";

	if (!t->time_ranges)
		t->time_ranges = read_list(c, t, &r, sql, &t->time_range_count);
	return t->time_ranges;
}

static struct taudb_thread *read_threads(struct taudb_connection *c, struct taudb_trial *t,
					 const char *sql, int64_t *count)
{
	static const struct taudb_field field[] = {
		FIELD(struct taudb_thread, FIELD_INTEGER, id),
		FIELD(struct taudb_thread, FIELD_INTEGER, node_rank),
		FIELD(struct taudb_thread, FIELD_INTEGER, context_rank),
		FIELD(struct taudb_thread, FIELD_INTEGER, thread_rank),
		FIELD(struct taudb_thread, FIELD_INTEGER, index),
	};
	struct taudb_rows r = {
		.table = "thread", .size = sizeof(struct taudb_thread), FIELDS(field)};

	return read_list(c, t, &r, sql, count);
}

struct taudb_thread *taudb_query_threads(struct taudb_connection *c, struct taudb_trial *t)
{
	if (!t->threads)
		t->threads = read_threads(c, t,
					  "SELECT id, node_rank, context_rank, thread_rank, "
					  "thread_index FROM thread WHERE trial = ?1 AND "
					  "node_rank >= 0 ORDER BY id",
					  &t->thread_count);
	return t->threads;
}

struct taudb_thread *taudb_query_derived_threads(struct taudb_connection *c, struct taudb_trial *t)
{
	if (!t->derived_threads)
		t->derived_threads = read_threads(
			c, t,
			"SELECT id, node_rank, context_rank, thread_rank, thread_index FROM "
			"thread WHERE trial = ?1 AND node_rank < 0 ORDER BY id",
			&t->derived_thread_count);
	return t->derived_threads;
}

struct taudb_timer *taudb_query_timers(struct taudb_connection *c, struct taudb_trial *t)
{
	static const struct taudb_field field[] = {
		FIELD(struct taudb_timer, FIELD_INTEGER, id),
		FIELD(struct taudb_timer, FIELD_TEXT, name),
		FIELD(struct taudb_timer, FIELD_TEXT, short_name),
		FIELD(struct taudb_timer, FIELD_TEXT, groups),
		FIELD(struct taudb_timer, FIELD_TEXT, source_file),
		FIELD(struct taudb_timer, FIELD_INTEGER, line_number),
		FIELD(struct taudb_timer, FIELD_INTEGER, line_number_end),
		FIELD(struct taudb_timer, FIELD_INTEGER, column_number),
		FIELD(struct taudb_timer, FIELD_INTEGER, column_number_end),
	};
	struct taudb_rows r = {
		.table = "timer", .size = sizeof(struct taudb_timer), FIELDS(field)};

	if (!t->timers)
		t->timers = read_list(
			c, t, &r,
			"SELECT id, name, short_name, coalesce((SELECT group_concat(group_name, "
			"'|') FROM (SELECT group_name FROM timer_group g WHERE g.timer = t.id "
			"ORDER BY g.rowid)), ''), source_file, "
			"line_number, line_number_end, column_number, column_number_end "
			"FROM timer t WHERE trial = ?1 ORDER BY id",
			&t->timer_count);
	return t->timers;
}

struct taudb_timer_callpath *taudb_query_timer_callpaths(struct taudb_connection *c,
							 struct taudb_trial *t)
{
	const struct taudb_list timers = {taudb_query_timers(c, t), (size_t)t->timer_count,
					  sizeof(struct taudb_timer)};
	const struct taudb_field field[] = {
		FIELD(struct taudb_timer_callpath, FIELD_INTEGER, id),
		{FIELD_ELEMENT, offsetof(struct taudb_timer_callpath, timer), &timers},
		FIELD(struct taudb_timer_callpath, FIELD_SIBLING, parent),
	};
	struct taudb_rows r = {.table = "timer_callpath",
			       .size = sizeof(struct taudb_timer_callpath),
			       FIELDS(field)};

	if (!t->timer_callpaths && timers.v)
		t->timer_callpaths =
			read_list(c, t, &r,
				  "SELECT p.id, p.timer, p.parent FROM timer t JOIN "
				  "timer_callpath p ON p.timer = t.id WHERE t.trial = ?1 ORDER BY "
				  "p.id",
				  &t->timer_callpath_count);
	return t->timer_callpaths;
}

struct taudb_counter *taudb_query_counters(struct taudb_connection *c, struct taudb_trial *t)
{
	static const struct taudb_field field[] = {
		FIELD(struct taudb_counter, FIELD_INTEGER, id),
		FIELD(struct taudb_counter, FIELD_TEXT, name),
	};
	struct taudb_rows r = {
		.table = "counter", .size = sizeof(struct taudb_counter), FIELDS(field)};

	if (!t->counters)
		t->counters = read_list(
			c, t, &r, "SELECT id, name FROM counter WHERE trial = ?1 ORDER BY id",
			&t->counter_count);
	return t->counters;
}

struct taudb_primary_metadata *taudb_query_primary_metadata(struct taudb_connection *c,
							    struct taudb_trial *t)
{
	static const struct taudb_field field[] = {
		FIELD(struct taudb_primary_metadata, FIELD_TEXT, name),
		FIELD(struct taudb_primary_metadata, FIELD_TEXT, value),
	};
	struct taudb_rows r = {.table = "primary_metadata",
			       .size = sizeof(struct taudb_primary_metadata),
			       FIELDS(field)};

	if (!t->primary_metadata)
		t->primary_metadata =
			read_list(c, t, &r,
				  "SELECT name, value FROM primary_metadata WHERE trial = ?1 "
				  "ORDER BY rowid",
				  &t->primary_metadata_count);
	return t->primary_metadata;
}

struct taudb_secondary_metadata *taudb_query_secondary_metadata(struct taudb_connection *c,
								struct taudb_trial *t)
{
	const struct taudb_list threads = {taudb_query_threads(c, t), (size_t)t->thread_count,
					   sizeof(struct taudb_thread)};
	const struct taudb_list ranges = {taudb_query_time_ranges(c, t),
					  (size_t)t->time_range_count,
					  sizeof(struct taudb_time_range)};
	const struct taudb_field field[] = {
		FIELD(struct taudb_secondary_metadata, FIELD_INTEGER, id),
		{FIELD_ELEMENT, offsetof(struct taudb_secondary_metadata, thread), &threads},
		{FIELD_ELEMENT, offsetof(struct taudb_secondary_metadata, time_range), &ranges},
		FIELD(struct taudb_secondary_metadata, FIELD_TEXT, name),
		FIELD(struct taudb_secondary_metadata, FIELD_TEXT, value),
	};
	struct taudb_rows r = {.table = "secondary_metadata",
			       .size = sizeof(struct taudb_secondary_metadata),
			       FIELDS(field)};

	if (!t->secondary_metadata && threads.v && ranges.v)
		t->secondary_metadata = read_list(
			c, t, &r,
			"SELECT id, thread, time_range, name, value FROM secondary_metadata "
			"WHERE trial = ?1 ORDER BY id",
			&t->secondary_metadata_count);
	return t->secondary_metadata;
}

/* ---- elements of lists ---- */

static int same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

const struct taudb_metric *taudb_get_metric(const struct taudb_trial *t, const char *name)
{
	for (int64_t i = 0; i < t->metric_count; i++)
		if (same(t->metrics[i].name, name))
			return &t->metrics[i];
	return NULL;
}

const struct taudb_timer *taudb_get_timer(const struct taudb_trial *t, const char *name)
{
	for (int64_t i = 0; i < t->timer_count; i++)
		if (same(t->timers[i].name, name))
			return &t->timers[i];
	return NULL;
}

const struct taudb_counter *taudb_get_counter(const struct taudb_trial *t, const char *name)
{
	for (int64_t i = 0; i < t->counter_count; i++)
		if (same(t->counters[i].name, name))
			return &t->counters[i];
	return NULL;
}

static const struct taudb_thread *thread_at(const struct taudb_thread *list, int64_t n,
					    const int64_t place[3])
{
	for (int64_t i = 0; i < n; i++)
		if (list[i].node_rank == place[0] && list[i].context_rank == place[1] &&
		    list[i].thread_rank == place[2])
			return &list[i];
	return NULL;
}

const struct taudb_thread *taudb_get_thread(const struct taudb_trial *t, int64_t node_rank,
					    int64_t context_rank, int64_t thread_rank)
{
	const int64_t place[3] = {node_rank, context_rank, thread_rank};

	return node_rank < 0 ? thread_at(t->derived_threads, t->derived_thread_count, place) :
			       thread_at(t->threads, t->thread_count, place);
}

const char *taudb_get_primary_metadata(const struct taudb_trial *t, const char *name)
{
	for (int64_t i = 0; i < t->primary_metadata_count; i++)
		if (same(t->primary_metadata[i].name, name))
			return t->primary_metadata[i].value;
	return NULL;
}

char *taudb_get_callpath_string(const struct taudb_timer_callpath *p)
{
	char *text = mem_string(p->timer->name);

	for (p = p->parent; p; p = p->parent) {
		char *longer = mem_printf("%s => %s", p->timer->name, text);

		free(text);
		text = longer;
	}
	return text;
}
