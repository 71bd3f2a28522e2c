/* dominators.c: finds the immediate dominators of the nodes of a graph (Semi-NCA). */
#include "dominators.h"

#include <string.h>

/*
 * The least semidominator on the way from a place up to the last one that is not below `linked`. The way is made short for the
 * next time.
 */
static uint32_t least_above(struct dominators *d, uint32_t at, uint32_t linked)
{
	uint32_t depth = 0;

	for (; d->above[at] >= linked; at = d->above[at])
		d->stack[depth++] = at;
	while (depth) {
		uint32_t below = d->stack[--depth];

		if (d->least[at] < d->least[below])
			d->least[below] = d->least[at];
		d->above[below] = d->above[at];
		at = below;
	}
	return d->least[at];
}

void dominators_find(struct dominators *d)
{
	uint32_t i, k;

	memcpy(d->above, d->dominator, d->n * sizeof(*d->above));
	for (i = d->n; i-- > 1;) {
		uint32_t v = d->order[i], semi = d->start[v] ? 0 : d->dominator[i];

		for (k = d->first[v]; k < d->first[v + 1]; k++) {
			uint32_t at = d->place[d->from[k]];
			uint32_t found = at <= i ? at : least_above(d, at, i + 1);

			semi = found < semi ? found : semi;
		}
		d->semi[i] = d->least[i] = semi;
	}
	for (i = 1; i < d->n; i++) {
		uint32_t at = d->dominator[i];

		while (at > d->semi[i])
			at = d->dominator[at];
		d->dominator[i] = at;
	}
}
