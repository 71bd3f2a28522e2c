/* cells.c: numbers and names as cells of text, which read back as the same, and which no spreadsheet takes for a formula. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "convert/io/csv.h"
#include "convert/io/number.h"
#include "tap.h"

static void test_numbers(void)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {{0, "0"},
		     {-0.0, "-0"},
		     {42, "42"},
		     {-17, "-17"},
		     {0.1, "0.1"},
		     {0.001, "0.001"},
		     {-12.34, "-12.34"},
		     {100.5, "100.5"},
		     {123456789012.345, "123456789012.345"},
		     {0.0005, "0.0005"},
		     {1.0 / 3, "0.3333333333333333"},
		     {9, "9"},
		     {10, "10"},
		     {99, "99"},
		     {100, "100"},
		     {12345678901234, "12345678901234"},
		     {999999999999999, "999999999999999"},
		     {1e15, "1e+15"},
		     {5e-324, "4.94065645841247e-324"},
		     {INFINITY, "inf"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[NUMBER_TEXT + 1];

		*number_text(text, cases[i].value) = 0;
		ok(!strcmp(text, cases[i].text) && strtod(text, NULL) == cases[i].value, "%s as text: %s", cases[i].text, text);
	}
}

static void test_microseconds(void)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {{0, "0.000"},	       {0.001, "0.001"}, {12.5, "12.500"},	 {1234567.891, "1234567.891"},
		     {999.999, "999.999"}, {1000, "1000.000"}, {999999999999.999, "999999999999.999"},
		     {0.0004, "0.000"}, {-1.25, "-1.250"}, {1e13, "10000000000000.000"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[NUMBER_US_TEXT + 1];

		*number_us_text(text, cases[i].value) = 0;
		ok(!strcmp(text, cases[i].text), "%s us as text: %s", cases[i].text, text);
	}
}

static void test_names(void)
{
	static const char *const cases[][2] = {{"main", "main"},
					       {"", ""},
					       {"a,b", "\"a,b\""},
					       {"say \"x\"", "\"say \"\"x\"\"\""},
					       {"two\nlines", "\"two\nlines\""},
					       {" blank", "\" blank\""},
					       {"blank ", "\"blank \""},
					       {"=cmd()", "'=cmd()"},
					       {"+1,2", "\"'+1,2\""},
					       {"-5", "-5"},
					       {"@sum", "'@sum"},
					       {"\tx", "'\tx"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text;
		size_t n;
		FILE *f = open_memstream(&text, &n);

		csv_cell(f, cases[i][0]);
		fclose(f);
		ok(!strcmp(text, cases[i][1]), "name %zu as a cell", i);
		free(text);
	}
}

int main(void)
{
	test_numbers();
	test_microseconds();
	test_names();
	return tap_end();
}
