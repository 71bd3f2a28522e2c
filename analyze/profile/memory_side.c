/*
 * memory_side.c: decides to which part of a process memory belongs, and keeps it as metadata for
 * files that have only names.
 */
#include "analyze/profile/memory_side.h"

#include <string.h>

#include "analyze/trace/memory_type.h"
#include "record/metadata.h"

static const char *const kinds[MEMORY_KINDS] = {
	[MEMORY_TYPED] = "typed",	      [MEMORY_SLAB] = "slab",
	[MEMORY_UNTYPED] = "untyped",	      [MEMORY_UNACCOUNTED] = "unaccounted",
	[MEMORY_MAPPED] = "mapped",	      [MEMORY_VARIABLE] = "variable",
};

/*
 * Libraries by the first letters of their file names. All other libraries belong to the program or
 * the system.
 */
static const struct {
	const char *prefix;
	enum memory_side side;
} libraries[] = {
	{"libmpi", MEMORY_OPENMPI},        {"libopen-", MEMORY_OPENMPI},
	{"liboshmem", MEMORY_OPENMPI},     {"libshmem", MEMORY_OPENMPI},
	{"libompi", MEMORY_OPENMPI},       {"libmca_", MEMORY_OPENMPI},
	{"mca_", MEMORY_OPENMPI},          {"libpmix", MEMORY_SUPPORT},
	{"pmix_", MEMORY_SUPPORT},         {"libprrte", MEMORY_SUPPORT},
	{"libpmi", MEMORY_SUPPORT},        {"libevent", MEMORY_SUPPORT},
	{"libhwloc", MEMORY_SUPPORT},      {"hwloc_", MEMORY_SUPPORT},
	{"libucp", MEMORY_SUPPORT},        {"libucs", MEMORY_SUPPORT},
	{"libuct", MEMORY_SUPPORT},        {"libucm", MEMORY_SUPPORT},
	{"libfabric", MEMORY_SUPPORT},     {"libpsm", MEMORY_SUPPORT},
	{"libinfinipath", MEMORY_SUPPORT}, {"libibverbs", MEMORY_SUPPORT},
	{"librdmacm", MEMORY_SUPPORT},     {"libmlx", MEMORY_SUPPORT},
	{"libnl-", MEMORY_SUPPORT},        {"libmunge", MEMORY_SUPPORT},
	{"libxpmem", MEMORY_SUPPORT},      {"libhcoll", MEMORY_SUPPORT},
};

const char *memory_side_get(size_t k, enum memory_side *side)
{
	if (k >= sizeof(libraries) / sizeof(*libraries))
		return NULL;
	*side = libraries[k].side;
	return libraries[k].prefix;
}

enum memory_side memory_side(const char *library)
{
	const char *slash = strrchr(library, '/'), *name = slash ? slash + 1 : library;
	enum memory_side side;
	const char *prefix;

	for (size_t k = 0; (prefix = memory_side_get(k, &side)); k++)
		if (!strncmp(name, prefix, strlen(prefix)))
			return side;
	return MEMORY_OTHER;
}

enum memory_side memory_object_side(const struct memory_object *o)
{
	enum memory_side side = o->library ? memory_side(o->library) : MEMORY_OTHER;

	if (o->kind == MEMORY_MAPPED)
		return MEMORY_OTHER;
	if (o->kind == MEMORY_UNTYPED)
		return side;
	switch (o->family) {
	case MEMORY_FAMILY_OPAL:
		return o->library ? side : MEMORY_OPENMPI;
	case MEMORY_FAMILY_PMIX:
		return o->library && side == MEMORY_OTHER ? MEMORY_OTHER : MEMORY_SUPPORT;
	default:
		return side;
	}
}

void memory_side_keep(struct profile *p, const struct memory_object *o)
{
	struct memory_class c = memory_class_read(o->type);
	struct memory_object shown = {.kind = c.kind, .family = c.family};
	char *name, *value;
	int same;

	shown.library = c.library ? mem_printf("%.*s", (int)c.library_n, c.library) : NULL;
	same = c.kind == o->kind && memory_object_side(&shown) == memory_object_side(o);
	free(shown.library);
	if (same)
		return;
	name = mem_printf(TAU_META_MEMORY_TYPE "%s", o->type);
	value = mem_printf("%s %s%s%s", memory_family_name(o->family), kinds[o->kind],
			   o->library ? " " : "", o->library ? o->library : "");
	profile_set_meta(p, UINT32_MAX, name, value);
	free(name);
	free(value);
}

/* Reads "FAMILY KIND LIBRARY". 1: done; 0: the text is something else. */
static int read_value(const char *value, struct memory_object *o)
{
	size_t n = strcspn(value, " "), k = n + (value[n] == ' ');
	size_t kind_n = strcspn(value + k, " ");
	const char *library = value + k + kind_n;

	o->family = memory_family_named(value, n);
	o->kind = MEMORY_TYPED;
	while (o->kind < MEMORY_KINDS &&
	       (strlen(kinds[o->kind]) != kind_n || memcmp(kinds[o->kind], value + k, kind_n)))
		o->kind++;
	o->library = *library == ' ' && library[1] ? (char *)library + 1 : NULL;
	return o->family < MEMORY_FAMILIES && o->kind < MEMORY_KINDS;
}

/* known: names of the metadata that was read. */
static void read_attribute(struct profile *p, struct names *known,
			   const struct profile_attribute *a)
{
	size_t before = known->name_n;
	struct memory_object o = {.type = NULL};

	if (strncmp(a->name, TAU_META_MEMORY_TYPE, strlen(TAU_META_MEMORY_TYPE)) ||
	    !read_value(a->value, &o))
		return;
	if (names_add(known, a->name, strlen(a->name)) < before)
		return;
	for (size_t i = 0; i < p->object.v_n; i++) {
		struct memory_object *to = &p->object.v[i];

		if (!to->type || strcmp(to->type, a->name + strlen(TAU_META_MEMORY_TYPE)))
			continue;
		to->family = o.family;
		to->kind = o.kind;
		free(to->library);
		to->library = o.library ? mem_string(o.library) : NULL;
	}
}

void memory_side_read(struct profile *p)
{
	struct names known = {0};

	for (size_t i = 0; i < p->meta_n && p->object.v_n; i++)
		read_attribute(p, &known, &p->meta[i]);
	for (size_t t = 0; t < p->thread_n && p->object.v_n; t++)
		for (size_t i = 0; i < p->thread[t].meta_n; i++)
			read_attribute(p, &known, &p->thread[t].meta[i]);
	names_release(&known);
}
