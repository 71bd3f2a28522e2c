/* table.c: keeps the cells of a table. */
#include "cmd/table/table.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "cmd/shared/choice.h"
#include "cmd/table/table_model.h"

#define BLOCK_FIRST 4096 /* bytes; many tables are short */
#define BLOCK	    262144

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

/* Bytes of the table, zeroed; all of them are freed with it. */
static void *block_alloc(struct table *t, size_t n)
{
	struct table_block *b = t->block;

	n = (n + sizeof(struct cell) - 1) / sizeof(struct cell) * sizeof(struct cell);
	if (!b || b->size - b->used < n) {
		const size_t usual = b ? BLOCK : BLOCK_FIRST, size = n > usual ? n : usual;

		b = mem_alloc(sizeof(*b) + size);
		*b = (struct table_block){.before = t->block, .size = size};
		t->block = b;
	}
	b->used += n;
	return b->data + b->used - n;
}

void table_free(struct table *t)
{
	if (!t)
		return;
	for (struct table_block *b = t->block, *before; b; b = before) {
		before = b->before;
		free(b);
	}
	for (size_t c = 0; c < t->column_n; c++) {
		free(t->column[c].key);
		free(t->column[c].name);
		free(t->column[c].unit);
		free(t->column[c].each);
	}
	for (size_t i = 0; i < t->line_n; i++)
		free(t->line[i].text);
	for (size_t i = 0; i < t->fact_n; i++) {
		free(t->fact[i].key);
		free(t->fact[i].text);
	}
	for (size_t i = 0; i < t->about_n; i++) {
		free(t->about[i].value);
		free(t->about[i].meaning);
		free(t->about[i].formula);
		free(t->about[i].source);
	}
	for (size_t i = 0; i < t->input_n; i++)
		free(t->input[i]);
	free(t->about);
	free(t->input);
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

void table_column_fixed(struct table *t, size_t column)
{
	assert(column < t->column_n);
	t->column[column].fixed = 1;
}

void table_column_fit(struct table *t, size_t column, void (*fit)(char *s, size_t width))
{
	assert(column < t->column_n);
	t->column[column].fit = fit;
}

static void add_line(struct table *t, int below, const char *format, va_list args)
{
	struct line *l = array_add(t, line);

	l->text = mem_vprintf(format, args);
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

void table_about(struct table *t, size_t column, const char *value, const char *meaning,
		 const char *formula, const char *source)
{
	assert(column < t->column_n);
	*array_add(t, about) = (struct column_about){column, copy(value), mem_string(meaning),
					      copy(formula), copy(source)};
}

void table_input(struct table *t, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	*array_add(t, input) = text;
}

size_t table_columns(const struct table *t)
{
	return t->column_n;
}

const char *table_key(const struct table *t, size_t column)
{
	return t->column[column].key;
}

int table_has_word(const struct table *t, size_t column, const char *word)
{
	for (size_t i = 0; i < t->row_n; i++) {
		const struct cell *c = &t->row[i].cell[column];

		if (c->kind == CELL_TEXT && !strcmp(c->text + strspn(c->text, " "), word))
			return 1;
	}
	return 0;
}

void table_row(struct table *t)
{
	struct row *r = array_add(t, row);

	r->cell = block_alloc(t, t->column_n * sizeof(*r->cell));
	r->rule = t->rule;
	t->rule = 0;
}

void table_row_more(struct table *t)
{
	table_row(t);
	t->row[t->row_n - 1].more = t->row_n > 1;
}

void table_order(struct table *t, const char *words)
{
	size_t plain = t->plain ? t->plain : strlen(t->title);
	char *title = mem_printf("%.*s, %s", (int)plain, t->title, words);

	t->plain = plain;
	free(t->title);
	t->title = title;
}

void table_keep_order(struct table *t)
{
	t->ordered = 1;
}

int table_keeps_order(const struct table *t)
{
	return t->ordered;
}

void table_rule(struct table *t)
{
	t->rule = 1;
}

void table_head(struct table *t)
{
	t->head = t->row_n;
	table_rule(t);
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
	c->kind = CELL_MISSING;
	return c;
}

/* A text of the row above is often repeated. */
static const char *text_of(struct table *t, size_t column, const char *s)
{
	const struct cell *above = t->row_n > 1 ? &t->row[t->row_n - 2].cell[column] : NULL;
	const size_t n = strlen(s) + 1;

	if (above && above->kind == CELL_TEXT && !strcmp(above->text, s))
		return above->text;
	return memcpy(block_alloc(t, n), s, n);
}

void table_put_text(struct table *t, size_t column, const char *s)
{
	struct cell *c = last_cell(t, column);

	if (!s)
		return;
	c->kind = CELL_TEXT;
	c->text = text_of(t, column, s);
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

void table_print(const struct table *t, FILE *f, enum table_format format, size_t width)
{
	switch (format) {
	case TABLE_AS_TEXT:
		table_print_text(t, f, width);
		table_explain_text(t, f, width);
		break;
	case TABLE_AS_CSV:
		table_print_csv(t, f);
		break;
	case TABLE_AS_JSON:
		table_print_json(t, f);
		break;
	case TABLE_AS_MARKDOWN:
		table_print_markdown(t, f);
		table_explain_markdown(t, f);
		break;
	case TABLE_AS_HTML:
		table_print_html(t, f);
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
