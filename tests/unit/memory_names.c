/* memory_names.c: types of memory, their owners and call sites as text and back, and whose memory it is. */
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/memory_object.h"
#include "analyze/profile/memory_side.h"
#include "analyze/trace/memory_type.h"
#include "tap.h"

static void test_types(void)
{
	static const struct {
		const char *name, *library;
		enum memory_kind kind;
	} cases[] = {
		{"ompi_proc_t", NULL, MEMORY_TYPED},
		{"ompi_request_t[]", NULL, MEMORY_SLAB},
		{"untyped [libmpi.so.40]", "libmpi.so.40", MEMORY_UNTYPED},
		{"mapped [libc.so.6]", "libc.so.6", MEMORY_MAPPED},
		{"variable environ [libc.so.6]", "libc.so.6", MEMORY_VARIABLE},
		{"variables [libucs.so.0]", "libucs.so.0", MEMORY_VARIABLE},
		{"particle_t", NULL, MEMORY_TYPED},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct memory_class c = memory_class_read(cases[i].name);
		size_t n = cases[i].library ? strlen(cases[i].library) : 0;

		ok(c.kind == cases[i].kind, "kind of '%s'", cases[i].name);
		ok(!c.library == !n && (!n || (c.library_n == n && !memcmp(c.library, cases[i].library, n))), "library of '%s'",
		   cases[i].name);
	}
}

static void test_variables(void)
{
	static const char *const cases[][3] = {{"environ", "libc.so.6", "variable environ [libc.so.6]"},
					       {"", "libucs.so.0", "variables [libucs.so.0]"}};
	static const char *const others[] = {"variable [x]", "variable x", "variable ", "a_t"};

	for (size_t i = 0; i < 2; i++) {
		char *text = memory_variable_text(cases[i][0], cases[i][1]), *name = memory_variable_name(text);

		ok(!strcmp(text, cases[i][2]), "variable '%s'", text);
		ok(!strcmp(name, cases[i][0]), "and its name '%s'", name);
		free(text);
		free(name);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		char *name = memory_variable_name(others[i]);

		ok(!*name && memory_class_read(others[i]).kind == MEMORY_TYPED, "'%s' is no variable: '%s'", others[i], name);
		free(name);
	}
}

static void test_families(void)
{
	int distinct = 1;

	for (int a = 0; a < MEMORY_FAMILIES; a++) {
		const char *name = memory_family_name((enum memory_family)a);

		ok(memory_family_named(name, strlen(name)) == (enum memory_family)a, "family '%s' by its name", name);
		for (int b = 0; b < a; b++)
			distinct &= strcmp(name, memory_family_name((enum memory_family)b)) != 0;
	}
	ok(distinct, "each family has another name");
	ok(memory_family_named("OPALS", 5) == MEMORY_FAMILIES && memory_family_named("OPA", 3) == MEMORY_FAMILIES,
	   "other words name none");
}

static void test_objects(void)
{
	static const struct {
		const char *text, *type, *owner, *site;
		size_t owners;
	} cases[] = {
		{"(all)", NULL, NULL, NULL, 0},
		{"a_t", "a_t", NULL, NULL, 0},
		{"a_t <= b_t", "a_t", "b_t", NULL, 1},
		{"a_t <= b_t <= c_t", "a_t", "b_t", NULL, 2},
		{"a_t @ main [a.c:3]", "a_t", NULL, "main [a.c:3]", 0},
		{"a_t[] <= b_t @ f", "a_t[]", "b_t", "f", 1},
		{"untyped [libx.so] @ f <= g", "untyped [libx.so]", NULL, "f <= g", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct memory_object o;
		char *text, *owner;

		memory_object_read(&o, cases[i].text);
		text = memory_object_text(&o);
		owner = memory_object_owners(&o, 1);
		ok(!strcmp(text, cases[i].text), "'%s' and back", cases[i].text);
		ok(o.owner_n == cases[i].owners && !owner == !cases[i].owner && (!owner || !strcmp(owner, cases[i].owner)),
		   "its owners: %zu", o.owner_n);
		ok(!o.type == !cases[i].type && (!o.type || !strcmp(o.type, cases[i].type)), "its type");
		ok(!o.site == !cases[i].site && (!o.site || !strcmp(o.site, cases[i].site)), "its call site");
		free(text);
		free(owner);
		memory_object_release(&o);
	}
}

static void test_numbers(void)
{
	const char *text = NULL;

	for (int n = NUMBER_NONE + 1; n < NUMBERS; n++) {
		char name[100];

		snprintf(name, sizeof(name), "%s a_t <= b_t", memory_number_word((enum memory_number)n));
		ok(memory_number_read(name, &text) == (enum memory_number)n && !strcmp(text, "a_t <= b_t"), "counter '%s'", name);
	}
	ok(memory_number_read("live", &text) == NUMBER_NONE && memory_number_read("liver a", &text) == NUMBER_NONE &&
		   memory_number_read("Message size", &text) == NUMBER_NONE,
	   "other names are no such counters");
}

static void test_set(void)
{
	struct memory_objects all = {.v = NULL};
	struct memory_object a, b;
	uint32_t first, second;

	memory_object_read(&a, "a_t <= b_t");
	memory_object_read(&b, "a_t");
	first = memory_objects_add(&all, &a);
	second = memory_objects_add(&all, &b);
	a.family = MEMORY_FAMILY_PMIX;
	ok(first != second && memory_objects_add(&all, &a) == first && all.v_n == 2, "an object is added once");
	ok(all.v[first].family != MEMORY_FAMILY_PMIX, "and keeps its fields");
	memory_object_release(&a);
	memory_object_release(&b);
	memory_objects_release(&all);
}

static void test_sides(void)
{
	static const struct {
		const char *library;
		enum memory_kind kind;
		enum memory_family family;
		enum memory_side side;
	} cases[] = {
		{"libmpi.so.40", MEMORY_UNTYPED, MEMORY_FAMILY_UNKNOWN, MEMORY_OPENMPI},
		{"/usr/lib/libucs.so.0", MEMORY_UNTYPED, MEMORY_FAMILY_UNKNOWN, MEMORY_SUPPORT},
		{"a.out", MEMORY_UNTYPED, MEMORY_FAMILY_UNKNOWN, MEMORY_OTHER},
		{NULL, MEMORY_TYPED, MEMORY_FAMILY_OPAL, MEMORY_OPENMPI},
		{"a.out", MEMORY_TYPED, MEMORY_FAMILY_OPAL, MEMORY_OTHER},
		{"libmpi.so.40", MEMORY_TYPED, MEMORY_FAMILY_OPAL, MEMORY_OPENMPI},
		{NULL, MEMORY_TYPED, MEMORY_FAMILY_PMIX, MEMORY_SUPPORT},
		{"a.out", MEMORY_TYPED, MEMORY_FAMILY_PMIX, MEMORY_OTHER},
		{"libmpi.so.40", MEMORY_TYPED, MEMORY_FAMILY_PMIX, MEMORY_SUPPORT},
		{"libmpi.so.40", MEMORY_MAPPED, MEMORY_FAMILY_UNKNOWN, MEMORY_OTHER},
		{"a.out", MEMORY_TYPED, MEMORY_FAMILY_CXX, MEMORY_OTHER},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char type[] = "x_t", *library = cases[i].library ? strdup(cases[i].library) : NULL;
		const struct memory_object o = {
			.type = type, .kind = cases[i].kind, .family = cases[i].family, .library = library};

		ok(memory_object_side(&o) == cases[i].side, "%s, family %d, kind %d: side %d", library ? library : "no library",
		   cases[i].family, cases[i].kind, cases[i].side);
		free(library);
	}
}

/* A user's class of OPAL: by its name alone it would count as Open MPI's, so metadata holds what it is. */
static void test_kept(void)
{
	struct profile *p = profile_new(), *q = profile_new();
	char type[] = "ompi_user_t", library[] = "a.out";
	struct memory_object o = {.type = type, .kind = MEMORY_TYPED, .family = MEMORY_FAMILY_OPAL, .library = library}, read;
	uint32_t at;

	memory_side_keep(p, &o);
	ok(p->meta_n == 1 && strstr(p->meta[0].name, "ompi_user_t"), "what the name does not show is metadata");
	memory_object_read(&read, type);
	at = profile_add_object(q, &read);
	profile_set_meta(q, UINT32_MAX, p->meta[0].name, p->meta[0].value);
	memory_side_read(q);
	ok(q->object.v[at].library && !strcmp(q->object.v[at].library, "a.out") && memory_object_side(&q->object.v[at]) == MEMORY_OTHER,
	   "and comes back as fields");
	o.library = NULL;
	profile_free(p);
	p = profile_new();
	memory_side_keep(p, &o);
	ok(!p->meta_n, "what the name shows is not");
	memory_object_release(&read);
	profile_free(p);
	profile_free(q);
}

int main(void)
{
	test_types();
	test_variables();
	test_families();
	test_objects();
	test_numbers();
	test_set();
	test_sides();
	test_kept();
	return tap_end();
}
