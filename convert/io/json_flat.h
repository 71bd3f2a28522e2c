/*
 * json_flat.h: reads a JSON object (RFC 8259), such as a description of a run, as names and values.
 */
#ifndef JSON_FLAT_H
#define JSON_FLAT_H

#include "analyze/base/base.h"

/*
 * Calls take() for each member of the object in n bytes (followed by a NUL), in their order. Names
 * of members of inner objects are joined with dots: {"host": {"cores": 4}} is "host.cores".
 * Numbers, true and false are passed as their text, an array as its whole text, null is skipped.
 * path: for messages, "PATH: line N: what". ERROR_INPUT: the text is not a JSON object.
 */
int json_flat_read(const char *path, const char *text, size_t n,
		   void (*receive)(void *to, const char *name, const char *value), void *to,
		   struct error *e);

#endif
