/* memory_type.c: kinds and families of types of memory, and their reading from names. */
#include "analyze/trace/memory_type.h"

#include <string.h>

#include "analyze/base/base.h"

#define VARIABLE  "variable "
#define VARIABLES "variables ["

static const char *const families[MEMORY_FAMILIES] = {
	[MEMORY_FAMILY_UNKNOWN] = "unknown", [MEMORY_FAMILY_OPAL] = "OPAL",
	[MEMORY_FAMILY_PMIX] = "PMIx",	     [MEMORY_FAMILY_CXX] = "C++",
	[MEMORY_FAMILY_PYTHON] = "CPython",  [MEMORY_FAMILY_RULE] = "rule",
	[MEMORY_FAMILY_PROGRAM] = "program",
};

const char *memory_family_name(enum memory_family family)
{
	return families[family];
}

enum memory_family memory_family_named(const char *name, size_t n)
{
	enum memory_family f = MEMORY_FAMILY_UNKNOWN;

	while (f < MEMORY_FAMILIES && (strlen(families[f]) != n || memcmp(families[f], name, n)))
		f++;
	return f;
}

/*
 * Classes of Open MPI and PMIx have names of C types, "ompi_proc_t"; types of other families rarely
 * do.
 */
static int is_runtime(const char *type, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!((type[i] | 32) >= 'a' && (type[i] | 32) <= 'z') &&
		    !(type[i] >= '0' && type[i] <= '9') && type[i] != '_')
			return 0;
	return n > 2 && !strncmp(type + n - 2, "_t", 2);
}

/* Reads kinds whose names have the library in brackets. */
static int read_bracket(const char *name, struct memory_class *c)
{
	static const struct {
		const char *prefix;
		enum memory_kind kind;
	} known[] = {
		{"untyped [", MEMORY_UNTYPED},	  {"mapped [", MEMORY_MAPPED},
		{"mapped file [", MEMORY_MAPPED}, {"shared [", MEMORY_MAPPED},
		{"break [", MEMORY_MAPPED},	  {VARIABLES, MEMORY_VARIABLE},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		size_t n = strlen(known[i].prefix);

		if (strncmp(name, known[i].prefix, n))
			continue;
		c->kind = known[i].kind;
		c->library = name + n;
		c->library_n = strcspn(name + n, "]");
		return 1;
	}
	return 0;
}

char *memory_variable_text(const char *name, const char *library)
{
	return *name ? mem_printf(VARIABLE "%s [%s]", name, library)
		     : mem_printf(VARIABLES "%s]", library);
}

/* The bracket with the library of "variable NAME [LIBRARY]"; NULL: the text is not of this form. */
static const char *variable_bracket(const char *text)
{
	const char *bracket = strncmp(text, VARIABLE, strlen(VARIABLE))
				      ? NULL
				      : strstr(text + strlen(VARIABLE), " [");

	return bracket && text[strlen(text) - 1] == ']' ? bracket : NULL;
}

char *memory_variable_name(const char *text)
{
	const char *bracket = variable_bracket(text), *name = text + strlen(VARIABLE);

	return bracket ? mem_printf("%.*s", (int)(bracket - name), name) : mem_string("");
}

struct memory_class memory_class_read(const char *name)
{
	struct memory_class c = {MEMORY_TYPED, MEMORY_FAMILY_UNKNOWN, NULL, 0};
	size_t n = strlen(name);

	if (read_bracket(name, &c))
		return c;
	if (variable_bracket(name)) {
		c.kind = MEMORY_VARIABLE;
		c.library = variable_bracket(name) + 2;
		c.library_n = strcspn(c.library, "]");
		return c;
	}
	if (!strcmp(name, "untyped")) {
		c.kind = MEMORY_UNTYPED;
		return c;
	}
	if (!strcmp(name, "symmetric heap")) {
		c.kind = MEMORY_MAPPED;
		return c;
	}
	if (n > 2 && !strcmp(name + n - 2, "[]")) {
		c.kind = MEMORY_SLAB;
		n -= 2;
	}
	if (!strncmp(name, "pmix_", 5))
		c.family = MEMORY_FAMILY_PMIX;
	else if (is_runtime(name, n))
		c.family = MEMORY_FAMILY_OPAL;
	return c;
}
