/* cells.c: numbers and names as cells of text, which read back as the same, and which no spreadsheet takes for a formula. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert/io/csv.h"
#include "analyze/base/number.h"
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

/* The first of 15 to 17 digits of printf that read back as the number. */
static const char *printed(double v, char *text)
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, NUMBER_TEXT, "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	return text;
}

/* Percentages, numbers around powers of ten and two, halves of the last digit, nanoseconds in ms, and any bits at all. */
static double odd_number(unsigned i)
{
	uint64_t bits = i * UINT64_C(0x9e3779b97f4a7c15);
	double v;

	bits ^= bits >> 29;
	switch (i % 6) {
	case 0:
		return 100.0 * (double)(bits % 99991) / (double)(1 + i);
	case 1:
		v = pow(10, (double)(bits % 22) - 5);
		break;
	case 2:
		v = ldexp(1, (int)(bits % 80) - 25);
		break;
	case 3:
		return (double)(bits % 1000000000000) / (double)(1 << bits % 31);
	case 4:
		return (double)(bits % (i % 4 ? 1000000000000000 : 1000)) / 1e6;
	default:
		memcpy(&v, &bits, sizeof(v));
		return isfinite(v) ? v : 0.3;
	}
	for (unsigned k = bits >> 61; k; k--)
		v = nextafter(v, i % 2 ? INFINITY : 0);
	return v;
}

static void test_as_printf(void)
{
	enum { NUMBERS = 100000 };
	unsigned differ = 0;
	char text[NUMBER_TEXT + 1], expected[NUMBER_TEXT + 1];

	for (unsigned i = 0; i < NUMBERS; i++) {
		double v = odd_number(i);

		*number_text(text, v) = 0;
		if (strcmp(text, printed(v, expected)) && !differ++)
			printf("# %a: %s, expected %s\n", v, text, expected);
	}
	ok(!differ, "%u of %d numbers differ from what printf prints", differ, NUMBERS);
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
	test_as_printf();
	test_microseconds();
	test_names();
	return tap_end();
}
