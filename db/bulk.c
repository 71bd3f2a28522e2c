/*
 * bulk.c: inserts many rows with few statements. The rows that are gathered are a table of SQL to
 * SQLite, from which one INSERT ... SELECT takes them: to bind each value to a statement costs more.
 */
#include "db/bulk.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Rows that are gathered. */
static int rows_of(const struct bulk *b)
{
	return BULK_CELLS / b->width;
}

static struct bulk_cell *next_cell(struct bulk *b)
{
	assert(b->width <= BULK_COLUMNS && b->filled < b->width * rows_of(b));
	return &b->cell[b->filled++];
}

void bulk_integer(struct bulk *b, int64_t v)
{
	struct bulk_cell *c = next_cell(b);

	c->type = CELL_INTEGER;
	c->integer = v;
}

void bulk_known(struct bulk *b, int64_t v)
{
	struct bulk_cell *c = next_cell(b);

	c->type = v ? CELL_INTEGER : CELL_NULL;
	c->integer = v;
}

void bulk_number(struct bulk *b, double v)
{
	struct bulk_cell *c = next_cell(b);

	c->type = isnan(v) ? CELL_NULL : CELL_NUMBER;
	c->number = v;
}

/* ---- the rows as a table ---- */

struct rows_table {
	sqlite3_vtab base;
	struct bulk *b;
};

struct rows_cursor {
	sqlite3_vtab_cursor base;
	struct bulk *b;
	int at;		/* first cell of the row */
};

/* "a, b, c": the first n columns. To be freed. */
static char *column_names(int n)
{
	char *names = mem_alloc((size_t)n * 3 + 1);

	for (int i = 0; i < n; i++) {
		names[i * 3] = (char)('a' + i);
		names[i * 3 + 1] = i + 1 < n ? ',' : 0;
		names[i * 3 + 2] = ' ';
	}
	return names;
}

static int rows_connect(sqlite3 *h, void *bulk, int argc, const char *const *argv,
			sqlite3_vtab **out, char **message)
{
	struct rows_table *t;
	char *columns = column_names(BULK_COLUMNS),
	     *sql = mem_printf("CREATE TABLE x (%s)", columns);
	int code = sqlite3_declare_vtab(h, sql);

	(void)argc;
	(void)argv;
	(void)message;
	free(sql);
	free(columns);
	if (code != SQLITE_OK)
		return code;
	t = mem_alloc(sizeof(*t));
	t->b = bulk;
	*out = &t->base;
	return SQLITE_OK;
}

static int rows_disconnect(sqlite3_vtab *t)
{
	free(t);
	return SQLITE_OK;
}

static int rows_plan(sqlite3_vtab *t, sqlite3_index_info *plan)
{
	(void)t;
	plan->estimatedCost = BULK_CELLS;
	return SQLITE_OK;
}

static int rows_open(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
	struct rows_cursor *c = mem_alloc(sizeof(*c));

	c->b = ((struct rows_table *)t)->b;
	*out = &c->base;
	return SQLITE_OK;
}

static int rows_close(sqlite3_vtab_cursor *c)
{
	free(c);
	return SQLITE_OK;
}

static int rows_filter(sqlite3_vtab_cursor *cursor, int plan, const char *text, int argc,
		       sqlite3_value **argv)
{
	(void)plan;
	(void)text;
	(void)argc;
	(void)argv;
	((struct rows_cursor *)cursor)->at = 0;
	return SQLITE_OK;
}

static int rows_next(sqlite3_vtab_cursor *cursor)
{
	struct rows_cursor *c = (struct rows_cursor *)cursor;

	c->at += c->b->width;
	return SQLITE_OK;
}

static int rows_end(sqlite3_vtab_cursor *cursor)
{
	const struct rows_cursor *c = (const struct rows_cursor *)cursor;

	return c->at >= c->b->filled;
}

static int rows_column(sqlite3_vtab_cursor *cursor, sqlite3_context *to, int column)
{
	const struct rows_cursor *c = (const struct rows_cursor *)cursor;
	const struct bulk_cell *cell = &c->b->cell[c->at + column];

	if (cell->type == CELL_INTEGER)
		sqlite3_result_int64(to, cell->integer);
	else if (cell->type == CELL_NUMBER)
		sqlite3_result_double(to, cell->number);
	return SQLITE_OK;
}

static int rows_number(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out)
{
	*out = ((const struct rows_cursor *)cursor)->at;
	return SQLITE_OK;
}

static const sqlite3_module rows_module = {
	.xConnect = rows_connect,
	.xBestIndex = rows_plan,
	.xDisconnect = rows_disconnect,
	.xOpen = rows_open,
	.xClose = rows_close,
	.xFilter = rows_filter,
	.xNext = rows_next,
	.xEof = rows_end,
	.xColumn = rows_column,
	.xRowid = rows_number,
};

/* ---- writing ---- */

/* The name of the table of rows that are gathered. To be freed. */
static char *table_name(const struct bulk *b)
{
	return mem_printf("bulk_%s_%d", b->table, b->width);
}

/*
 * OR FAIL: the transaction is rolled back in any case, so SQLite need not keep what would undo the
 * statement alone.
 */
static int prepare(struct bulk *b, struct error *e)
{
	char *name = table_name(b), *columns = column_names(b->width),
	     *sql = mem_printf("INSERT OR FAIL INTO %s (%s) SELECT %s FROM %s", b->table,
			       b->columns, columns, name);
	int code;

	if (sqlite3_create_module(b->db->handle, name, &rows_module, b) != SQLITE_OK)
		code = db_fail(b->db, e);
	else
		code = db_prepare(b->db, &b->insert, e, sql);
	if (code < 0)
		sqlite3_create_module(b->db->handle, name, NULL, NULL);
	free(sql);
	free(columns);
	free(name);
	return code;
}

int bulk_flush(struct bulk *b, struct error *e)
{
	if (!b->filled)
		return 0;
	if (!b->insert && prepare(b, e) < 0)
		return e->code;
	if (sqlite3_step(b->insert) != SQLITE_DONE)
		return db_fail(b->db, e);
	sqlite3_reset(b->insert);
	b->filled = 0;
	return 0;
}

int bulk_row(struct bulk *b, struct error *e)
{
	assert(b->filled % b->width == 0);
	return b->filled < b->width * rows_of(b) ? 0 : bulk_flush(b, e);
}

void bulk_release(struct bulk *b)
{
	char *name;

	if (!b->insert)
		return;
	sqlite3_finalize(b->insert);
	b->insert = NULL;
	name = table_name(b);
	sqlite3_create_module(b->db->handle, name, NULL, NULL);
	free(name);
}
