/* correlation.c: Pearson and Spearman of known data, and p corrected after Benjamini and Hochberg. */
#include "analyze/compare/correlation.h"

#include <math.h>

#include "tap.h"

static int near(double a, double b, double within)
{
	return fabs(a - b) <= within;
}

static void test_known(void)
{
	/* Anscombe (1973), sets 1 and 4; a line; a monotonic curve; ties; a missing value. */
	static const double x1[] = {10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5},
			    y1[] = {8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68},
			    x4[] = {8, 8, 8, 8, 8, 8, 8, 19, 8, 8, 8},
			    y4[] = {6.58, 5.76, 7.71, 8.84, 8.47, 7.04, 5.25, 12.50, 5.56, 7.91, 6.89},
			    line[] = {1, 2, 3, 4, 5}, down[] = {9, 7, 5, 3, 1}, cube[] = {1, 8, 27, 64, 125},
			    tied[] = {1, 2, 2, 4, 5}, tied_y[] = {1, 3, 2, 5, 4};
	static const struct {
		const char *name;
		const double *x, *y;
		size_t n;
		double pearson, spearman;
	} cases[] = {
		{"Anscombe 1", x1, y1, 11, 0.81642, 0.81818},
		{"Anscombe 4", x4, y4, 11, 0.81652, 0.5},
		{"a line", line, line, 5, 1, 1},
		{"a falling line", line, down, 5, -1, -1},
		{"a cube", line, cube, 5, 0.94312, 1},
		/* 9 / sqrt(10.8 * 10); ranks 1, 2.5, 2.5, 4, 5 and 1, 3, 2, 5, 4: 8.5 / sqrt(9.5 * 10). */
		{"ties have their mean rank", tied, tied_y, 5, 0.86603, 0.87208},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct correlation c;

		correlation_make(&c, cases[i].x, cases[i].y, cases[i].n);
		ok(c.n == cases[i].n && near(c.pearson, cases[i].pearson, 6e-6), "%s: Pearson %.5f", cases[i].name, c.pearson);
		ok(near(c.spearman, cases[i].spearman, 6e-6), "%s: Spearman %.5f", cases[i].name, c.spearman);
		ok(c.low <= c.pearson && c.pearson <= c.high, "%s: inside its interval", cases[i].name);
	}
}

/* Anscombe's first set: t = 4.2415 with 9 degrees of freedom, p = 0.00217; interval by Fisher's z. */
static void test_evidence(void)
{
	static const double x[] = {10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5, 1},
			    y[] = {8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68, NAN},
			    same[] = {3, 3, 3, 3, 3};
	double up[12], close[12];
	struct correlation c;

	correlation_make(&c, x, y, 12);
	ok(c.n == 11, "a pair with an unknown value is not used");
	ok(near(c.p, 0.00217, 5e-6), "p of Anscombe 1: %.5f", c.p);
	ok(near(c.low, 0.42439, 2e-4) && near(c.high, 0.95069, 2e-4), "its interval: %.4f to %.4f", c.low, c.high);
	for (int i = 0; i < 12; i++) {
		up[i] = i + 1;
		close[i] = up[i] + (i % 2 ? 1e-4 : -1e-4);
	}
	correlation_make(&c, up, close, 12);
	ok(near(c.p / 9.21020e-47, 1, 1e-3), "a small p is not 0: %g", c.p);
	correlation_make(&c, x, y, CORRELATION_PAIRS - 1);
	ok(isnan(c.pearson), "too few pairs: unknown");
	/* Spearman: 2 of 24 orders, 2 of 120; 8 pairs: 2 / 8!. Of 4 with ties (3, 5, 5, 9): 4 of 24. */
	for (size_t n = 4; n <= 8; n += n == 5 ? 3 : 1) {
		static const double up[] = {1, 2, 3, 4, 5, 6, 7, 8}, p[] = {1 / 12.0, 1 / 60.0, 0, 0, 1 / 20160.0};

		correlation_make(&c, up, up, n);
		ok(near(c.p_spearman, p[n - 4], 1e-12), "the least p of %zu pairs: %.6f", n, c.p_spearman);
	}
	correlation_make(&c, (const double[]){1, 2, 3, 4}, (const double[]){3, 5, 5, 9}, 4);
	ok(near(c.p_spearman, 4 / 24.0, 1e-12), "and with ties: %.6f", c.p_spearman);
	/* Of (2, 1, 4, 3): r = 0.6; 10 of 24 orders have |r| >= 0.6, as tables of Spearman's test have. */
	correlation_make(&c, (const double[]){1, 2, 3, 4}, (const double[]){2, 1, 4, 3}, 4);
	ok(near(c.p_spearman, 10 / 24.0, 1e-12), "an r of 0.6: %.6f", c.p_spearman);
	correlation_make(&c, x, same, 5);
	ok(isnan(c.pearson), "a constant: unknown");
}

static void test_correction(void)
{
	/* The example of 5 tests: p' = 0.005, 0.025, 0.05, 0.05, 0.2 for p below, in any order. */
	static const double p[] = {0.04, 0.001, 0.2, 0.01, 0.03}, corrected[] = {0.05, 0.005, 0.2, 0.025, 0.05};
	struct row {
		struct correlation c;
		int other;
	} row[6];

	for (size_t i = 0; i < 5; i++)
		row[i].c = (struct correlation){.n = 9, .pearson = 0.5, .p = p[i], .spearman = 0.5, .p_spearman = p[4 - i]};
	row[5].c = (struct correlation){.n = 2, .pearson = NAN, .p = NAN, .spearman = NAN, .p_spearman = NAN};
	correlations_correct(&row[0].c, 6, sizeof(*row));
	for (size_t i = 0; i < 5; i++) {
		ok(near(row[i].c.p, corrected[i], 1e-12), "p %.3f becomes %.3f", p[i], row[i].c.p);
		ok(near(row[i].c.p_spearman, corrected[4 - i], 1e-12), "Spearman's is corrected on its own");
	}
	ok(isnan(row[5].c.p), "a row without p is no test");
}

int main(void)
{
	test_known();
	test_evidence();
	test_correction();
	return tap_end();
}
