/*
 * table_model.h: what a table consists of, for the files that print it; no others include this.
 */
#ifndef TABLE_MODEL_H
#define TABLE_MODEL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd/table/table_types.h"

struct column {
	char *key, *name, *unit;
	enum table_type type;
	int precision;
	int spare;  /* 0: never omitted */
	int fixed;  /* its characters line up */
	void (*fit)(char *s, size_t width);
	const struct table_field *field; /* table_fields.h; NULL: none */
	double size; /* numbers of its field are divided by it */
	char *each; /* what its field is repeated for, the index-th; NULL: it is not */
	size_t index;
};

enum cell_kind { CELL_MISSING, CELL_TEXT, CELL_INTEGER, CELL_NUMBER };

struct cell {
	enum cell_kind kind;
	union {
		const char *text; /* of the table */
		int64_t integer;
		double number;
	};
};

struct line {
	char *text;
	int below;
};

struct fact {
	char *key, *text;	/* text NULL: number */
	double number;
};

struct column_about { /* value NULL: the whole column */
	size_t column;
	char *value, *meaning, *formula, *source;
};

struct row {
	struct cell *cell;
	int rule;
	int more; /* it continues the row above */
};

struct table_block {
	struct table_block *before;
	size_t used, size; /* bytes of data */
	_Alignas(struct cell) char data[];
};

struct table {
	char *title;
	struct table_block *block; /* where its cells and their texts are; the last one first */
	struct column *column;
	size_t column_n, column_cap;
	struct line *line;
	size_t line_n, line_cap;
	struct fact *fact;
	size_t fact_n, fact_cap;
	struct column_about *about;
	size_t about_n, about_cap;
	char **input;
	size_t input_n, input_cap;
	struct row *row;
	size_t row_n, row_cap;
	int rule;
	size_t head; /* its first rows, which table_head() closed */
	int ordered; /* its rows keep their order */
	size_t plain; /* bytes of the title before how its rows are ordered; 0: all */
};

/* n bytes of s as one line of Markdown after `mark`, escaped. */
void table_markdown_line(const char *mark, const char *s, size_t n, FILE *f);
/* A cell as people see it: rounded, sizes with their unit, nothing where it is missing. To be freed. */
char *table_cell_text(const struct column *col, const struct cell *c);
/* The heading of a column for people, with its unit. To be freed. */
char *table_heading(const struct column *col);
/* A column of words that no row has is blank, and people do not see it; the first one they do. */
int table_column_blank(const struct table *t, size_t column);

/* Members of a column's object of JSON; below a table for people; and what else JSON has of it. */
void table_explain_column(const struct table *t, size_t column, FILE *f);
void table_explain_text(const struct table *t, FILE *f, size_t width);
void table_explain_markdown(const struct table *t, FILE *f);
void table_explain_html(const struct table *t, FILE *f);
void table_explain_json(const struct table *t, FILE *f);

void table_print_text(const struct table *t, FILE *f, size_t width);
void table_print_csv(const struct table *t, FILE *f);
void table_print_json(const struct table *t, FILE *f);
void table_print_markdown(const struct table *t, FILE *f);
void table_print_html(const struct table *t, FILE *f);

#endif
