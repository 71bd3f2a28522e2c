/* profile_squares.c: counts rows that have sums of squares. */
#include "analyze/profile/profile_squares.h"

#include <math.h>

static int has_squares(const struct profile *p, const struct profile_thread *t,
		       const struct profile_row *r)
{
	struct profile_thread totals = *t;

	totals.squares_n = 0;
	for (size_t k = 0; t->squares_n && k < p->metric_n; k++) {
		double v = t->squares[r->first / 2 + k];

		if (!isnan(v) && v != profile_squared(p, &totals, r, k))
			return 1;
	}
	return 0;
}

size_t profile_squares_known(const struct profile *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->thread_n; i++)
		for (size_t k = 0; p->thread[i].node >= 0 && k < p->thread[i].row_n; k++)
			n += (size_t)has_squares(p, &p->thread[i], &p->thread[i].row[k]);
	return n;
}
