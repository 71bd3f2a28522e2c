/* forecast.c: forecasts from 2 to 16 PEs: laws that are nearly met, blocks that have not come yet, and sums of parts. */
#include "tap.h"

#include <math.h>
#include <string.h>

#include "analyze/base/base.h"
#include "analyze/scaling/scaling.h"
#include "analyze/scaling/scaling_series.h"
#include "draw.h"

#define DRAWS 1000
#define POINTS 4
#define BEYOND 64

static void forecast_at(const double *y, double grain, double p, struct scaling_model *m,
			struct scaling_forecast *f)
{
	struct scaling_point v[POINTS];

	for (size_t i = 0; i < POINTS; i++)
		v[i] = (struct scaling_point){exp2((double)i + 1), y[i]};
	scaling_fit(v, POINTS, scaling_options(v, POINTS), m);
	scaling_forecast(v, POINTS, scaling_options(v, POINTS), m, grain, p, f);
}

static int holds(const struct scaling_forecast *f, double truth)
{
	return f->credible && f->low <= truth && truth <= f->high;
}

/* Bytes per PE of libraries under MPI and OpenSHMEM programs on 2, 4, 8 and 16 PEs, and what they had on 64. */
static void test_measured(void)
{
	static const struct {
		const char *what;
		double y[POINTS], block, truth;
		const char *orders;
	} row[] = {
		{"tables of a line for each PE beside 465 KiB", {477712, 480009, 484529, 493623.6875}, 80, 548283.9, "O(P)"},
		{"400 B for each PE, once a little more", {290448, 291248, 292848, 296052}, 300, 315276, "O(P)"},
		{"names whose length grows with the digits in them", {95, 253, 569, 1206.625}, 79, 5046.2, "O(P)"},
		{"two laws at once", {2936, 3390, 4184, 5971.5}, 50, 16735.9, "O(log^2 P) to O(P^2)"},
		{"one slab, then two", {2168, 2168, 2168, 2168}, 2168, 4223.5, "O(1)"},
		{"a first run that differs", {0, 72704, 72704, 72704}, 72704, 72704, "O(1)"},
		{"a first run that differs, and a little noise", {5779, 9348, 9400, 9348}, 40, 9300, "O(1)"},
	};
	struct scaling_forecast f;
	struct scaling_model m;
	char text[160];

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		forecast_at(row[i].y, row[i].block, BEYOND, &m, &f);
		ok(holds(&f, row[i].truth) && f.high > f.low, "%s: %.0f on 64, forecast %.0f (%.0f to %.0f)", row[i].what,
		   row[i].truth, f.value, f.low, f.high);
		ok(!strcmp(scaling_orders_text(&m, text, sizeof(text)), row[i].orders), "%s: order %s", row[i].what, text);
	}
}

/* c0 + c1 p with errors of a share of the growth, as addresses, names and alignment make them. */
static void test_nearly_linear(double share)
{
	size_t credible = 0, inside = 0, linear = 0;

	draw_seed(316);
	for (size_t d = 0; d < DRAWS; d++) {
		double c0 = 1000 * pow(500, draw_uniform()), c1 = 16 * pow(100, draw_uniform()), y[POINTS];
		struct scaling_forecast f;
		struct scaling_model m;

		for (size_t i = 0; i < POINTS; i++)
			y[i] = round(c0 + c1 * exp2((double)i + 1) + 14 * c1 * share * draw_gauss());
		forecast_at(y, 0, BEYOND, &m, &f);
		credible += f.credible;
		inside += holds(&f, round(c0 + BEYOND * c1));
		linear += f.credible && m.least.i_over <= m.least.i_under && m.most.i_over >= m.most.i_under;
	}
	ok(credible >= DRAWS * 9 / 10, "errors of %.1f %% of the growth: %zu of %d have a forecast", 100 * share, credible, DRAWS);
	ok(inside * 100 >= credible * 93 && linear * 100 >= credible * 95,
	   "errors of %.1f %%: in %zu of them the interval holds the truth, in %zu the orders hold O(P)", 100 * share, inside, linear);
}

/* A value that is constant or grows by whole blocks, and may have one block more or less beyond the data. */
static void test_unseen_block(void)
{
	size_t inside = 0, wide = 0;

	draw_seed(2018);
	for (size_t d = 0; d < DRAWS; d++) {
		double block = 8 * (double)(1 + draw_below(500)), blocks = (double)draw_below(50), each = (double)draw_below(3), y[POINTS];
		struct scaling_forecast f;
		struct scaling_model m;

		for (size_t i = 0; i < POINTS; i++)
			y[i] = block * (blocks + 1 + each * exp2((double)i + 1));
		forecast_at(y, block, BEYOND, &m, &f);
		inside += holds(&f, block * (blocks + 2 + each * BEYOND)) && holds(&f, block * (blocks + each * BEYOND));
		wide += f.high - f.low > 2.001 * block;
	}
	ok(inside == DRAWS && !wide, "one block more or less is never excluded, two are: %zu and %zu of %d", inside, wide, DRAWS);
}

static void test_distance(void)
{
	static const double still[POINTS] = {4096, 4096, 4096, 4096};
	struct scaling_forecast near, far, inside;
	struct scaling_model m;

	forecast_at(still, 64, 8, &m, &inside);
	forecast_at(still, 64, 64, &m, &near);
	forecast_at(still, 64, 1048576, &m, &far);
	ok(inside.high == 4096 && near.high == 4160 && near.low == 4032, "one block up to as many doublings as were seen: %.0f",
	   near.high);
	ok(far.credible && fabs(far.high - (4096 + 64 * 16 / 3.)) < 1e-6, "and as many as could have come since, a million PEs: %.1f",
	   far.high);
}

/* A forecast of a total is made of those of its parts. */
static void test_sums(void)
{
	size_t good = 0, narrower = 0;

	draw_seed(1310);
	for (size_t d = 0; d < DRAWS; d++) {
		double value = 0, low = 0, high = 0;
		struct scaling_sum sum = {0};
		size_t n = 1 + draw_below(20), refused = 0;
		struct scaling_forecast f;

		for (size_t k = 0; k < n; k++) {
			struct scaling_model m;
			double y[POINTS], c0 = 1e5 * draw_uniform(), c1 = draw_below(2) ? 100 * draw_uniform() : 0;
			int jump = draw_below(4) == 0;

			for (size_t i = 0; i < POINTS; i++)
				y[i] = c0 + (jump ? (i / 2) * c0 : c1 * exp2((double)i + 1));
			forecast_at(y, 1 + c0 / 10, BEYOND, &m, &f);
			scaling_sum_add(&sum, &f);
			refused += !f.credible;
			value += f.credible ? f.value : 0;
			low += f.credible ? f.low : 0;
			high += f.credible ? f.high : 0;
		}
		scaling_sum_forecast(&sum, BEYOND, &f);
		good += sum.refused == refused && sum.parts == n - refused && f.credible == (n > refused) &&
			(!f.credible || (fabs(f.value - value) < 1e-6 && f.low <= f.value && f.value <= f.high));
		narrower += !f.credible || (f.low >= low - 1e-6 && f.high <= high + 1e-6);
	}
	ok(good == DRAWS, "totals are the sums of their parts: %zu of %d", good, DRAWS);
	ok(narrower == DRAWS, "errors of parts partly cancel: %zu of %d", narrower, DRAWS);
}

/* Values with 5 % noise that allow no formula: a range of orders, which holds the law. */
static void test_ranges(void)
{
	static const double measured[POINTS] = {324, 573, 660, 853};	/* 324 log2 P, planted */
	static const struct scaling_term law[] = {{0, 1, 1}, {1, 2, 0}, {1, 1, 0}};
	size_t ranged = 0, inside = 0, none = 0, narrow = 0;
	struct scaling_forecast f;
	struct scaling_model m;
	char text[160];

	forecast_at(measured, 0, BEYOND, &m, &f);
	ok(m.ranged && !f.credible && !strcmp(scaling_orders_text(&m, text, sizeof(text)), "O(log P) to O(P^(2/3))"),
	   "log P with noise: %s, no forecast: %s", text, f.why);
	draw_seed(37);
	for (size_t d = 0; d < DRAWS; d++) {
		const struct scaling_term *t = &law[d % 3];
		double y[POINTS];

		for (size_t i = 0; i < POINTS; i++)
			y[i] = 300 * scaling_term_value(t, exp2((double)i + 1)) * (1 + 0.05 * draw_gauss());
		forecast_at(y, 0, BEYOND, &m, &f);
		none += !scaling_credible(&m) && !m.ranged;
		if (!m.ranged)
			continue;
		ranged++;
		inside += scaling_term_compare(&m.least, t) <= 0 && scaling_term_compare(t, &m.most) <= 0;
		narrow += m.most.i_over <= 2 * m.most.i_under;
	}
	ok(ranged > DRAWS / 4 && inside * 100 >= ranged * 95, "5 %% noise: %zu of %d have a range, %zu hold the law", ranged, DRAWS, inside);
	ok(narrow * 100 >= ranged * 90, "%zu of them end at P^2 log^2 P or before", narrow);
	ok(none * 20 <= DRAWS, "%zu have neither", none);
}

int main(void)
{
	test_ranges();
	test_measured();
	test_nearly_linear(0.0005);
	test_nearly_linear(0.002);
	test_unseen_block();
	test_distance();
	test_sums();
	return tap_end();
}
