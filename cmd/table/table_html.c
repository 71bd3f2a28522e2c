/*
 * table_html.c: prints a table as a part of a page: the cells of the text, and what a script needs to sort them. A cell whose
 * number is rounded has it whole in data-v, a column its key in data-key. Rows below a line are a tbody of their own.
 */
#include <inttypes.h>
#include <string.h>

#include "cmd/table/region_name.h"
#include "analyze/base/base.h"
#include "analyze/base/mem_stream.h"
#include "cmd/table/table_model.h"
#include "cmd/table/table_text.h"

#define SHORT 32

static void print_line(const char *element, const char *s, size_t n, FILE *f)
{
	char *line = mem_printf("%.*s", (int)n, s), *clean = text_clean(line);

	fprintf(f, "<%s>", element);
	table_escaped(f, clean);
	fprintf(f, "</%s>\n", element);
	free(clean);
	free(line);
}

static void print_notes(const struct table *t, int below, FILE *f)
{
	for (size_t i = 0; i < t->line_n; i++)
		if (t->line[i].below == below)
			print_line("p", t->line[i].text, strlen(t->line[i].text), f);
}

/* The first line of a title is a heading, the others are sentences. */
static void print_title(const char *title, FILE *f)
{
	const char *end = strchrnul(title, '\n');

	print_line("h3", title, (size_t)(end - title), f);
	while (*end) {
		const char *s = end + 1;

		end = strchrnul(s, '\n');
		print_line("p", s, (size_t)(end - s), f);
	}
}

/* k: names of regions, which stay in sight beside the numbers on a narrow screen */
static const char *class_of(const struct column *col)
{
	return col->type != TABLE_TEXT ? " class=\"n\""
	       : col->fixed                  ? " class=\"m\""
	       : col->fit == region_name_fit ? " class=\"k\""
					     : "";
}

/* A number with its unit, and an indented word, are not broken: "156.9 ms", "  load balance". */
static const char *class_of_cell(const struct column *col, const char *text)
{
	int whole = (*text >= '0' && *text <= '9') || *text == ' ';

	return col->type == TABLE_TEXT && !col->fixed && whole && strlen(text) <= SHORT
		       ? " class=\"w\""
		       : class_of(col);
}

/* The number itself, where what is shown is not all of it. */
static void print_whole(const struct cell *c, const char *shown, FILE *f)
{
	char *text = NULL;
	size_t n;
	FILE *to = c->kind == CELL_INTEGER || c->kind == CELL_NUMBER ? mem_stream(&text, &n) : NULL;

	if (!to)
		return;
	if (c->kind == CELL_INTEGER)
		fprintf(to, "%" PRId64, c->integer);
	else
		table_number(to, c->number);
	fclose(to);
	if (strcmp(text, shown) != 0)
		fprintf(f, " data-v=\"%s\"", text);
	free(text);
}

static void print_cell(const struct column *col, const struct cell *c, FILE *f)
{
	char *text = table_cell_text(col, c);

	fprintf(f, "<td%s", class_of_cell(col, text));
	print_whole(c, text, f);
	fputc('>', f);
	table_escaped(f, text);
	fputs("</td>", f);
	free(text);
}

static void print_head(const struct table *t, FILE *f)
{
	fputs("<thead><tr>", f);
	for (size_t c = 0; c < t->column_n; c++) {
		char *head = table_heading(&t->column[c]);

		if (!table_column_blank(t, c)) {
			fprintf(f, "<th scope=\"col\" data-key=\"");
			table_escaped(f, t->column[c].key);
			fprintf(f, "\"%s>", class_of(&t->column[c]));
			table_escaped(f, head);
			fputs("</th>", f);
		}
		free(head);
	}
	fputs("</tr></thead>\n", f);
}

void table_print_html(const struct table *t, FILE *f)
{
	char *shown = mem_alloc(t->column_n + 1);

	fputs("<div class=\"table\">\n", f);
	if (t->title)
		print_title(t->title, f);
	print_notes(t, 0, f);
	if (t->column_n) {
		/* What does not fit on a large screen scrolls in a box of its own. */
		fprintf(f, "<div class=\"scroll%s\"><table>\n", t->row_n > 50 ? " long" : "");
		print_head(t, f);
		for (size_t c = 0; c < t->column_n; c++)
			shown[c] = !table_column_blank(t, c);
		fputs("<tbody>\n", f);
		for (size_t i = 0; i < t->row_n; i++) {
			fputs(t->row[i].rule ? "</tbody><tbody>\n<tr>" : "<tr>", f);
			for (size_t c = 0; c < t->column_n; c++)
				if (shown[c])
					print_cell(&t->column[c], &t->row[i].cell[c], f);
			fputs("</tr>\n", f);
		}
		fputs("</tbody></table></div>\n", f);
	}
	print_notes(t, 1, f);
	table_explain_html(t, f);
	fputs("</div>\n", f);
	free(shown);
}
