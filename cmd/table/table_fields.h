/*
 * table_fields.h: a column of a table as one row of a constant array: its key, heading, type and unit, how its value is read from the
 * struct of a row, and what it is. A table has one struct with one member for each column:
 *
 *   struct cells { const char *name; int64_t calls; double share; };
 *   static const struct table_field fields[] = {
 *     {FIELD(struct cells, name), TABLE_TEXT, "name", NULL, .meaning = "name of the region"},
 *     {FIELD(struct cells, share), TABLE_NUMBER, "share_pct", "%", .precision = 1, .meaning = "share of the whole",
 *      .formula = "100 * exclusive / whole"},
 *     {0},
 *   };
 *   table_fields(t, fields, 0, NULL);
 *   table_row(t);
 *   table_put_fields(t, &(struct cells){.name = "solve", .calls = 3, .share = 12});
 */
#ifndef TABLE_FIELDS_H
#define TABLE_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include "cmd/table/table.h"

enum field_member { FIELD_NONE, FIELD_TEXT, FIELD_INTEGER, FIELD_NUMBER };

/* A member of a row's struct: const char * (NULL: missing), int64_t (FIELD_MISSING) or double (not finite: missing). */
#define FIELD(of, member)                                                                          \
	_Generic(((of *)0)->member, const char *: FIELD_TEXT, int64_t: FIELD_INTEGER,              \
		 double: FIELD_NUMBER),                                                            \
		offsetof(of, member)
#define FIELD_MISSING INT64_MIN

/* What one value of a column of words is. */
struct field_value {
	const char *value, *meaning, *formula, *source;
};

struct table_field {
	enum field_member member;	/* FIELD_NONE: the row is not filled by table_put_fields(), or the end of the array */
	size_t offset;
	enum table_type type;
	const char *key, *heading;	/* heading NULL: as key; key NULL: the end */
	const char *unit;
	int precision;
	int scaled;			/* a time: its key, digits and values follow the table's field_scale */
	int spare;			/* table_column_spare(); 0: always shown */
	int fixed;			/* table_column_fixed() */
	unsigned only;			/* tables that have it, as bits; 0: all */
	void (*fit)(char *s, size_t width);
	const char *meaning, *formula, *source;	/* as of table_about() */
	const struct field_value *value;	/* the last one has a NULL value; NULL: none */
};

/* Of columns that are scaled: values are divided by size. */
struct field_scale {
	const char *suffix;	/* of keys */
	const char *unit;	/* after headings; NULL: that of the field */
	double size;
	int precision;
};

/* Adds the columns of a table. which: its bit; scale: NULL without scaled columns. Both arrays stay where they are. */
void table_fields(struct table *t, const struct table_field *fields, unsigned which, const struct field_scale *scale);
/* Fills the columns of the last row that have fields, from its struct. */
void table_put_fields(struct table *t, const void *row);
/* The field of a column; NULL: it has none. */
const struct table_field *table_field_of(const struct table *t, size_t column);
/* The column of the member at this offset; it has one. */
size_t table_field_at(const struct table *t, size_t offset);

#endif
