/* vtable.h: the class name and object sizes of a C++ virtual table. */
#ifndef VTABLE_H
#define VTABLE_H

#include <stdint.h>

#include "census.h"

#pragma GCC visibility push(hidden)

/*
 * The aligned word at an address of loaded data, 0: none there. A printable name there, or in a live block, of less than
 * RULE_NAME characters; 0: there is none.
 */
uintptr_t loaded_word(uintptr_t address);
int loaded_text(char *name, const struct census *c, uintptr_t from);
/* The mangled name of the class of objects that begin with that table; 0: it is no virtual table of a whole object. */
int vtable_name(char *name, const struct census *c, uintptr_t table);
/* The sizes of the objects that begin with that table, as operators delete get them, at most SIZES_MOST; returns how many. */
#define SIZES_MOST 6
unsigned vtable_sizes(uintptr_t table, uint32_t *sizes);

#pragma GCC visibility pop
#endif
