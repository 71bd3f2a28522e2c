/* table_unit.c: converts the times, or the bytes, of a table to another unit. */
#include "cmd/table/table_unit.h"

#include <ctype.h>
#include <string.h>

#include "cmd/shared/choice.h"
#include "cmd/table/table_formula.h"
#include "cmd/table/table_text.h"

static const struct table_unit units[] = {
	{"ns", 1e-3, 0, 0},
	{"us", 1, 0, 3},
	{"ms", 1e3, 0, 3},
	{"s", 1e6, 0, 6},
	{"B", 1, 1, 0},
	{"KiB", 1024, 1, 3},
	{"MiB", 1048576, 1, 3},
	{"GiB", 1073741824, 1, 6},
	{"TiB", 1099511627776, 1, 6},
	{"KB", 1e3, 1, 3},
	{"MB", 1e6, 1, 3},
	{"GB", 1e9, 1, 6},
	{"TB", 1e12, 1, 6},
};
#define UNITS (sizeof(units) / sizeof(*units))

int table_unit_get(const char *name, struct table_unit *u, struct error *e)
{
	const char *known[UNITS];
	size_t found;
	int code;

	for (size_t i = 0; i < UNITS; i++)
		known[i] = units[i].name;
	code = choice_get("--unit", name, known, UNITS, &found, e);
	if (!code)
		*u = units[found];
	return code;
}

/* Where the word "bytes" is in a key, at its end or before a number of PEs; NULL: nowhere. */
static const char *bytes_in(const char *key)
{
	const char *at = strstr(key, "bytes"), *end = at ? at + strlen("bytes") : NULL;

	if (!at || (at > key && at[-1] != '_'))
		return NULL;
	return !*end || (*end == '_' && isdigit((unsigned char)end[1])) ? at : NULL;
}

/* "mean_us" as "mean_ms", "put_bytes_4" as "put_kib_4", "growth" as "growth_kib". */
static char *key_in(const char *key, const struct table_unit *u)
{
	const char *at = NULL, *bytes = bytes_in(key);
	char *name = mem_string(u->name), *whole;
	size_t skip;

	for (char *s = name; *s; s++)
		*s = (char)tolower((unsigned char)*s);
	if (!u->bytes) {
		table_key_unit(key, &at);
		skip = 1 + strcspn(at + 1, "_");
		whole = mem_printf("%.*s_%s%s", (int)(at - key), key, name, at + skip);
	} else if (bytes) {
		whole = mem_printf("%.*s%s%s", (int)(bytes - key), key, name,
				   bytes + strlen("bytes"));
	} else {
		whole = mem_printf("%s_%s", key, name);
	}
	free(name);
	return whole;
}

static void rename_to(char **key, const struct table_unit *u)
{
	char *other = key_in(*key, u);

	free(*key);
	*key = other;
}

static int converts(const struct column *c, const struct table_unit *u)
{
	if (c->type == TABLE_TEXT)
		return 0;
	return u->bytes ? c->type == TABLE_BYTES || bytes_in(c->key)
			: table_key_unit(c->key, NULL) > 0;
}

static void column_convert(struct table *t, size_t column, const struct table_unit *u)
{
	struct column *c = &t->column[column];
	const char *end = NULL;
	double factor = (u->bytes ? 1 : table_key_unit(c->key, &end)) / u->size;

	for (size_t i = 0; i < t->row_n; i++) {
		struct cell *cell = &t->row[i].cell[column];

		if (cell->kind != CELL_INTEGER && cell->kind != CELL_NUMBER)
			continue;
		cell->number = table_cell_value(cell) * factor;
		cell->kind = CELL_NUMBER;
	}
	c->type = TABLE_NUMBER;
	c->precision = u->precision;
	if (c->unit || u->bytes) {
		free(c->unit);
		c->unit = mem_string(u->name);
	} else if (!strcmp(c->name, end + 1)) { /* the heading is the unit */
		free(c->name);
		c->name = mem_string(u->name);
	}
	rename_to(&c->key, u);
}

size_t table_unit_set(struct table *t, const struct table_unit *u)
{
	size_t n = 0;

	for (size_t i = 0; i < t->column_n; i++)
		if (converts(&t->column[i], u)) {
			column_convert(t, i, u);
			n++;
		}
	for (size_t i = 0; i < t->fact_n; i++) {
		struct fact *f = &t->fact[i];
		double us = table_key_unit(f->key, NULL);

		if (f->text || (u->bytes ? !bytes_in(f->key) : !us))
			continue;
		f->number *= (u->bytes ? 1 : us) / u->size;
		rename_to(&f->key, u);
	}
	return n;
}
