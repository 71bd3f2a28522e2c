/* exact.c: sums of doubles do not depend on their order, and are the true sum rounded once. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "analyze/base/exact.h"
#include "seed.h"
#include "tap.h"

static uint64_t seed;

static uint64_t random_next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static double sum(const double *v, size_t n)
{
	struct exact x = { 0 };
	double s;

	for (size_t i = 0; i < n; i++)
		exact_add(&x, v[i]);
	s = exact_value(&x);
	exact_release(&x);
	return s;
}

static double squares(const double *v, size_t n)
{
	struct exact x = { 0 };
	double s;

	for (size_t i = 0; i < n; i++)
		exact_add_square(&x, v[i]);
	s = exact_value(&x);
	exact_release(&x);
	return s;
}

/* Numbers of very different size, so that an ordinary sum would depend on the order. */
static double number(void)
{
	double v = (double)(int64_t)random_next();

	return random_next() % 3 ? ldexp(v, (int)(random_next() % 200) - 130) : rint(ldexp(v, -40));
}

static void test_order(void)
{
	enum { N = 50 };
	double v[N];
	size_t differ = 0, merged = 0;

	for (int round = 0; round < 300; round++) {
		struct exact a = { 0 }, b = { 0 };
		double first, square;
		size_t cut = random_next() % N;

		for (size_t i = 0; i < N; i++)
			v[i] = number();
		first = sum(v, N);
		square = squares(v, N);
		for (size_t i = 0; i < N; i++) {
			exact_add(i < cut ? &a : &b, v[i]);
			exact_add_square(i < cut ? &a : &b, v[i]);
		}
		exact_merge(&b, &a);
		for (size_t i = 0; i < N; i++) {
			exact_add(&b, -v[i]);
		}
		merged += exact_value(&b) != square;
		for (size_t i = N - 1; i > 0; i--) {
			size_t j = random_next() % (i + 1);
			double swap = v[i];

			v[i] = v[j];
			v[j] = swap;
		}
		differ += sum(v, N) != first || squares(v, N) != square;
		exact_release(&a);
		exact_release(&b);
	}
	ok(!differ, "the order does not matter");
	ok(!merged, "two parts are the whole, and what is subtracted again is gone");
}

int main(void)
{
	const double cancel[] = { 1e100, 1, -1e100 }, tenth[] = { .1, .1, .1, .1, .1, .1, .1, .1, .1, .1 };
	const double half[] = { 1, 0x1p-53, 0x1p-105 }, tie[] = { 1, 0x1p-53 }, whole[] = { 0x1p53, 1, 1 };
	const double large[] = { 0x1p53, 0x1p53, 0x1p53 }, infinite[] = { 1, INFINITY, 2 };
	const double both[] = { INFINITY, -INFINITY }, top[] = { 1e308, 1e308 };

	seed = test_seed(2654435761u) | 1;
	ok(sum(NULL, 0) == 0, "nothing adds up to nothing");
	ok(sum(cancel, 3) == 1, "large numbers cancel");
	ok(sum(tenth, 10) == 1, "ten tenths are one");
	ok(sum(tie, 2) == 1, "a tie goes to the even neighbour");
	ok(sum(half, 3) == 1 + 0x1p-52, "a little more than a tie does not");
	ok(sum(whole, 3) == 0x1p53 + 2, "whole numbers beyond 2^53");
	ok(squares(large, 3) == 3 * 0x1p106, "squares of large whole numbers");
	ok(isinf(sum(infinite, 3)), "infinity stays");
	ok(isnan(sum(both, 2)), "two infinities are no number");
	ok(!isfinite(sum(top, 2)), "what leaves the range is not finite");
	test_order();
	return tap_end();
}
