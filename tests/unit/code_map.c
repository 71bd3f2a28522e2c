/* code_map.c: lists of code that a program made: what covers an address, places in names, and lists that are not read. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/base/base.h"
#include "convert/code/code_map.h"
#include "seed.h"
#include "tap.h"

static char folder[] = "/tmp/code-map.XXXXXX";

static char *list_path(void)
{
	return mem_printf("%s/list", folder);
}

static struct code_map *list(const char *text)
{
	char *path = list_path();
	FILE *f = fopen(path, "w");
	struct code_map *m;

	fputs(text, f);
	fclose(f);
	m = code_map_read(path, 0);
	free(path);
	return m;
}

static void places(void)
{
	static const struct {
		const char *line, *name, *file;
		uint32_t number;
	} row[] = {
		{"JS:*step /src/a.js:12:5", "JS:*step", "/src/a.js", 12},
		{"JS:~ /src/a b.js:7:1", "JS:~", "/src/a b.js", 7},
		{"JS:^run file:///src/m.mjs:3:9", "JS:^run", "/src/m.mjs", 3},
		{"py::step:/src/a.py", "step", "/src/a.py", 0},
		{"py::<lambda>:<string>", "py::<lambda>:<string>", NULL, 0},
		{"double W.inner(int)", "double W.inner(int)", NULL, 0},
		{"a / b", "a / b", NULL, 0},
		{"std::move", "std::move", NULL, 0},
		{"x:12:5", "x:12:5", NULL, 0},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		char *text = mem_printf("1000 10 %s", row[i].line);
		struct code_map *m = list(text);
		const struct function *f = m ? code_map_find(m, 0x100f) : NULL;

		ok(f && !strcmp(f->name, row[i].name) &&
			   !strcmp(f->file ? f->file : "", row[i].file ? row[i].file : "") &&
			   f->line == row[i].number,
		   "%s", row[i].line);
		code_map_free(m);
		free(text);
	}
}

static void lines(void)
{
	struct code_map *m = list("0x2000 0x10 with prefixes\nzz 10 no address\n3000 no size\n"
				  "3000 0 empty\nffffffffffffffff 10 over the end\n4000 8\n"
				  "5000 8 \n6000 8 the last, without an end");
	static const uint64_t none[] = {0, 0x1fff, 0x2010, 0x3000, 0x4000, 0x5000, UINT64_MAX};

	ok(m && code_map_find(m, 0x2000), "addresses with 0x");
	ok(m && code_map_find(m, 0x6007), "the last line has no end");
	for (size_t i = 0; m && i < sizeof(none) / sizeof(*none); i++)
		ok(!code_map_find(m, none[i]), "nothing at %llx", (unsigned long long)none[i]);
	code_map_free(m);
	m = list("");
	ok(m && !code_map_find(m, 1), "an empty list");
	code_map_free(m);
}

/* The last line that covers an address, as found by a look at all of them. */
static void latest(void)
{
	enum { LINES = 300, SPACE = 4000 };
	uint64_t low[LINES], size[LINES];
	char *text = mem_string("");
	struct code_map *m;
	size_t wrong = 0;

	for (size_t i = 0; i < LINES; i++) {
		char *more;

		low[i] = (uint64_t)rand() % SPACE;
		size[i] = 1 + (uint64_t)rand() % (i % 50 ? 40 : 1500);
		more = mem_printf("%s%llx %llx f%zu\n", text, (unsigned long long)low[i],
				  (unsigned long long)size[i], i);
		free(text);
		text = more;
	}
	m = list(text);
	for (uint64_t at = 0; at < SPACE + 2000; at++) {
		const struct function *f = code_map_find(m, at);
		size_t want = LINES;
		char name[32] = "";

		for (size_t i = 0; i < LINES; i++)
			want = at >= low[i] && at - low[i] < size[i] ? i : want;
		if (want < LINES)
			snprintf(name, sizeof(name), "f%zu", want);
		wrong += strcmp(f ? f->name : "", name) != 0;
	}
	ok(!wrong, "the later of lines that overlap counts (%zu wrong)", wrong);
	code_map_free(m);
	free(text);
}

static void refused(void)
{
	char *path = list_path(), *other = mem_printf("%s/other", folder);
	struct code_map *m;

	code_map_free(list("1000 10 f\n"));
	m = code_map_read(path, INT64_MAX);
	ok(!m, "a list that is older");
	ok(!symlink(path, other) && !code_map_read(other, 0), "a link");
	unlink(other);
	ok(!mkfifo(other, 0600) && !code_map_read(other, 0), "a FIFO, without a wait");
	unlink(other);
	ok(!code_map_read(other, 0), "no list");
	ok(!code_map_read(folder, 0), "a folder");
	ok(!truncate(path, (off_t)65 << 20) && !code_map_read(path, 0), "a list that is too large");
	unlink(path);
	code_map_free(NULL);
	free(path);
	free(other);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	srand((unsigned)test_seed(7));
	places();
	lines();
	latest();
	refused();
	rmdir(folder);
	return tap_end();
}
