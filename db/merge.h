/* merge.h: copies the trials of another database, at the speed of the disk. */
#ifndef DB_MERGE_H
#define DB_MERGE_H

#include "db/db.h"

struct db_merged {
	size_t trials;		/* that were copied */
	int64_t first, last;	/* their new numbers, in the order of the old ones */
	char *omitted;		/* tables and columns that only the other database has: "songs, trial.mood"; NULL: none */
};

/*
 * Copies all trials of the database from, with all that belongs to them, in one transaction: afterwards, even after a kill, all
 * are there or none. Rows get new numbers. Views of trials are copied if they are new. from is not changed. free() frees
 * out->omitted.
 */
int db_merge(struct db *db, const char *from, struct db_merged *out, struct error *e);

#endif
