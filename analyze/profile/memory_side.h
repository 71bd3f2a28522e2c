/*
 * memory_side.h: decides whether memory belongs to Open MPI, to the libraries that Open MPI uses,
 * or to the program and everything else.
 *
 * Profiles of TAU and databases keep the names of counters, but no library or class system. If
 * these differ from those that the name shows, metadata of the trial keeps them: "TAU Memory Type:
 * NAME" with the value "FAMILY KIND LIBRARY".
 */
#ifndef MEMORY_SIDE_H
#define MEMORY_SIDE_H

#include "analyze/profile/profile.h"

enum memory_side { MEMORY_OPENMPI, MEMORY_SUPPORT, MEMORY_OTHER, MEMORY_SIDES };

/* The part of a process to which a library belongs, from the first letters of its file name. */
enum memory_side memory_side(const char *library);
/* Row k of the table that memory_side() uses: the beginning of the name; NULL: no such row. */
const char *memory_side_get(size_t k, enum memory_side *side);
/*
 * Typed bytes belong to the class system and the library of their type; a class of OPAL or PMIx in
 * any other library belongs to the program. Untyped bytes belong to the library whose code
 * allocated them. Mapped bytes are MEMORY_OTHER.
 */
enum memory_side memory_object_side(const struct memory_object *o);

/*
 * Adds the metadata of a type to the trial, if its name does not show its kind and side. The object
 * has a type.
 */
void memory_side_keep(struct profile *p, const struct memory_object *o);
/* Sets the fields of p's objects from such metadata of the trial and of threads. */
void memory_side_read(struct profile *p);

#endif
