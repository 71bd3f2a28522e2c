/* two_samples.c: tests of two samples against exact probabilities and tables of Student's t. */
#include "analyze/compare/two_samples.h"

#include <math.h>

#include "tap.h"

static int near(double a, double b, double by)
{
	return fabs(a - b) <= by;
}

static void test_student(void)
{
	/* Two-sided 5 % and 1 % points, as printed in tables. */
	static const struct {
		double p, df, t;
	} cases[] = {{0.975, 1, 12.7062},   {0.975, 2, 4.30265}, {0.975, 5, 2.57058}, {0.975, 10, 2.22814}, {0.995, 10, 3.16927},
		     {0.975, 30, 2.04227}, {0.975, 1e6, 1.95997}, {0.5, 7, 0},	     {0.025, 10, -2.22814}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		ok(near(student_percentile(cases[i].p, cases[i].df), cases[i].t, 1e-4 * fmax(1, fabs(cases[i].t))),
		   "t of %g with %g degrees of freedom", cases[i].p, cases[i].df);
		ok(near(student_probability(cases[i].t, cases[i].df), cases[i].p, 1e-5), "and its probability");
	}
	ok(near(student_probability(1, 1), 0.75, 1e-9), "with one degree, atan has it: 0.75");
}

static void test_choice(void)
{
	ok(two_samples_choose(1, 5, 1, 0.05) == TEST_NONE, "one value on a side: no test");
	/* 1 / C(10, 5) = 0.00397 */
	ok(two_samples_choose(5, 5, 1, 0.025) == TEST_RANK, "5 and 5 for one region: ranks");
	ok(two_samples_choose(5, 5, 200, 0.025) == TEST_WELCH, "for 200 regions they cannot show enough: Welch");
	ok(two_samples_choose(20, 20, 200, 0.025) == TEST_RANK, "20 and 20 can");
}

static void test_ranks(void)
{
	static const double one[] = {1, 2, 3}, two[] = {4, 5, 6}, twice[] = {2, 4, 6}, five[] = {10, 11, 12, 13, 14};
	struct two_samples r;

	two_samples_compare(one, 3, two, 3, TEST_RANK, &r);
	ok(near(r.p_more, 1.0 / 20, 1e-12) && near(r.p_less, 1, 1e-12), "all larger: 1 of 20 ways (%g, %g)", r.p_more, r.p_less);
	two_samples_compare(one, 3, one, 3, TEST_RANK, &r);
	ok(r.change == 0 && r.p_more > 0.5 && r.p_less > 0.5, "the same values: no change");
	two_samples_compare(one, 3, twice, 3, TEST_RANK, &r);
	ok(near(r.change, 1, 1e-12), "twice the values: the median of the nine ratios is 2 (%g)", r.change);
	two_samples_compare(five, 5, five, 5, TEST_RANK, &r);
	ok(r.low <= 0 && r.high >= 0 && near(1 + r.low, 1 / (1 + r.high), 1e-12), "the interval holds 0, alike on both sides");
}

static void test_welch(void)
{
	static const double before[] = {100, 102, 98, 101, 99}, after[] = {110, 112, 108, 111, 109}, bad[] = {1, 0},
			    same[] = {0.3, 0.3, 0.3}, more[] = {0.33, 0.33};
	struct two_samples r;

	two_samples_compare(before, 5, after, 5, TEST_WELCH, &r);
	ok(near(r.change, 0.1001, 2e-4), "10 %% more (%g)", r.change);
	ok(r.low > 0.07 && r.low < r.change && r.change < r.high && r.high < 0.13, "and the interval is around it");
	ok(r.p_more < 1e-4 && r.p_less > 0.999, "it is no chance (%g)", r.p_more);
	ok(near(r.noise[0], 0.0158, 2e-4), "noise of 1.6 %% (%g)", r.noise[0]);
	ok(!r.constant, "values that vary");
	two_samples_compare(same, 3, more, 2, TEST_WELCH, &r);
	ok(r.constant && near(r.change, 0.1, 1e-12), "no value varies: there is no noise (%g)", r.change);
	two_samples_compare(same, 3, before, 5, TEST_RANK, &r);
	ok(!r.constant, "one side varies");
	two_samples_compare(same, 1, more, 2, TEST_NONE, &r);
	ok(!r.constant, "of one value it is unknown");
	two_samples_compare(before, 5, bad, 2, TEST_WELCH, &r);
	ok(r.test == TEST_RANK && isnan(r.low), "a value of 0 has no logarithm: the order decides");
}

int main(void)
{
	test_student();
	test_choice();
	test_ranks();
	test_welch();
	return tap_end();
}
