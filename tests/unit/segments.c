/* segments.c: windows that overlap as disjoint segments, and the way through them. */
#include "analyze/trace/segments.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

#define MOST 3

/* "0-10:01 10-20:1": segments with their windows. */
static void text_of(const struct segments *s, char *text, size_t size)
{
	size_t n = 0;

	*text = 0;
	for (size_t i = 0; i < s->v_n; i++) {
		n += (size_t)snprintf(text + n, size - n, "%s%lld-%lld:", i ? " " : "", (long long)s->v[i].begin, (long long)s->v[i].end);
		for (uint32_t k = 0; k < s->v[i].n; k++)
			n += (size_t)snprintf(text + n, size - n, "%u", s->member[s->v[i].first + k]);
	}
}

static void test_make(void)
{
	static const struct {
		struct window_span span[MOST]; /* one of each window; end 0: no more */
		const char *text;
	} cases[] = {
		{{{0, 10}}, "0-10:0"},
		{{{0, 10}, {10, 20}}, "0-10:0 10-20:1"},
		{{{0, 10}, {5, 20}}, "0-5:0 5-10:01 10-20:1"},
		{{{0, 30}, {10, 20}}, "0-10:0 10-20:01 20-30:0"},
		{{{0, 10}, {0, 10}}, "0-10:01"},
		{{{0, 10}, {20, 30}}, "0-10:0 20-30:1"},
		{{{20, 30}, {0, 10}, {5, 25}}, "0-5:1 5-10:12 10-20:2 20-25:02 25-30:0"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct window window[MOST] = {{0}};
		struct window_spans of[MOST];
		struct windows w = {.v = window};
		struct segments s;
		char text[200];

		for (; w.v_n < MOST && cases[i].span[w.v_n].end; w.v_n++) {
			of[w.v_n] = (struct window_spans){(struct window_span *)&cases[i].span[w.v_n], 1, 1};
			window[w.v_n].of = &of[w.v_n];
			window[w.v_n].of_n = 1;
		}
		segments_make(&s, &w, 0);
		text_of(&s, text, sizeof(text));
		ok(!strcmp(text, cases[i].text), "windows %zu: %s", i, text);
		segments_release(&s);
	}
}

static void test_cursor(void)
{
	struct window_span span[] = {{0, 10}, {20, INT64_MAX}};
	struct window_spans of = {span, 2, 2};
	struct window window = {.of = &of, .of_n = 1};
	struct windows w = {.v = &window, .v_n = 1};
	struct segments s;
	struct segment_cursor c = {&s, 0, 0};

	segments_make(&s, &w, 0);
	ok(segments_left(&c) && segment_edge(&c) == 0, "the first edge is where the first segment begins");
	ok(!segment_cross(&c, -1), "an edge that is later is not crossed");
	ok(segment_cross(&c, 5) == &s.v[0] && c.open && segment_edge(&c) == 10, "inside the first");
	ok(segment_cross(&c, 25) == &s.v[0] && !c.open, "its end is crossed next");
	ok(segment_cross(&c, 25) == &s.v[1] && c.open, "then the second begins");
	ok(segment_edge(&c) == INT64_MAX && !segment_cross(&c, INT64_MAX - 1), "which has no end");
	segments_release(&s);
}

int main(void)
{
	test_make();
	test_cursor();
	return tap_end();
}
