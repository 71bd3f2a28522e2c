/* table_fields.c: adds columns that are rows of an array, and fills them from the struct of a row. */
#include "cmd/table/table_fields.h"

#include <string.h>

#include "cmd/table/table_model.h"

static void column_add(struct table *t, const struct table_field *f,
		       const struct field_scale *scale)
{
	int scaled = f->scaled && scale;
	char *key = mem_printf("%s%s", f->key, scaled ? scale->suffix : "");
	const char *heading = f->heading ? f->heading : scaled ? f->key : NULL;
	const char *unit = scaled && scale->unit ? scale->unit : f->unit;
	size_t column = table_column(t, f->type, key, heading, unit,
				     scaled ? scale->precision : f->precision);

	free(key);
	if (f->spare)
		table_column_spare(t, column, f->spare);
	if (f->fixed)
		table_column_fixed(t, column);
	if (f->fit)
		table_column_fit(t, column, f->fit);
	t->column[column].field = f;
	t->column[column].size = scaled ? scale->size : 1;
}

void table_fields(struct table *t, const struct table_field *fields, unsigned which,
		  const struct field_scale *scale)
{
	for (const struct table_field *f = fields; f->key; f++)
		if (!f->only || f->only & which)
			column_add(t, f, scale);
}

static void field_put(struct table *t, size_t column, const void *member)
{
	const char *text;
	int64_t integer;
	double number;

	switch (t->column[column].field->member) {
	case FIELD_TEXT:
		memcpy(&text, member, sizeof(text));
		table_put_text(t, column, text);
		break;
	case FIELD_INTEGER:
		memcpy(&integer, member, sizeof(integer));
		if (integer != FIELD_MISSING)
			table_put_integer(t, column, integer);
		break;
	case FIELD_NUMBER:
		memcpy(&number, member, sizeof(number));
		table_put_number(t, column, number / t->column[column].size);
		break;
	case FIELD_NONE:
		break;
	}
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
