/*
 * memtype.h: the fields in the definitions of memtypes, stacks and blocks.
 */
#ifndef MEMTYPE_H
#define MEMTYPE_H

#include <stdint.h>

struct definition;

uint32_t memtype_owner(const struct definition *memtype);
/* The call site (8 bytes) and the stack (4 bytes) that follow the bytes of a definition; 0: none. */
uint64_t memtype_site(const struct definition *memtype);
uint32_t memtype_stack(const struct definition *memtype);
uint32_t stack_caller(const struct definition *stack);
uint32_t block_memtype(const struct definition *block);

#endif
