/* merge.h: copies the trials of another database, at the speed of the disk. */
#ifndef DB_MERGE_H
#define DB_MERGE_H

#include "db/db.h"
#include "db/merge_types.h"

/*
 * Copies all trials of the database from, with all that belongs to them, in one transaction: afterwards, even after a kill, all
 * are there or none. Rows get new numbers. Views of trials are copied if they are new. from is not changed. A trial that has the
 * content of one that is here before is not copied. ERROR_INPUT: db_check() finds a defect in it, other than values that
 * came so from other tools or earlier versions. how: MERGE_ values.
 */
int db_merge(struct db *db, const char *from, int how, struct db_merged *out, struct error *e);
void db_merged_release(struct db_merged *m);

#endif
