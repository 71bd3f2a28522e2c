/* types.h: the rules of --types, by which objects of other object systems are identified. */
#ifndef TYPES_H
#define TYPES_H

#include <stdio.h>

#include "analyze/base/base.h"

/*
 * Reads the rules of a file (see tau-memory(7)) and puts them into the environment, for the wrapper of memory: the file's absolute
 * name as TAU_MEMORY_TYPES, the rules as TAU_RECORD_TYPES, a line of numbers each. file NULL: there are none.
 * Each rule is described in words in the last argument, if it is not NULL. ERROR_INPUT, ERROR_SYSTEM.
 */
int types_set(const char *file, FILE *words, struct error *e);

#endif
