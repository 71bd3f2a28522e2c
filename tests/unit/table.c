/* table.c: what a table prints as text, CSV and JSON, with missing cells, hostile names and narrow terminals. */
#include "tap.h"

#include <math.h>
#include <string.h>

#include "cmd/table/table.h"

static char *printed(const struct table *t, enum table_format format, size_t width)
{
	char *s;
	size_t n;
	FILE *f = open_memstream(&s, &n);

	table_print(t, f, format, width);
	fclose(f);
	return s;
}

static void is(const struct table *t, enum table_format format, size_t width, const char *expected, const char *what)
{
	char *got = printed(t, format, width);

	if (!ok(!strcmp(got, expected), "%s", what))
		printf("# got:\n%s# expected:\n%s", got, expected);
	free(got);
}

static struct table *example(void)
{
	struct table *t = table_new("Types");
	size_t name = table_column(t, TABLE_TEXT, "type", NULL, NULL, 0);
	size_t n = table_column(t, TABLE_INTEGER, "objects", NULL, NULL, 0);
	size_t share = table_column(t, TABLE_NUMBER, "share_pct", "share", "%", 1);
	size_t size = table_column(t, TABLE_BYTES, "bytes", "size", NULL, 0);

	table_note(t, "2 runs");
	table_fact_number(t, "runs", 2);
	table_fact_text(t, "view", "live");
	table_row(t);
	table_put_text(t, name, "ompi_proc_t");
	table_put_integer(t, n, 16);
	table_put_number(t, share, 12.345);
	table_put_number(t, size, 1920);
	table_row(t);
	table_put_text(t, name, "a \"b\", c");
	table_put_number(t, share, NAN);
	table_row(t);
	table_put_text(t, name, "b");
	table_put_number(t, share, -0.04);
	table_rule(t);
	table_row(t);
	table_put_text(t, name, "all");
	table_put_integer(t, n, 0);
	table_remark(t, "the end");
	return t;
}

static void test_sentences(void)
{
	struct table *t = table_new("T");

	table_note(t, "Three words and a_very_long_word_that_stays and more");
	table_note(t, "  indented by two, as others are");
	table_note(t, "\xc3\xa4\xc3\xb6\xc3\xbc has six");
	table_column(t, TABLE_TEXT, "a", NULL, NULL, 0);
	is(t, TABLE_AS_TEXT, 12,
	   "T\nThree words\nand\na_very_long_word_that_stays\nand more\n"
	   "  indented\n  by two, as\n  others are\n\xc3\xa4\xc3\xb6\xc3\xbc has six\n\na\n-\n",
	   "sentences are broken between words on a terminal");
	is(t, TABLE_AS_TEXT, 0,
	   "T\nThree words and a_very_long_word_that_stays and more\n"
	   "  indented by two, as others are\n\xc3\xa4\xc3\xb6\xc3\xbc has six\n\na\n-\n",
	   "and are one line each elsewhere");
	table_free(t);

	t = table_new("T");
	size_t name = table_column(t, TABLE_TEXT, "a", NULL, NULL, 0);

	table_rule(t);
	table_row(t);
	table_put_text(t, name, "all");
	is(t, TABLE_AS_TEXT, 0, "T\n\na\n---\nall\n", "only a sum: one line below the heading");
	table_free(t);
}

static void test_formats(void)
{
	struct table *t = example();

	is(t, TABLE_AS_TEXT, 0,
	   "Types\n2 runs\n\n"
	   "type         objects  share [%]      size\n"
	   "-----------  -------  ---------  --------\n"
	   "ompi_proc_t       16       12.3  1.88 KiB\n"
	   "a \"b\", c\n"
	   "b                           0.0\n"
	   "-----------  -------  ---------  --------\n"
	   "all                0\n"
	   "\nthe end\n",
	   "text is aligned, a missing cell is blank and a zero is not");
	is(t, TABLE_AS_CSV, 0,
	   "type,objects,share_pct,bytes\r\n"
	   "ompi_proc_t,16,12.345,1920\r\n"
	   "\"a \"\"b\"\", c\",,,\r\n"
	   "b,,-0.04,\r\n"
	   "all,0,,\r\n",
	   "CSV quotes what must be quoted and keeps whole numbers");
	is(t, TABLE_AS_JSON, 0,
	   "{\n  \"title\": \"Types\",\n  \"notes\": [\n    \"2 runs\",\n    \"the end\"\n  ],\n"
	   "  \"facts\": {\n    \"runs\": 2,\n    \"view\": \"live\"\n  },\n"
	   "  \"columns\": [\n"
	   "    {\"key\": \"type\", \"name\": \"type\", \"type\": \"text\"},\n"
	   "    {\"key\": \"objects\", \"name\": \"objects\", \"type\": \"integer\"},\n"
	   "    {\"key\": \"share_pct\", \"name\": \"share\", \"type\": \"number\", \"unit\": \"%\"},\n"
	   "    {\"key\": \"bytes\", \"name\": \"size\", \"type\": \"bytes\"}\n  ],\n"
	   "  \"rows\": [\n"
	   "    {\"type\": \"ompi_proc_t\", \"objects\": 16, \"share_pct\": 12.345, \"bytes\": 1920},\n"
	   "    {\"type\": \"a \\\"b\\\", c\", \"objects\": null, \"share_pct\": null, \"bytes\": null},\n"
	   "    {\"type\": \"b\", \"objects\": null, \"share_pct\": -0.04, \"bytes\": null},\n"
	   "    {\"type\": \"all\", \"objects\": 0, \"share_pct\": null, \"bytes\": null}\n  ]\n}\n",
	   "JSON says null where nothing is known");
	is(t, TABLE_AS_MARKDOWN, 0,
	   "### Types\n\n- 2 runs\n\n"
	   "| type        | objects | share [%] |     size |\n"
	   "| ----------- | ------: | --------: | -------: |\n"
	   "| ompi_proc_t |      16 |      12.3 | 1.88 KiB |\n"
	   "| a \"b\", c    |         |           |          |\n"
	   "| b           |         |       0.0 |          |\n"
	   "| all         |       0 |           |          |\n"
	   "\n- the end\n",
	   "Markdown has the cells of the text");
	is(t, TABLE_AS_HTML, 0,
	   "<div class=\"table\">\n<h3>Types</h3>\n<p>2 runs</p>\n<div class=\"scroll\"><table>\n"
	   "<thead><tr><th scope=\"col\" data-key=\"type\">type</th>"
	   "<th scope=\"col\" data-key=\"objects\" class=\"n\">objects</th>"
	   "<th scope=\"col\" data-key=\"share_pct\" class=\"n\">share [%]</th>"
	   "<th scope=\"col\" data-key=\"bytes\" class=\"n\">size</th></tr></thead>\n<tbody>\n"
	   "<tr><td>ompi_proc_t</td><td class=\"n\">16</td><td class=\"n\" data-v=\"12.345\">12.3</td>"
	   "<td class=\"n\" data-v=\"1920\">1.88 KiB</td></tr>\n"
	   "<tr><td>a &quot;b&quot;, c</td><td class=\"n\"></td><td class=\"n\"></td><td class=\"n\"></td></tr>\n"
	   "<tr><td>b</td><td class=\"n\"></td><td class=\"n\" data-v=\"-0.04\">0.0</td><td class=\"n\"></td></tr>\n"
	   "</tbody><tbody>\n"
	   "<tr><td>all</td><td class=\"n\">0</td><td class=\"n\"></td><td class=\"n\"></td></tr>\n"
	   "</tbody></table></div>\n<p>the end</p>\n</div>\n",
	   "HTML has them, too, with the whole numbers");
	table_free(t);
}

static void test_hostile(void)
{
	struct table *t = table_new(NULL);
	size_t c = table_column(t, TABLE_TEXT, "n", NULL, NULL, 0);

	table_row(t);
	table_put_text(t, c, "a\033[31m\n\xff\xc3\xa9");
	is(t, TABLE_AS_TEXT, 0, "n\n------------------\na\\x1b[31m\\x0a\\xff\xc3\xa9\n",
	   "control characters and broken bytes do not reach the terminal");
	is(t, TABLE_AS_JSON, 0,
	   "{\n  \"notes\": [],\n  \"facts\": {},\n  \"columns\": [\n"
	   "    {\"key\": \"n\", \"name\": \"n\", \"type\": \"text\"}\n  ],\n"
	   "  \"rows\": [\n    {\"n\": \"a\\u001b[31m\\n\\ufffd\xc3\xa9\"}\n  ]\n}\n",
	   "JSON escapes them and replaces what is not UTF-8");
	is(t, TABLE_AS_MARKDOWN, 0, "| n |\n| --------------------- |\n| a\\\\x1b[31m\\\\x0a\\\\xff\xc3\xa9 |\n",
	   "nor Markdown");
	is(t, TABLE_AS_CSV, 0, "n\r\n\"a\033[31m\n\xff\xc3\xa9\"\r\n", "CSV keeps the bytes inside quotes");
	table_free(t);
}

static void test_markup(void)
{
	struct table *t = table_new("<b>\nof *two* lines");
	size_t c = table_column(t, TABLE_TEXT, "n", NULL, NULL, 0);
	size_t m = table_column(t, TABLE_TEXT, "cells", NULL, NULL, 0);

	table_column_fixed(t, m);
	table_row(t);
	table_put_text(t, c, "  std::map<int, a|b>::operator[](int&) `x` __cxa_at [a](b)");
	table_put_text(t, m, "a*b");
	table_note(t, "<script>alert(\"1\")</script>");
	is(t, TABLE_AS_MARKDOWN, 0,
	   "### \\<b>\n\n- of \\*two\\* lines\n- \\<script>alert(\"1\")\\</script>\n\n"
	   "| n                                                                  | cells |\n"
	   "| ------------------------------------------------------------ | ----- |\n"
	   "| \xc2\xa0\xc2\xa0std::map\\<int, a\\|b>::operator[\\](int&) \\`x\\` \\_\\_cxa_at [a\\](b) | `a*b` |\n",
	   "Markdown shows what would be markup");
	is(t, TABLE_AS_HTML, 0,
	   "<div class=\"table\">\n<h3>&lt;b&gt;</h3>\n<p>of *two* lines</p>\n"
	   "<p>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;</p>\n<div class=\"scroll\"><table>\n"
	   "<thead><tr><th scope=\"col\" data-key=\"n\">n</th><th scope=\"col\" data-key=\"cells\" class=\"m\">cells</th></tr></thead>\n"
	   "<tbody>\n<tr><td>  std::map&lt;int, a|b&gt;::operator[](int&amp;) `x` __cxa_at [a](b)</td><td class=\"m\">a*b</td></tr>\n"
	   "</tbody></table></div>\n</div>\n",
	   "and HTML");
	table_free(t);
}

/* Only a table of more than 50 rows scrolls in a box of its own. */
static void test_long(void)
{
	for (size_t rows = 50; rows <= 51; rows++) {
		struct table *t = table_new(NULL);
		char *text;

		table_column(t, TABLE_INTEGER, "n", NULL, NULL, 0);
		for (size_t i = 0; i < rows; i++) {
			table_row(t);
			table_put_integer(t, 0, (int64_t)i);
		}
		text = printed(t, TABLE_AS_HTML, 0);
		ok((strstr(text, "class=\"scroll long\"") != NULL) == (rows > 50), "a table of %zu rows as HTML", rows);
		free(text);
		table_free(t);
	}
}

static void test_width(void)
{
	struct table *t = table_new(NULL);
	size_t name = table_column(t, TABLE_TEXT, "name", NULL, NULL, 0);
	size_t n = table_column(t, TABLE_INTEGER, "n", NULL, NULL, 0);

	table_row(t);
	table_put_text(t, name, "0123456789abcdefghijklmnopqrstuvwxyz");
	table_put_integer(t, n, 7);
	is(t, TABLE_AS_TEXT, 33,
	   "name                            n\n------------------------------  -\n0123456789abcd~lmnopqrstuvwxyz  7\n",
	   "a narrow terminal shortens the middle of a name");
	is(t, TABLE_AS_TEXT, 10, "name        n\n----------  -\n0123~vwxyz  7\n",
	   "and stops where names would be lost");
	is(t, TABLE_AS_TEXT, 0,
	   "name                                  n\n------------------------------------  -\n"
	   "0123456789abcdefghijklmnopqrstuvwxyz  7\n",
	   "nothing is shortened without a terminal");
	table_free(t);
}

/* Columns that can be spared go before names are cut to the bone, in the order of their ranks. */
static void test_spare(void)
{
	struct table *t = table_new(NULL);
	size_t name = table_column(t, TABLE_TEXT, "name", NULL, NULL, 0);
	size_t first = table_column(t, TABLE_INTEGER, "first", NULL, NULL, 0);
	size_t second = table_column(t, TABLE_TEXT, "second", NULL, NULL, 0);
	size_t last = table_column(t, TABLE_INTEGER, "last", NULL, NULL, 0);

	table_column_spare(t, first, 1);
	table_column_spare(t, second, 2);
	table_row(t);
	table_put_text(t, name, "0123456789abcdefghijklmnopqrstuvwxyz");
	table_put_integer(t, first, 1);
	table_put_text(t, second, "two");
	table_put_integer(t, last, 3);
	is(t, TABLE_AS_TEXT, 50,
	   "name                           first  second  last\n-----------------------------  -----  ------  ----\n"
	   "0123456789abcd~mnopqrstuvwxyz      1  two        3\n",
	   "columns stay as long as names keep their ends");
	is(t, TABLE_AS_TEXT, 42,
	   "name                           first  last\n-----------------------------  -----  ----\n"
	   "0123456789abcd~mnopqrstuvwxyz      1     3\n\n"
	   "1 column not shown: terminal too narrow. A file, CSV and JSON contain all.\n",
	   "then the one of the highest rank goes, and the text says so");
	is(t, TABLE_AS_TEXT, 24,
	   "name                last\n------------------  ----\n01234567~rstuvwxyz     3\n\n"
	   "2 columns not shown: terminal too narrow. A file, CSV and JSON contain all.\n",
	   "then the others, and names last");
	is(t, TABLE_AS_CSV, 24, "name,first,second,last\r\n0123456789abcdefghijklmnopqrstuvwxyz,1,two,3\r\n",
	   "CSV has all columns");
	table_free(t);
}

/* A terminal is asked by the environment, files are UTF-8. */
static void test_ascii(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < 3; i++)
		unsetenv(names[i]);
	ok(table_ascii(80) && !table_ascii(0), "without a locale a terminal has ASCII alone, a file does not care");
	setenv("LANG", "de_DE.UTF-8", 1);
	ok(!table_ascii(80), "UTF-8 is told from LANG");
	setenv("LC_CTYPE", "C.utf8", 1);
	setenv("LC_ALL", "C", 1);
	ok(table_ascii(80), "LC_ALL comes first");
	unsetenv("LC_ALL");
	ok(!table_ascii(80), "then LC_CTYPE");
}

static void test_bytes(void)
{
	static const struct {
		double value;
		const char *text;
	} row[] = {
		{ 0, "0 B" },		 { 232, "232 B" },	   { 1023, "1023 B" },	      { 1024, "1.00 KiB" },
		{ 0.5, "0.50 B" },	 { 2150.4, "2.10 KiB" },   { 10240, "10.0 KiB" },      { 1048064, "1.00 MiB" },
		{ 1047000, "1022 KiB" }, { -1536, "-1.50 KiB" },   { 2736783, "2.61 MiB" },    { 1.5e12, "1.36 TiB" },
	};
	char buf[QUANTITY_TEXT];
	int good = 1;

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		if (strcmp(quantity_size_text(row[i].value, buf), row[i].text)) {
			printf("# %g: got '%s', expected '%s'\n", row[i].value, buf, row[i].text);
			good = 0;
		}
	ok(good, "bytes are scaled by 1024 with three digits");
}

static void shortest(const double *value, const char *expected, size_t n)
{
	char *s;
	size_t length;
	FILE *f = open_memstream(&s, &length);

	for (size_t i = 0; i < n; i++) {
		table_number(f, value[i]);
		putc(' ', f);
	}
	fclose(f);
	if (!ok(!strcmp(s, expected), "with as few digits as that needs"))
		printf("# got: %s\n# expected: %s\n", s, expected);
	free(s);
}

static void test_numbers(void)
{
	static const double value[] = { 0.1, 1e-300, 123456789.125, 1.0 / 3, -2.5e200, 0, 4096, 9007199254740993.0 };
	int good = 1;

	for (size_t i = 0; i < sizeof(value) / sizeof(*value); i++) {
		char *s;
		size_t n;
		FILE *f = open_memstream(&s, &n);

		table_json_number(f, value[i]);
		fclose(f);
		if (strtod(s, NULL) != value[i]) {
			printf("# %.17g became %s\n", value[i], s);
			good = 0;
		}
		free(s);
	}
	ok(good, "numbers for machines read back as they were");
	/* 5e-324 is the smallest number above 0, and has one digit only. */
	shortest((double[]){ 0.1, 1e-300, 5e-324, 2.5e-320, -0.0, 123456789.125, 1e22, 1.0 / 3, 1 - 0x1p-53 },
		 "0.1 1e-300 5e-324 2.5e-320 0 123456789.125 1e+22 0.3333333333333333 0.9999999999999999 ", 9);
}

static void test_blank(void)
{
	struct table *t = table_new(NULL);
	size_t name = table_column(t, TABLE_TEXT, "name", NULL, NULL, 0);
	size_t words = table_column(t, TABLE_TEXT, "words", NULL, NULL, 0);
	size_t n = table_column(t, TABLE_INTEGER, "n", NULL, NULL, 0);

	table_row(t);
	table_put_text(t, name, "a");
	is(t, TABLE_AS_TEXT, 0, "name  n\n----  -\na\n", "words that no row has are no column of the text");
	is(t, TABLE_AS_TEXT, 5, "name  n\n----  -\na\n", "nor of a narrow one");
	is(t, TABLE_AS_CSV, 0, "name,words,n\r\na,,\r\n", "but one of CSV");
	table_row(t);
	table_put_text(t, words, "b");
	table_put_integer(t, n, 7);
	is(t, TABLE_AS_TEXT, 0, "name  words  n\n----  -----  -\na\n      b      7\n", "one row is enough");
	table_free(t);
}

int main(void)
{
	test_sentences();
	test_formats();
	test_hostile();
	test_markup();
	test_long();
	test_width();
	test_spare();
	test_ascii();
	test_bytes();
	test_numbers();
	test_blank();
	return tap_end();
}
