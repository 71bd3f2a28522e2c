/* table_explain.c: prints what the columns of a table are, how they are computed, and from what. */
#include <math.h>
#include <string.h>

#include "cmd/table/table.h"
#include "analyze/base/base.h"
#include "cmd/table/table_formula.h"
#include "cmd/table/table_model.h"
#include "cmd/table/table_text.h"

#define HEADING "How the values are computed"
#define INPUTS	"Inputs"

/* The first row whose values a formula has, with the result; SIZE_MAX: none. */
static size_t example_row(const struct table *t, const struct column_about *a, double *value)
{
	for (size_t i = 0; i < t->row_n; i++) {
		*value = table_formula_value(t, a->column, i, a->formula);
		if (isfinite(*value))
			return i;
	}
	return SIZE_MAX;
}

/* "largest / mean = 219.396 / 131.603 = 1.67"; NULL: there is no formula. To be freed. */
static char *formula_line(const struct table *t, const struct column_about *a)
{
	const struct column *col = &t->column[a->column];
	struct cell result = {.kind = CELL_NUMBER};
	size_t row;
	char *names, *values, *shown, *line;

	if (!a->formula)
		return NULL;
	row = example_row(t, a, &result.number);
	names = table_formula_text(t, a->column, row, a->formula, FORMULA_HEADINGS);
	if (row == SIZE_MAX)
		return names;
	values = table_formula_text(t, a->column, row, a->formula, FORMULA_VALUES);
	/* A value of a column of words is about the whole table. */
	shown = a->value ? mem_printf("%.3f", result.number) : table_cell_text(col, &result);
	line = mem_printf("%s = %s = %s%s", names, values, shown,
			  row || a->value || t->row_n == 1 ? "" : " in the first row");
	free(names);
	free(values);
	free(shown);
	return line;
}

/* "max/mean: largest divided by mean. [Source]" of a column, or of one of its values. To be freed.
 */
static char *meaning_line(const struct table *t, const struct column_about *a)
{
	char *head = a->value ? mem_string(a->value) : table_heading(&t->column[a->column]);
	char *line = mem_printf("%s: %s%s%s%s", *head ? head : t->column[a->column].key, a->meaning,
				a->source ? " [" : "", a->source ? a->source : "",
				a->source ? "]" : "");

	free(head);
	return line;
}

/* People do not see a column of words without words. */
static int is_seen(const struct table *t, const struct column_about *a)
{
	return !table_column_blank(t, a->column);
}

enum of { COLUMN, VALUE, FORMULA };

/* The lines about the values: what a column or one of its values means, and its formula. */
static void lines_put(const struct table *t, FILE *f, size_t width,
		      void (*put)(FILE *f, size_t width, enum of of, const char *line))
{
	for (size_t i = 0; i < t->about_n; i++) {
		char *meaning, *formula;

		if (!is_seen(t, &t->about[i]))
			continue;
		meaning = meaning_line(t, &t->about[i]);
		formula = formula_line(t, &t->about[i]);
		put(f, width, t->about[i].value ? VALUE : COLUMN, meaning);
		if (formula)
			put(f, width, FORMULA, formula);
		free(formula);
		free(meaning);
	}
}

static void text_put(FILE *f, size_t width, enum of of, const char *line)
{
	char *indented = mem_printf("%*s%s", 2 * (int)of + 2, "", line);

	table_sentence(f, indented, width);
	free(indented);
}

void table_explain_text(const struct table *t, FILE *f, size_t width)
{
	if (t->about_n)
		fputs("\n" HEADING "\n", f);
	lines_put(t, f, width, text_put);
	if (t->input_n)
		fputs("\n" INPUTS "\n", f);
	for (size_t i = 0; i < t->input_n; i++) {
		char *clean = text_clean(t->input[i]);

		text_put(f, width, COLUMN, clean);
		free(clean);
	}
}

static void markdown_put(FILE *f, size_t width, enum of of, const char *line)
{
	(void)width;
	table_markdown_line(of == COLUMN ? "-" : "  -", line, strlen(line), f);
}

void table_explain_markdown(const struct table *t, FILE *f)
{
	if (t->about_n)
		fputs("\n#### " HEADING "\n\n", f);
	lines_put(t, f, 0, markdown_put);
	if (t->input_n)
		fputs("\n#### " INPUTS "\n\n", f);
	for (size_t i = 0; i < t->input_n; i++)
		markdown_put(f, 0, COLUMN, t->input[i]);
}

static void html_put(FILE *f, size_t width, enum of of, const char *line)
{
	char *clean = text_clean(line);

	(void)width, (void)of;
	fputs("<li>", f);
	table_escaped(f, clean);
	fputs("</li>\n", f);
	free(clean);
}

void table_explain_html(const struct table *t, FILE *f)
{
	if (t->about_n)
		fputs("<details><summary>" HEADING "</summary>\n<ul>\n", f);
	lines_put(t, f, 0, html_put);
	for (size_t i = 0; i < t->input_n; i++) {
		char *line = mem_printf("Input: %s", t->input[i]);

		html_put(f, 0, COLUMN, line);
		free(line);
	}
	if (t->about_n)
		fputs("</ul></details>\n", f);
}

static void member(FILE *f, const char *key, const char *value)
{
	fprintf(f, ", \"%s\": ", key);
	if (value)
		table_json_string(f, value);
	else
		fputs("null", f);
}

/* A formula whose names are all keys of this table; NULL: it has no such. To be freed. */
static char *formula_keys(const struct table *t, const struct column_about *a)
{
	double value;

	if (!a->formula || example_row(t, a, &value) == SIZE_MAX)
		return NULL;
	return table_formula_text(t, a->column, 0, a->formula, FORMULA_KEYS);
}

static void members(const struct table *t, const struct column_about *a, FILE *f)
{
	char *formula = formula_keys(t, a);

	member(f, "meaning", a->meaning);
	member(f, "formula", formula);
	member(f, "source", a->source);
	free(formula);
}

void table_explain_column(const struct table *t, size_t column, FILE *f)
{
	for (size_t i = 0; i < t->about_n; i++)
		if (t->about[i].column == column && !t->about[i].value)
			members(t, &t->about[i], f);
}

void table_explain_json(const struct table *t, FILE *f)
{
	size_t n = 0;

	if (!t->about_n)
		return;
	fputs("  \"values\": [", f);
	for (size_t i = 0; i < t->about_n; i++) {
		const struct column_about *a = &t->about[i];

		if (!a->value)
			continue;
		fputs(n++ ? ",\n    {\"key\": " : "\n    {\"key\": ", f);
		table_json_string(f, t->column[a->column].key);
		member(f, "value", a->value);
		members(t, a, f);
		fputc('}', f);
	}
	fputs(n ? "\n  ],\n  \"inputs\": [" : "],\n  \"inputs\": [", f);
	for (size_t i = 0; i < t->input_n; i++) {
		fputs(i ? ",\n    " : "\n    ", f);
		table_json_string(f, t->input[i]);
	}
	fputs(t->input_n ? "\n  ],\n" : "],\n", f);
}
