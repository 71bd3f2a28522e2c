/*
 * call_text.h: the calls by which memory was allocated, in words: functions that were inlined stand beside those that were called.
 */
#ifndef CALL_TEXT_H
#define CALL_TEXT_H

#include "analyze/trace/trace.h"

#define CALLS_ARROW " => "
#define CALLS_CUT "..." /* stands first where callers are not known */

/*
 * "main [{a.c} {7}] => step [{a.c} {3}]" down to the call, outermost first; what calls main is left out. The caller
 * frees it. O(calls); the first question about each piece of code may take long.
 */
char *calls_text(struct trace *t, uint32_t call);

#endif
