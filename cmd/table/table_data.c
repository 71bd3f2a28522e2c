/* table_data.c: prints a table for programs, as CSV (RFC 4180) or JSON (RFC 8259). */
#include <string.h>

#include "analyze/base/base.h"
#include "analyze/base/number.h"
#include "cmd/table/table_model.h"
#include "cmd/table/table_text.h"
#include "convert/io/csv.h"

/* The last number of a column, which the next row often repeats. */
struct csv_number {
	double number;
	size_t n; /* bytes of text; 0: there was none */
	char text[NUMBER_TEXT];
};

/* What is printed before it goes to the file: most cells are short. */
struct csv_text {
	FILE *f;
	struct csv_number *last; /* by column */
	size_t n;
	char v[4096];
};

static void csv_flush(struct csv_text *x)
{
	fwrite(x->v, 1, x->n, x->f);
	x->n = 0;
}

/* Bytes that can be written after it. */
static char *csv_room(struct csv_text *x, size_t n)
{
	if (sizeof(x->v) - x->n < n)
		csv_flush(x);
	return x->v + x->n;
}

static void csv_text_cell(struct csv_text *x, const char *s)
{
	const size_t n = csv_plain(s);

	if (n && n <= sizeof(x->v)) {
		memcpy(csv_room(x, n), s, n);
		x->n += n;
	} else {
		csv_flush(x);
		csv_cell(x->f, s);
	}
}

static char *csv_number_put(struct csv_number *last, char *to, double number)
{
	if (!last->n || memcmp(&last->number, &number, sizeof(number)) != 0) {
		last->number = number;
		last->n = (size_t)(table_number_text(last->text, number) - last->text);
	}
	return (char *)memcpy(to, last->text, sizeof(last->text)) + last->n;
}

static void csv_put(struct csv_text *x, size_t column, const struct cell *cell)
{
	char *to = csv_room(x, NUMBER_TEXT), *end = to;

	if (cell->kind == CELL_TEXT) {
		csv_text_cell(x, cell->text);
		return;
	}
	if (cell->kind == CELL_INTEGER)
		end = table_integer_text(to, cell->integer);
	else if (cell->kind == CELL_NUMBER)
		end = csv_number_put(&x->last[column], to, cell->number);
	x->n += (size_t)(end - to);
}

static void csv_mark(struct csv_text *x, const char *mark, size_t n)
{
	memcpy(csv_room(x, n), mark, n);
	x->n += n;
}

void table_print_csv(const struct table *t, FILE *f)
{
	struct csv_text x = {.f = f, .last = mem_alloc((t->column_n + 1) * sizeof(*x.last))};

	for (size_t c = 0; c < t->column_n; c++) {
		csv_mark(&x, ",", c > 0);
		csv_text_cell(&x, t->column[c].key);
	}
	csv_mark(&x, "\r\n", 2);
	for (size_t i = 0; i < t->row_n; i++) {
		for (size_t c = 0; c < t->column_n; c++) {
			csv_mark(&x, ",", c > 0);
			csv_put(&x, c, &t->row[i].cell[c]);
		}
		csv_mark(&x, "\r\n", 2);
	}
	csv_flush(&x);
	free(x.last);
}

static void print_json_cell(FILE *f, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_MISSING:
		fputs("null", f);
		break;
	case CELL_TEXT:
		table_json_string(f, cell->text);
		break;
	case CELL_INTEGER:
		table_integer(f, cell->integer);
		break;
	case CELL_NUMBER:
		table_json_number(f, cell->number);
		break;
	}
}

static void print_json_member(FILE *f, const char *indent, const char *key)
{
	fputs(indent, f);
	table_json_string(f, key);
	fputs(": ", f);
}

static void print_json_head(const struct table *t, FILE *f)
{
	static const char *const type[] = { "text", "integer", "number", "bytes" };

	fputs("{\n", f);
	if (t->title) {
		print_json_member(f, "  ", "title");
		table_json_string(f, t->title);
		fputs(",\n", f);
	}
	fputs("  \"notes\": [", f);
	for (size_t i = 0; i < t->line_n; i++) {
		fputs(i ? ",\n    " : "\n    ", f);
		table_json_string(f, t->line[i].text);
	}
	fputs(t->line_n ? "\n  ],\n  \"facts\": {" : "],\n  \"facts\": {", f);
	for (size_t i = 0; i < t->fact_n; i++) {
		print_json_member(f, i ? ",\n    " : "\n    ", t->fact[i].key);
		if (t->fact[i].text)
			table_json_string(f, t->fact[i].text);
		else
			table_json_number(f, t->fact[i].number);
	}
	fputs(t->fact_n ? "\n  },\n  \"columns\": [" : "},\n  \"columns\": [", f);
	for (size_t c = 0; c < t->column_n; c++) {
		const struct column *col = &t->column[c];

		print_json_member(f, c ? ",\n    {" : "\n    {", "key");
		table_json_string(f, col->key);
		print_json_member(f, ", ", "name");
		table_json_string(f, col->name);
		fprintf(f, ", \"type\": \"%s\"", type[col->type]);
		if (col->unit) {
			print_json_member(f, ", ", "unit");
			table_json_string(f, col->unit);
		}
		table_explain_column(t, c, f);
		fputc('}', f);
	}
	fputs(t->column_n ? "\n  ],\n" : "],\n", f);
}

void table_print_json_rows(const struct table *t, FILE *f)
{
	fputc('[', f);
	for (size_t i = 0; i < t->row_n; i++) {
		fputs(i ? ",{" : "{", f);
		for (size_t c = 0; c < t->column_n; c++) {
			fputs(c ? "," : "", f);
			table_json_string(f, t->column[c].key);
			fputc(':', f);
			print_json_cell(f, &t->row[i].cell[c]);
		}
		fputc('}', f);
	}
	fputc(']', f);
}

void table_print_json(const struct table *t, FILE *f)
{
	print_json_head(t, f);
	table_explain_json(t, f);
	fputs("  \"rows\": [", f);
	for (size_t i = 0; i < t->row_n; i++) {
		for (size_t c = 0; c < t->column_n; c++) {
			print_json_member(f,
					  c   ? ", "
					  : i ? ",\n    {"
					      : "\n    {",
					  t->column[c].key);
			print_json_cell(f, &t->row[i].cell[c]);
		}
		fputc('}', f);
	}
	fputs(t->row_n ? "\n  ]\n}\n" : "]\n}\n", f);
}
