/*
 * table_fields.h: a column of a table as one row of a constant array: its key, heading, type and
 * unit, how its value is read from the struct of a row, and what it is. A table has one struct with
 * one member for each column:
 *
 *   struct example_cells { const char *name; int64_t calls; double share; };
 *   static const struct table_field fields[] = {
 *     {FIELD(struct example_cells, name), TABLE_TEXT, "name", NULL, .meaning = "name of the
 * region"}, {FIELD(struct example_cells, share), TABLE_NUMBER, "share_pct", "%", .precision = 1,
 * .meaning = "share of the whole", .formula = "100 * exclusive / whole"}, {0},
 *   };
 *   table_fields(t, fields, 0, NULL);
 *   table_row(t);
 *   table_put_fields(t, &(struct example_cells){.name = "solve", .calls = 3, .share = 12});
 *
 * A field can be repeated, as for each number of PEs: `each` selects for what, its member is a
 * pointer to that many values, and the name of one replaces a '*' at the end of its key and in its
 * heading, and a '$' in its formula.
 *
 *   {FIELD(struct example_cells, time), TABLE_NUMBER, "time_*", "* PEs", .each = EACH_RUN, .meaning
 * = "time on this number of PEs"},
 */
#ifndef TABLE_FIELDS_H
#define TABLE_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include "cmd/table/table.h"

enum field_member {
	FIELD_NONE,
	FIELD_TEXT,
	FIELD_INTEGER,
	FIELD_NUMBER,
	FIELD_TEXTS, /* these three: of fields that are repeated */
	FIELD_INTEGERS,
	FIELD_NUMBERS
};

/*
 * A member of a row's struct: const char * (NULL: missing), int64_t (FIELD_MISSING) or double (not finite: missing); for a field that
 * is repeated a pointer to them (NULL: all are missing).
 */
#define FIELD(of, member)                                                                          \
	_Generic(((of *)0)->member, const char *: FIELD_TEXT, int64_t: FIELD_INTEGER,              \
		 double: FIELD_NUMBER, const char *const *: FIELD_TEXTS,                           \
		 const int64_t *: FIELD_INTEGERS, const double *: FIELD_NUMBERS),                  \
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
	int spare;			/* where a terminal is narrow, the highest is omitted first; 0: always shown */
	int fixed;			/* table_column_fixed() */
	unsigned only;			/* tables that have it, as bits; 0: all */
	unsigned each;			/* for what it is repeated: its place in the array of struct field_each; 0: it is not */
	int beside;			/* repeated: each column follows that of the field before, which is repeated for the same */
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

/* What a field is repeated for: the name of each in keys, and in headings. */
struct field_each {
	struct field_name {
		char *key, *words;
	} * v;
	size_t v_n, v_cap;
};
/* Takes both strings; words may be NULL. */
void field_each_add(struct field_each *e, char *key, char *words);
void field_each_release(struct field_each *e);

/* Adds the columns of a table. which: its bit; scale: NULL without scaled columns. Both arrays stay where they are. */
void table_fields(struct table *t, const struct table_field *fields, unsigned which, const struct field_scale *scale);
/* The same with fields that are repeated: each[f->each] is used by a field f, each[0] by none. */
void table_fields_each(struct table *t, const struct table_field *fields, unsigned which, const struct field_scale *scale,
		       const struct field_each *each);
/* Fills the columns of the last row that have fields, from its struct. */
void table_put_fields(struct table *t, const void *row);
/* The field of a column; NULL: it has none. */
const struct table_field *table_field_of(const struct table *t, size_t column);
/* What the field of a column is repeated for, as in the key; NULL: it is not. */
const char *table_field_each(const struct table *t, size_t column);
/* The column of the member at this offset; it has one. */
size_t table_field_at(const struct table *t, size_t offset);
/* A heading, and digits, that are known only now. */
void table_field_heading(struct table *t, size_t offset, const char *heading);
void table_field_precision(struct table *t, size_t offset, int precision);
/* A narrow terminal omits columns of a repeated field, but not its first and last: rank is that of the i-th (table_column_spare()). */
void table_field_spare(struct table *t, size_t offset, int (*rank)(size_t i));

#endif
