/* table_model.c: how people see a cell and a heading. */
#include "cmd/table/table_model.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyze/base/base.h"
#include "analyze/base/quantity.h"
#include "cmd/table/table_text.h"

/* A number that rounds to zero loses its sign: -0.0 means nothing. */
static char *rounded(double number, int precision)
{
	char *s = mem_printf("%.*f", precision, number);

	if (s[0] == '-' && !s[strspn(s, "-0.")])
		memmove(s, s + 1, strlen(s));
	return s;
}

/*
 * A time that is not 0, but would be 0.000: "<0.001", ">-0.001". What is a millionth of that is a
 * rounding error of sums. NULL: it is neither.
 */
static char *small_time(double number, int precision)
{
	double digit = pow(10, -precision), size = fabs(number);

	if (!(size < digit / 2) || size < digit * 1e-6)
		return NULL;
	return mem_printf(number > 0 ? "<%.*f" : ">-%.*f", precision, digit);
}

char *table_cell_text(const struct column *col, const struct cell *c)
{
	double number = c->kind == CELL_INTEGER ? (double)c->integer : c->number;
	char buf[QUANTITY_TEXT];

	if (c->kind == CELL_MISSING)
		return mem_string("");
	if (c->kind == CELL_TEXT)
		return text_clean(c->text);
	if (col->type == TABLE_BYTES)
		return mem_string(quantity_size_text(number, buf));
	if (c->kind == CELL_INTEGER)
		return mem_printf("%" PRId64, c->integer);
	if (col->type == TABLE_NUMBER && table_key_unit(col->key, NULL) > 0) {
		char *small = small_time(number, col->precision);

		if (small)
			return small;
	}
	return rounded(number, col->type == TABLE_INTEGER ? 0 : col->precision);
}

char *table_heading(const struct column *col)
{
	char *name = text_clean(col->name), *heading;

	if (!col->unit)
		return name;
	heading = mem_printf("%s [%s]", name, col->unit);
	free(name);
	return heading;
}

int table_column_blank(const struct table *t, size_t column)
{
	if (!column || !t->row_n || t->column[column].type != TABLE_TEXT)
		return 0;
	for (size_t i = 0; i < t->row_n; i++) {
		const struct cell *c = &t->row[i].cell[column];

		if (c->kind != CELL_MISSING && (c->kind != CELL_TEXT || *c->text))
			return 0;
	}
	return 1;
}
