/* table_fields.c: columns that are rows of an array: which a table has, those that are repeated, and how values are read. */
#include "tap.h"

#include <math.h>
#include <string.h>

#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"

enum { EACH_RUN = 1, EACH_PE, EACHES };
enum { OF_FEW = 1, OF_MANY = 2 };

struct cells {
	const char *name;
	int64_t calls;
	double time;
	const double *per_run;
	const int64_t *waits;
	const char *const *fit;
	const double *pe;
};

static const struct table_field fields[] = {
	{FIELD(struct cells, name), TABLE_TEXT, "name", NULL, .meaning = "a"},
	{FIELD(struct cells, calls), TABLE_INTEGER, "calls", NULL, .only = OF_MANY, .meaning = "b"},
	{FIELD(struct cells, time), TABLE_NUMBER, "time", NULL, .scaled = 1, .meaning = "c"},
	{FIELD(struct cells, per_run), TABLE_NUMBER, "per_*", "on *", .scaled = 1, .each = EACH_RUN, .meaning = "d"},
	{FIELD(struct cells, waits), TABLE_INTEGER, "waits_*", NULL, .each = EACH_RUN, .beside = 1, .meaning = "e"},
	{FIELD(struct cells, fit), TABLE_TEXT, "fit_*", "fit", .each = EACH_RUN, .meaning = "f"},
	{FIELD(struct cells, pe), TABLE_NUMBER, "*", NULL, .each = EACH_PE, .only = OF_FEW | OF_MANY, .meaning = "g"},
	{0},
};

static const struct field_scale ms = {.suffix = "_ms", .size = 1000, .precision = 3};

static struct table *table_of(unsigned which)
{
	struct field_each each[EACHES] = {0};
	struct table *t = table_new(NULL);

	field_each_add(&each[EACH_RUN], mem_string("2"), mem_string("2 PEs"));
	field_each_add(&each[EACH_RUN], mem_string("4"), mem_string("4 PEs"));
	field_each_add(&each[EACH_RUN], mem_string("8"), mem_string("8 PEs"));
	field_each_add(&each[EACH_PE], mem_string("0"), NULL);
	table_fields_each(t, fields, which, &ms, each);
	field_each_release(&each[EACH_RUN]);
	field_each_release(&each[EACH_PE]);
	return t;
}

static void is(struct table *t, enum table_format format, const char *expected, const char *what)
{
	char *s;
	size_t n;
	FILE *f = open_memstream(&s, &n);

	table_print(t, f, format, 0);
	fclose(f);
	if (!ok(!strcmp(s, expected), "%s", what))
		printf("# got:\n%s# expected:\n%s", s, expected);
	free(s);
	table_free(t);
}

static struct table *filled(unsigned which)
{
	static const double per_run[] = {1000, NAN, 3000}, pe[] = {7};
	static const int64_t waits[] = {1, FIELD_MISSING, 3};
	static const char *const fit[] = {"good", NULL, "bad"};
	struct table *t = table_of(which);

	table_row(t);
	table_put_fields(t, &(struct cells){"a", 5, 2000, per_run, waits, fit, pe});
	table_row(t);
	table_put_fields(t, &(struct cells){.calls = FIELD_MISSING, .time = NAN});
	return t;
}

static void test_columns(void)
{
	is(filled(OF_MANY), TABLE_AS_CSV,
	   "name,calls,time_ms,per_ms_2,waits_2,per_ms_4,waits_4,per_ms_8,waits_8,fit_2,fit_4,fit_8,0\r\n"
	   "a,5,2,1,1,,,3,3,good,,bad,7\r\n"
	   ",,,,,,,,,,,,\r\n",
	   "keys and values; a field beside another is repeated with it");
	is(filled(OF_FEW), TABLE_AS_CSV,
	   "name,time_ms,per_ms_2,waits_2,per_ms_4,waits_4,per_ms_8,waits_8,fit_2,fit_4,fit_8,0\r\n"
	   "a,2,1,1,,,3,3,good,,bad,7\r\n"
	   ",,,,,,,,,,,\r\n",
	   "a column that the table does not have");
}

static void test_headings(void)
{
	struct table *t = filled(OF_FEW);

	table_field_heading(t, offsetof(struct cells, name), "region");
	is(t, TABLE_AS_TEXT,
	   "region   time  on 2 PEs  waits_2  on 4 PEs  waits_4  on 8 PEs  waits_8  fit   fit  0\n"
	   "------  -----  --------  -------  --------  -------  --------  -------  ----  ---  -\n"
	   "a       2.000     1.000        1                        3.000        3  good  bad  7\n"
	   "\n",
	   "headings of what it is repeated for, and one of later");
}

static void test_finds(void)
{
	struct table *t = table_of(OF_MANY);
	size_t per_run = table_field_at(t, offsetof(struct cells, per_run));

	ok(per_run == 3, "the column of a member");
	ok(table_field_of(t, per_run) == &fields[3], "and its field");
	ok(!strcmp(table_field_each(t, per_run + 2), "4"), "what it is repeated for");
	ok(!table_field_each(t, 0), "nothing, where it is not");
	table_free(t);
}

static int rank(size_t i)
{
	return (int)i;
}

static void test_spare(void)
{
	struct table *t = filled(OF_FEW);
	char *s;
	size_t n;
	FILE *f = open_memstream(&s, &n);

	table_field_spare(t, offsetof(struct cells, per_run), rank);
	table_print(t, f, TABLE_AS_TEXT, 80);
	fclose(f);
	ok(strstr(s, "on 2 PEs") && !strstr(s, "on 4 PEs") && strstr(s, "on 8 PEs"),
	   "where it is narrow, columns between the first and the last are left out");
	free(s);
	table_free(t);
}

int main(void)
{
	test_columns();
	test_headings();
	test_finds();
	test_spare();
	return tap_end();
}
