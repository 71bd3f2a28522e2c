/* native_parts.c: times, sums of an index as bytes and back, damaged bytes, sizes of its levels, and numbers of memory types in a file. */
#include "convert/native/events/native_cursor.h"
#include "convert/native/index/native_index.h"
#include "convert/native/file/native_load.h"
#include "convert/native/native_run.h"
#include "convert/native/write/native_writer.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

static void test_entries(void)
{
	static const struct {
		uint64_t level0;
		uint32_t level;
		uint64_t n;
	} cases[] = {{0, 0, 0}, {1, 0, 1}, {1, 1, 0}, {17, 0, 17}, {17, 1, 1}, {16, 1, 0}, {257, 2, 1}, {0, 3, 0}, {UINT64_MAX, 1, (UINT64_MAX - 1) / INDEX_FAN}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ok(index_entries(cases[i].level0, cases[i].level) == cases[i].n, "%llu entries have %llu on level %u",
		   (unsigned long long)cases[i].level0, (unsigned long long)cases[i].n, cases[i].level);
}

/* Paths 1: region 0, 2: region 0 => region 1. */
static void test_stretch(void)
{
	struct summary_names names;
	struct summary s, back;
	struct buffer b = {0};
	size_t wrong = 0;

	summary_names_init(&names);
	callstack_path_find(&names.paths, callstack_path_find(&names.paths, 0, 0), 1);
	summary_init(&s, 1);
	s.begin = 5;
	s.end = 5000000000;
	s.repaired = 3;
	for (uint32_t path = 1; path <= 2; path++) {
		struct summary_row *r = summary_row_add(&s, path, 1);

		r->calls = path * 1000000;
		r->excl = path == 2 ? -7 : 9;
		s.metric[path - 1] = INT64_MIN + path;
	}
	s.value[0] = -1;
	s.then[0] = 12345;
	native_index_put_stretch(&b, &s, 1);
	summary_init(&back, 1);
	ok(!native_index_get_stretch(bytes_of(b.v, b.v_n), &names, 1, &back), "a sum of %zu bytes is read back", b.v_n);
	ok(back.row_n == 2 && back.row[1].path == 2 && back.row[1].calls == 2000000 && back.row[1].excl == -7 && back.metric[0] == INT64_MIN + 1,
	   "with its rows");
	ok(back.repaired == 3 && back.value[0] == -1 && back.then[0] == 12345, "and numbers");
	/* Each cut is damage; no changed byte leads outside of the names. */
	for (size_t n = 0; n < b.v_n; n++)
		wrong += native_index_get_stretch(bytes_of(b.v, n), &names, 1, &back) == 0;
	ok(!wrong, "bytes that are cut short are damage");
	for (size_t i = 0; i < b.v_n; i++) {
		b.v[i] ^= 0xff;
		if (!native_index_get_stretch(bytes_of(b.v, b.v_n), &names, 1, &back))
			for (size_t k = 0; k < back.row_n; k++)
				wrong += back.row[k].path >= names.paths.v_n;
		b.v[i] ^= 0xff;
	}
	ok(!wrong, "rows have paths that there are, whatever byte is changed");
	free(b.v);
	summary_release(&s);
	summary_release(&back);
	summary_names_release(&names);
}

/* Types of one name and kind have one number; others have their own. */
static void test_memtypes(void)
{
	struct trace_memtype m[] = {{.name = "list_t"}, {.name = "value_t"}, {.name = "list_t"}};
	struct trace t = {.path = "t", .memtype = m, .memtype_n = 3};
	uint32_t *number;

	for (size_t i = 0; i < 3; i++)
		m[i].owner = m[i].call = TRACE_NONE;
	number = native_number_memtypes(&t);
	ok(number[0] == number[2] && number[0] != number[1], "numbers of types: %u %u %u", number[0], number[1], number[2]);
	free(number);
}

/* A frame of the root with one call: 1, depth, region, begin, length, setup, calls; then region, begin, length of the call. */
static void test_frames(void)
{
	unsigned char bytes[] = {1, 0, 0, 0, 9, 0, 1, 1, 2, 3, 0, 0, 0, 0, 0, 0};
	uint32_t region = 0;
	struct native_stream s = {.region = {.v = &region, .v_n = 1}};
	struct trace_region r = {.name = "main"};
	struct trace t = {.path = "t", .region = &r, .region_n = 1};
	struct frames_kept k;

	ok(!native_frames_get(bytes_of(bytes, sizeof(bytes)), &t, &s, &k) && k.v_n == 1 && k.v[0].region == t.region_n &&
	   k.v[0].call[0].region == 0, "a frame of the root has a call of main");
	frames_kept_release(&k);
	bytes[7] = 0;
	ok(native_frames_get(bytes_of(bytes, sizeof(bytes)), &t, &s, &k) == -1, "a call of the root is damage");
	bytes[7] = 2;
	ok(native_frames_get(bytes_of(bytes, sizeof(bytes)), &t, &s, &k) == -1 && !k.v_n, "and so is one of a region that is not defined");
}

/* A place of a chunk that cannot be: no memory is taken for it. */
static void test_chunk_place(void)
{
	struct native_chunk chunk = {.offset = 100, .stored = UINT64_MAX / 2};
	struct native_file f = {.path = "t", .fd = 0, .chunk = &chunk, .chunk_n = 1, .size = 1000};
	struct native_columns c = {0};
	struct error e;

	ok(native_file_load(&f, 0, 1, &c, &e) == ERROR_INPUT && strstr(e.text, "place"), "%s", e.text);
	native_columns_release(&c);
}

/* Ticks that do not fit in the bits of the clock must not wrap around to earlier times. */
static void test_late_ticks(void)
{
	uint32_t region = 0;
	unsigned char ids[2 + 2 + NATIVE_PAD] = {TAU_TOKEN_REGION, TAU_TOKEN_REGION}, times[2 + 2 + NATIVE_PAD] = {0, 0, 200, 200};
	struct native_file file = {.path = "t"};
	struct native_stream s = {.region = {.v = &region, .v_n = 1}, .file = &file};
	struct native_clock clock = {.shift = 40, .mult = 1ull << 61};
	struct trace t = {.path = "t", .region_n = 1};
	struct trace_cursor c = {.trace = &t, .stream = &s, .clock = &clock, .tick = (1ull << 40) - 10, .last_ns = INT64_MIN};
	struct event event[4];
	const char *wrong;

	c.columns.head = (struct tau_chunk_header){.records = 2, .last_tick = (1ull << 40) - 1};
	c.columns.data[TAU_IDS] = ids;
	c.columns.data[TAU_TIMES] = times;
	c.args = bytes_of(ids, 0);
	c.event = c.batch.event = event;
	native_decode_init(&c);
	wrong = native_decode(&c);
	ok(wrong && strstr(wrong, "time") && !c.batch.n, "a time after the end of its chunk is damage: %s", wrong ? wrong : "no");
	native_decode_release(&c);
	free(c.batch.args);
}

int main(void)
{
	test_late_ticks();
	test_frames();
	test_chunk_place();
	test_entries();
	test_stretch();
	test_memtypes();
	return tap_end();
}
