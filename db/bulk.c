/* bulk.c: inserts many rows with few statements. */
#include "db/bulk.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Rows that are gathered: what they bind stays below SQLite's oldest limit, 999. */
static int rows_of(const struct bulk *b)
{
	return b->width * BULK_ROWS > BULK_CELLS ? BULK_CELLS / b->width : BULK_ROWS;
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

/*
 * INSERT ... VALUES (?,?),(?,?) for this number of rows. OR FAIL: the transaction is rolled back in
 * any case, so SQLite need not keep what would undo the statement alone.
 */
static int prepare(struct bulk *b, int rows, sqlite3_stmt **out, struct error *e)
{
	char *values = mem_alloc((size_t)rows * ((size_t)b->width * 2 + 3) + 1), *end = values,
	     *sql;
	int code;

	for (int i = 0; i < rows; i++) {
		*end++ = i ? ',' : ' ';
		*end++ = '(';
		for (int k = 0; k < b->width; k++) {
			*end++ = '?';
			*end++ = ',';
		}
		end[-1] = ')';
	}
	sql = mem_printf("INSERT OR FAIL INTO %s (%s) VALUES %s", b->table, b->columns, values);
	code = db_prepare(b->db, out, e, sql);
	free(sql);
	free(values);
	return code;
}

static int write_cells(struct bulk *b, sqlite3_stmt *s, struct error *e)
{
	for (int i = 0; i < b->filled; i++) {
		const struct bulk_cell *c = &b->cell[i];

		if (c->type == CELL_INTEGER)
			sqlite3_bind_int64(s, i + 1, c->integer);
		else if (c->type == CELL_NUMBER)
			sqlite3_bind_double(s, i + 1, c->number);
		else
			sqlite3_bind_null(s, i + 1);
	}
	b->filled = 0;
	if (sqlite3_step(s) != SQLITE_DONE)
		return db_fail(b->db, e);
	sqlite3_reset(s);
	return 0;
}

int bulk_row(struct bulk *b, struct error *e)
{
	assert(b->filled % b->width == 0);
	if (b->filled < b->width * rows_of(b))
		return 0;
	if (!b->full && prepare(b, rows_of(b), &b->full, e) < 0)
		return e->code;
	return write_cells(b, b->full, e);
}

int bulk_flush(struct bulk *b, struct error *e)
{
	sqlite3_stmt *s = NULL;
	int code;

	if (!b->filled)
		return 0;
	code = prepare(b, b->filled / b->width, &s, e);
	if (code == 0)
		code = write_cells(b, s, e);
	sqlite3_finalize(s);
	return code;
}

void bulk_release(struct bulk *b)
{
	sqlite3_finalize(b->full);
	b->full = NULL;
}
