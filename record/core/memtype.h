/*
 * memtype.h: the fields in the definitions of memtypes, stacks and blocks.
 */
#ifndef MEMTYPE_H
#define MEMTYPE_H

#include <stdint.h>

struct definition;

uint32_t memtype_owner(const struct definition *memtype);
/* After the bytes of a definition: 8 bytes of its call site, 4 of its stack; 0: none. */
uint64_t memtype_site(const struct definition *memtype);
uint32_t memtype_stack(const struct definition *memtype);
uint32_t stack_caller(const struct definition *stack);
uint32_t block_memtype(const struct definition *block);

#endif
