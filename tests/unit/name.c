/* name.c: locations, parameters and contexts are read out of names. */
#include <string.h>

#include "analyze/trace/timer_name.h"
#include "tap.h"

static void check_location(const char *name, const char *file, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	struct name_location l;
	int found = name_location(name, &l);

	if (!file)
		ok(!found, "no location in '%s'", name);
	else
		ok(found && l.file_n == strlen(file) && !memcmp(l.file, file, l.file_n) && l.line == a && l.column == b &&
			   l.line_end == c && l.column_end == d,
		   "location of '%s'", name);
}

static void check_short(const char *name, const char *expected)
{
	ok(name_short(name) == strlen(expected) && !strncmp(name, expected, strlen(expected)), "short name of '%s'", name);
}

static void check_parameters(const char *name, const char *expected)
{
	struct name_parameter p;
	const char *cursor = name;
	char got[100] = "";

	while (name_parameter(&cursor, &p))
		sprintf(got + strlen(got), "%.*s=%.*s;", (int)p.key_n, p.key, (int)p.value_n, p.value);
	ok(!strcmp(got, expected), "parameters of '%s': '%s'", name, got);
}

static int take_base(void *arg, const char *name, size_t base_n, const char *context)
{
	(void)context;
	return base_n == strlen(arg) && !memcmp(arg, name, base_n);
}

int main(void)
{
	check_location("int main(int, char **) C [{matmult.c} {209,1}-{299,7}]", "matmult.c", 209, 1, 299, 7);
	check_location("[SAMPLE] f [{/a b/f.c} {12}]", "/a b/f.c", 12, 0, 0, 0);
	check_location("f [{f.c} {12}-{13}]", "f.c", 12, 0, 13, 0);
	check_location("f [{f.c}]", "f.c", 0, 0, 0, 0);
	check_location("[{a.c} {1,1}] => g [{b.c} {2,3}]", "b.c", 2, 3, 0, 0);
	check_location("f [{f.c} {x}]", NULL, 0, 0, 0, 0);
	check_location("f [{}]", NULL, 0, 0, 0, 0);
	check_location("f [{f.c} {1,1}-{2", NULL, 0, 0, 0, 0);
	check_location("f [{f.c} {12345678901}]", NULL, 0, 0, 0, 0);
	check_location("for (loop body) [OpenMP location: file:/a b/f.c <12, 34>]", "/a b/f.c", 12, 0, 34, 0);
	check_location("for [OpenMP location: file:f.c <12>]", "f.c", 12, 0, 0, 0);
	check_location("for [OpenMP location: file:f.c <12, 34]", NULL, 0, 0, 0, 0);
	check_location("for [OpenMP location: file: <12, 34>]", NULL, 0, 0, 0, 0);
	check_location("for [OpenMP]", NULL, 0, 0, 0, 0);
	check_location("", NULL, 0, 0, 0, 0);
	check_short("double do_work(void) C [{matmult.c} {132,1}-{168,1}]", "double do_work(void) C");
	check_short("for enter/exit [OpenMP location: file:f.c <12, 34>]", "for enter/exit");
	check_short("foo [ <i> = <3> ]", "foo");
	check_short("MPI_Init()", "MPI_Init()");
	check_short("[{f.c}]", "[{f.c}]");
	check_parameters("foo [ <i> = <3> ]", "i=3;");
	check_parameters("foo [ <i> = <3> ] [ <name> = <a b> ]", "i=3;name=a b;");
	check_parameters("std::vector<int> f(map<a> = <b>)", "");
	check_parameters("foo [ <i> = <3", "");
	ok(name_context("E : a : b", take_base, "E : a") == 1 && name_context("E : a : b", take_base, "E") == 1 &&
		   name_context("E : a : b", take_base, "F") == 0 && name_context(" : ", take_base, "") == 0,
	   "every reading of a context is offered");
	return tap_end();
}
