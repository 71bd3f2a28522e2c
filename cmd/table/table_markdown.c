/* table_markdown.c: prints a table as GitHub-flavoured Markdown: the cells of the text, names whole. */
#include <ctype.h>
#include <string.h>

#include "cmd/table/table_model.h"
#include "analyze/base/base.h"
#include "cmd/table/table_text.h"

#define BLANK "\xc2\xa0" /* at the beginning of a cell, where Markdown drops a usual one */

static int is_word(char c)
{
	return isalnum((unsigned char)c) || (c & 0x80);
}

/* Does Markdown take this character for markup? An underscore inside a word is none, nor are
 * brackets without a link. */
static int is_markup(const char *s, const char *at)
{
	if (*at == '_')
		return at == s || !is_word(at[-1]) || !is_word(at[1]);
	if (*at == ']')
		return at[1] && strchr("([:", at[1]) != NULL;
	if (*at == '&')
		return at[1] == '#' || isalnum((unsigned char)at[1]);
	return strchr("\\`*<|~$", *at) != NULL;
}

/* s as it must be written to be shown as it is; to be freed. */
static char *escaped(const char *s)
{
	char *out = mem_alloc(2 * strlen(s) + 1), *to = out;

	for (const char *at = s; *at; at++) {
		if (at == s ? *at == ' ' : at[-1] == ' ' && strspn(s, " ") > (size_t)(at - s))
			to += sprintf(to, BLANK);
		else
			to += sprintf(to, is_markup(s, at) ? "\\%c" : "%c", *at);
	}
	return out;
}

/* A cell of characters that line up is code, in which only a backtick would be markup. */
static char *cell_markdown(const struct column *col, const struct cell *c)
{
	char *text = table_cell_text(col, c), *out;

	if (col->fixed && *text && !strpbrk(text, "`|"))
		out = mem_printf("`%s`", text);
	else
		out = escaped(text);
	free(text);
	return out;
}

/* n bytes of s as one line after `mark`. */
void table_markdown_line(const char *mark, const char *s, size_t n, FILE *f)
{
	char *line = mem_printf("%.*s", (int)n, s), *clean = text_clean(line),
	     *out = escaped(clean);

	fprintf(f, "%s %s\n", mark, out);
	free(out);
	free(clean);
	free(line);
}

/* The first line of a title is a heading, the others are sentences like the notes. */
static void print_head(const struct table *t, FILE *f)
{
	const char *title = t->title ? t->title : "", *more = strchrnul(title, '\n');
	int any = 0;

	if (*title) {
		table_markdown_line("###", title, (size_t)(more - title), f);
		fputc('\n', f);
	}
	while (*more) {
		const char *s = more + 1;

		more = strchrnul(s, '\n');
		table_markdown_line("-", s, (size_t)(more - s), f);
		any = 1;
	}
	for (size_t i = 0; i < t->line_n; i++)
		if (!t->line[i].below) {
			table_markdown_line("-", t->line[i].text, strlen(t->line[i].text), f);
			any = 1;
		}
	if (any && t->column_n)
		fputc('\n', f);
}

/* The last column is as wide as each of its cells; the others are padded so that the source can be read, too. */
static void print_row(const struct table *t, char **text, const size_t *width, FILE *f)
{
	size_t last = t->column_n;

	while (last && !width[last - 1])
		last--;
	for (size_t c = 0; c < last; c++) {
		size_t pad = width[c] - (width[c] ? table_text_width(text[c]) : 0);
		int left = t->column[c].type == TABLE_TEXT;

		if (!width[c])
			continue;
		pad = left && c + 1 == last ? 0 : pad;
		fprintf(f, "| %*s%s%*s ", left ? 0 : (int)pad, "", text[c], left ? (int)pad : 0,
			"");
	}
	fputs("|\n", f);
}

static void print_marks(const struct table *t, const size_t *width, FILE *f)
{
	for (size_t c = 0; c < t->column_n; c++) {
		if (!width[c])
			continue;
		fputs("| ", f);
		for (size_t i = 1; i < (width[c] < 60 ? width[c] : 60); i++)
			fputc('-', f);
		fputs(t->column[c].type == TABLE_TEXT ? "- " : ": ", f);
	}
	fputs("|\n", f);
}

static void print_grid(const struct table *t, FILE *f)
{
	size_t n = t->column_n, lines = t->row_n + 1;
	char **text = mem_alloc(lines * n * sizeof(*text));
	size_t *width = mem_alloc(n * sizeof(*width));

	for (size_t c = 0; c < n; c++) {
		char *head = table_heading(&t->column[c]);

		text[c] = escaped(head);
		free(head);
		for (size_t i = 0; i < t->row_n; i++)
			text[(i + 1) * n + c] = cell_markdown(&t->column[c], &t->row[i].cell[c]);
		for (size_t i = 0; i < lines && !table_column_blank(t, c); i++) {
			size_t w = table_text_width(text[i * n + c]);

			width[c] = w > width[c] ? w : width[c];
			width[c] = width[c] < 2 ? 2 : width[c];
		}
	}
	print_row(t, text, width, f);
	print_marks(t, width, f);
	for (size_t i = 1; i < lines; i++)
		print_row(t, text + i * n, width, f);
	for (size_t i = 0; i < lines * n; i++)
		free(text[i]);
	free(text);
	free(width);
}

void table_print_markdown(const struct table *t, FILE *f)
{
	int below = 0;

	print_head(t, f);
	if (t->column_n)
		print_grid(t, f);
	for (size_t i = 0; i < t->line_n; i++)
		if (t->line[i].below) {
			fputs(below ? "" : "\n", f);
			table_markdown_line("-", t->line[i].text, strlen(t->line[i].text), f);
			below = 1;
		}
}
