/* json_flat.h: reads a JSON object (RFC 8259) as names and values: what people write to describe a run. */
#ifndef JSON_FLAT_H
#define JSON_FLAT_H

#include "analyze/base/base.h"

/*
 * Calls take() for each member of the object in n bytes (a NUL follows), in their order. Names of members of inner objects are
 * joined with dots: {"host": {"cores": 4}} is "host.cores". Numbers, true and false are texts as they are written, an array is its
 * text, null is skipped. path: for messages, "PATH: line N: what". ERROR_INPUT: it is not an object of JSON.
 */
int json_flat_read(const char *path, const char *text, size_t n,
		   void (*take)(void *to, const char *name, const char *value), void *to,
		   struct error *e);

#endif
