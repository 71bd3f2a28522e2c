/* taudb_values.c: the values of call paths and of counters. */
#include "db/taudb/taudb.h"

#include <string.h>

#include "db/taudb/taudb_rows.h"

/* What rows of values refer to. */
struct value_lists {
	struct taudb_list path, thread, range, metric, counter;
	int64_t first_range; /* 0: the trial has none */
};

/* Which rows are selected; 0 is all. */
struct selected_values {
	int64_t path, thread, metric, counter, range;
	int derived;
};

#define LIST(s, trial, member, count) \
	((struct taudb_list){(trial)->member, (size_t)(trial)->count, sizeof(struct s)})

/* Reads what is common to all values. */
static int lists_read(struct taudb_connection *c, struct taudb_trial *t, int derived,
		      struct value_lists *l)
{
	if (!taudb_query_time_ranges(c, t) || !taudb_query_timer_callpaths(c, t) ||
	    !(derived ? taudb_query_derived_threads(c, t) : taudb_query_threads(c, t)))
		return c->error.code;
	l->path = LIST(taudb_timer_callpath, t, timer_callpaths, timer_callpath_count);
	l->range = LIST(taudb_time_range, t, time_ranges, time_range_count);
	l->thread = derived ? LIST(taudb_thread, t, derived_threads, derived_thread_count) :
			      LIST(taudb_thread, t, threads, thread_count);
	l->first_range = t->time_range_count ? t->time_ranges[0].id : 0;
	return 0;
}

/* Threads are ?4, or all of trial ?1. */
static const char *threads_sql(const struct selected_values *s)
{
	if (s->thread)
		return "thread = ?4";
	if (s->derived)
		return "thread IN (SELECT id FROM thread WHERE trial = ?1 AND node_rank < 0)";
	return "thread IN (SELECT id FROM thread WHERE trial = ?1 AND node_rank >= 0)";
}

/* ---- timers ---- */

/*
 * ?1 trial, ?2 time range, ?3 call path, ?4 thread, ?5 metric; it has those that it needs.
 * base: percentages that are not stored are computed as by the view timer_value, which would find
 * the thread of each row twice.
 */
static char *values_sql(const struct selected_values *s, int base)
{
	return mem_printf(
		"SELECT d.timer_callpath, d.thread, d.time_range, v.metric, d.calls, "
		"d.subroutines, v.inclusive_value, v.exclusive_value, %s, "
		"v.sum_exclusive_squared FROM timer_call_data d "
		"%s JOIN %s v ON v.timer_call_data = d.id %s %s WHERE "
		"d.time_range IS nullif(?2, 0) %s AND d.%s%s",
		base ? "coalesce(v.inclusive_percent, 100.0 * v.inclusive_value / x.largest), "
		       "coalesce(v.exclusive_percent, 100.0 * v.exclusive_value / x.largest)"
		     : "v.inclusive_percent, v.exclusive_percent",
		s->metric ? "" : "LEFT", base ? "timer_value_base" : "timer_value",
		s->metric ? "AND v.metric = ?5" : "",
		base ? "LEFT JOIN thread_sum x ON x.thread = d.thread AND x.metric = v.metric "
		       "AND x.time_range IS d.time_range"
		     : "",
		s->path ? "AND d.timer_callpath = ?3" : "", threads_sql(s),
		s->path ? " ORDER BY d.thread, d.id" : "");
}

static int values_read(struct taudb_connection *c, const struct taudb_trial *t,
		       struct taudb_rows *r, const struct selected_values *s)
{
	const int64_t bind[] = {t->id, s->range, s->path, s->thread, s->metric};
	char *sql = values_sql(s, c->db->values);
	int code = taudb_rows_read(c, r, sql, bind, sizeof(bind) / sizeof(bind[0]));

	free(sql);
	return code;
}

#define AT(kind, member) {.type = kind, .offset = offsetof(struct taudb_timer_value, member)}
#define TO(list, member) {FIELD_ELEMENT, offsetof(struct taudb_timer_value, member), &(list)}

static struct taudb_timer_value *query_values(struct taudb_connection *c, struct taudb_trial *t,
					      struct selected_values s, size_t *count)
{
	struct value_lists l = {0};
	const struct taudb_field field[] = {
		TO(l.path, timer_callpath),
		TO(l.thread, thread),
		TO(l.range, time_range),
		TO(l.metric, metric),
		AT(FIELD_NUMBER, calls),
		AT(FIELD_NUMBER, subroutines),
		AT(FIELD_NUMBER, inclusive),
		AT(FIELD_NUMBER, exclusive),
		AT(FIELD_NUMBER, inclusive_percentage),
		AT(FIELD_NUMBER, exclusive_percentage),
		AT(FIELD_NUMBER, sum_exclusive_squared),
	};
	struct taudb_rows r = {.table = "timer_call_data",
			       .field = field,
			       .field_n = sizeof(field) / sizeof(field[0]),
			       .size = sizeof(struct taudb_timer_value)};
	int code = lists_read(c, t, s.derived, &l);

	if (code == 0 && !taudb_query_metrics(c, t))
		code = c->error.code;
	l.metric = LIST(taudb_metric, t, metrics, metric_count);
	if (!s.range)
		s.range = l.first_range;
	return taudb_rows_end(&r, code < 0 ? code : values_read(c, t, &r, &s), count);
}

static int64_t id_of(const void *element)
{
	int64_t id = 0;

	if (element)
		memcpy(&id, element, sizeof(id));
	return id;
}

struct taudb_timer_value *taudb_query_timer_values(struct taudb_connection *c,
						   struct taudb_trial *t,
						   const struct taudb_timer_callpath *callpath,
						   const struct taudb_thread *thread,
						   const struct taudb_metric *metric,
						   const struct taudb_time_range *range,
						   size_t *count)
{
	struct selected_values s = {.path = id_of(callpath),
			     .thread = id_of(thread),
			     .metric = id_of(metric),
			     .range = id_of(range),
			     .derived = thread && thread->node_rank < 0};

	return query_values(c, t, s, count);
}

struct taudb_timer_value *taudb_query_timer_stats(struct taudb_connection *c,
						  struct taudb_trial *t,
						  const struct taudb_timer_callpath *callpath,
						  const struct taudb_metric *metric,
						  const struct taudb_time_range *range,
						  size_t *count)
{
	struct selected_values s = {.path = id_of(callpath),
			     .metric = id_of(metric),
			     .range = id_of(range),
			     .derived = 1};

	return query_values(c, t, s, count);
}

void taudb_delete_timer_values(struct taudb_timer_value *values, size_t count)
{
	(void)count;
	free(values);
}

/* ---- counters ---- */

/*
 * ?1 trial, ?2 time range, ?3 counter, ?4 thread. The view computes what a constant counter selects, so each counter is a
 * query of its own.
 */
static char *counter_sql(const struct taudb_connection *c, const struct selected_values *s)
{
	const char *range = c->db->has[ADDED_COUNTER_RANGE] ? "nullif(time_range, 0)" : "NULL";

	return mem_printf("SELECT counter, thread, %s, timer_callpath, sample_count, "
			  "maximum_value, minimum_value, mean_value, standard_deviation FROM "
			  "counter_value WHERE counter = ?3 AND (%s IS nullif(?2, 0)) AND %s",
			  range, range,
			  threads_sql(s));
}

static int counters_read(struct taudb_connection *c, const struct taudb_trial *t,
			 struct taudb_rows *r, const struct selected_values *s)
{
	char *sql = counter_sql(c, s);
	int code = 0;

	for (int64_t i = 0; code == 0 && i < t->counter_count; i++) {
		const int64_t bind[] = {t->id, s->range, t->counters[i].id, s->thread};

		if (!s->counter || s->counter == t->counters[i].id)
			code = taudb_rows_read(c, r, sql, bind, sizeof(bind) / sizeof(bind[0]));
	}
	free(sql);
	if (!r->v)
		r->v = mem_alloc(r->size);
	return code;
}

#undef AT
#undef TO
#define AT(kind, member) {.type = kind, .offset = offsetof(struct taudb_counter_value, member)}
#define TO(list, member) {FIELD_ELEMENT, offsetof(struct taudb_counter_value, member), &(list)}

static struct taudb_counter_value *query_counters(struct taudb_connection *c, struct taudb_trial *t,
						  struct selected_values s, size_t *count)
{
	struct value_lists l = {0};
	const struct taudb_field field[] = {
		TO(l.counter, counter),
		TO(l.thread, thread),
		TO(l.range, time_range),
		TO(l.path, context),
		AT(FIELD_NUMBER, sample_count),
		AT(FIELD_NUMBER, maximum_value),
		AT(FIELD_NUMBER, minimum_value),
		AT(FIELD_NUMBER, mean_value),
		AT(FIELD_NUMBER, standard_deviation),
	};
	struct taudb_rows r = {.table = "counter_value",
			       .field = field,
			       .field_n = sizeof(field) / sizeof(field[0]),
			       .size = sizeof(struct taudb_counter_value)};
	int code = lists_read(c, t, s.derived, &l);

	if (code == 0 && !taudb_query_counters(c, t))
		code = c->error.code;
	l.counter = LIST(taudb_counter, t, counters, counter_count);
	if (!s.range)
		s.range = l.first_range;
	return taudb_rows_end(&r, code < 0 ? code : counters_read(c, t, &r, &s), count);
}

struct taudb_counter_value *taudb_query_counter_values(struct taudb_connection *c,
						       struct taudb_trial *t,
						       const struct taudb_counter *counter,
						       const struct taudb_thread *thread,
						       const struct taudb_time_range *range,
						       size_t *count)
{
	struct selected_values s = {.counter = id_of(counter),
			     .thread = id_of(thread),
			     .range = id_of(range),
			     .derived = thread && thread->node_rank < 0};

	return query_counters(c, t, s, count);
}

struct taudb_counter_value *taudb_query_counter_stats(struct taudb_connection *c,
						      struct taudb_trial *t,
						      const struct taudb_counter *counter,
						      const struct taudb_time_range *range,
						      size_t *count)
{
	struct selected_values s = {
		.counter = id_of(counter), .range = id_of(range), .derived = 1};

	return query_counters(c, t, s, count);
}

void taudb_delete_counter_values(struct taudb_counter_value *values, size_t count)
{
	(void)count;
	free(values);
}
