/* table_data.c: prints a table for programs, as CSV (RFC 4180) or JSON (RFC 8259). */
#include "cmd/table/table_text.h"
#include "convert/io/csv.h"
#include "cmd/table/table_model.h"

void table_print_csv(const struct table *t, FILE *f)
{
	for (size_t c = 0; c < t->column_n; c++) {
		fputs(c ? "," : "", f);
		csv_cell(f, t->column[c].key);
	}
	fputs("\r\n", f);
	for (size_t i = 0; i < t->row_n; i++) {
		for (size_t c = 0; c < t->column_n; c++) {
			const struct cell *cell = &t->row[i].cell[c];

			fputs(c ? "," : "", f);
			if (cell->kind == CELL_TEXT)
				csv_cell(f, cell->text);
			else if (cell->kind == CELL_INTEGER)
				table_integer(f, cell->integer);
			else if (cell->kind == CELL_NUMBER)
				table_number(f, cell->number);
		}
		fputs("\r\n", f);
	}
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
