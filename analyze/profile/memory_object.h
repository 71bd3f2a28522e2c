/*
 * memory_object.h: the memory that a counter measures: a type of memory, its owners and its call
 * site.
 *
 * Code uses the fields. Their text, "TYPE <= OWNER <= OWNER'S OWNER @ SITE", names counters in
 * files and rows in tables: it is composed and parsed only here.
 */
#ifndef MEMORY_OBJECT_H
#define MEMORY_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/base/base.h"
#include "analyze/trace/memory_type.h"

/*
 * What a memory counter measures. In files, this word is before the text of the object: "live
 * objects X".
 */
enum memory_number {
	NUMBER_NONE,		/* not a counter of memory by type */
	NUMBER_ALLOC,		/* one sample per block */
	NUMBER_FREE,
	NUMBER_RETYPED,		/* blocks whose type changed */
	NUMBER_LIVE,		/* bytes of the process at the end of the window */
	NUMBER_LIVE_OBJECTS,	/* blocks */
	NUMBER_PEAK,		/* largest value inside the window */
	NUMBER_PEAK_OBJECTS,
	NUMBER_LOST,		/* never freed, one sample per block: no pointer to it */
	NUMBER_INDIRECT,	/* only lost blocks have a pointer to it */
	NUMBER_REACHABLE,
	NUMBER_INNER,		/* bytes of blocks that other blocks count, too */
	NUMBERS
};

struct memory_object {
	char *type;		/* "opal_list_t", "ompi_request_t[]", "untyped [libucp.so]";
				 * NULL: sum over all types */
	enum memory_kind kind;
	enum memory_family family;
	char *library;		/* NULL: unknown */
	char **owner;		/* types, the immediate owner first */
	size_t owner_n;		/* 0: sum over all owners */
	char *site;		/* NULL: sum over all sites */
};

/* "type <= owner <= ... @ site"; "(all)". The caller frees it. */
char *memory_object_text(const struct memory_object *o);
/*
 * The same from the parts as tables show them. owner: a chain; owner and site may be NULL. The
 * caller frees it.
 */
char *memory_text(const char *type, const char *owner, const char *site);
/* The first n owners, "a <= b", the caller frees it; NULL: there are none. */
char *memory_object_owners(const struct memory_object *o, size_t n);
/*
 * Parses a text of memory_object_text(); kind, family and library are those that the type's name
 * shows. Release o.
 */
void memory_object_read(struct memory_object *o, const char *text);
void memory_object_release(struct memory_object *o);

/* The first words of such a counter's name: "live objects". */
const char *memory_number_word(enum memory_number n);
/* Parses a counter's name; *text: its part for the object. NUMBER_NONE: another kind of name. */
enum memory_number memory_number_read(const char *name, const char **text);

/* Objects with different texts. */
struct memory_objects {
	struct names names;	/* texts */
	struct memory_object *v;
	size_t v_n, v_cap;
};

/* Finds or adds a copy of the object; the fields of an existing object do not change. */
uint32_t memory_objects_add(struct memory_objects *all, const struct memory_object *o);
void memory_objects_release(struct memory_objects *all);

#endif
