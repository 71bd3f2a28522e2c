/* table_formula.c: computes and prints formulas over the columns and facts of a table. */
#include "cmd/table/table_formula.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "analyze/base/mem_stream.h"
#include "cmd/table/table_text.h"

double table_cell_value(const struct cell *c)
{
	return c->kind == CELL_INTEGER ? (double)c->integer
	       : c->kind == CELL_NUMBER ? c->number
					: NAN;
}

/* What a name of a formula is: a column, a fact, or neither. us: microseconds of its unit; 0: no
 * time. */
struct named {
	size_t column, fact;
	double us;
};

static int is_name(const char *key, const char *name, size_t n)
{
	const char *at;

	if (!strncmp(key, name, n) && !key[n])
		return 1;
	table_key_unit(key, &at);
	return *at && (size_t)(at - key) == n && !strncmp(key, name, n) && !strchr(at + 1, '_');
}

static struct named find(const struct table *t, const char *name, size_t n)
{
	struct named x = {SIZE_MAX, SIZE_MAX, 0};
	char *key = mem_printf("%.*s", (int)n, name);
	const char *at;
	double us = table_key_unit(key, &at);

	for (size_t i = 0; i < t->column_n && x.column == SIZE_MAX; i++)
		if (is_name(t->column[i].key, name, n))
			x = (struct named){i, SIZE_MAX, table_key_unit(t->column[i].key, NULL)};
	for (size_t i = 0; i < t->fact_n && x.column == SIZE_MAX && x.fact == SIZE_MAX; i++)
		if (!t->fact[i].text && is_name(t->fact[i].key, name, n))
			x = (struct named){SIZE_MAX, i, table_key_unit(t->fact[i].key, NULL)};
	/* A fact without a unit in its name, whose unit the formula has. */
	for (size_t i = 0; us && i < t->fact_n && x.column == SIZE_MAX && x.fact == SIZE_MAX; i++)
		if (!t->fact[i].text && is_name(t->fact[i].key, name, (size_t)(at - key)))
			x = (struct named){SIZE_MAX, i, us};
	free(key);
	return x;
}

/* ---- values ---- */

struct formula_reader {
	const struct table *t;
	size_t row;
	const char *at;
	int depth;
};

static double sum_of(struct formula_reader *r);

static void skip(struct formula_reader *r)
{
	r->at += strspn(r->at, " ");
}

static int next_is(struct formula_reader *r, char c)
{
	skip(r);
	if (*r->at != c)
		return 0;
	r->at++;
	return 1;
}

static size_t name_length(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return n;
}

static double named_value(struct formula_reader *r, const char *name, size_t n)
{
	struct named x = find(r->t, name, n);
	double value = x.column != SIZE_MAX && r->row < r->t->row_n
			       ? table_cell_value(&r->t->row[r->row].cell[x.column])
		       : x.fact != SIZE_MAX ? r->t->fact[x.fact].number
					    : NAN;

	return x.us ? value * x.us : value;
}

static double function_of(struct formula_reader *r, const char *name, size_t n)
{
	double value = sum_of(r);

	while (next_is(r, ',')) {
		double other = sum_of(r);

		value = isnan(other)	       ? other
			: !strncmp(name, "max", n) ? fmax(value, other)
						   : fmin(value, other);
	}
	if (!next_is(r, ')'))
		return NAN;
	return n == 4 && !strncmp(name, "log2", n) ? log2(value) : value;
}

static double factor_of(struct formula_reader *r)
{
	const char *name;
	size_t n;
	double value;

	if (r->depth++ > 64)
		return NAN;
	skip(r);
	name = r->at;
	n = name_length(name);
	if (next_is(r, '-')) {
		value = -factor_of(r);
	} else if (next_is(r, '(')) {
		value = sum_of(r);
		value = next_is(r, ')') ? value : NAN;
	} else if (isdigit((unsigned char)*name)) {
		char *end;

		value = strtod(name, &end);
		r->at = end;
	} else if (n) {
		r->at += n;
		value = next_is(r, '(') ? function_of(r, name, n) : named_value(r, name, n);
	} else {
		value = NAN;
	}
	r->depth--;
	return value;
}

static double product_of(struct formula_reader *r)
{
	double value = factor_of(r);

	for (;;) {
		if (next_is(r, '*'))
			value *= factor_of(r);
		else if (next_is(r, '/'))
			value /= factor_of(r);
		else
			return value;
	}
}

static double sum_of(struct formula_reader *r)
{
	double value = product_of(r);

	for (;;) {
		if (next_is(r, '+'))
			value += product_of(r);
		else if (next_is(r, '-'))
			value -= product_of(r);
		else
			return value;
	}
}

double table_formula_value(const struct table *t, size_t column, size_t row, const char *formula)
{
	struct formula_reader r = {t, row, formula, 0};
	double us = table_key_unit(t->column[column].key, NULL), value = sum_of(&r);

	skip(&r);
	return *r.at ? NAN : us ? value / us : value;
}

/* ---- texts ---- */

/* A value as the table shows it; a fact in the unit of the columns around it. */
static char *value_text(const struct table *t, const struct named *x, size_t row, double us,
			int precision)
{
	if (x->column != SIZE_MAX && row < t->row_n)
		return table_cell_text(&t->column[x->column], &t->row[row].cell[x->column]);
	if (x->fact != SIZE_MAX && x->us && us)
		return mem_printf("%.*f", precision, t->fact[x->fact].number * x->us / us);
	return x->fact != SIZE_MAX ? mem_printf("%.6g", t->fact[x->fact].number) : mem_string("?");
}

/* "all waiting" of "all_waiting_ms", in place. */
static char *words_of(char *key)
{
	const char *unit;

	table_key_unit(key, &unit);
	key[unit - key] = 0;
	for (char *s = key; *s; s++)
		*s = *s == '_' ? ' ' : *s;
	return key;
}

static char *name_text(const struct table *t, const char *name, size_t n, size_t row,
		       enum formula_names names)
{
	struct named x = find(t, name, n);
	double us = 0;
	int precision = 3;

	if (x.column == SIZE_MAX && x.fact == SIZE_MAX) {
		char *key = mem_printf("%.*s", (int)n, name);

		return names == FORMULA_KEYS ? key : words_of(key);
	}
	for (size_t i = 0; i < t->column_n && !us; i++) {
		us = table_key_unit(t->column[i].key, NULL);
		precision = t->column[i].precision;
	}
	if (names == FORMULA_VALUES)
		return value_text(t, &x, row, us, precision);
	if (x.fact != SIZE_MAX) {
		char *key = mem_string(t->fact[x.fact].key);

		return names == FORMULA_KEYS ? key : words_of(key);
	}
	return mem_string(names == FORMULA_KEYS ? t->column[x.column].key
						: t->column[x.column].name);
}

char *table_formula_text(const struct table *t, size_t column, size_t row, const char *formula,
			 enum formula_names names)
{
	char *text = NULL;
	size_t size;
	FILE *f = mem_stream(&text, &size);

	(void)column;
	for (const char *s = formula; *s;) {
		size_t n = isalpha((unsigned char)*s) ? name_length(s) : 0;

		if (n && s[n] != '(') {
			char *name = name_text(t, s, n, row, names);

			fputs(name, f);
			free(name);
			s += n;
		} else if (n) {
			fprintf(f, "%.*s", (int)n, s);
			s += n;
		} else if (*s == '*' && names != FORMULA_KEYS) {
			fputc('x', f);
			s++;
		} else {
			fputc(*s++, f);
		}
	}
	fclose(f);
	return text;
}
