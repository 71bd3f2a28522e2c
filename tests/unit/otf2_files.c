/* otf2_files.c: the file that names an OTF2 archive, and how many records of its files are whole. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "convert/otf2/anchor.h"
#include "convert/otf2/whole.h"
#include "files.h"
#include "tap.h"

static char folder[] = "/tmp/otf2-files-XXXXXX";

static void is_anchor(const char *path, const char *want, size_t n_want)
{
	size_t n = 99;
	struct input *in = input_new(path);
	char *anchor = archive_anchor(in, &n);

	ok(n == n_want && (want ? anchor && !strcmp(anchor, want) : !anchor), "%s: %zu, %s", strrchr(path, '/'), n, anchor ? anchor : "none");
	free(anchor);
	input_free(in);
}

static void test_anchor(void)
{
	char *inside = mem_string(file_below(folder, "a/traces.otf2")), *second = mem_string(file_below(folder, "a/more.otf2"));

	mkdir(file_below(folder, "a"), 0700);
	file_put(file_below(folder, "a/notes.otf2"), "hello there", 11);
	is_anchor(file_below(folder, "a"), NULL, 0);
	file_put(inside, "\1BOTF2\0\0", 8);
	is_anchor(inside, inside, 1);
	is_anchor(file_below(folder, "a"), inside, 1);
	is_anchor(folder, inside, 1); /* one folder below */
	is_anchor(file_below(folder, "a/notes.otf2"), NULL, 0);
	is_anchor("/nonexistent/x.otf2", NULL, 0);
	file_put(second, "\1#OTF2", 6);
	{
		struct input *in = input_new(file_below(folder, "a"));
		size_t n;

		free(archive_anchor(in, &n));
		input_free(in);
		ok(n == 2, "a folder with two: %zu", n);
	}
	free(inside);
	free(second);
}

/* An anchor up to the count of its properties, in four bytes, and n_after bytes. */
static void holds(const char *what, const char *order, const char *count, const char *after, size_t n_after, int want)
{
	char bytes[200] = "\3";
	size_t n = 1;
	struct error e = {0};
	int code;

	n += (size_t)sprintf(bytes + n, "%sOTF2", order) + 1;
	bytes[n] = 3; /* the anchor's version */
	n += 1 + 1 + 3 + 8 + 8 + 1 + 1 + 8 + 8;
	for (int i = 0; i < 3; i++)
		n += (size_t)sprintf(bytes + n, "text") + 1;
	memcpy(bytes + n, count, 4);
	memcpy(bytes + n + 4, after, n_after);
	file_put(file_below(folder, "anchor"), bytes, n + 4 + n_after);
	code = archive_anchor_check(file_below(folder, "anchor"), &e);
	ok(code == want && (!code || strstr(e.text, "properties")), "an anchor with %s: %d", what, code);
	/* A file that ends before the count is refused by the library. */
	for (; n; n--) {
		file_put(file_below(folder, "anchor"), bytes, n);
		if (archive_anchor_check(file_below(folder, "anchor"), &e))
			break;
	}
	ok(!n, "and cut at any byte before the count");
}

static void test_properties(void)
{
	holds("no properties", "B", "\0\0\0\0", "\0\0\0\0\0\0\0\0", 8, 0);
	holds("one", "B", "\1\0\0\0", "a\0b", 4, 0);
	holds("one, big bytes first", "#", "\0\0\0\1", "a\0b", 4, 0);
	holds("three in four bytes", "B", "\3\0\0\0", "a\0b", 4, ERROR_INPUT);
	holds("a count whose double is 0 in 32 bits", "B", "\0\0\0\x80", "a\0b", 4, ERROR_INPUT);
	holds("2^24, big bytes first", "#", "\1\0\0\0", "a\0b", 4, ERROR_INPUT);
}

/* A chunk of 64 bytes: head of 18, then records of definitions: kind, length, bytes. */
static void test_definitions(void)
{
	static const struct {
		const char *records;
		size_t n;
		uint64_t whole;
		int ends;
	} cases[] = {
		{"\x0a\x01x\x0b\x02yy\x02", 8, 2, 1},
		{"\x0a\x01x\x0b\x02yy", 7, 2, 0}, /* without the end of the file */
		{"\x0a\x01x\x0b\x02y", 6, 1, 0},  /* the second is cut */
		{"\x0a\xff\x03\0\0\0\0\0\0\0xyz\x02", 14, 1, 1},
		{"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10, 0, 0}, /* a length beyond everything */
		{"\x0a\xff\x03", 3, 0, 0},
		{"", 0, 0, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		unsigned char bytes[64] = {3, 'B'};
		struct whole_file w;

		memcpy(bytes + 18, cases[i].records, cases[i].n);
		file_put(file_below(folder, "global.def"), bytes, 18 + cases[i].n);
		ok(!whole_definitions(file_below(folder, "global.def"), 64, &w) && w.records == cases[i].whole && w.ends == cases[i].ends &&
			   w.size == 18 + cases[i].n,
		   "definitions %zu: %d are whole, the file %s", i, (int)w.records, w.ends ? "ends" : "was cut");
	}
}

/* Events: a time of 8 bytes is no record. The second chunk's header states that 7 events are before it. */
static void test_events(void)
{
	unsigned char bytes[128] = {3, 'B'};
	struct whole_file w;

	bytes[18] = 5;
	memcpy(bytes + 27, "\x0a\x01x\x0c\x01y", 6); /* 10 has a length, 12 is one number of 1 byte */
	file_put(file_below(folder, "0.evt"), bytes, 33);
	ok(!whole_events(file_below(folder, "0.evt"), 64, &w) && w.records == 2 && !w.ends, "two events: %d", (int)w.records);
	bytes[64] = 3;
	bytes[65] = 'B';
	bytes[66] = 8;
	memcpy(bytes + 64 + 18, "\x0a\x01x\x02", 4);
	file_put(file_below(folder, "0.evt"), bytes, 64 + 22);
	ok(!whole_events(file_below(folder, "0.evt"), 64, &w) && w.records == 8 && w.ends, "the last chunk says how many are before it: %d", (int)w.records);
	file_put(file_below(folder, "0.evt"), "hello", 5);
	ok(!whole_events(file_below(folder, "0.evt"), 64, &w) && !w.records && !w.ends, "a text has none");
	ok(whole_events("/nonexistent.evt", 64, &w) == -1, "no file");
	ok(whole_events(file_below(folder, "0.evt"), 0, &w) == -1 && whole_definitions(file_below(folder, "0.evt"), 0, &w) == -1, "chunks of 0 bytes");
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	test_anchor();
	test_properties();
	test_definitions();
	test_events();
	folder_remove(folder);
	return tap_end();
}
