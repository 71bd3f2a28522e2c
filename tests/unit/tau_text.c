/* tau_text.c: lines of TAU's profile files and their metadata, taken apart; with quotes, blanks and ends that are missing. */
#include "convert/tau/tau_text.h"

#include <stdlib.h>
#include <string.h>

#include "convert/tau/tau_metadata.h"
#include "tap.h"

static int same(const char *got, const char *expected)
{
	return got && expected ? !strcmp(got, expected) : got == expected;
}

static void test_lines(void)
{
	static const unsigned char text[] = "  first \r\n\n\t \nsecond\nlast";
	struct error e = {0};
	struct tau_text t = {.e = &e};
	int whole;

	tau_text_copy(&t, "profile.0.0.0", text, sizeof(text) - 1);
	ok(same(tau_text_line(&t, &whole), "first") && whole && t.line == 1, "a line without the blanks at its ends");
	ok(same(tau_text_line(&t, &whole), "second") && t.line == 4, "blank lines are passed over, and counted");
	ok(same(tau_text_line(&t, &whole), "last") && !whole, "the last line has no end");
	ok(!tau_text_line(&t, &whole), "there is no more");
	ok(tau_text_bad(&t, mem_string("too short")) == ERROR_INPUT && same(e.text, "profile.0.0.0: line 5: too short"),
	   "an error names file and line: %s", e.text);
	free(t.text);
}

static void test_names(void)
{
	static const struct {
		const char *line, *name, *rest;
	} cases[] = {{"\"main\" 1 2 3", "main", " 1 2 3"},
		     {"\" main \" 1", "main", " 1"},
		     {"\"say \"x\" twice\" 4", "say \"x\" twice", " 4"},
		     {"\"\" 4", "", " 4"},
		     {"\"open 4", NULL, NULL},
		     {"main 4", NULL, NULL}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char line[80], *rest = NULL, *name;

		strcpy(line, cases[i].line);
		name = tau_text_name(line, &rest);
		ok(same(name, cases[i].name) && (!name || same(rest, cases[i].rest)), "the name in: %s", cases[i].line);
	}
}

static void test_groups(void)
{
	static const struct {
		const char *line, *groups, *left;
	} cases[] = {{"\"a\" 1 2 GROUP=\"MPI\"", "MPI", "\"a\" 1 2"},
		     {"\"GROUP=\" 1 GROUP=\"A|B\"", "A|B", "\"GROUP=\" 1"},
		     {"\"a\" 1 2", "", "\"a\" 1 2"},
		     {"\"a\" GROUP=\"open", NULL, NULL}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char line[80], *groups;

		strcpy(line, cases[i].line);
		groups = tau_text_groups(line);
		ok(same(groups, cases[i].groups) && (!groups || same(line, cases[i].left)), "the groups of: %s", cases[i].line);
	}
	for (int i = 0; i < 4; i++) {
		static const char *const from[] = {"TAU_CALLPATH", "MPI | TAU_CALLPATH", "TAU_CALLPATH|MPI", "MPI|TAU_CALLPATH_X"},
					*const to[] = {"", "MPI", "MPI", "MPI|TAU_CALLPATH_X"};
		char groups[80];
		int was;

		strcpy(groups, from[i]);
		was = tau_text_callpath(groups);
		ok(was == (i < 3) && same(groups, to[i]), "%s without the group of call paths: %s", from[i], groups);
	}
}

static void test_numbers(void)
{
	char line[] = " 1 2.5 -3e2 x", count[] = "12 templated_functions_MULTI_TIME", none[] = "many functions", *at = line, *rest;
	double v[4];

	ok(tau_text_values(&at, v, 3) && v[0] == 1 && v[1] == 2.5 && v[2] == -300, "three numbers");
	ok(!tau_text_values(&at, v, 1), "what follows is none");
	ok(tau_text_count(count, &rest) == 12 && strstr(rest, "templated_functions"), "a count and what it counts");
	ok(tau_text_count(none, &rest) == -1, "no count");
}

static void test_metadata(void)
{
	static const struct {
		const char *text, *value; /* NULL: it is refused */
	} cases[] = {
		{"<metadata><attribute><name>Hostname</name><value>n1</value></attribute></metadata>", "n1"},
		{"<metadata><attribute><name>Hostname</name><value>a &lt;b&gt; &amp; c</value></attribute></metadata>", "a <b> & c"},
		{"<metadata><attribute><name>Hostname</name><value></value></attribute></metadata>", ""},
		{"<metadata><attribute><name>Hostname</name><value>n1</attribute></metadata>", NULL},
		{"<metadata><attribute><name>Hostname</name>", NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *at = cases[i].text, *what = NULL;
		struct tau_metadata m = {0};
		int code = tau_metadata_read(&at, at + strlen(at), &m, &what);

		if (cases[i].value)
			ok(!code && m.v_n == 1 && same(m.v[0].name, "Hostname") && same(m.v[0].value, cases[i].value) && !*at,
			   "metadata %zu is read", i);
		else
			ok(code < 0 && what, "metadata %zu is refused: %s", i, what ? what : "");
		tau_metadata_release(&m);
	}
}

/* Is a text read as the number that strtod() reads, bit by bit? */
static int as_strtod(const char *text)
{
	char line[80], *at = line;
	double got, expected;

	strcpy(line, text);
	expected = strtod(text, NULL);
	return tau_text_values(&at, &got, 1) && !*at && !memcmp(&got, &expected, sizeof(got));
}

static void test_exact(void)
{
	static const char *const edges[] = {"0", "-0", "5.", ".5", "+1", "1e5", "1.5e-300", "inf", "nan", "0x10",
					    "000000000000000000001.25", "0.000000000000001", "999999999999999",
					    "9999999999999999", "123456789012345.678", "0.1234567890123456789"};
	unsigned state = 7;
	size_t same = 0;

	for (size_t i = 0; i < sizeof(edges) / sizeof(*edges); i++)
		ok(as_strtod(edges[i]), "%s is read as strtod() reads it", edges[i]);
	for (int i = 0; i < 20000; i++) {
		char text[40];
		int n = 0, digits, point;

		state = state * 1664525 + 1013904223;
		digits = 1 + (int)(state >> 24) % 19;
		point = (int)(state >> 16 & 255) % (2 * digits);
		for (int k = 0; k < digits; k++) {
			state = state * 1664525 + 1013904223;
			if (k == point)
				text[n++] = '.';
			text[n++] = (char)('0' + (state >> 24) % 10);
		}
		text[n] = 0;
		same += as_strtod(text);
	}
	ok(same == 20000, "so are 20000 random numbers of 1 to 19 digits: %zu", same);
}

static void test_metadata_back(void)
{
	static const char *const values[] = {"", "plain", "<a> & \"b\" 'c'", "two\nlines", "end "};

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		struct tau_metadata m = {0};
		const char *what, *at;
		char *text;
		size_t n;
		FILE *f = open_memstream(&text, &n);

		fputs("<metadata>", f);
		tau_metadata_write(f, "n & m", values[i]);
		fputs("</metadata>", f);
		fclose(f);
		at = text;
		ok(!tau_metadata_read(&at, text + n, &m, &what) && m.v_n == 1 && same(m.v[0].name, "n & m") &&
			   same(m.v[0].value, values[i]),
		   "what is written is read: value %zu", i);
		tau_metadata_release(&m);
		free(text);
	}
}

int main(void)
{
	test_lines();
	test_names();
	test_groups();
	test_numbers();
	test_exact();
	test_metadata();
	test_metadata_back();
	return tap_end();
}
