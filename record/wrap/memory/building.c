/* building.c: the object that a thread is constructing, as an owner of blocks. */
#include "building.h"
#include "node.h"
#include "thread.h"

uint32_t building_owner_slow(struct slot *s)
{
	unsigned i, n = s->building < CONSTRUCT_DEPTH ? s->building : CONSTRUCT_DEPTH;
	uint32_t owner = 0;

	for (i = 0; i < n; i++) {
		struct built *b = &s->built[i];

		if (!b->node)
			b->node = node_get(NODE_CLASS, b->class, owner);
		owner = b->node;
	}
	return owner;
}
