/*
 * memory_side.h: whose memory an object is: Open MPI's, of what Open MPI stands on, or of the program and everything else.
 *
 * Profiles of TAU and databases keep the names of counters, and no library or class system. Where these say something else than
 * the name, metadata of the trial keeps them: "TAU Memory Type: NAME" with the value "FAMILY KIND LIBRARY".
 */
#ifndef MEMORY_SIDE_H
#define MEMORY_SIDE_H

#include "analyze/profile/profile.h"

enum memory_side { MEMORY_OPENMPI, MEMORY_SUPPORT, MEMORY_OTHER, MEMORY_SIDES };

/* Which part of a process a library belongs to, from the first components of its file name. */
enum memory_side memory_side(const char *library);
/* Row k of the table that memory_side() uses, or NULL: how the name begins. */
const char *memory_side_get(size_t k, enum memory_side *side);
/*
 * Typed bytes belong to the class system and the library of their type; a class of OPAL or PMIx in a library of neither is the
 * program's. Untyped bytes belong to the library whose code allocated them.
 */
enum memory_side memory_object_side(const struct memory_object *o);

/* Adds the metadata of a type to the trial, if its name does not show whose it is. */
void memory_side_keep(struct profile *p, const struct memory_object *o);
/* Takes the fields of p's objects from such metadata of the trial and of threads. */
void memory_side_read(struct profile *p);

#endif
