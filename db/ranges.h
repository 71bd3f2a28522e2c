/* ranges.h: which windows of a trial overlap: those that are kept do not, so that sums over them count everything once. */
#ifndef DB_RANGES_H
#define DB_RANGES_H

#include "analyze/base/base.h"

struct range {
	double begin, end;
};

struct ranges {
	struct range *v;	/* those that are kept, in their order; free() frees it */
	size_t v_n, v_cap;
	double last;		/* the largest end of them */
};

/* Keeps [begin, end) and returns 0, or returns 1 if it overlaps one that is kept. An empty one overlaps none. */
int ranges_add(struct ranges *r, double begin, double end);

#endif
