/* bulk.h: inserts many rows with few statements: what one insert costs besides its row is paid once for all rows that are gathered. */
#ifndef DB_BULK_H
#define DB_BULK_H

#include "db/private.h"

enum { BULK_COLUMNS = 26 /* a to z */, BULK_CELLS = 2000 };

struct bulk {
	struct db *db;
	const char *table, *columns;	/* "id, thread, ..." */
	int width;			/* number of columns */
	sqlite3_stmt *insert;		/* inserts the rows that are gathered */
	int filled;			/* values in cell */
	struct bulk_cell {
		enum { CELL_NULL, CELL_INTEGER, CELL_NUMBER } type;
		union {
			int64_t integer;
			double number;
		};
	} cell[BULK_CELLS];
};

/* db, table, columns and width are set, the rest is zero. */

/* Values of a row, from left to right. */
void bulk_integer(struct bulk *b, int64_t v);
void bulk_known(struct bulk *b, int64_t v);	/* 0: NULL */
void bulk_number(struct bulk *b, double v);	/* NaN: NULL */

/* After the last value of a row: writes when enough have gathered. */
int bulk_row(struct bulk *b, struct error *e);

/* Writes the rest. */
int bulk_flush(struct bulk *b, struct error *e);
void bulk_release(struct bulk *b);

#endif
