/* table_explain.c: prints what the columns of a table are, how they are computed, and from what. */
#include <math.h>
#include <string.h>

#include "cmd/shared/table_formula.h"

#define HEADING "How the values are computed"
#define INPUTS	"Inputs"

/* The first row whose values a formula has, with the result; SIZE_MAX: none. */
static size_t example_row(const struct table *t, const struct about *a, double *value)
{
	for (size_t i = 0; i < t->row_n; i++) {
		*value = table_formula_value(t, a->column, i, a->formula);
		if (isfinite(*value))
			return i;
	}
	return SIZE_MAX;
}

/* "largest / mean = 219.396 / 131.603 = 1.67"; NULL: there is no formula. To be freed. */
static char *formula_line(const struct table *t, const struct about *a)
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

/* "max/mean: largest divided by mean. [Source]" of a column, or of one of its values. To be freed. */
static char *meaning_line(const struct table *t, const struct about *a)
{
	char *head = a->value ? mem_string(a->value) : table_heading(&t->column[a->column]);
	char *line = mem_printf("%s: %s%s%s%s", *head ? head : t->column[a->column].key, a->meaning,
				a->source ? " [" : "", a->source ? a->source : "",
				a->source ? "]" : "");

	free(head);
	return line;
}

/* People do not see a column of words without words. */
static int is_seen(const struct table *t, const struct about *a)
{
	return !table_column_blank(t, a->column);
}

void table_explain_text(const struct table *t, FILE *f, size_t width)
{
	if (t->about_n)
		fputs("\n" HEADING "\n", f);
	for (size_t i = 0; i < t->about_n; i++) {
		char *meaning, *formula, *line;

		if (!is_seen(t, &t->about[i]))
			continue;
		meaning = meaning_line(t, &t->about[i]);
		formula = formula_line(t, &t->about[i]);
		line = mem_printf("%s%s", t->about[i].value ? "    " : "  ", meaning);
		table_sentence(f, line, width);
		free(line);
		if (formula) {
			line = mem_printf("      %s", formula);
			table_sentence(f, line, width);
			free(line);
		}
		free(formula);
		free(meaning);
	}
	if (t->input_n)
		fputs("\n" INPUTS "\n", f);
	for (size_t i = 0; i < t->input_n; i++) {
		char *line = mem_printf("  %s", t->input[i]), *clean = table_clean(line);

		table_sentence(f, clean, width);
		free(clean);
		free(line);
	}
}

void table_explain_markdown(const struct table *t, FILE *f)
{
	if (t->about_n)
		fputs("\n#### " HEADING "\n\n", f);
	for (size_t i = 0; i < t->about_n; i++) {
		char *meaning, *formula;

		if (!is_seen(t, &t->about[i]))
			continue;
		meaning = meaning_line(t, &t->about[i]);
		formula = formula_line(t, &t->about[i]);
		table_markdown_line(t->about[i].value ? "  -" : "-", meaning, strlen(meaning), f);
		if (formula)
			table_markdown_line("  -", formula, strlen(formula), f);
		free(formula);
		free(meaning);
	}
	if (t->input_n)
		fputs("\n#### " INPUTS "\n\n", f);
	for (size_t i = 0; i < t->input_n; i++)
		table_markdown_line("-", t->input[i], strlen(t->input[i]), f);
}

static void element(FILE *f, const char *name, const char *s)
{
	char *clean = table_clean(s);

	fprintf(f, "<%s>", name);
	table_escaped(f, clean);
	fprintf(f, "</%s>\n", name);
	free(clean);
}

void table_explain_html(const struct table *t, FILE *f)
{
	if (t->about_n)
		fputs("<details><summary>" HEADING "</summary>\n<ul>\n", f);
	for (size_t i = 0; i < t->about_n; i++) {
		char *meaning, *formula;

		if (!is_seen(t, &t->about[i]))
			continue;
		meaning = meaning_line(t, &t->about[i]);
		formula = formula_line(t, &t->about[i]);
		element(f, "li", meaning);
		if (formula)
			element(f, "li", formula);
		free(formula);
		free(meaning);
	}
	for (size_t i = 0; i < t->input_n; i++) {
		char *line = mem_printf("Input: %s", t->input[i]);

		element(f, "li", line);
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
static char *formula_keys(const struct table *t, const struct about *a)
{
	double value;

	if (!a->formula || example_row(t, a, &value) == SIZE_MAX)
		return NULL;
	return table_formula_text(t, a->column, 0, a->formula, FORMULA_KEYS);
}

static void members(const struct table *t, const struct about *a, FILE *f)
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
		const struct about *a = &t->about[i];

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
