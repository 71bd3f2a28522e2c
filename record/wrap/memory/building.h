/* building.h: the object that a thread is constructing, as an owner of blocks. */
#ifndef BUILDING_H
#define BUILDING_H

#include <stdint.h>

#include "hints.h"
#include "thread.h"

#pragma GCC visibility push(hidden)

uint32_t building_owner_slow(struct slot *s);
/* Node of the object that is being constructed by the thread, 0 when none is. */
static inline uint32_t building_owner(struct slot *s)
{
	return likely(!s->building) ? 0 : building_owner_slow(s);
}

#pragma GCC visibility pop
#endif
