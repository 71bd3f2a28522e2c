/* call_index.h: the index of timer_call_data by call path, which is made anew after many rows came if that costs less. */
#ifndef DB_CALL_INDEX_H
#define DB_CALL_INDEX_H

#include "db/private.h"

/*
 * Inside a writing transaction, before about `rows` rows are inserted. *sql: what makes the index after them, to be freed; NULL: it
 * was not dropped.
 */
int call_index_drop(struct db *db, int64_t rows, char **sql, struct error *e);

#endif
