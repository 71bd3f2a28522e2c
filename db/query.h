/*
 * query.h: SQL that reads a database and cannot change it or anything else.
 *
 * The file is opened for reading, and an authorizer refuses each statement that is not a SELECT: nothing is written, attached,
 * loaded or set, and no function that reads files can be called.
 */
#ifndef DB_QUERY_H
#define DB_QUERY_H

#include "db/db.h"
#include "db/events.h"

struct db_query;

enum db_type { DB_NULL, DB_INTEGER, DB_NUMBER, DB_TEXT, DB_BYTES };

struct db_value {
	enum db_type type;
	int64_t integer;
	double number;
	const char *text;	/* DB_TEXT and DB_BYTES; a NUL follows */
	size_t n;		/* bytes of text; DB_TEXT contains no NUL */
};

/*
 * Opens file (NULL: a database without tables), for limit_ns as db_open_within() does, and prepares one statement. events: what the tables event and call show
 * (events.h), which lives as long as the query; NULL: there are none. *out is for db_query_close(). ERROR_USAGE: the SQL is wrong, or does something else
 * than reading; the others as db_open() has them.
 */
int db_query_open(const char *file, uint64_t limit_ns, const struct db_event_source *events, const char *sql,
		  struct db_query **out, struct error *e);
void db_query_close(struct db_query *q);

/* Parameters :NAME are NULL until set. ERROR_USAGE: the statement has no such parameter. Strings are copied. */
int db_query_set(struct db_query *q, const char *name, const struct db_value *v, struct error *e);

size_t db_query_columns(const struct db_query *q);
const char *db_query_column(const struct db_query *q, size_t column);

/* The next row: 1, 0 after the last, or a negative code. */
int db_query_next(struct db_query *q, struct error *e);
/* A value of that row. Its text is valid until the next call of db_query_next(). */
struct db_value db_query_value(const struct db_query *q, size_t column);

/* ---- queries that have a name (queries.sql) ---- */

/* PATTERN: a text, where % matches any text */
enum db_parameter_type { DB_PARAMETER_TEXT, DB_PARAMETER_PATTERN, DB_PARAMETER_NUMBER, DB_PARAMETER_TRIAL };

struct db_named_parameter {
	const char *name;	/* NULL ends the list */
	enum db_parameter_type type;
	int required;
	const char *about;	/* what it selects, and its default */
};

struct db_named_column {
	const char *name;	/* NULL ends the list */
	const char *about;	/* what its values are */
};

enum { DB_NAMED_PARAMETERS = 6, DB_NAMED_COLUMNS = 10 };

/* What a trial must have if a query of it is to have rows: values of single threads and PEs, ... */
enum db_need {
	DB_NEEDS_NOTHING,
	DB_NEEDS_THREADS,
	DB_NEEDS_CALLPATHS,
	DB_NEEDS_COUNTERS,
	DB_NEEDS_MESSAGES,
	DB_NEEDS_SIZES,
};

struct db_named_query {
	const char *name;	/* NULL ends the table */
	const char *question;
	enum db_need needs;
	struct db_named_parameter parameter[DB_NAMED_PARAMETERS];
	struct db_named_column column[DB_NAMED_COLUMNS];
	const char *sql;
};

extern const struct db_named_query db_named_queries[];

#endif
