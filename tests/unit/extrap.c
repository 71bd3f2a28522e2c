/* extrap.c: experiments of Extra-P: points, means of measurements, and damaged files with their line. */
#include "convert/text/extrap.h"

#include <string.h>

#include "tap.h"

static void test_is(void)
{
	static const struct {
		const char *text;
		int is;
	} cases[] = {{"PARAMETER p\n", 1}, {"# c\n\n  POINTS (1)\n", 1}, {"POINTS(1)", 1}, {"PARAMETERS", 0}, {"", 0}, {"# only\n", 0}, {"DATA 1", 0}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ok(extrap_is((const unsigned char *)cases[i].text, strlen(cases[i].text)) == cases[i].is, "text %zu %s", i,
		   cases[i].is ? "begins an experiment" : "does not");
}

static void test_read(void)
{
	static const char text[] = "PARAMETER p\nPOINTS (2) (8)\nMETRIC time\nREGION main->solve\nDATA 1 3\nDATA 4\n";
	struct extrap x = {0};
	struct error e = {0};
	int code = extrap_read("e", (const unsigned char *)text, strlen(text), &x, &e);

	ok(!code, "an experiment is read: %s", code ? e.text : "yes");
	if (code)
		return;
	ok(x.point_n == 2 && x.least == 1 && x.most == 2, "2 points, with 1 to 2 measurements");
	ok(profile_pes(x.profile[0]) == 2 && profile_pes(x.profile[1]) == 8, "each stands for as many PEs");
	ok(x.profile[0]->metric_n == 1 && x.profile[0]->timer_n == 1, "the metric and the region: %s", x.profile[0]->timer[0].name);
	ok(x.profile[1]->thread_n > 0 && *profile_excl(x.profile[0], &x.profile[0]->thread[0], &x.profile[0]->thread[0].row[0]) > 0, "with values");
	extrap_release(&x);
}

static void test_damaged(void)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"PARAMETER p\nPARAMETER q\nPOINTS (1 2)\n", "e: line 2: "},
		{"PARAMETER p\nPOINTS (x)\n", "e: line 2: "},
		{"PARAMETER p\nPOINTS (0)\n", "e: line 2: "},
		{"PARAMETER p\nPOINTS (3000000000)\n", "e: line 2: "},
		{"PARAMETER p\nPOINTS (1)\nREGION a\nDATA 1\nDATA 2\n", "e: line 5: "},
		{"PARAMETER p\nPOINTS (1)\nREGION a\nDATA nan\n", "e: line 4: "},
		{"PARAMETER p\nPOINTS (1)\nREGION a\nDATA\n", "e: line 4: "},
		{"PARAMETER p\nOTHER\n", "e: line 2: "},
		{"PARAMETER p\nPOINTS 1 2\nREGION a\nDATA 1\na line of another program\nDATA 2\n", "e: line 5: expected PARAMETER, POINTS, METRIC, REGION or DATA"},
		{"PARAMETER p\nPOINTS 1 2\nREGION a\nDATA 1\nDATA 2 s\n", "e: line 5: DATA: expected numbers"},
		{"PARAMETER p\nPOINTS 1 2\nREGION a\nDATA 1\nREGION b\nDATA 1\nDATA 2\n", "e: line 5: fewer lines of DATA than points"},
		{"PARAMETER p\n", "e: "},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct extrap x = {0};
		struct error e = {0};
		int code = extrap_read("e", (const unsigned char *)cases[i].text, strlen(cases[i].text), &x, &e);

		ok(code == ERROR_INPUT && !strncmp(e.text, cases[i].error, strlen(cases[i].error)), "damage %zu: %s", i, code ? e.text : "is not seen");
		if (!code)
			extrap_release(&x);
	}
}

int main(void)
{
	test_is();
	test_read();
	test_damaged();
	return tap_end();
}
