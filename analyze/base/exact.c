/* exact.c: exact sums of doubles. */
#include "analyze/base/exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/base/base.h"

#define WHOLE_MAX 9007199254740992.0	/* 2^53 */

static void exact_add_part(struct exact *x, double v)
{
	size_t kept = 0;

	for (size_t i = 0; i < x->part_n; i++) {
		double y = x->part[i], sum, low;

		if (fabs(v) < fabs(y)) {
			double swap = v;

			v = y;
			y = swap;
		}
		sum = v + y;
		if (!isfinite(sum)) {
			x->special += sum;
			return;
		}
		low = y - (sum - v);
		if (low != 0)
			x->part[kept++] = low;
		v = sum;
	}
	x->part_n = kept;
	if (v != 0)
		*array_add(x, part) = v;
}

/* A 128-bit number is at most three doubles. */
static void exact_add_whole(struct exact *x, __int128 v)
{
	while (v) {
		double high = (double)v;

		exact_add_part(x, high);
		v -= (__int128)high;
	}
}

/* No addend exceeds 2^121, so nothing overflows while the sum stays below 2^120. */
static void exact_add_int(struct exact *x, __int128 v)
{
	const __int128 most = (__int128)1 << 120;

	x->whole += v;
	if (x->whole <= most && x->whole >= -most)
		return;
	exact_add_whole(x, x->whole);
	x->whole = 0;
}

void exact_add(struct exact *x, double v)
{
	if (v >= -WHOLE_MAX && v <= WHOLE_MAX && v == (double)(int64_t)v)
		exact_add_int(x, (int64_t)v);
	else if (isfinite(v))
		exact_add_part(x, v);
	else
		x->special += v;
}

void exact_add_square(struct exact *x, double v)
{
	double high = v * v;

	if (v >= -WHOLE_MAX && v <= WHOLE_MAX && v == (double)(int64_t)v) {
		exact_add_int(x, (__int128)(int64_t)v * (int64_t)v);
	} else if (isfinite(high)) {
		exact_add_part(x, high);
		exact_add_part(x, fma(v, v, -high));
	} else {
		x->special += high;
	}
}

void exact_merge(struct exact *into, const struct exact *from)
{
	exact_add_int(into, from->whole);
	for (size_t i = 0; i < from->part_n; i++)
		exact_add_part(into, from->part[i]);
	into->special += from->special;
}

double exact_value(const struct exact *x)
{
	struct exact all = { 0 };
	double high = 0, low = 0;
	size_t i;

	if (x->special != 0)
		return x->special;
	if (!x->part_n)
		return (double)x->whole;
	for (i = 0; i < x->part_n; i++)
		exact_add_part(&all, x->part[i]);
	exact_add_whole(&all, x->whole);
	/*
	 * Round once: from the largest part down, until a remainder is left. If the sum is then
	 * halfway between two doubles, the next part decides.
	 */
	i = all.part_n;
	if (i)
		high = all.part[--i];
	while (i) {
		double v = high, y = all.part[--i];

		high = v + y;
		low = y - (high - v);
		if (low != 0)
			break;
	}
	if (i && ((low < 0 && all.part[i - 1] < 0) || (low > 0 && all.part[i - 1] > 0))) {
		double y = low * 2, v = high + y;

		if (y == v - high)
			high = v;
	}
	free(all.part);
	return high;
}

void exact_release(struct exact *x)
{
	free(x->part);
	memset(x, 0, sizeof(*x));
}
