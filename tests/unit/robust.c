/* robust.c: medians, deviations and limits of small samples, against values computed by hand or from tables. */
#include "analyze/anomalies/robust.h"

#include <math.h>

#include "tap.h"

static void test_median(void)
{
	static const struct {
		double v[6];
		size_t n;
		double median;
	} cases[] = {{{7}, 1, 7}, {{4, 1}, 2, 2.5}, {{9, -3, 2}, 3, 2}, {{4, 1, 3, 2}, 4, 2.5}, {{1e300, 1, 1, 1, 1, -1e300}, 6, 1}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		double v[6];

		for (size_t k = 0; k < 6; k++)
			v[k] = cases[i].v[k];
		ok(robust_median(v, cases[i].n) == cases[i].median, "median of %zu values: %g", cases[i].n, cases[i].median);
		ok(cases[i].n < 2 || v[0] <= v[1], "the values are sorted");
	}
}

static void test_deviation(void)
{
	ok(fabs(robust_deviation(2, 8) - 1.4826 * 8 / 7.2 * 2) < 1e-9, "deviation of 8 values");
	ok(robust_deviation(0, 8) == 0, "equal values have none");
	ok(robust_deviation(1, 10) > robust_deviation(1, 1000), "few values are less certain");
}

/* Quantiles of Student's t at 1 - 0.01 / tests with 0.37 (n - 1) degrees of freedom. */
static void test_limit(void)
{
	static const struct {
		size_t n, tests;
		double low, high;
	} cases[] = {{1000001, 1, 2.32, 2.34}, {1000001, 100, 3.71, 3.73}, {28, 1, 2.75, 2.85}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		double t = robust_limit(cases[i].n, cases[i].tests);

		ok(t > cases[i].low && t < cases[i].high, "%zu values, %zu tests: %.3f is between %g and %g", cases[i].n, cases[i].tests, t,
		   cases[i].low, cases[i].high);
	}
	ok(robust_limit(10, 1000) > robust_limit(10, 10), "more tests, a larger limit");
	ok(robust_limit(8, 10) > robust_limit(80, 10), "fewer values, a larger limit");
}

int main(void)
{
	test_median();
	test_deviation();
	test_limit();
	return tap_end();
}
