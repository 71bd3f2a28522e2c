/* table.c: keeps the cells of a table and prints them as aligned text, CSV (RFC 4180) or JSON (RFC 8259). */
#include "cmd/shared/table.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "convert/io/csv.h"
#include "cmd/shared/choice.h"

#define ELIDED_LEAST 12 /* so many where that is not enough */
#define ELIDED_MIN 28	/* a shortened text cell keeps at least so many characters: names stay names */
#define GAP 2		/* blanks between columns */
#define RULE_LAST 60	/* longest line below the last column */

struct column {
	char *key, *name, *unit;
	enum table_type type;
	int precision;
	int spare; /* 0: never left out */
	void (*fit)(char *s, size_t width);
};

enum cell_kind { CELL_MISSING, CELL_TEXT, CELL_INTEGER, CELL_NUMBER };

struct cell {
	enum cell_kind kind;
	union {
		char *text;
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

struct row {
	struct cell *cell;
	int rule;
};

struct table {
	char *title;
	struct column *column;
	size_t column_n, column_cap;
	struct line *line;
	size_t line_n, line_cap;
	struct fact *fact;
	size_t fact_n, fact_cap;
	struct row *row;
	size_t row_n, row_cap;
	int rule;
};

static char *copy(const char *s)
{
	return s ? mem_string(s) : NULL;
}

struct table *table_new(const char *title)
{
	struct table *t = mem_alloc(sizeof(*t));

	t->title = copy(title);
	return t;
}

void table_free(struct table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->row_n; i++) {
		for (size_t c = 0; c < t->column_n; c++)
			if (t->row[i].cell[c].kind == CELL_TEXT)
				free(t->row[i].cell[c].text);
		free(t->row[i].cell);
	}
	for (size_t c = 0; c < t->column_n; c++) {
		free(t->column[c].key);
		free(t->column[c].name);
		free(t->column[c].unit);
	}
	for (size_t i = 0; i < t->line_n; i++)
		free(t->line[i].text);
	for (size_t i = 0; i < t->fact_n; i++) {
		free(t->fact[i].key);
		free(t->fact[i].text);
	}
	free(t->row);
	free(t->column);
	free(t->line);
	free(t->fact);
	free(t->title);
	free(t);
}

size_t table_column(struct table *t, enum table_type type, const char *key, const char *name,
		    const char *unit, int precision)
{
	struct column *c;

	assert(!t->row_n);
	c = array_add(t, column);
	c->key = mem_string(key);
	c->name = mem_string(name ? name : key);
	c->unit = copy(unit);
	c->type = type;
	c->precision = precision;
	c->fit = table_elide;
	return t->column_n - 1;
}

void table_column_spare(struct table *t, size_t column, int rank)
{
	assert(column < t->column_n && rank > 0);
	t->column[column].spare = rank;
}

void table_column_fit(struct table *t, size_t column, void (*fit)(char *s, size_t width))
{
	assert(column < t->column_n);
	t->column[column].fit = fit;
}

static void add_line(struct table *t, int below, const char *format, va_list args)
{
	struct line *l = array_add(t, line);
	int n = vasprintf(&l->text, format, args);

	if (n < 0)
		l->text = mem_string("");
	l->below = below;
}

void table_note(struct table *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_line(t, 0, format, args);
	va_end(args);
}

void table_remark(struct table *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_line(t, 1, format, args);
	va_end(args);
}

void table_fact_number(struct table *t, const char *key, double value)
{
	struct fact *f = array_add(t, fact);

	f->key = mem_string(key);
	f->number = value;
}

void table_fact_text(struct table *t, const char *key, const char *value)
{
	struct fact *f = array_add(t, fact);

	f->key = mem_string(key);
	f->text = mem_string(value);
}

void table_row(struct table *t)
{
	struct row *r = array_add(t, row);

	r->cell = mem_alloc(t->column_n * sizeof(*r->cell));
	r->rule = t->rule;
	t->rule = 0;
}

void table_rule(struct table *t)
{
	t->rule = 1;
}

size_t table_rows(const struct table *t)
{
	return t->row_n;
}

/* The empty cell of the last row that a put fills; a second put replaces the first. */
static struct cell *last_cell(struct table *t, size_t column)
{
	struct cell *c;

	assert(t->row_n && column < t->column_n);
	c = &t->row[t->row_n - 1].cell[column];
	if (c->kind == CELL_TEXT)
		free(c->text);
	c->kind = CELL_MISSING;
	return c;
}

void table_put_text(struct table *t, size_t column, const char *s)
{
	struct cell *c = last_cell(t, column);

	if (!s)
		return;
	c->kind = CELL_TEXT;
	c->text = mem_string(s);
}

void table_put_integer(struct table *t, size_t column, int64_t value)
{
	struct cell *c = last_cell(t, column);

	c->kind = CELL_INTEGER;
	c->integer = value;
}

void table_put_number(struct table *t, size_t column, double value)
{
	struct cell *c = last_cell(t, column);

	if (!isfinite(value))
		return;
	c->kind = CELL_NUMBER;
	c->number = value;
}

/* ---- text ---- */

/* A number that rounds to zero loses its sign: -0.0 says nothing. */
static char *rounded(double number, int precision)
{
	char *s = mem_printf("%.*f", precision, number);

	if (s[0] == '-' && !s[strspn(s, "-0.")])
		memmove(s, s + 1, strlen(s));
	return s;
}

static char *cell_text(const struct column *col, const struct cell *c)
{
	double number = c->kind == CELL_INTEGER ? (double)c->integer : c->number;
	char buf[TABLE_BYTES_SIZE];

	if (c->kind == CELL_MISSING)
		return mem_string("");
	if (c->kind == CELL_TEXT)
		return table_clean(c->text);
	if (col->type == TABLE_BYTES)
		return mem_string(table_bytes(number, buf));
	if (c->kind == CELL_INTEGER)
		return mem_printf("%" PRId64, c->integer);
	return rounded(number, col->type == TABLE_INTEGER ? 0 : col->precision);
}

/* A grid of finished strings: line 0 is the heading, then the rows. */
struct grid {
	char **text;
	size_t *width; /* 0: the column is left out */
	size_t lines, columns, spared;
};

/* Words that no row has: the column would be blank. */
static int is_blank(const struct table *t, const struct grid *g, size_t column)
{
	size_t line = 1;

	while (line < g->lines && !*g->text[line * g->columns + column])
		line++;
	return column && t->row_n && line == g->lines && t->column[column].type == TABLE_TEXT;
}

static void grid_make(const struct table *t, struct grid *g)
{
	g->columns = t->column_n;
	g->lines = t->row_n + 1;
	g->text = mem_alloc(g->lines * g->columns * sizeof(*g->text));
	g->width = mem_alloc(g->columns * sizeof(*g->width));
	for (size_t c = 0; c < g->columns; c++) {
		const struct column *col = &t->column[c];

		g->text[c] = col->unit ? mem_printf("%s [%s]", col->name, col->unit)
				       : mem_string(col->name);
		for (size_t i = 0; i < t->row_n; i++)
			g->text[(i + 1) * g->columns + c] = cell_text(col, &t->row[i].cell[c]);
		if (is_blank(t, g, c))
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

/* The column that can be spared first, which is left out; 0: none can. */
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

/* Leaves out columns, then narrows the widest text column, one character at a time, until a line fits or none can give
 * more. */
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

static void print_lines(const struct table *t, int below, FILE *f)
{
	for (size_t i = 0; i < t->line_n; i++)
		if (t->line[i].below == below) {
			char *s = table_clean(t->line[i].text);

			fprintf(f, "%s\n", s);
			free(s);
		}
}

static void print_text(const struct table *t, FILE *f, size_t width)
{
	struct grid g = {0};
	int above = t->title != NULL, below = 0;

	for (size_t i = 0; i < t->line_n; i++)
		*(t->line[i].below ? &below : &above) = 1;
	if (t->title)
		fprintf(f, "%s\n", t->title);
	print_lines(t, 0, f);
	if (t->column_n) {
		if (above)
			fputc('\n', f);
		grid_make(t, &g);
		if (width)
			grid_fit(t, &g, width);
		print_line(t, &g, 0, f);
		print_rule(&g, f);
		for (size_t i = 0; i < t->row_n; i++) {
			if (t->row[i].rule)
				print_rule(&g, f);
			print_line(t, &g, i + 1, f);
		}
		if (g.spared)
			fprintf(f,
				"\n%zu column%s not shown: terminal too narrow. A file, CSV "
				"and JSON contain all.\n",
				g.spared, plural(g.spared));
		for (size_t i = 0; i < g.lines * g.columns; i++)
			free(g.text[i]);
		free(g.text);
		free(g.width);
	}
	if (below) {
		fputc('\n', f);
		print_lines(t, 1, f);
	}
}

/* ---- CSV and JSON ---- */

static void print_csv(const struct table *t, FILE *f)
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
				fprintf(f, "%" PRId64, cell->integer);
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
		fprintf(f, "%" PRId64, cell->integer);
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
		fputc('}', f);
	}
	fputs(t->column_n ? "\n  ],\n" : "],\n", f);
}

static void print_json(const struct table *t, FILE *f)
{
	print_json_head(t, f);
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

void table_print(const struct table *t, FILE *f, enum table_format format, size_t width)
{
	switch (format) {
	case TABLE_AS_TEXT:
		print_text(t, f, width);
		break;
	case TABLE_AS_CSV:
		print_csv(t, f);
		break;
	case TABLE_AS_JSON:
		print_json(t, f);
		break;
	}
}

int table_format_get(const char *name, enum table_format *format, struct error *e)
{
	static const char *const known[] = { "text", "csv", "json" };
	size_t found;
	int code = choice_get("--format", name, known, sizeof(known) / sizeof(*known), &found, e);

	if (!code)
		*format = (enum table_format)found;
	return code;
}
