/*
 * table.h: the one table that commands fill, printed as aligned text, CSV, JSON, Markdown or HTML.
 *
 *   struct table *t = table_new("Trials");
 *   size_t name = table_column(t, TABLE_TEXT, "name", "name", NULL, 0);
 *   size_t size = table_column(t, TABLE_BYTES, "bytes", "size", NULL, 0);
 *   table_row(t);
 *   table_put_text(t, name, "run.4");
 *   table_put_number(t, size, 4096);
 *   table_print(t, stdout, TABLE_AS_TEXT, table_width(stdout));
 *   table_free(t);
 *
 * A cell that was not put is missing: blank in text, nothing between the commas in CSV, null in JSON; so is a
 * number that is not finite. The text omits a column of words that no row has. Text, Markdown and HTML are for people and show
 * the same cells, rounded; CSV and JSON carry numbers whole, and so do the attributes data-v of HTML.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyze/base/base.h"
#include "cmd/table/table_text.h"
#include "cmd/table/table_types.h"

struct table;

/* title: first line of the text, "title" in JSON; may be NULL. Strings are copied everywhere. */
struct table *table_new(const char *title);
void table_free(struct table *t);

/*
 * Adds a column and returns its number, from 0. All columns come before the first row.
 * key: name for machines (CSV header, JSON member), unique. name: heading in text, NULL: as key.
 * unit: for TABLE_NUMBER and TABLE_INTEGER, follows the heading in text and with the column in JSON; or NULL.
 */
size_t table_column(struct table *t, enum table_type type, const char *key, const char *name,
		    const char *unit, int precision);

/* Text on a terminal that is too narrow leaves the column out: the highest rank first. rank > 0. */
void table_column_spare(struct table *t, size_t column, int rank);

/* Characters of different rows line up: a line of time, or a bar made of letters. */
void table_column_fixed(struct table *t, size_t column);

/* How cells of a text column are shortened in place to a width; table_elide(), which takes characters out of the middle,
 * otherwise. */
void table_column_fit(struct table *t, size_t column, void (*fit)(char *s, size_t width));

/* A sentence about the whole table: a line above (note) or below (remark) the text, in JSON's "notes". CSV has none. */
void table_note(struct table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_remark(struct table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A value about the whole table for machines: in JSON's "facts" only. */
void table_fact_number(struct table *t, const char *key, double value);
void table_fact_text(struct table *t, const char *key, const char *value);

/*
 * What the values of a column are, for readers who ask: a sentence, how they are computed from other columns and facts
 * (table_formula.h; NULL: they are measured, or a sentence has to do), and who defined them (or NULL). value: of one value of a
 * column of words, instead of all; NULL: of the column. A table with such sentences prints them, and its inputs, below.
 */
void table_about(struct table *t, size_t column, const char *value, const char *meaning,
		 const char *formula, const char *source);
/* A sentence about what the table was computed from. */
void table_input(struct table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The number of columns, the key of one, and whether one of its cells is these words. */
size_t table_columns(const struct table *t);
const char *table_key(const struct table *t, size_t column);
int table_has_word(const struct table *t, size_t column, const char *word);

/* Begins a row; the calls below fill cells of the last row. */
void table_row(struct table *t);
/* The same, of a row that continues the one before: the two stay together when rows are sorted (table_sort.h). */
void table_row_more(struct table *t);
/* How the rows are ordered, "most bytes first": follows the title, until the rows are sorted. */
void table_order(struct table *t, const char *words);
/* Rows that have a meaning only in their order are not sorted. */
void table_keep_order(struct table *t);
int table_keeps_order(const struct table *t);
/* Text draws a line above the row that comes next (totals). */
void table_rule(struct table *t);
/* The same below rows about the whole: they stay first when the others are sorted or cut (table_sort.h). */
void table_head(struct table *t);
void table_put_text(struct table *t, size_t column, const char *s);	/* NULL: missing */
void table_put_integer(struct table *t, size_t column, int64_t value);
void table_put_number(struct table *t, size_t column, double value);	/* not finite: missing */
size_t table_rows(const struct table *t);

/*
 * width: of the terminal; text cells are then shortened in their middle where a line would not fit.
 * 0: nothing is ever shortened. Reports no errors: look at ferror(f).
 */
void table_print(const struct table *t, FILE *f, enum table_format format, size_t width);
/* The heading and the rows alone, one line each, as the text has them. */
void table_print_lines(const struct table *t, FILE *f, size_t width);
/* The rows alone, as a list of JSON objects in one line, for programs whose output is lines of JSON. */
void table_print_json_rows(const struct table *t, FILE *f);
/* A line that goes on below itself, between words and with the same blanks before it, where it is wider; width 0: it does not. */
void table_sentence(FILE *f, const char *s, size_t width);
/* "text", "csv", "json": 0 and *format; otherwise ERROR_USAGE. */
int table_format_get(const char *name, enum table_format *format, struct error *e);

#endif
