/* demangle.c: names of functions and types as programmers wrote them. */
#include "convert/code/demangle.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/base/base.h"
#include "tap.h"

static const struct {
	const char *name, *function, *type; /* NULL: the name itself */
} cases[] = {
	{"main", NULL, NULL},
	{"", NULL, NULL},
	{"f", NULL, "float"},
	{"i", NULL, "int"},
	{"_Z3addii", "add(int, int)", "add(int, int)"},
	{"_ZN4mesh4fillEv", "mesh::fill()", "mesh::fill()"},
	{"_Z", NULL, NULL},
	{"_ZN4mesh", NULL, NULL},
	{"St6vectorIiSaIiEE", NULL, "std::vector<int, std::allocator<int> >"},
	{"__mesh_MOD_fill", "mesh::fill", NULL},
	{"__mesh_MOD_", NULL, NULL},
	{"mesh_mp_fill_", "mesh::fill", NULL},
	{"mesh_mp_", NULL, NULL},
	{"_QMmeshPfill", "mesh::fill", NULL},
	{"_QMmeshP", NULL, NULL},
	{"_QMP", NULL, NULL},
	{"__", NULL, NULL},
};

/* f(P<int, int>, P<A, A>, P<B, B> ...), where A is the argument before, B the next one. */
static char *doubling(int levels)
{
	static const char digit[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char *name = mem_string("_Z1f1PIiiE");

	for (int i = 0; i < levels; i++) {
		char *longer = mem_printf("%sS_IS%c_S%c_E", name, digit[i], digit[i]);

		free(name);
		name = longer;
	}
	return name;
}

static void check_words(const char *name, const char *want)
{
	char *made = demangle_words(name);

	ok(made && want ? !strcmp(made, want) : !made && !want, "words of '%s': %s", name, made ? made : "as they are");
	free(made);
}

int main(void)
{
	char *made;

	check_words("_ZN4mesh4fillEv [{/_Z3addii/mesh.cc} {3,0}]", "mesh::fill() [{/_Z3addii/mesh.cc} {3,0}]");
	check_words("[SAMPLE] _Z3addii [{a.cc} {3}]", "[SAMPLE] add(int, int) [{a.cc} {3}]");
	check_words("Message size : main => _Z3addii => __mesh_MOD_fill", "Message size : main => add(int, int) => mesh::fill");
	check_words("_ZN4mesh4fillEv", "mesh::fill()");
	check_words("", NULL);
	check_words("main", NULL);
	check_words("_main of _Z", NULL);
	check_words("f(_Z3addii)", NULL);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *type = cases[i].type ? cases[i].type : cases[i].name;

		made = demangle(cases[i].name);
		ok(made && cases[i].function ? !strcmp(made, cases[i].function)
					     : !made && !cases[i].function,
		   "function '%s': %s", cases[i].name, made ? made : "as it is");
		free(made);
		made = demangle_type(cases[i].name);
		ok(!strcmp(made, type), "type '%s': %s", cases[i].name, made);
		free(made);
	}
	ok(!demangle(NULL), "no name");
	for (int levels = 4; levels <= 30; levels += 26) {
		char *name = doubling(levels);

		made = demangle(name);
		ok(!made == (levels > 20), "a name that doubles %d times: %zu bytes", levels,
		   made ? strlen(made) : strlen(name));
		free(made);
		made = demangle_type(name);
		ok(!strcmp(made, name) == (levels > 20), "the same as a type");
		free(made);
		free(name);
	}
	return tap_end();
}
