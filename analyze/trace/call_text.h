/*
 * call_text.h: the call path of an allocation as text, with inlined functions as calls of their
 * own.
 */
#ifndef CALL_TEXT_H
#define CALL_TEXT_H

#include "analyze/trace/trace.h"

#define CALLS_ARROW " => "
#define CALLS_CUT "..." /* the first part of a path whose outer callers are unknown */

/*
 * "main [{a.c} {7}] => step [{a.c} {3}]", from the outermost function to `call`, an index into
 * trace.call; the callers of main() are excluded. The caller frees the text. O(calls); the first
 * look-up of each code address may be slow, because it reads debug information.
 */
char *calls_text(struct trace *t, uint32_t call);

#endif
