/* gate.c: tests of two samples against tables and by simulation: how often nothing fails, and how often a change is found. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compare/change_points.h"
#include "analyze/compare/gate.h"
#include "draw.h"
#include "tap.h"

#define REGIONS 200
#define RUNS	10

static int near(double a, double b, double share)
{
	return fabs(a - b) <= share * fabs(b);
}

static void check_student(void)
{
	ok(near(student_percentile(0.975, 1), 12.70620, 1e-6) && near(student_percentile(0.975, 8), 2.306004, 1e-6) &&
		   near(student_percentile(0.975, 7.5), 2.333040, 1e-5) && near(student_percentile(0.995, 30), 2.749996, 1e-6),
	   "Student's t as in tables: %.6f %.6f", student_percentile(0.975, 8), student_percentile(0.975, 7.5));
	ok(student_probability(0, 3) == 0.5 && near(student_probability(-2.306004, 8), 0.025, 1e-5) && student_probability(INFINITY, 2) == 1,
	   "probabilities on both sides");
}

/*
 * Six regions, five became faster and one slower, each with a two-sided p of 0.0134: the largest of six tests is corrected
 * by 6 / 6, and so are all with the same p. To correct one-sided p of each direction and double them gave 2 x 6 x 0.0067 = 0.0804.
 */
static void check_directions(void)
{
	struct gate_row r[7];
	size_t wrong = 0;

	for (size_t i = 0; i < 6; i++)
		r[i] = (struct gate_row){.s = {.test = TEST_RANK, .p_more = i == 3 ? 0.0067 : 0.9933, .p_less = i == 3 ? 0.9933 : 0.0067}};
	gate_correct(r, 6);
	for (size_t i = 0; i < 6; i++) {
		gate_judge(&r[i], NAN, 6, 6);
		wrong += !near(r[i].p, 0.0134, 1e-9) || r[i].changed != (i == 3 ? 1 : -1);
	}
	ok(!wrong, "regions that changed in both directions: p %.4f, %zu are wrong", r[3].p, wrong);
	/* By hand: sorted p 0.002 0.02 0.03 0.4; times 4 / k: 0.008 0.04 0.04 0.4. A row without a test is none. */
	for (size_t i = 0; i < 5; i++)
		r[i] = (struct gate_row){.s = {.test = i == 4 ? TEST_NONE : TEST_WELCH,
					       .p_more = (const double[]){0.985, 0.001, 0.8, 0.01, 0.5}[i],
					       .p_less = (const double[]){0.015, 0.999, 0.2, 0.99, 0.5}[i]}};
	gate_correct(r, 5);
	ok(near(r[0].p, 0.04, 1e-9) && near(r[1].p, 0.008, 1e-9) && near(r[2].p, 0.4, 1e-9) && near(r[3].p, 0.04, 1e-9) && isnan(r[4].p),
	   "Benjamini and Hochberg by hand: %.4f %.4f %.4f %.4f", r[0].p, r[1].p, r[2].p, r[3].p);
}

static void check_rank(void)
{
	static const double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8}, tied[] = {2, 2, 3, 3}, c[] = {3, 3, 4, 4};
	struct two_samples s;

	two_samples_compare(a, 4, b, 4, TEST_RANK, &s);
	ok(near(s.p_more, 1.0 / 70, 1e-12) && s.p_less == 1, "4 + 4 runs, all larger: p = 1 / C(8, 4): %.6f", s.p_more);
	two_samples_compare(b, 4, a, 4, TEST_RANK, &s);
	ok(near(s.p_less, 1.0 / 70, 1e-12) && s.p_more == 1, "and all smaller");
	/* Of 70 divisions of 2 2 3 3 3 3 4 4, those with a rank sum of at least 24: 2 4s and 2 of 4 3s. */
	two_samples_compare(tied, 4, c, 4, TEST_RANK, &s);
	ok(near(s.p_more, 6.0 / 70, 1e-12), "ties: 6 of 70 divisions are as extreme: %.6f", s.p_more * 70);
	two_samples_compare(a, 4, a, 4, TEST_RANK, &s);
	ok(s.change == 0 && s.p_more > 0.5 && s.p_less > 0.5, "equal samples");
	two_samples_compare(a, 4, b, 4, TEST_RANK, &s);
	ok(near(s.low, 0.25, 1e-12) && near(s.high, 7, 1e-12), "the interval of 4 + 4 runs is all differences (k = 1): %g to %g", s.low, s.high);
	two_samples_compare(a, 3, b, 3, TEST_RANK, &s);
	ok(s.high == INFINITY, "3 + 3 runs have no 95 %% interval");
}

static void check_welch(void)
{
	/* Of logarithms 0 0.1 0.2 and 1 1.2 1.4 1.6: the formulas by hand. */
	const double a[] = {1, exp(0.1), exp(0.2)}, b[] = {exp(1.0), exp(1.2), exp(1.4), exp(1.6)};
	struct two_samples s;
	double t, v1 = 0.01 / 3, v2 = 0.2 / 3 / 4, df = (v1 + v2) * (v1 + v2) / (v1 * v1 / 2 + v2 * v2 / 3);

	t = 1.2 / sqrt(v1 + v2);
	two_samples_compare(a, 3, b, 4, TEST_WELCH, &s);
	ok(near(s.p_more, 1 - student_probability(t, df), 1e-6) && near(s.change, expm1(1.2), 1e-12) &&
		   near(log1p(s.high) - 1.2, student_percentile(0.975, df) * sqrt(v1 + v2), 1e-9),
	   "Welch's t: t %.4f, %.4f degrees of freedom, p %.6f", t, df, s.p_more);
	two_samples_compare(a, 1, b, 4, TEST_WELCH, &s);
	ok(s.test == TEST_NONE && near(s.change, expm1(1.3), 1e-12) && isnan(s.high), "one run has a change and no test");
	two_samples_compare((const double[]){0, 1}, 2, b, 4, TEST_WELCH, &s);
	ok(s.test == TEST_RANK && s.change > 0 && isnan(s.low), "a value of 0: the order of the values decides");
	two_samples_compare((const double[]){0, 0, 0, 0, 0, 0}, 6, (const double[]){50, 51, 52, 50, 49, 50}, 6, TEST_WELCH, &s);
	ok(s.test == TEST_RANK && isinf(s.change) && near(s.p_more, 1.0 / 924, 1e-12), "0 before and 50 after, 6 of 6 runs: p %g", s.p_more);
	two_samples_compare((const double[]){-1, 1}, 2, b, 4, TEST_WELCH, &s);
	ok(s.test == TEST_NONE && isnan(s.change), "a negative value");
	two_samples_compare((const double[]){7, 7}, 2, (const double[]){8, 8}, 2, TEST_WELCH, &s);
	ok(s.p_more == 0 && s.low == s.high && near(s.change, 1.0 / 7, 1e-12), "counts without noise");
}

static void check_choice(void)
{
	ok(two_samples_choose(4, 4, 1, 0.025) == TEST_RANK && two_samples_choose(3, 3, 1, 0.025) == TEST_WELCH &&
		   two_samples_choose(5, 5, 200, 0.025) == TEST_WELCH && two_samples_choose(10, 10, 200, 0.025) == TEST_RANK &&
		   two_samples_choose(1, 9, 1, 0.025) == TEST_NONE,
	   "the rank test where it can reach the level");
}

static void check_correction(void)
{
	/* Two-sided: 0.02, 0.08, 0.06, 0.01, 0.2. */
	static const double p[] = {0.01, 0.04, 0.03, 0.005, 0.9}, want[] = {0.05, 0.1, 0.1, 0.05, 0.2};
	struct gate_row r[6];
	int good = 1;

	memset(r, 0, sizeof(r));
	for (int i = 0; i < 5; i++) {
		r[i].s.test = TEST_WELCH;
		r[i].s.p_more = p[i];
		r[i].s.p_less = 1 - p[i];
	}
	gate_correct(r, 6);
	for (int i = 0; i < 5; i++)
		good &= near(r[i].p, want[i], 1e-12);
	ok(good && isnan(r[5].p), "Benjamini and Hochberg's correction, by hand");
}

static void draw(double *v, size_t n, double mean, double noise)
{
	for (size_t i = 0; i < n; i++)
		v[i] = mean * (1 + noise * draw_gauss());
}

/* One pair of samples: the whole and m regions; region `slow` is changed by `change`, with SIZE_MAX the whole. */
static enum gate_verdict simulate(size_t n, size_t m, size_t slow, double change, double noise, struct gate_row *region)
{
	enum two_test each = two_samples_choose(n, n, m, GATE_LEVEL), one = two_samples_choose(n, n, 1, GATE_LEVEL);
	struct gate_row whole;
	double a[RUNS], b[RUNS];

	draw(a, n, 1000, noise);
	draw(b, n, 1000 * (slow == SIZE_MAX ? 1 + change : 1), noise);
	two_samples_compare(a, n, b, n, one, &whole.s);
	gate_correct(&whole, 1);
	gate_judge(&whole, 0.03, n, n);
	for (size_t i = 0; i < m; i++) {
		draw(a, n, 5, noise);
		draw(b, n, 5 * (slow == i ? 1 + change : 1), noise);
		two_samples_compare(a, n, b, n, each, &region[i].s);
	}
	gate_correct(region, m);
	for (size_t i = 0; i < m; i++)
		gate_judge(&region[i], 0.03, n, n);
	return gate_all(&whole, region, m);
}

static void check_rates(size_t n, size_t regions, double noise)
{
	struct gate_row region[REGIONS];
	int count[GATE_INCONCLUSIVE + 1] = {0};

	draw_seed(1000 + n);
	for (int i = 0; i < 1000; i++)
		count[simulate(n, regions, 0, 0, noise, region)]++;
	ok(count[GATE_FAIL] <= 50, "1000 pairs without a change at %g %% noise, %zu + %zu runs, %zu regions: %d FAIL, %d PASS, %d INCONCLUSIVE",
	   100 * noise, n, n, regions, count[GATE_FAIL], count[GATE_PASS], count[GATE_INCONCLUSIVE]);
	if (noise > 0.01)
		return;
	memset(count, 0, sizeof(count));
	for (int i = 0; i < 1000; i++)
		count[simulate(n, 0, SIZE_MAX, 0.03, 0.01, region)]++;
	ok(count[GATE_FAIL] >= 900, "1000 pairs with 3 %% more at 1 %% noise, %zu + %zu runs: %d FAIL", n, n, count[GATE_FAIL]);
}

static void check_region(size_t n, int pairs)
{
	struct gate_row region[REGIONS];
	int named = 0, others = 0;

	draw_seed(77 + n);
	for (int i = 0; i < pairs; i++) {
		simulate(n, REGIONS, 123, 0.1, 0.01, region);
		named += region[123].verdict == GATE_FAIL;
		for (size_t k = 0; k < REGIONS; k++)
			others += k != 123 && region[k].verdict == GATE_FAIL;
	}
	ok(named >= pairs * 99 / 100 && others <= pairs / 10, "one region of %d is 10 %% slower, %zu + %zu runs: named %d times in %d, others %d",
	   REGIONS, n, n, named, pairs, others);
}

static void check_verdicts(void)
{
	struct gate_row r = {.s = {TEST_WELCH, 0.02, 0.015, 0.025, 0.001, 0.999, {0.01, 0.01}, 0}, .p = 0.002};

	gate_judge(&r, 0.03, 5, 5);
	ok(r.verdict == GATE_PASS && r.changed == 1, "slower, but surely by less than the gate: PASS");
	r.s.high = 0.04;
	gate_judge(&r, 0.03, 5, 5);
	ok(r.verdict == GATE_FAIL && !r.needed, "at least half of the gate, and more than noise: FAIL");
	r.s.change = 0.01;
	gate_judge(&r, 0.03, 5, 5);
	ok(r.verdict == GATE_INCONCLUSIVE && r.needed == 6, "less than half: INCONCLUSIVE, %zu runs", r.needed);
	r.s.noise[0] = r.s.noise[1] = 0.05;
	gate_judge(&r, 0.03, 5, 5);
	/* 2 (2.8016 x 0.05 / ln 1.03)^2 */
	ok(r.needed == 45, "runs needed at 5 %% noise: %zu", r.needed);
	r.s.test = TEST_NONE;
	gate_judge(&r, 0.03, 1, 5);
	ok(r.verdict == GATE_INCONCLUSIVE && !r.changed, "one run decides nothing");
	gate_judge(&r, NAN, 5, 5);
	ok(r.verdict == GATE_NONE, "without a gate there is no verdict");
}

/* Series of 40 values with 1 % noise: without a change, and with two: 5 % more from the 15th value on, 5 % less from the 29th on. */
static void check_changes(void)
{
	static const double level[] = {100, 105, 99.75};
	struct change_points c;
	int alarms = 0, found = 0;
	double v[40];

	draw_seed(20);
	for (int i = 0; i < 200; i++) {
		draw(v, 40, 100, 0.01);
		change_points_find(&c, v, 40, 1);
		alarms += c.v_n > 0;
		change_points_release(&c);
		for (int k = 0; k < 40; k++)
			v[k] = level[(k >= 14) + (k >= 28)] * (1 + 0.01 * draw_gauss());
		change_points_find(&c, v, 40, 1);
		found += c.v_n == 2 && c.v[0].at >= 13 && c.v[0].at <= 15 && c.v[1].at >= 27 && c.v[1].at <= 29 && c.v[0].change > 0.02 &&
			 c.v[1].change < -0.02;
		change_points_release(&c);
	}
	ok(alarms <= 10, "200 series without a change: changes in %d", alarms);
	ok(found >= 180, "200 series with two changes of 5 %%: both found at their places, to one value, in %d", found);
	v[3] = 0;
	change_points_find(&c, v, 40, 1);
	ok(c.v_n == 0, "a value that is not positive");
	for (int k = 0; k < 40; k++)
		v[k] = k < 9 ? 7 : 8;
	change_points_find(&c, v, 40, 1);
	ok(c.v_n == 1 && c.v[0].at == 9 && near(c.v[0].change, 1.0 / 7, 1e-9) && c.v[0].p == 0, "levels without noise: exactly one change");
	change_points_release(&c);
}

int main(void)
{
	check_student();
	check_directions();
	check_rank();
	check_welch();
	check_choice();
	check_correction();
	check_verdicts();
	check_rates(5, 20, 0.01);
	check_rates(10, 20, 0.01);
	check_rates(5, 20, 0.05);
	check_rates(10, 20, 0.05);
	check_region(5, 100);
	check_region(10, 20);
	check_changes();
	return tap_end();
}
