/* visits.h: for tests of cells of time: all visits of regions, one by one, and their sums in a cell. */
#ifndef TESTS_VISITS_H
#define TESTS_VISITS_H

#include "analyze/messages/messages.h"

struct visit {
	uint32_t stream, region;
	int64_t from, until;
};
struct visits {
	const struct messages *m;
	struct visit *v;
	size_t v_n, v_cap;
};

static void visits_on_busy(void *to, uint32_t stream, uint32_t path, int64_t from, int64_t until)
{
	struct visits *x = to;

	if (path)
		*array_add(x, v) = (struct visit){stream, x->m->paths.v[path].region, from, until};
}

/* ns of a visit in the cell. */
static inline int64_t visit_inside(const struct visit *v, int64_t begin, int64_t end)
{
	const int64_t from = v->from > begin ? v->from : begin, until = v->until < end ? v->until : end;

	return until > from ? until - from : 0;
}

#endif
