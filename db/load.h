/* load.h: loading a trial with the derived threads that are stored, for those who verify them. */
#ifndef DB_LOAD_H
#define DB_LOAD_H

#include "db/db.h"

/* As db_load(), with the threads -1 to -7 as well. */
int db_load_derived(struct db *db, int64_t trial, size_t window, struct profile **out,
		    struct error *e);

#endif
