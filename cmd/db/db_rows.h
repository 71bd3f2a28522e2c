/* db_rows.h: the rows of a query as a table. */
#ifndef DB_ROWS_H
#define DB_ROWS_H

#include "cmd/table/table.h"
#include "db/query.h"

/* Reads all rows. table_free() frees *out. Columns of the same name get a number, so that the keys of JSON are unique. */
int db_rows_table(struct db_query *q, struct table **out, struct error *e);

#endif
