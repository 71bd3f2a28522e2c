/* construct.h: hooks around constructors: which object is under construction, and what was built where. */
#ifndef CONSTRUCT_H
#define CONSTRUCT_H

#include <stdint.h>

#include "class.h"
#include "thread.h"

#pragma GCC visibility push(hidden)

/* Puts our hooks around the constructors of a class that has just been initialized. */
void construct_hook(struct descriptor *d, unsigned family);
/* An object of a class is being constructed at that address. The slot's gate is held. */
void construct_seen(struct slot *s, uintptr_t object, unsigned class);

#pragma GCC visibility pop
#endif
