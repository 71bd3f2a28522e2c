/* taudb_rows.h: rows of SQL as structures: what the files of the library share. */
#ifndef TAUDB_ROWS_H
#define TAUDB_ROWS_H

#include "db/private.h"
#include "db/taudb/taudb.h"

struct taudb_connection {
	struct db *db;		/* NULL: it could not be opened */
	struct error error;	/* of the last call that failed */
	struct names texts;	/* of all rows */
	struct taudb_data_source *source;
	size_t source_n;
};

/* Elements by rising id, which is the first field of each. */
struct taudb_list {
	const void *v;
	size_t n, size;
};

enum field_type {
	FIELD_INTEGER,	/* int64_t; NULL is TAUDB_UNKNOWN */
	FIELD_NUMBER,	/* double; NULL is NaN */
	FIELD_TEXT,	/* const char *; NULL is NULL */
	FIELD_ELEMENT,	/* an element of a list by its id; NULL is NULL */
	FIELD_SIBLING,	/* an element of the array that is read */
};

/* Column i of the SQL is field i. */
struct taudb_field {
	enum field_type type;
	size_t offset;
	const struct taudb_list *list;	/* of FIELD_ELEMENT */
};

struct taudb_rows {
	const char *table;		/* for messages */
	const struct taudb_field *field;
	size_t field_n, size;		/* size of a structure */
	char *v;			/* the structures: the caller's */
	size_t v_n, v_cap;
};

/* An element by its id; NULL: there is none. */
const void *taudb_find(const struct taudb_list *list, int64_t id);

/* Appends the rows of sql. ?1 to ?n are bound to the numbers. Not NULL and without rows: an empty array is made. */
int taudb_rows_read(struct taudb_connection *c, struct taudb_rows *r, const char *sql, const int64_t *bind, size_t n);

/* Sets *count and returns the array, or frees it and returns NULL if code is negative. */
void *taudb_rows_end(struct taudb_rows *r, int code, size_t *count);

#endif
