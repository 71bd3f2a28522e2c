/*
 * percents.c: percentages of the values of timers, of the largest value of their thread. Values are read in
 * the order of the rows of timer_call_data, so these are read beside them, from front to back; the rows of
 * a thread in a window follow each other, so its largest values are searched once.
 */
#include <string.h>

#include "db/percents.h"

struct largest {
	int64_t metric;
	double value;
};

struct percents {
	struct db *db;
	sqlite3_stmt *row; /* of timer_call_data */
	int64_t at;        /* its number, if more */
	int more;
	sqlite3_stmt *sum;       /* of thread_sum */
	int64_t thread, range;   /* those of largest, if read */
	int whole, read;	 /* whole: range is NULL */
	struct largest *largest; /* by metric of a thread that has one */
	size_t largest_n, largest_cap;
};

const char percents_rows[] =
	"(SELECT timer_call_data, metric, inclusive_value, exclusive_value, "
	"coalesce(inclusive_percent, 100.0 * inclusive_value / largest_inclusive(timer_call_data, "
	"metric)) AS inclusive_percent, "
	"coalesce(exclusive_percent, 100.0 * exclusive_value / largest_inclusive(timer_call_data, "
	"metric)) AS exclusive_percent, sum_exclusive_squared FROM timer_value_base)";

/* If more rows than this lie between two values, they are skipped by a search. */
enum { SKIPPED = 64 };

static int next_row(struct percents *p)
{
	int code = sqlite3_step(p->row);

	p->more = code == SQLITE_ROW;
	if (p->more)
		p->at = sqlite3_column_int64(p->row, 0);
	return p->more || code == SQLITE_DONE ? SQLITE_OK : code;
}

/* Goes to a row; if there is none, to the one after it. */
static int seek_row(struct percents *p, int64_t row)
{
	int code = SQLITE_OK;

	if (!p->more || p->at > row || (uint64_t)row - (uint64_t)p->at > SKIPPED) {
		sqlite3_reset(p->row);
		sqlite3_bind_int64(p->row, 1, row);
		code = next_row(p);
	}
	while (code == SQLITE_OK && p->more && p->at < row)
		code = next_row(p);
	return code;
}

/* Reads the largest values of the thread and window of the row, unless they are those that are there. */
static int read_largest(struct percents *p)
{
	int64_t thread = sqlite3_column_int64(p->row, 1), range = sqlite3_column_int64(p->row, 2);
	int whole = sqlite3_column_type(p->row, 2) == SQLITE_NULL, code;

	if (p->read && thread == p->thread && range == p->range && whole == p->whole)
		return SQLITE_OK;
	p->thread = thread;
	p->range = range;
	p->whole = whole;
	p->read = 1;
	p->largest_n = 0;
	sqlite3_bind_value(p->sum, 1, sqlite3_column_value(p->row, 1));
	sqlite3_bind_value(p->sum, 2, sqlite3_column_value(p->row, 2));
	while ((code = sqlite3_step(p->sum)) == SQLITE_ROW)
		*array_add(p, largest) = (struct largest){ sqlite3_column_int64(p->sum, 0),
							   sqlite3_column_double(p->sum, 1) };
	sqlite3_reset(p->sum);
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* SQL: largest_inclusive(timer_call_data, metric). NULL: not in thread_sum. */
static void largest_inclusive(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	struct percents *p = sqlite3_user_data(to);
	int64_t row = sqlite3_value_int64(argv[0]), metric = sqlite3_value_int64(argv[1]);
	int code = p->more && p->at == row ? SQLITE_OK : seek_row(p, row);

	(void)argc;
	if (code == SQLITE_OK && p->more && p->at == row) {
		code = read_largest(p);
		for (size_t i = 0; code == SQLITE_OK && i < p->largest_n; i++)
			if (p->largest[i].metric == metric) {
				sqlite3_result_double(to, p->largest[i].value);
				return;
			}
	}
	if (code != SQLITE_OK)
		sqlite3_result_error_code(to, code);
}

int percents_begin(struct db *db, struct percents **out, struct error *e)
{
	struct percents *p;
	int code;

	*out = NULL;
	if (!db->values)
		return 0;
	p = mem_alloc(sizeof(*p));
	p->db = db;
	*out = p;
	code = db_prepare(db, &p->row, e,
			  "SELECT id, thread, time_range FROM timer_call_data WHERE id >= ? "
			  "ORDER BY id");
	if (code == 0)
		code = db_prepare(db, &p->sum, e,
				  "SELECT metric, largest FROM thread_sum WHERE thread = ? AND "
				  "time_range IS ? AND largest IS NOT NULL");
	if (code == 0 && sqlite3_create_function(db->handle, "largest_inclusive", 2, SQLITE_UTF8, p,
						 largest_inclusive, NULL, NULL) != SQLITE_OK)
		code = db_fail(db, e);
	return code;
}

void percents_end(struct percents *p)
{
	if (!p)
		return;
	sqlite3_create_function(p->db->handle, "largest_inclusive", 2, SQLITE_UTF8, NULL, NULL,
				NULL, NULL);
	sqlite3_finalize(p->row);
	sqlite3_finalize(p->sum);
	free(p->largest);
	free(p);
}
