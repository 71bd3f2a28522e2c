/*
 * memory_type.h: properties of a type of memory besides its name, and what the name alone shows.
 *
 * Our own traces have kind, family and library as fields. Files that keep only names (TAU profiles,
 * databases, traces of earlier versions) are read through memory_class_read(), the only function
 * that parses a name.
 */
#ifndef MEMORY_TYPE_H
#define MEMORY_TYPE_H

#include <stddef.h>

enum memory_kind {
	MEMORY_TYPED,
	MEMORY_SLAB,		/* a block that contains many objects of the type */
	MEMORY_UNTYPED,		/* no type is known */
	MEMORY_UNACCOUNTED,	/* counted in a total, but in no row */
	MEMORY_MAPPED,		/* address space taken from the system */
	MEMORY_VARIABLE,	/* a global variable: it owns memory, but its own memory is not
				 * counted */
	MEMORY_KINDS
};

/* The class system that a type belongs to. */
enum memory_family {
	MEMORY_FAMILY_UNKNOWN,
	MEMORY_FAMILY_OPAL,	/* Open MPI and OpenSHMEM */
	MEMORY_FAMILY_PMIX,
	MEMORY_FAMILY_CXX,
	MEMORY_FAMILY_PYTHON,	/* CPython */
	MEMORY_FAMILY_RULE,	/* types from the user's rules */
	MEMORY_FAMILY_PROGRAM,	/* named by the program itself, through the class-allocation functions */
	MEMORY_FAMILIES
};

struct memory_class {
	enum memory_kind kind;
	enum memory_family family;
	const char *library;	/* part of the name, not terminated; NULL: not in the name */
	size_t library_n;
};

/*
 * What the name of a type shows: "ompi_proc_t", "untyped [libmpi.so.40]", "mapped [libc.so.6]",
 * "variable environ [libc.so.6]". The family is a guess.
 */
struct memory_class memory_class_read(const char *name);

/*
 * "variable NAME [LIBRARY]"; if name is "", "variables [LIBRARY]". memory_variable_name() is the
 * reverse: NAME in such a text; "" if there is none, or in any other text. The caller frees both.
 */
char *memory_variable_text(const char *name, const char *library);
char *memory_variable_name(const char *text);

/* "OPAL", "C++" ...; "unknown". A constant. */
const char *memory_family_name(enum memory_family family);
/* MEMORY_FAMILIES: no family has that name. */
enum memory_family memory_family_named(const char *name, size_t n);

#endif
