/*
 * load_timers.c: loads the rows of a trial's timers. timer_call_data and timer_value are both read in the order of the number
 * of the row, side by side: a join would search each row in two indexes and two tables.
 */
#include <math.h>
#include <string.h>

#include "analyze/profile/profile.h"
#include "db/load.h"
#include "db/private.h"

/* Rows of timer_call_data, from the number first to last. */
struct extent {
	int64_t first, last;
};

struct extents {
	struct extent *v;
	size_t v_n, v_cap;
};

/* The two tables while they are read. */
struct timers {
	struct load *l;
	sqlite3_stmt *row, *value;
	int64_t last;		/* of the extent */
	int64_t at;		/* number of the row that value has reached */
	int more;		/* value is at a row */
	int64_t thread_id;	/* the row's before, and what it became: rows of a thread follow each other */
	uint32_t thread;
	int known;
};

/* If more rows than this lie between two that are read, their values are skipped by a search. */
enum { SKIPPED = 64 };

static int by_first(const void *x, const void *y)
{
	const struct extent *a = x, *b = y;

	return (a->first > b->first) - (a->first < b->first);
}

/* Extents of threads, which mostly follow each other, become as few as possible. */
static void extents_join(struct extents *e)
{
	size_t n = 0;

	if (e->v_n)
		qsort(e->v, e->v_n, sizeof(*e->v), by_first);
	for (size_t i = 0; i < e->v_n; i++) {
		struct extent *before = n ? &e->v[n - 1] : NULL;

		if (!before || e->v[i].first - 1 > before->last)
			e->v[n++] = e->v[i];
		else if (e->v[i].last > before->last)
			before->last = e->v[i].last;
	}
	e->v_n = n;
}

static int find_extents(struct load *l, struct extents *out)
{
	static const char sql[] =
		"SELECT (SELECT min(d.id) FROM timer_call_data d WHERE d.thread = h.id), "
		"(SELECT max(d.id) FROM timer_call_data d WHERE d.thread = h.id) "
		"FROM thread h WHERE h.trial = ?1 AND CASE WHEN h.node_rank < 0 THEN ?2 ELSE ?3 "
		"END";
	sqlite3_stmt *q = NULL;
	int code = db_prepare(l->db, &q, l->e, sql);

	if (code == 0) {
		sqlite3_bind_int64(q, 1, l->trial);
		sqlite3_bind_int(q, 2, l->rows_of != ROWS_OF_THREADS || l->p->summary.pes);
		sqlite3_bind_int(q, 3, l->rows_of != ROWS_OF_DERIVED);
	}
	while (code == 0 && (code = db_step(l->db, q, l->e)) == 1) {
		code = 0;
		if (sqlite3_column_type(q, 0) != SQLITE_NULL)
			*array_add(out, v) = (struct extent){ sqlite3_column_int64(q, 0),
							      sqlite3_column_int64(q, 1) };
	}
	sqlite3_finalize(q);
	extents_join(out);
	return code;
}

static int next_value(struct timers *t)
{
	int code = db_step(t->l->db, t->value, t->l->e);

	t->more = code == 1;
	if (t->more)
		t->at = sqlite3_column_int64(t->value, 0);
	return code < 0 ? code : 0;
}

/* Goes to the values of a row, or of the first after it that has some. */
static int seek_value(struct timers *t, int64_t row)
{
	int code = 0;

	if (t->more && t->at < row && (uint64_t)row - (uint64_t)t->at > SKIPPED) {
		sqlite3_reset(t->value);
		sqlite3_bind_int64(t->value, 1, row);
		sqlite3_bind_int64(t->value, 2, t->last);
		code = next_value(t);
	}
	while (code == 0 && t->more && t->at < row)
		code = next_value(t);
	return code;
}

/* A column's number; NULL yields NaN. */
static double number(sqlite3_stmt *s, int column)
{
	sqlite3_value *v = sqlite3_column_value(s, column);

	return sqlite3_value_type(v) == SQLITE_NULL ? NAN : sqlite3_value_double(v);
}

/* The values of r, whose number is row. */
static int read_values(struct timers *t, int64_t row, struct profile_thread *at,
		       struct profile_row *r)
{
	struct load *l = t->l;
	int code = seek_value(t, row);

	while (code == 0 && t->more && t->at == row) {
		uint32_t metric;

		if (!numbers_find(&l->metric, sqlite3_column_int64(t->value, 1), &metric))
			return load_bad(l, "timer_value of timer_call_data", row,
					"its metric is missing");
		profile_incl(at, r)[metric] = number(t->value, 2);
		profile_excl(l->p, at, r)[metric] = number(t->value, 3);
		profile_squares(at, r)[metric] = number(t->value, 4);
		code = next_value(t);
	}
	return code;
}

/* A row of timer_call_data with its values, which are missing until they come. */
static int read_row(struct timers *t)
{
	struct load *l = t->l;
	int64_t id = sqlite3_column_int64(t->row, 0), thread = sqlite3_column_int64(t->row, 1);
	uint32_t path;
	struct profile_thread *at;
	struct profile_row *r;

	if (thread != t->thread_id) {
		t->thread_id = thread;
		t->known = numbers_find(&l->thread, thread, &t->thread) &&
			   (l->rows_of != ROWS_OF_DERIVED || l->p->thread[t->thread].node < 0);
	}
	if (!t->known)
		return 0; /* not loaded, or another trial's */
	if (!numbers_find(&l->path, sqlite3_column_int64(t->row, 2), &path))
		return load_bad(l, "timer_call_data", id, "its call path is missing");
	at = &l->p->thread[t->thread];
	r = profile_add_row(l->p, t->thread, path);
	r->calls = sqlite3_column_double(t->row, 3);
	r->subrs = sqlite3_column_double(t->row, 4);
	for (size_t i = 0; i < 2 * l->p->metric_n; i++)
		at->values[r->first + i] = NAN;
	return read_values(t, id, at, r);
}

static int load_extent(struct timers *t, const struct extent *x)
{
	int code;

	t->last = x->last;
	sqlite3_reset(t->row);
	sqlite3_bind_int64(t->row, 1, x->first);
	sqlite3_bind_int64(t->row, 2, x->last);
	sqlite3_reset(t->value);
	sqlite3_bind_int64(t->value, 1, x->first);
	sqlite3_bind_int64(t->value, 2, x->last);
	code = next_value(t);
	while (code == 0 && (code = db_step(t->l->db, t->row, t->l->e)) == 1)
		code = read_row(t);
	return code;
}

int load_timers(struct load *l)
{
	struct timers t = {.l = l};
	struct extents e = {0};
	char *sql;
	int code = find_extents(l, &e);

	if (code == 0)
		code = db_prepare(l->db, &t.row, l->e,
				  "SELECT id, thread, timer_callpath, calls, subroutines "
				  "FROM timer_call_data WHERE id BETWEEN ?1 AND ?2 "
				  "AND time_range IS ?3 ORDER BY id");
	sql = mem_printf("SELECT timer_call_data, metric, inclusive_value, exclusive_value, "
			 "sum_exclusive_squared FROM %s WHERE timer_call_data BETWEEN ?1 AND ?2 "
			 "ORDER BY timer_call_data",
			 l->db->values ? "timer_value_base" : "timer_value");
	if (code == 0)
		code = db_prepare(l->db, &t.value, l->e, sql);
	free(sql);
	if (code == 0)
		db_bind_known(t.row, 3, l->range);
	for (size_t i = 0; code == 0 && i < e.v_n; i++)
		code = load_extent(&t, &e.v[i]);
	sqlite3_finalize(t.row);
	sqlite3_finalize(t.value);
	free(e.v);
	return code;
}
