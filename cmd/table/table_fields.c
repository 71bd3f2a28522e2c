/* table_fields.c: adds columns that are rows of an array, and fills them from the struct of a row. */
#include "cmd/table/table_fields.h"

#include <assert.h>
#include <string.h>

#include "cmd/table/table_model.h"

void field_each_add(struct field_each *e, char *key, char *words)
{
	*array_add(e, v) = (struct field_name){key, words};
}

void field_each_release(struct field_each *e)
{
	for (size_t i = 0; i < e->v_n; i++) {
		free(e->v[i].key);
		free(e->v[i].words);
	}
	free(e->v);
}

/* The key without the '*' at its end, the suffix of a unit, and the name. To be freed. */
static char *key_of(const struct table_field *f, const char *suffix, const struct field_name *name)
{
	size_t n = strlen(f->key);
	const char *between = n > 1 ? "_" : "";

	if (!name)
		return mem_printf("%s%s", f->key, suffix);
	assert(f->key[n - 1] == '*' && (n == 1 || f->key[n - 2] == '_'));
	return mem_printf("%.*s%s%s%s", (int)(n > 1 ? n - 2 : 0), f->key, suffix, between,
			  name->key);
}

/* NULL: as the key. To be freed. */
static char *heading_of(const struct table_field *f, int scaled, const struct field_name *name)
{
	const char *star = name && f->heading ? strchr(f->heading, '*') : NULL;

	if (star)
		return mem_printf("%.*s%s%s", (int)(star - f->heading), f->heading, name->words,
				  star + 1);
	return f->heading ? mem_string(f->heading) : scaled ? mem_string(f->key) : NULL;
}

/* name: what it is repeated for, the index-th; NULL: it is not. */
static void column_add(struct table *t, const struct table_field *f,
		       const struct field_scale *scale, const struct field_name *name, size_t index)
{
	int scaled = f->scaled && scale;
	char *key = key_of(f, scaled ? scale->suffix : "", name),
	     *heading = heading_of(f, scaled, name);
	const char *unit = scaled && scale->unit ? scale->unit : f->unit;
	size_t column = table_column(t, f->type, key, heading, unit,
				     scaled ? scale->precision : f->precision);

	assert(f->meaning && *f->meaning);
	free(key);
	free(heading);
	if (f->spare)
		table_column_spare(t, column, f->spare);
	if (f->fixed)
		table_column_fixed(t, column);
	if (f->fit)
		table_column_fit(t, column, f->fit);
	t->column[column].field = f;
	t->column[column].size = scaled ? scale->size : 1;
	t->column[column].index = index;
	t->column[column].each = name ? mem_string(name->key) : NULL;
}

void table_fields(struct table *t, const struct table_field *fields, unsigned which,
		  const struct field_scale *scale)
{
	table_fields_each(t, fields, which, scale, NULL);
}

static int is_of(const struct table_field *f, unsigned which)
{
	return !f->only || f->only & which;
}

void table_fields_each(struct table *t, const struct table_field *fields, unsigned which,
		       const struct field_scale *scale, const struct field_each *each)
{
	for (const struct table_field *f = fields, *end; f->key; f = end) {
		const struct field_each *of = f->each ? &each[f->each] : NULL;

		for (end = f + 1; of && end->key && end->beside;)
			end++;
		if (!of && is_of(f, which))
			column_add(t, f, scale, NULL, 0);
		for (size_t i = 0; of && i < of->v_n; i++)
			for (const struct table_field *g = f; g < end; g++)
				if (is_of(g, which))
					column_add(t, g, scale, &of->v[i], i);
	}
}

static void text_put(struct table *t, size_t column, const void *at)
{
	const char *text;

	memcpy(&text, at, sizeof(text));
	table_put_text(t, column, text);
}

static void integer_put(struct table *t, size_t column, const void *at)
{
	int64_t integer;

	memcpy(&integer, at, sizeof(integer));
	if (integer != FIELD_MISSING)
		table_put_integer(t, column, integer);
}

static void number_put(struct table *t, size_t column, const void *at)
{
	double number;

	memcpy(&number, at, sizeof(number));
	table_put_number(t, column, number / t->column[column].size);
}

/* The values of a repeated field; NULL: it has none. */
static const char *values_at(const void *member)
{
	const char *values;

	memcpy(&values, member, sizeof(values));
	return values;
}

static void field_put(struct table *t, size_t column, const void *member)
{
	static void (*const put[])(struct table *t, size_t column, const void *at) = {
		[FIELD_TEXT] = text_put,	 [FIELD_INTEGER] = integer_put,
		[FIELD_NUMBER] = number_put,	 [FIELD_TEXTS] = text_put,
		[FIELD_INTEGERS] = integer_put, [FIELD_NUMBERS] = number_put,
	};
	static const size_t size[] = {
		[FIELD_TEXTS] = sizeof(const char *),
		[FIELD_INTEGERS] = sizeof(int64_t),
		[FIELD_NUMBERS] = sizeof(double),
	};
	enum field_member m = t->column[column].field->member;
	const char *values = m >= FIELD_TEXTS ? values_at(member) : member;

	if (m >= FIELD_TEXTS && values)
		values += t->column[column].index * size[m];
	if (m != FIELD_NONE && values)
		put[m](t, column, values);
}

void table_put_fields(struct table *t, const void *row)
{
	for (size_t i = 0; i < t->column_n; i++)
		if (t->column[i].field)
			field_put(t, i, (const char *)row + t->column[i].field->offset);
}

const struct table_field *table_field_of(const struct table *t, size_t column)
{
	return t->column[column].field;
}

size_t table_field_at(const struct table *t, size_t offset)
{
	size_t i = 0;

	while (!t->column[i].field || t->column[i].field->offset != offset)
		i++;
	return i;
}

const char *table_field_each(const struct table *t, size_t column)
{
	return t->column[column].each;
}

void table_field_heading(struct table *t, size_t offset, const char *heading)
{
	struct column *c = &t->column[table_field_at(t, offset)];

	free(c->name);
	c->name = mem_string(heading);
}

void table_field_precision(struct table *t, size_t offset, int precision)
{
	t->column[table_field_at(t, offset)].precision = precision;
}

void table_field_spare(struct table *t, size_t offset, int (*rank)(size_t i))
{
	size_t last = 0;

	for (size_t i = 0; i < t->column_n; i++)
		if (t->column[i].field && t->column[i].field->offset == offset)
			last = t->column[i].index;
	for (size_t i = 0; i < t->column_n; i++) {
		const struct column *c = &t->column[i];

		if (c->field && c->field->offset == offset && c->index && c->index < last)
			table_column_spare(t, i, rank(c->index));
	}
}
