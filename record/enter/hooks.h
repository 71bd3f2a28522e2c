/*
 * hooks.h: entering and leaving functions by address, by any path.
 */
#ifndef HOOKS_H
#define HOOKS_H

#include <stdint.h>

/* sp: as in struct frame. */
void hooks_enter(uint64_t function, uint64_t sp);
void hooks_leave(uint64_t function, uint64_t sp);

#endif
