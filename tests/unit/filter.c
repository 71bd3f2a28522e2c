/* filter.c: lists of ranks and threads, names, and the streams of a trace that they select. */
#include "analyze/trace/filter.h"

#include <string.h>

#include "tap.h"

static void test_lists(void)
{
	static const struct {
		const char *text;
		int code;
		int64_t in[4], out[4]; /* -1: none */
	} cases[] = {
		{"3", 0, {3, -1}, {0, 2, 4, -1}},
		{"0,3..7,12", 0, {0, 3, 7, 12}, {1, 2, 8, 11}},
		{"5..5", 0, {5, -1}, {4, 6, -1}},
		{"99999999999", 0, {-1}, {0, 999, -1}},
		{"7..3", ERROR_USAGE, {-1}, {-1}},
		{"", ERROR_USAGE, {-1}, {-1}},
		{"1,", ERROR_USAGE, {-1}, {-1}},
		{"1..", ERROR_USAGE, {-1}, {-1}},
		{"-1", ERROR_USAGE, {-1}, {-1}},
		{"1 2", ERROR_USAGE, {-1}, {-1}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct filter f = {.rank = {NULL, 0, 0}};
		struct error e = {0};
		int code = filter_parse(cases[i].text, "thread", &f.thread, &e), good = 1;

		ok(code == cases[i].code && e.code == code, "list '%s': code %d", cases[i].text, code);
		for (size_t k = 0; !code && k < 4 && cases[i].in[k] >= 0; k++)
			good &= filter_thread(&f, cases[i].in[k]);
		for (size_t k = 0; !code && k < 4 && cases[i].out[k] >= 0; k++)
			good &= !filter_thread(&f, cases[i].out[k]);
		ok(good, "'%s' selects the numbers in it and no other", cases[i].text);
		filter_release(&f);
	}
	ok(filter_thread(NULL, 5), "no filter selects all");
}

static void test_names(void)
{
	struct filter f = {.rank = {NULL, 0, 0}};

	ok(!filter_regions(&f) && !filter_regions(NULL), "no names: all regions");
	filter_name("MPI,TAU_USER", 1, &f.group);
	filter_name("map<a,b>", 0, &f.region);
	ok(f.group.v_n == 2 && !strcmp(f.group.v[0], "MPI") && !strcmp(f.group.v[1], "TAU_USER"), "commas separate groups");
	ok(f.region.v_n == 1 && !strcmp(f.region.v[0], "map<a,b>"), "a region's name may have commas");
	ok(filter_regions(&f), "names select regions");
	filter_release(&f);
	ok(!f.group.v && !f.region.v_n, "released");
}

static void test_streams(void)
{
	static const struct {
		const char *rank, *thread;
		const char *selected; /* streams */
	} cases[] = {{NULL, NULL, "1111"}, {"0", NULL, "1100"}, {NULL, "1", "0101"}, {"1", "0", "0010"}, {"2", NULL, "0000"}};
	struct trace_process process[2] = {{.node = 0}, {.node = 1}};
	struct trace_stream stream[4] = {{.process = 0, .thread = 0}, {.process = 0, .thread = 1}, {.process = 1, .thread = 0},
					 {.process = 1, .thread = 1}};
	struct trace t = {.path = (char *)"a.run", .process = process, .process_n = 2, .stream = stream, .stream_n = 4};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct filter f = {.rank = {NULL, 0, 0}};
		struct error e = {0};
		char selected[5] = "";
		int code;

		if ((cases[i].rank && filter_parse(cases[i].rank, "rank", &f.rank, &e)) ||
		    (cases[i].thread && filter_parse(cases[i].thread, "thread", &f.thread, &e)))
			ok(0, "the filter is read");
		for (uint32_t s = 0; s < 4; s++)
			selected[s] = filter_stream(&f, &t, s) ? '1' : '0';
		ok(!strcmp(selected, cases[i].selected), "--rank %s --thread %s selects %s", cases[i].rank ? cases[i].rank : "(all)",
		   cases[i].thread ? cases[i].thread : "(all)", selected);
		code = filter_check(&f, &t, &e);
		ok(code == (strchr(selected, '1') ? 0 : ERROR_INPUT), "nothing selected is an error, and nothing else: %d", code);
		filter_release(&f);
	}
}

int main(void)
{
	test_lists();
	test_names();
	test_streams();
	return tap_end();
}
