/* ranges.c: keeps windows that overlap none before them. */
#include "db/ranges.h"

#include <string.h>

int ranges_add(struct ranges *r, double begin, double end)
{
	/* Slices come in their order: then no other has to be looked at. */
	if (r->v_n && begin < r->last)
		for (size_t i = 0; i < r->v_n; i++)
			if (begin < r->v[i].end && r->v[i].begin < end)
				return 1;
	if (!r->v_n || end > r->last)
		r->last = end;
	*array_add(r, v) = (struct range){begin, end};
	return 0;
}
