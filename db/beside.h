/* beside.h: the files that SQLite keeps beside a database, looked at before SQLite acts on them. */
#ifndef DB_BESIDE_H
#define DB_BESIDE_H

#include "analyze/base/base.h"

/*
 * Refuses a database (ERROR_INPUT) beside which there is something that SQLite would wait for or act on outside of it:
 *  - a journal, write-ahead log or its index that is no regular file;
 *  - a journal that names a super-journal: SQLite opens that file, and deletes it when it undoes the journal. Only a transaction
 *    over several databases has one; no program of this project makes such.
 */
int beside_check(const char *file, struct error *e);

/* Has the database at this path a write-ahead log with something in it? */
int beside_has_log(const char *file);

#endif
