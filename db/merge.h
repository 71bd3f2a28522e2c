/* merge.h: copies the trials of another database, at the speed of the disk. */
#ifndef DB_MERGE_H
#define DB_MERGE_H

#include "db/db.h"

/* A trial of the other database and the one here that has the same content. */
struct db_merged_known {
	int64_t there, here;
};

struct db_merged {
	size_t trials;		/* that were copied */
	struct db_merged_known *known;	/* that were not, because they are here */
	size_t known_n, known_cap;
	int64_t first, last;	/* their new numbers, in the order of the old ones */
	char *omitted;		/* tables and columns that only the other database has: "songs, trial.mood"; NULL: none */
};

enum {
	MERGE_AGAIN = 1,	/* copy a trial even if one with the same content is here */
	MERGE_UNCHECKED = 2,	/* copy without checking the other database, which takes about as long as the copy */
};

/*
 * Copies all trials of the database from, with all that belongs to them, in one transaction: afterwards, even after a kill, all
 * are there or none. Rows get new numbers. Views of trials are copied if they are new. from is not changed. A trial that has the
 * content of one that is here before is not copied. ERROR_INPUT: db_check() finds a defect in it, other than values that
 * came so from other tools or earlier versions. how: MERGE_ values.
 */
int db_merge(struct db *db, const char *from, int how, struct db_merged *out, struct error *e);
void db_merged_release(struct db_merged *m);

#endif
