/* paths.c: lists of paths are sorted by their bytes, and are empty after their release. */
#include <stdlib.h>
#include <string.h>

#include "analyze/base/base.h"
#include "convert/io/paths.h"
#include "tap.h"

static void test_order(const char *words, const char *sorted)
{
	struct paths p = {0};
	char all[200] = "";

	for (const char *at = words; *at; at += strspn(at, " ")) {
		size_t n = strcspn(at, " ");

		*array_add(&p, path) = mem_printf("%.*s", (int)n, at);
		at += n;
	}
	paths_sort(&p);
	for (size_t i = 0; i < p.path_n; i++) {
		strcat(all, i ? " " : "");
		strcat(all, p.path[i]);
	}
	ok(!strcmp(all, sorted), "sorted: %s", sorted);
	paths_release(&p);
	ok(!p.path && !p.path_n && !p.path_cap, "and released");
}

static void test_name(const char *path, const char *name)
{
	char *is = path_name(path);

	ok(!strcmp(is, name), "the name of %s: %s", path, is);
	free(is);
}

int main(void)
{
	static const char *const cases[][2] = {
		{"", ""},
		{"a", "a"},
		{"b a", "a b"},
		{"run/10 run/9 run/1", "run/1 run/10 run/9"},
		{"a/b a B a.b a", "B a a a.b a/b"},
		{"\xc3\xa4 z", "z \xc3\xa4"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		test_order(cases[i][0], cases[i][1]);
	test_name("run", "run");
	test_name("/a/b.run/", "b.run");
	test_name("b//", "b");
	test_name("/", "/");
	return tap_end();
}
