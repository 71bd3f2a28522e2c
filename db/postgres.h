/* postgres.h: a script for psql that makes TauDB's tables of TAU's PostgreSQL schema and fills them. */
#ifndef DB_POSTGRES_H
#define DB_POSTGRES_H

#include <stdio.h>

#include "db/db.h"

struct db_postgres {
	char *wide;		/* columns that are wider than TAU's because values need it: "timer_call_data.calls"; NULL: none */
	size_t replaced;	/* texts with bytes that are not UTF-8, which PostgreSQL refuses */
};

/*
 * Prints the n trials (0: all), with rows that keep their numbers. Columns and tables that are added to TAU's follow taudb(5). All is one
 * transaction. free() frees out->wide.
 */
int db_postgres_print(struct db *db, const int64_t *trial, size_t n, FILE *f, struct db_postgres *out,
		      struct error *e);

#endif
