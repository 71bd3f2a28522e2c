/* merge_types.h: what merging reports. */
#ifndef MERGE_TYPES_H
#define MERGE_TYPES_H

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

#endif
