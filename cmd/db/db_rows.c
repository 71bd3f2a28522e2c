/* db_rows.c: keeps the rows of a query until the types of its columns are known, and makes a table of them. */
#include "cmd/db/db_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct rows {
	struct db_value *value;	/* texts are owned */
	size_t value_n, value_cap;
	size_t columns;
};

static void rows_release(struct rows *r)
{
	for (size_t i = 0; i < r->value_n; i++)
		free((char *)r->value[i].text);
	free(r->value);
}

/* x'00ff', as SQL has it. */
static char *bytes_text(const struct db_value *v)
{
	char *text = mem_alloc(2 * v->n + 4), *to = text;

	to += sprintf(to, "x'");
	for (size_t i = 0; i < v->n; i++)
		to += sprintf(to, "%02x", (unsigned char)v->text[i]);
	strcpy(to, "'");
	return text;
}

static void rows_add(struct rows *r, const struct db_value *v)
{
	struct db_value *to = array_add(r, value);

	*to = *v;
	to->text = NULL;
	if (v->type == DB_TEXT)
		to->text = mem_string(v->text);
	else if (v->type == DB_BYTES)
		to->text = bytes_text(v);
	else if (v->type == DB_NUMBER && !isfinite(v->number))
		to->text = mem_string(v->number > 0 ? "inf" : "-inf");
	if (to->text)
		to->type = DB_TEXT;
}

static int rows_read(struct rows *r, struct db_query *q, struct error *e)
{
	int code;

	r->columns = db_query_columns(q);
	while ((code = db_query_next(q, e)) == 1)
		for (size_t c = 0; c < r->columns; c++) {
			struct db_value v = db_query_value(q, c);

			rows_add(r, &v);
		}
	return code;
}

/* Only numbers, only whole ones, or words as well. */
static enum table_type column_type(const struct rows *r, size_t column)
{
	enum table_type type = TABLE_INTEGER;

	for (size_t i = column; i < r->value_n; i += r->columns) {
		if (r->value[i].type == DB_TEXT)
			return TABLE_TEXT;
		if (r->value[i].type == DB_NUMBER)
			type = TABLE_NUMBER;
	}
	return type;
}

enum { DECIMALS_MOST = 4, DECIMALS_LARGE = 3 };

/* Decimals that show each number as it is, but at most DECIMALS_MOST, or DECIMALS_LARGE if numbers are over 1000. */
static int column_decimals(const struct rows *r, size_t column)
{
	int needed = 0, most = DECIMALS_MOST;

	for (size_t i = column; i < r->value_n; i += r->columns) {
		const struct db_value *v = &r->value[i];

		if (v->type != DB_NUMBER)
			continue;
		if (fabs(v->number) >= 1000)
			most = DECIMALS_LARGE;
		if (v->number == trunc(v->number))
			continue;
		for (; needed < DECIMALS_MOST; needed++) {
			char text[400];

			snprintf(text, sizeof(text), "%.*f", needed, v->number);
			if (strtod(text, NULL) == v->number)
				break;
		}
	}
	return needed < most ? needed : most;
}

static void add_columns(struct table *t, const struct rows *r, const struct db_query *q)
{
	struct names taken = {0};

	for (size_t c = 0; c < r->columns; c++) {
		char *key = mem_string(db_query_column(q, c));

		for (unsigned k = 2; names_find(&taken, key, strlen(key)) >= 0; k++) {
			free(key);
			key = mem_printf("%s:%u", db_query_column(q, c), k);
		}
		names_add(&taken, key, strlen(key));
		table_column(t, column_type(r, c), key, key, NULL, column_decimals(r, c));
		free(key);
	}
	names_release(&taken);
}

static void put_value(struct table *t, size_t column, const struct db_value *v)
{
	switch (v->type) {
	case DB_INTEGER:
		table_put_integer(t, column, v->integer);
		break;
	case DB_NUMBER:
		table_put_number(t, column, v->number);
		break;
	case DB_TEXT:
	case DB_BYTES:
		table_put_text(t, column, v->text);
		break;
	case DB_NULL:
		break;
	}
}

int db_rows_table(struct db_query *q, struct table **out, struct error *e)
{
	struct rows r = {0};
	int code = rows_read(&r, q, e);

	if (code == 0) {
		*out = table_new(NULL);
		add_columns(*out, &r, q);
		for (size_t i = 0; i < r.value_n; i++) {
			if (i % r.columns == 0)
				table_row(*out);
			put_value(*out, i % r.columns, &r.value[i]);
		}
	}
	rows_release(&r);
	return code;
}
