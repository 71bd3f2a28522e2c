/* db_show.h: `tau-db show`: what one trial of a database says. */
#ifndef DB_SHOW_H
#define DB_SHOW_H

#include <stdio.h>

#include "db/db.h"
#include "cmd/shared/table.h"

struct db_show_options {
	enum table_format format;
	const char *part;	/* NULL: all; "summary", "metadata", "timers", "samples" or "counters" */
	long window;		/* from 0 */
	long top;		/* rows of timers and of counters; 0: all */
	size_t width;		/* of the terminal, 0: nothing is shortened */
};

/* Prints to f. ERROR_USAGE: an unknown part, or CSV of more than one. */
int db_show(struct db *db, int64_t trial, const struct db_show_options *o, FILE *f, struct error *e);

/* "2017-07-12 19:49:33" of microseconds since 1970, in UTC; "" when us is NaN or cannot be a date. Returns buf. */
char *db_date(double us, char buf[32]);

#endif
