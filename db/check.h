/* check.h: verifies a database: SQLite's own checks, numbers of rows that must exist, and what must hold of the values. */
#ifndef DB_CHECK_H
#define DB_CHECK_H

#include "db/db.h"

/* A defect. The texts are valid during the call. */
struct db_defect {
	const char *check;	/* short name of the check */
	int64_t trial;		/* 0: not of one trial */
	int64_t rows;		/* that are wrong */
	const char *what;
	int sentence;		/* what names the file and the trial */
	int imported;		/* profiles of other tools, or earlier versions, have such values */
};

struct db_check_result {
	size_t checks, trials, defects;
};

/* Calls take() for each defect. A database with defects is no error. */
int db_check(struct db *db, void (*receive)(void *to, const struct db_defect *d), void *to,
	     struct db_check_result *out, struct error *e);

struct db_gc_result {
	int64_t rows;			/* that belonged to no trial and were removed */
	int64_t bytes_before, bytes_after;
};

/* Removes rows that belong to nothing, in one transaction, adds missing columns, and returns free space to the file system. */
int db_gc(struct db *db, struct db_gc_result *out, struct error *e);

#endif
