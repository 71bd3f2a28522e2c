/* merge_known.h: which trials of another database are here already, and SQL that excludes their rows. */
#ifndef DB_MERGE_KNOWN_H
#define DB_MERGE_KNOWN_H

#include "db/merge_types.h"
#include "db/tables.h"

/*
 * For the database that is attached as source: finds its trials whose content a trial of main has, for out->known. there: the
 * tables of source.
 */
int merge_known_find(struct db *db, const struct db_tables *there, struct db_merged *out, struct error *e);

/* " WHERE ...", which excludes the rows of a table of source that belong to these trials; to be freed. "" if no row belongs to a trial. */
char *merge_known_where(const struct db_tables *there, size_t table);

#endif
