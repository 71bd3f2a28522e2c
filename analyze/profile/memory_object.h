/*
 * memory_object.h: whose memory a counter counts: a type of memory, its owners and its call site.
 *
 * The fields are the facts. Their text, "TYPE <= OWNER <= OWNER'S OWNER @ SITE", names counters in files and rows in tables: it
 * is composed and read here and nowhere else.
 */
#ifndef MEMORY_OBJECT_H
#define MEMORY_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/base/base.h"
#include "analyze/trace/memory_type.h"

/* What a memory counter measures. In files the word stands before the text of the object: "live objects X". */
enum memory_number {
	NUMBER_NONE,		/* it is no counter of memory by type */
	NUMBER_ALLOC,		/* one sample for each block */
	NUMBER_FREE,
	NUMBER_RETYPED,		/* blocks whose type changed */
	NUMBER_LIVE,		/* bytes at the end of the window, of the process */
	NUMBER_LIVE_OBJECTS,	/* blocks */
	NUMBER_PEAK,		/* largest inside the window */
	NUMBER_PEAK_OBJECTS,
	NUMBER_LOST,		/* never freed, one sample for each block: nothing leads to it */
	NUMBER_INDIRECT,	/* only lost blocks lead to it */
	NUMBER_REACHABLE,
	NUMBERS
};

struct memory_object {
	char *type;		/* "opal_list_t", "ompi_request_t[]", "untyped [libucp.so]"; NULL: over all types */
	enum memory_kind kind;
	enum memory_family family;
	char *library;		/* NULL: unknown */
	char **owner;		/* types, the immediate owner first */
	size_t owner_n;		/* 0: over all owners */
	char *site;		/* NULL: over all sites */
};

/* "type <= owner <= ... @ site"; "(all)". To be freed. */
char *memory_object_text(const struct memory_object *o);
/* The same of the parts as tables show them; owner: a chain; owner and site may be NULL. */
char *memory_text(const char *type, const char *owner, const char *site);
/* The first n owners, "a <= b", to be freed; NULL: there are none. */
char *memory_object_owners(const struct memory_object *o, size_t n);
/* Reads what memory_object_text() composed; kind, family and library as the type's name shows them. Release it. */
void memory_object_read(struct memory_object *o, const char *text);
void memory_object_release(struct memory_object *o);

/* "live objects": how the name of such a counter begins. */
const char *memory_number_word(enum memory_number n);
/* Of a counter's name; *text: of the object. NUMBER_NONE: it is no such name. */
enum memory_number memory_number_read(const char *name, const char **text);

/* Objects that differ in their texts. */
struct memory_objects {
	struct names names;	/* texts */
	struct memory_object *v;
	size_t v_n, v_cap;
};

/* Find or add; it is copied. If it is there, its fields are as before. */
uint32_t memory_objects_add(struct memory_objects *all, const struct memory_object *o);
void memory_objects_release(struct memory_objects *all);

#endif
