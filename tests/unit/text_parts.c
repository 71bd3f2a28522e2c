/* text_parts.c: the parts of lines of text: values, names, strings and events of JSON, and the streams of a trace as lines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "convert/text/json_parts.h"
#include "convert/text/json_tracks.h"
#include "convert/text/text_lines.h"
#include "convert/text/text_names.h"
#include "tap.h"

static char *text;
static size_t text_n;

static FILE *opened(void)
{
	free(text);
	return open_memstream(&text, &text_n);
}

static void test_values(void)
{
	static const struct {
		double v;
		const char *text;
	} cases[] = {{0, "0"}, {0.1, "0.1"}, {1e300, "1e+300"}, {-2.5, "-2.5"}, {123456789, "123456789"}};
	static const double exact[] = {0.1 + 0.2, 1.0 / 3, 5e-324, 1.7976931348623157e308};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		FILE *f = opened();

		text_value(f, cases[i].v);
		fclose(f);
		ok(!strcmp(text, cases[i].text), "%s", text);
	}
	for (size_t i = 0; i < sizeof(exact) / sizeof(*exact); i++) {
		FILE *f = opened();

		text_value(f, exact[i]);
		fclose(f);
		ok(strtod(text, NULL) == exact[i], "%s reads back exactly", text);
	}
}

static void test_names(void)
{
	struct trace_memtype memtype[] = {{.name = "a"}, {.name = "b", .leak = LEAK_LOST}};
	struct trace t = {.memtype = memtype, .memtype_n = 2};
	static const struct {
		uint32_t kind, type;
		const char *name;
	} cases[] = {{EVENT_ENTER, 0, "enter"}, {EVENT_ALLOC, 0, "alloc"}, {EVENT_ALLOC, 1, "lost"}};
	struct trace_code named = {.name = "f", .module = "m"}, module = {.module = "m"}, none = {.name = NULL};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct event_args a = {.block = {.type = cases[i].type}};
		struct clip_event ev = {.event = {.kind = cases[i].kind}, .args = &a};

		ok(!strcmp(text_kind_of(&t, &ev), cases[i].name), "kind %u is called %s", cases[i].kind, text_kind_of(&t, &ev));
	}
	ok(!strcmp(text_code_name(&named), "f") && !strcmp(text_code_name(&module), "m") && !strcmp(text_code_name(&none), "unknown"),
	   "code is called by its function, or its module");
}

static void test_strings(void)
{
	static const struct {
		const char *s, *json;
	} cases[] = {{"", "\"\""}, {"a\"b\\", "\"a\\\"b\\\\\""}, {"x\n\x01", "\"x\\u000a\\u0001\""}, {"\xc3\xa9", "\"\xc3\xa9\""}, {"\xe9", "\"\xc3\xa9\""}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		FILE *f = opened();

		json_text(f, cases[i].s);
		fclose(f);
		ok(!strcmp(text, cases[i].json), "string %zu", i);
	}
}

static void test_events(void)
{
	struct write_options o = {0};
	struct text x = {.o = &o, .node = 3, .thread = 1};
	FILE *f = x.f = opened();

	json_head(&x, "B", 1234567, "a\"b");
	fputs("}", f);
	json_name(&x, "thread_name", "one");
	json_counter(&x, 5, "memory", "live", 2.5);
	json_counter(&x, 5, "memory", "live", NAN);
	fclose(f);
	ok(!strncmp(text, "\n{\"ph\":\"B\",\"pid\":3,\"tid\":1,\"ts\":1234.567,\"name\":\"a\\\"b\"},\n", 57), "an event, and a comma");
	ok(strstr(text, "\"ph\":\"M\",\"pid\":3,\"tid\":1,\"ts\":0.000,\"name\":\"thread_name\",\"args\":{\"name\":\"one\"}}") != NULL, "a name");
	ok(strstr(text, "2.5") && o.loss[LOSS_NAN] == 1, "a counter; one without a number is counted as lost");
	json_samples_end(&x);
	ok(!x.samples, "a stream without samples has no track");
}

static size_t streams, ended;

static void on_begin(struct text *x, uint32_t stream)
{
	(void)x;
	(void)stream;
	streams++;
}

static void on_end(struct text *x)
{
	(void)x;
	ended++;
}

/* A trace without streams. */
static void test_streams(void)
{
	static const struct text_kind kind = {.begin = on_begin, .end = on_end, .close = ""};
	struct trace t = {.path = "t"};
	struct write_options o = {0};
	struct text x = {.kind = &kind, .trace = &t, .o = &o, .f = opened()};
	struct error e = {0};
	long at = -1;

	ok(!text_streams(&x, &e) && !streams && !ended, "no stream is begun");
	x.time_at = &at;
	fputs("abc", x.f);
	text_time(&x);
	ok(at == 3, "the place of the time");
	fclose(x.f);
}

int main(void)
{
	test_values();
	test_names();
	test_strings();
	test_events();
	test_streams();
	free(text);
	return tap_end();
}
