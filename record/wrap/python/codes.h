/*
 * codes.h: a number that is kept for each object of code of Python.
 */
#ifndef CODES_H
#define CODES_H

#include <stdint.h>

#include "interpreter.h"

/* Once, with the interpreter's lock, before the others. */
void codes_start(void);
/* 0: there is none. */
uint64_t code_get(const object *code);
/* value: not 0. Until the object is freed, or this is called again. An exception of the caller must not be set. */
void code_set(object *code, uint64_t value);

#endif
