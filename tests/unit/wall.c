/* wall.c: moments and times of day as windows name them. */
#include "analyze/window/window_wall.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tap.h"

#define NS  1000000000LL
#define DAY (86400 * NS)

static void test_moments(void)
{
	/* In a zone two hours east of Greenwich. 1714566600 is 2024-05-01 12:30 UTC. */
	static const struct {
		const char *text;
		int64_t ns; /* -1: it is none */
	} cases[] = {
		{"2024-05-01T12:30:00Z", 1714566600 * NS},
		{"2024-05-01T12:30:00.25Z", 1714566600 * NS + NS / 4},
		{"2024-05-01T14:30:00+02:00", 1714566600 * NS},
		{"2024-05-01T07:00:00-05:30", 1714566600 * NS},
		{"2024-05-01T14:30:00", 1714566600 * NS},
		{"@1714566600", 1714566600 * NS},
		{"@0.000000001", 1},
		{"2024-02-29T00:00:00Z", 1709164800 * NS},
		{"2024-05-01", -1},
		{"2024-13-01T00:00:00Z", -1},
		{"2024-05-01T25:00:00Z", -1},
		{"2024-05-01T12:30:00ZZ", -1},
		{"@", -1},
		{"12:30", -1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int64_t ns = -1;
		int is = wall_moment(cases[i].text, strlen(cases[i].text), &ns);

		ok(is == (cases[i].ns >= 0) && (!is || ns == cases[i].ns), "'%s': %lld", cases[i].text, is ? (long long)ns : -1);
	}
}

static void test_clocks(void)
{
	static const struct {
		const char *text;
		int64_t ns;
	} cases[] = {{"00:00:00", 0},	       {"12:30:00", 45000 * NS}, {"12:30:00.25", 45000 * NS + NS / 4}, {"23:59:59", 86399 * NS},
		     {"24:00:00", -1}, {"12:60:00", -1},	 {"12:30:00x", -1},		       {"", -1}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int64_t ns = -1;
		int is = wall_clock(cases[i].text, strlen(cases[i].text), &ns);

		ok(is == (cases[i].ns >= 0) && (!is || ns == cases[i].ns), "'%s' is a time of day: %d", cases[i].text, is);
	}
}

static void test_nearest(void)
{
	/* Local midnight, and runs by hours after it. */
	const int64_t midnight = 1714514400 * NS;
	static const struct {
		int hour, begin, end, day; /* day: of the answer */
	} cases[] = {{12, 10, 14, 0}, {12, 13, 14, 0}, {1, 22, 26, 1}, {23, 22, 26, 0}, {23, 0, 1, -1}, {2, 23, 23, 1}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int64_t at = wall_nearest(cases[i].hour * 3600 * NS, midnight + cases[i].begin * 3600 * NS,
					  midnight + cases[i].end * 3600 * NS);

		ok(at == midnight + cases[i].day * DAY + cases[i].hour * 3600 * NS, "%d h, in a run from %d to %d h: day %+d", cases[i].hour,
		   cases[i].begin, cases[i].end, cases[i].day);
	}
}

int main(void)
{
	setenv("TZ", "EAST-2", 1);
	tzset();
	test_moments();
	test_clocks();
	test_nearest();
	return tap_end();
}
