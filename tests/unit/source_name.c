/* source_name.c: names of functions as TAU's parser of sources writes them. */
#include <string.h>

#include "convert/code/source_name.h"
#include "tests/tap.h"

static const struct {
	const char *pattern, *name;
	int same;
} pairs[] = {
	{"void sort(int *, int) C", "sort", 1},
	{"int main(int, char **) C", "main", 1},
	{"int main(int, char **) C", "mainly", 0},
	{"int foo(int)#", "foo", 1},
	{"int *foo(int)", "foo", 1},
	{"int #(int)", "foo", 1},
	{"foo(int)", "foo", 1},
	{"double foo(char *)", "foo(char*)", 1},
	{"double foo(char *)", "foo(int)", 0},
	{"double foo(int)", "foo(int, int)", 0},
	{"double foo(int#)", "foo(int, int)", 1},
	{"int n::A::f(const std::vector<int> &, char **)",
	 "n::A::f(std::vector<int> const&, char**)", 1},
	{"void A::f(void)", "A::f()", 1},
	{"bool A::operator()(int)", "A::operator()(int)", 1},
	{"bool A::operator()(int)", "A::operator()(long)", 0},
	{"A A::operator<(const A &)", "A::operator<(A const&)", 1},
	{"T *make(const int &)", "int* make(int const&)", 1},
	{"SOLVE", "solve_", 1},
	{"SOL#", "solve_", 1},
	{"SOLVE", "solve", 0},
	{"PHYSICS::STEP", "physics::step", 1},
	{"PHYSICS::STEP", "physics::step2", 0},
	{"IO#", "io::read(int)", 0},
	{"IO::#", "io::read(int)", 0},
	{"asyncio task #", "foo", 0},
	{"solve_", "solve_", 0},
	{"", "foo", 0},
	{"(", "foo", 0},
	{")(", "foo()", 0},
	{"operator", "foo", 0},
	{"x operator(", "x", 0},
	{"a<b(c", "a<b(c", 0},
};

static void bare(const char *pattern, const char *expected)
{
	size_t n;
	const char *name = source_name_bare(pattern, &n);

	ok(n == strlen(expected) && !memcmp(name, expected, n), "%s is %s", pattern, expected);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		ok(source_name_match(pairs[i].pattern, pairs[i].name) == pairs[i].same,
		   "'%s' %s '%s'", pairs[i].pattern, pairs[i].same ? "names" : "does not name",
		   pairs[i].name);
	bare("int foo1(int)#", "foo1");
	bare("double Grid::step(const Cell &)", "Grid::step");
	bare("PHYSICS::STEP", "PHYSICS::STEP");
	return tap_end();
}
