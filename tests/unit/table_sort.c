/* table_sort.c: rows of a table in the order of a column, with missing cells, rows that continue others, and totals. */
#include "tap.h"

#include <math.h>
#include <string.h>

#include "cmd/table/table_sort.h"

static struct table *headed(void)
{
	struct table *t = table_new("Rows");

	table_column(t, TABLE_TEXT, "name", NULL, NULL, 0);
	for (const char *name = "wbca"; *name; name++) {
		table_row(t);
		table_put_text(t, 0, (char[]){*name, 0});
		if (*name == 'w')
			table_head(t);
	}
	table_rule(t);
	table_row(t);
	table_put_text(t, 0, "sum");
	return t;
}

static struct table *example(void)
{
	static const struct {
		const char *name;
		double value;
	} row[] = {{"b", 2}, {"missing", NAN}, {"c", 3}, {"a", 2}, {"big", 1e300}};
	struct table *t = table_new("Rows");

	table_column(t, TABLE_TEXT, "name", "region", NULL, 0);
	table_column(t, TABLE_NUMBER, "value_us", "value", "us", 0);
	table_order(t, "as they came");
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		table_row(t);
		table_put_text(t, 0, row[i].name);
		table_put_number(t, 1, row[i].value);
		if (*row[i].name != 'b')
			continue;
		table_row_more(t);
		table_put_text(t, 0, "called by it");
	}
	table_rule(t);
	table_row(t);
	table_put_text(t, 0, "all");
	table_put_number(t, 1, 7);
	table_row(t);
	table_put_text(t, 0, "a total");
	return t;
}

/* The first letters of the names; an underscore for a row that continues another. */
static void is(const struct table *t, const char *expected, const char *what)
{
	char *s, got[64] = "";
	size_t n = 0, bytes;
	FILE *f = open_memstream(&s, &bytes);

	table_print(t, f, TABLE_AS_CSV, 0);
	fclose(f);
	for (char *line = strchr(s, '\n'); line && line[1]; line = strchr(line + 1, '\n'))
		got[n++] = strncmp(line + 1, "called", 6) ? line[1] : '_';
	if (!ok(!strcmp(got, expected), "%s", what))
		printf("# got %s, expected %s, of:\n# %s", got, expected, s);
	free(s);
}

static void title(const struct table *t, const char *expected)
{
	char *s;
	size_t bytes;
	FILE *f = open_memstream(&s, &bytes);

	table_print(t, f, TABLE_AS_TEXT, 0);
	fclose(f);
	ok(!strncmp(s, expected, strlen(expected)), "the title is %.*s", (int)strlen(expected) - 1, expected);
	free(s);
}

int main(void)
{
	struct table *t = example(), *empty = table_new(NULL);

	is(t, "b_mcab_aa", "the rows as they came");
	title(t, "Rows, as they came\n");
	ok(table_sort(t, "value_us", 0), "a column by its key");
	is(t, "b_cb_amaa", "numbers from the largest, equal ones as before, missing last, totals below");
	title(t, "Rows, sorted by value\n");
	ok(table_sort(t, "value", 1), "a column by its heading");
	is(t, "b_acb_maa", "the other way round; missing is last");
	title(t, "Rows, sorted by value in reverse\n");
	ok(table_sort(t, "value [us]", 0), "a column by its heading with the unit");
	is(t, "b_cb_amaa", "... and it is that column");
	ok(table_sort(t, "name", 0), "a column of words");
	is(t, "ab_b_cmaa", "words from A to Z");
	ok(!table_sort(t, "valu", 0), "there is no such column");
	ok(table_cut(t, SIZE_MAX) == 5, "rows above the totals, without what continues them");
	ok(table_cut(t, 2) == 5, "they are cut");
	is(t, "ab_aa", "two are left, and the totals");
	ok(table_cut(t, 0) == 2 && table_rows(t) == 2, "none are left but the totals");
	table_free(t);
	t = example();
	table_keep_order(t);
	ok(!table_sort(t, "name", 0), "rows that keep their order");
	is(t, "b_mcab_aa", "and they do");
	table_free(t);
	t = headed();
	ok(table_sort(t, "name", 0), "rows below a head");
	is(t, "wabcs", "the head and the total stay");
	ok(table_cut(t, 2) == 3, "the head does not count");
	is(t, "wabs", "and is not cut");
	table_free(t);
	table_column(empty, TABLE_TEXT, "name", NULL, NULL, 0);
	ok(table_sort(empty, "name", 0) && !table_cut(empty, 3), "a table without rows and title");
	table_free(empty);
	return tap_end();
}
