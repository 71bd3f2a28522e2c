/* quantity.c: times, sizes, counts and percentages as they are read and printed. */
#include "analyze/base/quantity.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tap.h"

static void test_read(void)
{
	static const struct {
		enum quantity kind;
		const char *text, *plain;
		int64_t value; /* -1: it is none */
	} cases[] = {
		{QUANTITY_TIME, "1ns", NULL, 1},
		{QUANTITY_TIME, "0.5us", NULL, 500},
		{QUANTITY_TIME, ".5ms", NULL, 500000},
		{QUANTITY_TIME, "2s", NULL, 2000000000},
		{QUANTITY_TIME, "2m", NULL, 120000000000},
		{QUANTITY_TIME, "1h", NULL, 3600000000000},
		{QUANTITY_TIME, "1e3us", NULL, 1000000},
		{QUANTITY_TIME, "1E-3s", NULL, 1000000},
		{QUANTITY_TIME, "1.9ns", NULL, 1},
		{QUANTITY_TIME, "0.123456789s", NULL, 123456789},
		{QUANTITY_TIME, "9223372036854775807ns", NULL, INT64_MAX},
		{QUANTITY_TIME, "9223372036854775808ns", NULL, -1},
		{QUANTITY_TIME, "99999999999999999999999999999999999999h", NULL, -1},
		{QUANTITY_TIME, "0.00000000000000000000000000000000000000001h", NULL, 0},
		{QUANTITY_TIME, "1e40s", NULL, -1},
		{QUANTITY_TIME, "0e40s", NULL, 0},
		{QUANTITY_TIME, "1e-40s", NULL, 0},
		{QUANTITY_TIME, "1e99s", NULL, -1},
		{QUANTITY_TIME, "10", "us", 10000},
		{QUANTITY_TIME, "10", NULL, -1},
		{QUANTITY_TIME, "10 ms", "us", -1},
		{QUANTITY_TIME, "", "us", -1},
		{QUANTITY_TIME, "ms", "us", -1},
		{QUANTITY_TIME, "-1ms", "us", -1},
		{QUANTITY_TIME, "+1ms", "us", -1},
		{QUANTITY_TIME, "1.ms", "us", -1},
		{QUANTITY_TIME, "1ems", "us", -1},
		{QUANTITY_TIME, "0x10", "us", -1},
		{QUANTITY_TIME, "inf", "us", -1},
		{QUANTITY_TIME, "nan", "us", -1},
		{QUANTITY_TIME, "1K", "us", -1},
		{QUANTITY_TIME, "1msx", "us", -1},
		{QUANTITY_SIZE, "100", "B", 100},
		{QUANTITY_SIZE, "4K", "B", 4000},
		{QUANTITY_SIZE, "4KB", "B", 4000},
		{QUANTITY_SIZE, "4KiB", "B", 4096},
		{QUANTITY_SIZE, "1.5MiB", "B", 1572864},
		{QUANTITY_SIZE, "2M", NULL, 2000000},
		{QUANTITY_SIZE, "2MB", NULL, 2000000},
		{QUANTITY_SIZE, "1G", NULL, 1000000000},
		{QUANTITY_SIZE, "1GB", NULL, 1000000000},
		{QUANTITY_SIZE, "1GiB", NULL, 1073741824},
		{QUANTITY_SIZE, "1T", NULL, 1000000000000},
		{QUANTITY_SIZE, "1TB", NULL, 1000000000000},
		{QUANTITY_SIZE, "1TiB", NULL, 1099511627776},
		{QUANTITY_SIZE, "8388608TiB", NULL, -1},
		{QUANTITY_SIZE, "8388607TiB", NULL, 8388607 * 1099511627776},
		{QUANTITY_SIZE, "1ms", "B", -1},
		{QUANTITY_COUNT, "100000", "", 100000},
		{QUANTITY_COUNT, "1e5", "", 100000},
		{QUANTITY_COUNT, "100K", "", 100000},
		{QUANTITY_COUNT, "1KB", "", -1},
		{QUANTITY_PERCENT, "3%", NULL, 3 * QUANTITY_ONE_PERCENT},
		{QUANTITY_PERCENT, "0.5", "", QUANTITY_ONE_PERCENT / 2},
		{QUANTITY_PERCENT, "3", NULL, -1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int64_t v = -7;
		int is = quantity_read(cases[i].kind, cases[i].text, strlen(cases[i].text),
				       cases[i].plain, &v);

		ok(cases[i].value < 0 ? !is && v == -7 : is && v == cases[i].value,
		   "'%s' is %" PRId64 " (%d)", cases[i].text, v, is);
	}
}

static void test_option(void)
{
	const struct quantity_option
		time = {"--sample", QUANTITY_TIME, "us", "50us", "1000s", "10ms"},
		flight = {"--flight", QUANTITY_SIZE, NULL, .example = "4M"},
		calls = {"--depth", QUANTITY_COUNT, "", .most = "100", .example = "10"};
	struct error e = {0};
	int64_t v = 0;

	ok(quantity_option(&time, "50", &v, &e) == 0 && v == 50000, "a limit is allowed");
	ok(quantity_option(&time, "1000s", &v, &e) == 0 && v == 1000000000000, "the other, too");
	ok(quantity_option(&time, "49us", &v, &e) == ERROR_USAGE && v == 1000000000000 &&
		   !strcmp(e.text, "--sample: '49us' is not a time from 50us to 1000s; use a number with ns, us, "
				   "ms, s, m or h (without: us), such as 10ms"),
	   "%s", e.text);
	ok(quantity_option(&flight, "5", &v, &e) == ERROR_USAGE &&
		   !strcmp(e.text, "--flight: '5' is not a size; use a number with B, K, KB, KiB, M, MB, MiB, G, GB, "
				   "GiB, T, TB or TiB, such as 4M"),
	   "%s", e.text);
	ok(quantity_option(&calls, "101", &v, &e) == ERROR_USAGE &&
		   !strcmp(e.text, "--depth: '101' is not a number of at most 100; use for example 10"),
	   "%s", e.text);
}

static void test_times(void)
{
	static const struct {
		double ns;
		const char *text;
	} cases[] = {{0, "0 s"},	    {1, "1 ns"},	   {120, "120 ns"},    {999, "999 ns"},
		     {12.34, "12.34 ns"},   {0.0004, "<0.001 ns"}, {1000, "1.000 us"}, {999.96, "1.000 us"},
		     {31250, "31.25 us"},   {999949, "999.9 us"},  {999951, "1.000 ms"},
		     {1234567, "1.235 ms"}, {99995000, "100.0 ms"}, {250116000, "250.1 ms"},
		     {2.0871e9, "2.087 s"}, {123456e9, "123456 s"}, {-31250, "-31.25 us"}},
	moments[] = {{0, "0 s"}, {999, "999 ns"}, {0.5, "0.500 ns"}, {31250, "31.250 us"}, {999999, "999.999 us"}, {999999.6, "1.000 ms"},
		     {405750123, "405.750 ms"}, {999999499, "999.999 ms"}, {999999500, "1.000000 s"}, {1017713400, "1.017713 s"},
		     {3725123456789.0, "3725.123457 s"}, {-31250, "-31.250 us"}};
	char to[QUANTITY_TEXT];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ok(!strcmp(quantity_time_text(cases[i].ns, to), cases[i].text), "%g ns: %s", cases[i].ns, to);
	for (size_t i = 0; i < sizeof(moments) / sizeof(*moments); i++)
		ok(!strcmp(quantity_moment_text(moments[i].ns, to), moments[i].text), "a moment: %g ns: %s", moments[i].ns, to);
	ok(!strcmp(quantity_time_tick(2.5e6, 2e7, to), "2.5 ms"), "%s", to);
	ok(!strcmp(quantity_time_tick(0, 2e10, to), "0 s"), "%s", to);
	ok(!strcmp(quantity_time_tick(250000, 9e6, to), "250 us"), "%s", to);
}

static void test_values(void)
{
	char to[QUANTITY_TEXT], *pair;

	ok(!strcmp(quantity_in_text(12.3456, 3, "ms", to), "12.346 ms"), "%s", to);
	ok(!strcmp(quantity_in_text(0.0001, 3, "ms", to), "<0.001 ms"), "%s", to);
	ok(!strcmp(quantity_in_text(-0.0001, 3, "ms", to), ">-0.001 ms"), "%s", to);
	ok(!strcmp(quantity_in_text(-1e-12, 3, "ms", to), "0.000 ms"), "an error of rounding: %s", to);
	ok(!strcmp(quantity_in_text(0, 0, NULL, to), "0"), "%s", to);
	ok(strlen(quantity_in_text(1e300, 3, "ms", to)) < 20, "%s", to);
	ok(!strcmp(quantity_percent_text(0.04, to), "<0.1 %"), "%s", to);
	ok(!strcmp(quantity_percent_text(0, to), "0.0 %"), "%s", to);
	ok(!strcmp(quantity_percent_text(21.66, to), "21.7 %"), "%s", to);
	pair = quantity_with_percent("1 ms", 0.04);
	ok(!strcmp(pair, "1 ms, <0.1 %"), "%s", pair);
	free(pair);
}

static void test_sizes(void)
{
	static const struct {
		double bytes;
		const char *text;
	} cases[] = {{0, "0 B"},	    {232, "232 B"},	   {1023, "1023 B"},	 {1023.5, "1.00 KiB"},
		     {1956, "1.91 KiB"},    {4.7e6, "4.48 MiB"},   {1 << 30, "1.00 GiB"}, {12.5, "12.5 B"},
		     {-1956, "-1.91 KiB"}, {0x1p70, "1024 EiB"}};
	char to[QUANTITY_TEXT];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ok(!strcmp(quantity_size_text(cases[i].bytes, to), cases[i].text), "%.0f bytes: %s", cases[i].bytes,
		   to);
	ok(strlen(quantity_size_text(1e300, to)) < 30, "%s", to);
}

static void test_options(void)
{
	static const struct {
		int64_t ns;
		const char *text;
	} v[] = {{0, "0ns"}, {1, "1ns"}, {1500, "1500ns"}, {100000, "100us"}, {1000000, "1ms"}, {2500000000, "2500ms"}, {3000000000, "3s"}};
	char to[QUANTITY_TEXT];

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		int64_t back = -1;

		ok(!strcmp(quantity_option_text(v[i].ns, to), v[i].text), "%s", to);
		ok(quantity_read(QUANTITY_TIME, to, strlen(to), NULL, &back) && back == v[i].ns, "%s is read back", to);
	}
}

int main(void)
{
	test_read();
	test_option();
	test_times();
	test_values();
	test_sizes();
	test_options();
	return tap_end();
}
