/* scaling_series.c: measurements in order and averaged, the weight of residuals, and residuals of curves. */
#include "analyze/scaling/scaling_series.h"

#include <math.h>

#include "tap.h"

static void test_make(void)
{
	static const struct scaling_point point[] = {{8, 30}, {2, 10}, {8, 50}, {4, -20}};
	struct series s;

	series_make(&s, point, 4);
	ok(s.n == 3 && s.p[0] == 2 && s.p[1] == 4 && s.p[2] == 8, "one value for each number of PEs, ascending");
	ok(s.y[0] == 10 && s.y[1] == -20 && s.y[2] == 40, "several measurements are averaged");
	ok(s.mean == 10 && s.largest == 40 && s.tss == 900 + 900, "mean, largest and sum of squares");
	series_release(&s);
	series_make(&s, point, 1);
	ok(s.n == 1 && s.tss == 0, "one measurement");
	series_release(&s);
}

static void test_weight(void)
{
	static const struct scaling_point point[] = {{1, 1000}, {2, 2000}, {4, 0}};
	struct series s;

	series_make(&s, point, 3);
	ok(series_weight(&s, 1000) > series_weight(&s, 2000), "a residual of a large value weighs less");
	ok(series_weight(&s, 0) == series_weight(&s, 1e-30) && isfinite(series_weight(&s, 0)), "values near zero weigh alike");
	series_release(&s);
}

static void test_residuals(void)
{
	struct scaling_point line[5], odd[5];
	struct series s, t;
	double least;

	for (int i = 0; i < 5; i++) {
		line[i] = (struct scaling_point){1 << i, 3 + 2.0 * (1 << i)};
		odd[i] = (struct scaling_point){1 << i, line[i].value * (i % 2 ? 1.5 : 0.5)};
	}
	series_make(&s, line, 5);
	series_make(&t, odd, 5);
	least = series_least_rss(&s, 0);
	ok(least >= 0 && least < 1e-20, "a straight line has a curve without residuals: %g", least);
	ok(series_least_rss(&t, 0) > 0.01, "values that alternate have none");
	series_release(&s);
	series_release(&t);
}

static void test_interval(void)
{
	struct scaling_point line[6];
	struct series s;
	double low, high;

	for (int i = 0; i < 6; i++)
		line[i] = (struct scaling_point){1 << i, 100 + 10.0 * (1 << i) + (i % 2 ? 1 : -1)};
	series_make(&s, line, 6);
	series_interval(&s, 0, 64, &low, &high);
	ok(low <= high && low < 740 && high > 740, "the interval at 64 PEs contains 740: %.1f to %.1f", low, high);
	ok(low > 370 && high < 1480, "and is of that size");
	series_release(&s);
}

int main(void)
{
	test_make();
	test_weight();
	test_residuals();
	test_interval();
	return tap_end();
}
