/* table_aligned.c: prints a table as text whose columns are aligned. */
#include <string.h>

#include "cmd/table/table_model.h"
#include "analyze/base/base.h"
#include "cmd/table/table_text.h"

#define ELIDED_LEAST 10 /* this number of characters if that is not enough */
#define ELIDED_MIN 28	/* a shortened text cell keeps at least this number of characters, so that it can be recognised */
#define GAP 2		/* blanks between columns */
#define RULE_LAST 60	/* longest line below the last column */

/* A grid of finished strings: line 0 is the heading, then the rows. */
struct grid {
	char **text;
	size_t *width; /* 0: the column is omitted */
	size_t lines, columns, spared;
};

static void grid_make(const struct table *t, struct grid *g)
{
	g->columns = t->column_n;
	g->lines = t->row_n + 1;
	g->text = mem_alloc(g->lines * g->columns * sizeof(*g->text));
	g->width = mem_alloc(g->columns * sizeof(*g->width));
	for (size_t c = 0; c < g->columns; c++) {
		const struct column *col = &t->column[c];

		g->text[c] = table_heading(col);
		for (size_t i = 0; i < t->row_n; i++)
			g->text[(i + 1) * g->columns + c] =
				table_cell_text(col, &t->row[i].cell[c]);
		if (table_column_blank(t, c))
			*g->text[c] = 0;
		for (size_t i = 0; i < g->lines; i++) {
			size_t w = table_text_width(g->text[i * g->columns + c]);

			if (w > g->width[c])
				g->width[c] = w;
		}
	}
}

/* What a line takes where text columns are at most `most` wide. */
static size_t grid_width(const struct table *t, const struct grid *g, size_t most)
{
	size_t total = 0;

	for (size_t c = 0; c < g->columns; c++) {
		size_t w = g->width[c];

		total += (t->column[c].type == TABLE_TEXT && w > most ? most : w) +
			 (c && w ? GAP : 0);
	}
	return total;
}

/* The column that can be spared first, which is omitted; 0: none can. */
static int grid_spare(const struct table *t, struct grid *g)
{
	size_t spare = g->columns;

	for (size_t c = 0; c < g->columns; c++)
		if (g->width[c] && t->column[c].spare &&
		    (spare == g->columns || t->column[c].spare > t->column[spare].spare))
			spare = c;
	if (spare == g->columns)
		return 0;
	g->width[spare] = 0;
	for (size_t i = 0; i < g->lines; i++)
		*g->text[i * g->columns + spare] = 0;
	g->spared++;
	return 1;
}

/* Omits columns, then narrows the widest text column, one character at a time, until a line
 * fits or none can give more. */
static void grid_fit(const struct table *t, struct grid *g, size_t width)
{
	size_t total, least = ELIDED_MIN;

	while (grid_width(t, g, ELIDED_MIN) > width && grid_spare(t, g))
		;
	if (grid_width(t, g, ELIDED_MIN) > width)
		least = ELIDED_LEAST;
	total = grid_width(t, g, SIZE_MAX);
	while (total > width) {
		size_t widest = g->columns;

		for (size_t c = 0; c < g->columns; c++)
			if (t->column[c].type == TABLE_TEXT && g->width[c] > least &&
			    (widest == g->columns || g->width[c] > g->width[widest]))
				widest = c;
		if (widest == g->columns)
			break;
		g->width[widest]--;
		total--;
	}
	for (size_t i = 0; i < g->lines * g->columns; i++)
		if (t->column[i % g->columns].type == TABLE_TEXT)
			t->column[i % g->columns].fit(g->text[i], g->width[i % g->columns]);
}

static void print_blanks(FILE *f, size_t n, char c)
{
	while (n--)
		fputc(c, f);
}

/* Below a last column of long names, which end at different places, the line needs not be as long as the longest. */
static void print_rule(const struct grid *g, FILE *f)
{
	for (size_t c = 0; c < g->columns; c++) {
		size_t most = c && c + 1 == g->columns ? RULE_LAST : SIZE_MAX;

		print_blanks(f, c && g->width[c] ? GAP : 0, ' ');
		print_blanks(f, g->width[c] < most ? g->width[c] : most, '-');
	}
	fputc('\n', f);
}

/* Blanks are held back until something follows them, so that no line ends in blanks. */
static void print_line(const struct table *t, const struct grid *g, size_t line, FILE *f)
{
	size_t owed = 0;

	for (size_t c = 0; c < g->columns; c++) {
		const char *s = g->text[line * g->columns + c];
		size_t pad = g->width[c] - table_text_width(s);

		owed += c && g->width[c] ? GAP : 0;
		if (t->column[c].type != TABLE_TEXT)
			owed += pad;
		if (*s) {
			print_blanks(f, owed, ' ');
			owed = 0;
			fputs(s, f);
		}
		if (t->column[c].type == TABLE_TEXT)
			owed += pad;
	}
	fputc('\n', f);
}

/* The longest begin of a sentence that fits and ends where a word ends; a longer word stays whole. */
static size_t words_fit(const char *s, size_t width)
{
	size_t fit = 0, at = 0;

	for (size_t i = 0;; i++) {
		if (!s[i] || (s[i] == ' ' && i && s[i - 1] != ' '))
			if (at <= width || !fit)
				fit = i;
		if (!s[i] || (at > width && fit))
			return fit;
		at += (s[i] & 0xc0) != 0x80;
	}
}

static void print_sentence(FILE *f, const char *s, size_t width)
{
	size_t indent = strspn(s, " ");

	if (!width || table_text_width(s) <= width) {
		fprintf(f, "%s\n", s);
		return;
	}
	width = width > indent ? width - indent : 1;
	for (s += indent; *s; s += strspn(s, " ")) {
		size_t n = words_fit(s, width);

		print_blanks(f, indent, ' ');
		fprintf(f, "%.*s\n", (int)n, s);
		s += n;
	}
}

void table_sentence(FILE *f, const char *s, size_t width)
{
	do {
		size_t n = strcspn(s, "\n");
		char *line = mem_printf("%.*s", (int)n, s), *clean = text_clean(line);

		print_sentence(f, clean, width);
		free(clean);
		free(line);
		s += n;
	} while (*s++);
}

static void print_lines(const struct table *t, int below, FILE *f, size_t width)
{
	for (size_t i = 0; i < t->line_n; i++)
		if (t->line[i].below == below)
			table_sentence(f, t->line[i].text, width);
}

/* The number of columns that are omitted. */
static size_t grid_print(const struct table *t, FILE *f, size_t width, int rules)
{
	struct grid g = {0};

	grid_make(t, &g);
	if (width)
		grid_fit(t, &g, width);
	print_line(t, &g, 0, f);
	if (rules)
		print_rule(&g, f);
	for (size_t i = 0; i < t->row_n; i++) {
		if (i && t->row[i].rule && rules)
			print_rule(&g, f);
		print_line(t, &g, i + 1, f);
	}
	for (size_t i = 0; i < g.lines * g.columns; i++)
		free(g.text[i]);
	free(g.text);
	free(g.width);
	return g.spared;
}

void table_print_lines(const struct table *t, FILE *f, size_t width)
{
	grid_print(t, f, width, 0);
}

void table_print_text(const struct table *t, FILE *f, size_t width)
{
	size_t spared;
	int above = t->title != NULL, below = 0;

	for (size_t i = 0; i < t->line_n; i++)
		*(t->line[i].below ? &below : &above) = 1;
	if (t->title)
		table_sentence(f, t->title, width);
	print_lines(t, 0, f, width);
	if (t->column_n) {
		if (above)
			fputc('\n', f);
		spared = grid_print(t, f, width, 1);
		if (spared)
			fprintf(f,
				"\n%zu column%s not shown: terminal too narrow. A file, CSV "
				"and JSON contain all.\n",
				spared, plural(spared));
	}
	if (below) {
		fputc('\n', f);
		print_lines(t, 1, f, width);
	}
}
