/* window_text.c: the text of a window, its times, and spans that touch. */
#include "analyze/window/window_read.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/window/window_make.h"
#include "tap.h"

static void test_times(void)
{
	static const struct {
		const char *text;
		int is, share;
		int64_t value;
	} cases[] = {
		{"5ms", 1, 0, 5000000},
		{"1.5us", 1, 0, 1500},
		{"2h", 1, 0, 7200000000000},
		{"1m", 1, 0, 60000000000},
		{"0ns", 1, 0, 0},
		{"50%", 1, 1, 50 * SHARE_ONE},
		{"12.5%", 1, 1, 12 * SHARE_ONE + SHARE_ONE / 2},
		{"5", 0, 0, 0},
		{"ms", 0, 0, 0},
		{"", 0, 0, 0},
		{"5 ms", 0, 0, 0},
		{"5msx", 0, 0, 0},
		{"99999999999999999999h", 0, 0, 0},
		{"1.2.3s", 0, 0, 0},
		{"1.0000000000000000h", 1, 0, 3600000000000},
		{"1.000000000000000000000000000h", 0, 0, 0}, /* too many digits: the value is not in range */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int64_t value = -1;
		int share = 0, is = window_time(cases[i].text, strlen(cases[i].text), &value, &share);

		ok(is == cases[i].is && (!is || (value == cases[i].value && share == cases[i].share)), "'%s': %s %lld", cases[i].text,
		   is ? "is a time" : "is no time", (long long)(is ? value : 0));
	}
}

static void test_windows(void)
{
	static const struct {
		const char *text;
		int code, kind, begin, end; /* kinds of the points */
	} cases[] = {
		{"1s:2s", 0, WINDOW_BETWEEN, POINT_TIME, POINT_TIME},
		{":", 0, WINDOW_BETWEEN, POINT_OPEN, POINT_OPEN},
		{"50%:", 0, WINDOW_BETWEEN, POINT_SHARE, POINT_OPEN},
		{":-5ms", 0, WINDOW_BETWEEN, POINT_OPEN, POINT_FROM_END},
		{"1s:+2s", 0, WINDOW_BETWEEN, POINT_TIME, POINT_LENGTH},
		{"1s:+10%", 0, WINDOW_BETWEEN, POINT_TIME, POINT_LENGTH_SHARE},
		{"solve#3", 0, WINDOW_INSTANCES, POINT_OPEN, POINT_OPEN},
		{"iter=2..4", 0, WINDOW_INSTANCES, POINT_OPEN, POINT_OPEN},
		{"snapshot:a..snapshot:b#2", 0, WINDOW_SNAPSHOTS, POINT_OPEN, POINT_OPEN},
		{"", ERROR_USAGE, 0, 0, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct window_text r = {0};
		struct error e = {0};
		int code = window_text_parse(cases[i].text, NULL, &r, &e);

		ok(code == cases[i].code, "'%s' is %s", cases[i].text, code ? e.text : "read");
		if (!code) {
			ok((int)r.kind == cases[i].kind &&
				   (r.kind != WINDOW_BETWEEN || ((int)r.begin.kind == cases[i].begin && (int)r.end.kind == cases[i].end)),
			   "kind %d, from %d to %d", (int)r.kind, (int)r.begin.kind, (int)r.end.kind);
			window_text_release(&r);
		}
	}
}

static void test_numbers(void)
{
	struct window_text r = {0};
	struct error e = {0};

	ok(!window_text_parse("solve#3..5@7", NULL, &r, &e) && r.of.region && !strcmp(r.of.region, "solve") && r.first == 3 && r.last == 5,
	   "a region with numbers");
	window_text_release(&r);
	memset(&r, 0, sizeof(r));
	ok(!window_text_parse("snapshot:a#2..snapshot:b", NULL, &r, &e) && !strcmp(r.from, "a") && !strcmp(r.to, "b") && r.first == 2 &&
		   r.last == 1,
	   "snapshots with numbers");
	window_text_release(&r);
}

/* Which reading holds depends on the regions. */
static void test_regions(void)
{
	static const struct {
		const char *name[2], *text;
		int code, kind;
	} cases[] = {
		{{"begin", "end"}, "begin..end", 0, WINDOW_PHASES},
		{{"begin..end", "other"}, "begin..end", 0, WINDOW_INSTANCES},
		{{"other", "third"}, "begin..end", ERROR_INPUT, 0},
		{{"a#2", "a"}, "a#2", 0, WINDOW_INSTANCES},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct trace_region region[2] = {{.name = (char *)cases[i].name[0]}, {.name = (char *)cases[i].name[1]}};
		struct trace t = {.path = "t", .region = region, .region_n = 2};
		struct window_text r = {0};
		struct error e = {0};
		int code = window_text_parse(cases[i].text, &t, &r, &e);

		ok(code == cases[i].code && (code || (int)r.kind == cases[i].kind), "'%s' with %s and %s: %s", cases[i].text,
		   cases[i].name[0], cases[i].name[1], code ? e.text : "read");
		if (!code)
			window_text_release(&r);
	}
}

static void test_spans(void)
{
	static const struct {
		int64_t ns;
		const char *text;
	} times[] = {{0, "0ns"}, {999, "999ns"}, {1000, "1us"}, {1500, "1.5us"}, {817665123, "817.665123ms"}, {60000000000, "60s"}};
	struct window_spans s = {0};
	char text[64];

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		int64_t ns = -1;
		int share;

		window_time_text(text, sizeof(text), times[i].ns);
		ok(window_time(text, strlen(text), &ns, &share) && ns == times[i].ns, "%s reads back exactly", text);
	}
	window_span_add(&s, (struct window_span){10, 20});
	window_span_add(&s, (struct window_span){20, 30});
	window_span_add(&s, (struct window_span){31, 40});
	ok(s.v_n == 2 && s.v[0].begin == 10 && s.v[0].end == 30 && s.v[1].begin == 31, "spans that touch become one");
	free(s.v);
}

int main(void)
{
	test_times();
	test_windows();
	test_numbers();
	test_regions();
	test_spans();
	return tap_end();
}
