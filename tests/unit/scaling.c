/* scaling.c: the 42 terms, other people's experiments, and what must not be believed: steps, constants, noise. */
#include "tap.h"

#include <math.h>
#include <string.h>

#include "analyze/base/base.h"
#include "analyze/scaling/scaling.h"
#include "draw.h"

static const double powers_of_2[] = { 2, 4, 8, 16, 32, 64 };

static void fit(const double *p, const double *y, size_t n, struct scaling_model *m)
{
	struct scaling_point *v = mem_alloc(n * sizeof(*v));

	for (size_t i = 0; i < n; i++)
		v[i] = (struct scaling_point){ p[i], y[i] };
	scaling_fit(v, n, 0, m);
	free(v);
}

static int same_term(const struct scaling_term *a, const struct scaling_term *b)
{
	return a->i_over == b->i_over && a->i_under == b->i_under && a->j == b->j;
}

static void test_recovery(unsigned options, size_t expected, const char *what)
{
	struct scaling_term term;
	size_t k, good = 0;

	for (k = 0; scaling_term_get(k, options, &term); k++) {
		struct scaling_point v[5];
		struct scaling_model m;

		for (size_t i = 0; i < 5; i++)
			v[i] = (struct scaling_point){ powers_of_2[i],
						       200 + 10 * scaling_term_value(&term, powers_of_2[i]) };
		scaling_fit(v, 5, options, &m);
		if (same_term(&m.term, &term) && fabs(m.c0 - 200) < 1e-6 && fabs(m.c1 - 10) < 1e-6 &&
		    m.verdict == SCALING_EXACT)
			good++;
		else
			printf("# term %zu: %d/%d %d became %d/%d %d, %.9g + %.9g, verdict %d\n", k, term.i_over,
			       term.i_under, term.j, m.term.i_over, m.term.i_under, m.term.j, m.c0, m.c1, m.verdict);
	}
	ok(good == expected && k == expected, "%s: %zu of %zu terms recovered to six places", what, good, expected);
}

/* One line "DATA 1 2 3" of the file holds the repetitions at one point. */
static size_t read_data(char *line, double p, struct scaling_point *v, size_t n)
{
	char *save = NULL;

	for (char *word = strtok_r(line, " \t\r\n", &save); word; word = strtok_r(NULL, " \t\r\n", &save))
		if (strcmp(word, "DATA"))
			v[n++] = (struct scaling_point){ p, atof(word) };
	return n;
}

/* one_parameter_6.txt: five points, regions met1 to met4. Returns 0 if the file is not there. */
static int read_experiment(const char *path, const char *region, struct scaling_point *v, size_t *n)
{
	static const double p[] = { 1000, 2000, 4000, 8000, 16000 };
	FILE *f = fopen(path, "r");
	char line[512], name[64] = "";
	size_t point = 0;

	*n = 0;
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "REGION %63s", name) == 1)
			point = 0;
		else if (!strncmp(line, "DATA", 4) && !strcmp(name, region) && point < 5)
			*n = read_data(line, p[point++], v, *n);
	}
	fclose(f);
	return 1;
}

static void test_experiment(void)
{
	const char *data = getenv("TAU_TEST_DATA");
	char *path = mem_printf("%s/extrap/one_parameter_6.txt", data ? data : "../shared/data");
	struct scaling_point v[64];
	struct scaling_model m;
	size_t n;

	if (!read_experiment(path, "met1", v, &n)) {
		skip("an experiment of Extra-P", "its file is not here");
		free(path);
		return;
	}
	scaling_fit(v, n, 0, &m);
	ok(n == 25 && m.c1 == 0 && fabs(m.c0 - 4.068) < 1e-9, "Extra-P experiment met1 is the constant %.6g", m.c0);
	for (int k = 2; k <= 4; k++) {
		char name[16];

		snprintf(name, sizeof(name), "met%d", k);
		read_experiment(path, name, v, &n);
		scaling_fit(v, n, 0, &m);
		ok(n && m.term.i_over == 2 && m.term.i_under == 1 && m.term.j == 0,
		   "Extra-P experiment %s is one term with exponent 2", name);
	}
	free(path);
}

static char *bytes(double value, char *buf, size_t size)
{
	snprintf(buf, size, "%g B", value);
	return buf;
}

/* Each case: values on 2, 4, 8, 16, ...; the verdict that they must get. */
static void test_verdicts(void)
{
	static const struct {
		const char *what;
		double y[6];
		size_t n;
		enum scaling_verdict verdict;
		const char *model, *order, *why;
	} row[] = {
		{ "120 B each on 4 points is found, exactly", { 240, 480, 960, 1920 }, 4, SCALING_EXACT,
		  "120 B x P", "O(P)", "4 points" },
		{ "a base beside the growth", { 2564, 3028, 3956, 5812, 9524 }, 5, SCALING_EXACT,
		  "2100 B + 232 B x P", "O(P)", "" },
		{ "a logarithm", { 5, 10, 15, 20, 25 }, 5, SCALING_EXACT, "5 B x log2 P", "O(log P)", "" },
		{ "P log P", { 6, 24, 72, 192 }, 4, SCALING_EXACT, "3 B x P log2 P", "O(P log P)", "4 points" },
		{ "a constant is called constant", { 4096, 4096, 4096, 4096 }, 4, SCALING_CONSTANT, "4096 B", "O(1)",
		  "" },
		{ "a constant that moves a little", { 1000, 1010, 990, 1005, 1000 }, 5, SCALING_CONSTANT, "1001 B",
		  "O(1)", "varies by 2 %" },
		{ "a curve through values that hardly move", { 1008, 1004, 1002, 1001 }, 4, SCALING_CONSTANT, "1003.75 B",
		  "O(1)", "varies by 0.7 %" },
		{ "a small trend is no constant", { 651, 655, 660, 670 }, 4, SCALING_CREDIBLE, NULL, NULL, "4 points" },
		{ "nothing at all is constant", { 0, 0, 0, 0 }, 4, SCALING_CONSTANT, "0 B", "O(1)", "" },
		{ "two equal points are constant, with the caveat", { 7, 7 }, 2, SCALING_CONSTANT, "7 B", "O(1)",
		  "2 points" },
		{ "three points carry no model", { 240, 480, 960 }, 3, SCALING_NOT_CREDIBLE, NULL, NULL, "3 points" },
		{ "one point carries none", { 240 }, 1, SCALING_NOT_CREDIBLE, NULL, NULL, "1 point" },
		{ "a free list that grows in steps", { 1024, 1024, 2048, 2048 }, 4, SCALING_STEPS, NULL, NULL,
		  "steps, not a curve" },
		{ "steps of growing height", { 10, 10, 20, 20, 40 }, 5, SCALING_STEPS, NULL, NULL, "steps, not a curve" },
		{ "steps of one point and of several", { 10, 20, 20, 40, 40, 80 }, 6, SCALING_STEPS, NULL, NULL,
		  "steps, not a curve" },
		{ "a type that appears late and then grows", { 0, 0, 0, 4096, 8192, 16384 }, 6, SCALING_LATE, NULL, NULL,
		  "no growth up to 8, growth from 16 on" },
		{ "a free list that is large enough at first", { 1024, 1024, 2048, 4096 }, 4, SCALING_LATE, NULL, NULL,
		  "no growth up to 4, growth from 8 on" },
		{ "late growth behind a first value that differs", { 3, 2, 2, 5, 9 }, 5, SCALING_LATE, NULL, NULL,
		  "no growth up to 8, growth from 16 on" },
		{ "what appears at once and stays", { 0, 96, 96, 96, 96 }, 5, SCALING_CONSTANT, "96 B", "O(1)", "from 4 on" },
		{ "what goes up and down behind a standstill", { 5, 5, 5, 9, 7, 9 }, 6, SCALING_STEPS, NULL, NULL,
		  "steps, not a curve" },
		{ "one jump at the end", { 0, 0, 0, 0, 0, 800 }, 6, SCALING_STEPS, NULL, NULL, "steps, not a curve" },
		{ "two noisy levels", { 100, 101, 99, 201, 199, 200 }, 6, SCALING_STEPS, NULL, NULL,
		  "steps, not a curve" },
		{ "noise on 4 points", { 260, 470, 1100, 1600 }, 4, SCALING_NOT_CREDIBLE, NULL, NULL, NULL },
		{ "noise that leaves the order open", { 100, 160, 190, 290, 380 }, 5, SCALING_NOT_CREDIBLE, NULL, NULL, NULL },
		{ "a total that grows a little, but always", { 3.48, 3.62, 3.64, 3.67, 3.74 }, 5, SCALING_NOT_CREDIBLE, NULL, NULL, NULL },
		{ "no trend", { 100, 300, 120, 280, 90 }, 5, SCALING_NOT_CREDIBLE, NULL, NULL, NULL },
	};
	char text[128];

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct scaling_model m;
		int good;

		fit(powers_of_2, row[i].y, row[i].n, &m);
		good = m.verdict == row[i].verdict && (m.c1 != 0 || (m.noise == 0 && isnan(m.adjusted_r2)));
		if (row[i].model)
			good &= !strcmp(scaling_model_text(&m, bytes, text, sizeof(text)), row[i].model);
		if (row[i].order)
			good &= !strcmp(scaling_order_text(&m.term, text, sizeof(text)), row[i].order);
		if (row[i].why)
			good &= !strcmp(m.why, row[i].why);
		else
			good &= m.why[0] != 0;
		if (!ok(good, "%s", row[i].what))
			printf("# verdict %d, model %s, why '%s'\n", m.verdict,
			       scaling_model_text(&m, bytes, text, sizeof(text)), m.why);
	}
}

static void test_range(void)
{
	static const double near[] = { 10, 11, 12, 13, 14 }, narrow[] = { 20, 30, 40, 50, 60 };
	double exact[5], noisy[5];
	struct scaling_model m;

	for (size_t i = 0; i < 5; i++) {
		exact[i] = 7 + 3 * near[i];
		noisy[i] = 100 * narrow[i] + (i % 2 ? 40 : -40);
	}
	fit(near, exact, 5, &m);
	ok(m.verdict == SCALING_NOT_CREDIBLE && !strcmp(m.why, "range 10 to 14 spans less than a factor of 2"),
	   "a range of 10 to 14 carries no model, however exact: %s", m.why);
	fit(narrow, noisy, 5, &m);
	ok(m.verdict == SCALING_NOT_CREDIBLE && !strcmp(m.why, "5 points, 20 to 60 span less than a factor of 4"),
	   "noise and a range of 20 to 60 carry none: %s", m.why);
	for (size_t i = 0; i < 5; i++)
		exact[i] = 7 + 3 * narrow[i];
	fit(narrow, exact, 5, &m);
	ok(m.verdict == SCALING_NOT_CREDIBLE, "five points in a narrow range are too few, even without noise: %s", m.why);
	fit(narrow, exact, 0, &m);
	ok(m.verdict == SCALING_NOT_CREDIBLE && !strcmp(m.why, "no points"), "no points, no model");
}

static void test_words(void)
{
	static const struct {
		struct scaling_term term;
		const char *text, *order;
	} row[] = {
		{ { 3, 2, 1 }, "P^(3/2) log2 P", "O(P^(3/2) log P)" },
		{ { 0, 1, 2 }, "log2^2 P", "O(log^2 P)" },
		{ { 2, 1, 0 }, "P^2", "O(P^2)" },
		{ { -1, 1, 0 }, "P^-1", "O(P^-1)" },
		{ { -1, 2, 1 }, "P^(-1/2) log2 P", "O(P^(-1/2) log P)" },
		{ { 0, 1, 0 }, "1", "O(1)" },
	};
	struct scaling_model m = { .term = { 1, 1, 0 }, .c0 = -4, .c1 = 3 };
	char text[128];

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		ok(!strcmp(scaling_term_text(&row[i].term, text, sizeof(text)), row[i].text), "term %s", text);
		ok(!strcmp(scaling_order_text(&row[i].term, text, sizeof(text)), row[i].order), "order %s", text);
	}
	ok(!strcmp(scaling_model_text(&m, bytes, text, sizeof(text)), "3 B x P - 4 B"), "a negative base: %s", text);
	m.c1 = -3;
	m.c0 = 4;
	ok(!strcmp(scaling_model_text(&m, bytes, text, sizeof(text)), "4 B - 3 B x P"), "a falling value: %s", text);
}

/* 200 + 10 p with noise of 1 %, 3 repetitions on 6 points: found as something near p. */
static void test_noise(void)
{
	size_t draws = 400, near = 0, order = 0;

	draw_seed(20181115);
	for (size_t d = 0; d < draws; d++) {
		struct scaling_point v[18];
		struct scaling_model m;

		for (size_t i = 0; i < 18; i++) {
			double p = powers_of_2[i / 3];

			v[i] = (struct scaling_point){ p, (200 + 10 * p) * (1 + 0.01 * draw_gauss()) };
		}
		scaling_fit(v, 18, 0, &m);
		near += fabs(scaling_value(&m, 128) / (200 + 10 * 128) - 1) < 0.15;
		order += scaling_credible(&m) && m.term.i_over * 4 >= 3 * m.term.i_under &&
			 m.term.i_over * 4 <= 5 * m.term.i_under;
	}
	ok(near >= draws * 95 / 100, "1 %% noise, extrapolated to twice the range: %zu of %zu within 15 %%", near, draws);
	ok(order >= draws * 95 / 100, "1 %% noise: %zu of %zu find an exponent from 3/4 to 5/4", order, draws);
}

/* Noise of 20 % on 4 points around a constant must hardly ever be sold as growth. */
static void test_false_growth(void)
{
	size_t draws = 1000, sold = 0;

	draw_seed(4711);
	for (size_t d = 0; d < draws; d++) {
		struct scaling_model m;
		double y[4];

		for (size_t i = 0; i < 4; i++)
			y[i] = 1000 * (1 + 0.2 * draw_gauss());
		fit(powers_of_2, y, 4, &m);
		sold += scaling_credible(&m) && m.c1 != 0;
	}
	ok(sold <= draws / 50, "pure noise on 4 points: %zu of %zu draws sold as growth", sold, draws);
}

struct verdicts {
	size_t n[SCALING_NOT_CREDIBLE + 1];
	size_t settled;			/* constant from the second point on */
	size_t plain, plain_steps;	/* draws in which each level has two points, and how many are steps */
};

/* Has each level two points or more? */
static int is_plain(size_t levels, size_t points, const size_t jump[2])
{
	size_t first = jump[0] < jump[1] || levels < 3 ? jump[0] : jump[1], last = levels < 3 ? first : jump[0] + jump[1] - first;

	return levels > 1 && first >= 2 && points - last >= 2 && (first == last || last - first >= 2);
}

/* Two or three levels on 5 to 8 points, each 1.5 to 4 times the one before, or one level. */
static void draw_levels(size_t levels, double noise, struct verdicts *out)
{
	struct scaling_point v[8];
	size_t points = 5 + draw_below(4), jump[2] = { 1 + draw_below(points - 1), 1 + draw_below(points - 1) };
	double level = 100 * pow(1000, draw_uniform());
	struct scaling_model m;

	for (size_t i = 0; i < points; i++) {
		for (size_t k = 0; k + 1 < levels; k++)
			level *= jump[k] == i ? 1.5 + 2.5 * draw_uniform() : 1;
		v[i] = (struct scaling_point){ exp2((double)i + 1), level * (1 + noise * draw_gauss()) };
	}
	scaling_fit(v, points, scaling_options(v, points), &m);
	if (m.settled)
		out->settled++;
	else
		out->n[m.verdict]++;
	if (is_plain(levels, points, jump)) {
		out->plain++;
		out->plain_steps += m.verdict == SCALING_STEPS;
	}
}

/* A value that is constant between jumps is never a curve; without jumps it is constant. */
static void test_levels(double noise)
{
	static const size_t draws = 1000;
	struct verdicts steps = { 0 }, still = { 0 };

	draw_seed(1024);
	for (size_t d = 0; d < draws; d++) {
		draw_levels(2 + draw_below(2), noise, &steps);
		draw_levels(1, noise, &still);
	}
	ok(steps.n[SCALING_EXACT] + steps.n[SCALING_CREDIBLE] + steps.n[SCALING_CONSTANT] <= (noise > 0 ? draws / 100 : 0),
	   "%.0f %% noise: steps are not sold as a curve: of %zu %zu are, %zu are called steps", 100 * noise, draws,
	   steps.n[SCALING_EXACT] + steps.n[SCALING_CREDIBLE], steps.n[SCALING_STEPS]);
	/* Single points after a constant part may as well be growth that begins late. */
	ok(steps.n[SCALING_STEPS] + steps.n[SCALING_LATE] + steps.settled >= (noise > 0 ? draws * 2 / 3 : draws) &&
		   steps.n[SCALING_LATE] < draws / 5,
	   "%.0f %% noise: steps are called steps, %zu of them late growth", 100 * noise, steps.n[SCALING_LATE]);
	ok(steps.plain > draws / 5 && steps.plain_steps >= (noise > 0 ? steps.plain * 9 / 10 : steps.plain),
	   "%.0f %% noise: levels of two points and more are steps: %zu of %zu", 100 * noise, steps.plain_steps,
	   steps.plain);
	ok(still.n[SCALING_CONSTANT] >= (noise > 0 ? draws * 9 / 10 : draws),
	   "%.0f %% noise: of %zu constants %zu are called so, %zu growth", 100 * noise, draws, still.n[SCALING_CONSTANT],
	   still.n[SCALING_CREDIBLE]);
}

/* A standstill and then growth at 2 to 5 further points by 1.3 to 3 times each is no step, and no curve. */
static void test_late(double noise)
{
	static const size_t draws = 1000;
	size_t late = 0, sold = 0, steps = 0;

	draw_seed(2048);
	for (size_t d = 0; d < draws; d++) {
		struct scaling_point v[9];
		size_t still = 2 + draw_below(3), points = still + 2 + draw_below(4);
		double value = 100 * pow(1000, draw_uniform());
		struct scaling_model m;

		for (size_t i = 0; i < points; i++) {
			value *= i < still ? 1 : 1.3 + 1.7 * draw_uniform();
			v[i] = (struct scaling_point){ exp2((double)i + 1), value * (1 + noise * draw_gauss()) };
		}
		scaling_fit(v, points, 0, &m);
		late += m.verdict == SCALING_LATE;
		steps += m.verdict == SCALING_STEPS;
		sold += scaling_credible(&m);
	}
	ok(steps <= (noise > 0 ? draws / 100 : 0) && (noise > 0 || late == draws),
	   "%.0f %% noise: late growth is no step: of %zu %zu are called late, %zu steps, %zu fit a curve", 100 * noise, draws,
	   late, steps, sold);
}

static void forecast(const double *y, size_t n, double p, struct scaling_forecast *f)
{
	struct scaling_point v[8];
	struct scaling_model m;

	for (size_t i = 0; i < n; i++)
		v[i] = (struct scaling_point){ powers_of_2[i], y[i] };
	scaling_fit(v, n, scaling_options(v, n), &m);
	scaling_forecast(v, n, scaling_options(v, n), &m, 0, p, f);
}

static void test_forecast(void)
{
	static const double exact[] = { 240, 480, 960, 1920, 3840 }, still[] = { 7, 7, 7, 7, 7 };
	static const double noisy[] = { 221, 243, 281, 355, 528, 832 }, steps[] = { 10, 10, 20, 20, 40 };
	static const double falls[] = { 1064, 564, 314, 189, 126.5, 95.25 }, high[] = { 1000, 2020, 4000, 8700, 16000 }, little[] = { 1000, 1010, 990, 1005, 1000 };
	struct scaling_forecast f;

	forecast(exact, 5, 1048576, &f);
	ok(f.credible && fabs(f.value / 125829120 - 1) < 1e-9 && f.low > 0.9999 * f.value && f.high < 1.0001 * f.value,
	   "a million PEs, from what is exact: %.9g, %.9g to %.9g", f.value, f.low, f.high);
	forecast(noisy, 6, 256, &f);
	ok(f.credible && f.low < 2760 && f.high > 2760 && f.low <= f.value && f.value <= f.high,
	   "four times beyond, with noise: %.4g, %.4g to %.4g", f.value, f.low, f.high);
	forecast(noisy, 6, 1048576, &f);
	ok(!f.credible && strstr(f.why, "curves that fit are a factor of") == f.why && f.high > 10 * f.low,
	   "but a million PEs are too far: %s", f.why);
	forecast(steps, 5, 1024, &f);
	ok(!f.credible && !strcmp(f.why, "steps, not a curve"), "steps carry nowhere: %s", f.why);
	forecast(exact, 3, 1024, &f);
	ok(!f.credible && !strcmp(f.why, "3 points") && isinf(f.high), "nor do three points: %s", f.why);
	forecast(still, 5, 1048576, &f);
	ok(f.credible && f.low == 7 && f.high == 7, "a constant stays");
	forecast(still, 3, 1048576, &f);
	ok(!f.credible && !strcmp(f.why, "constant on 3 points, 2 to 8, only"), "unless it is hardly one: %s", f.why);
	forecast(little, 5, 1048576, &f);
	ok(!f.credible, "noise may hide growth: %s", f.why);
	forecast(high, 5, 16.1, &f);
	ok(!f.credible && !strcmp(f.why, "less than measured on 16"), "fewer PEs had more: %g, '%s'", f.value, f.why);
	forecast(high, 5, 64, &f);
	ok(f.credible, "twice as many PEs have more again: %g, '%s'", f.value, f.why);
	forecast(falls, 6, 1048576, &f);
	ok(f.credible && fabs(f.value - 64) < 0.01, "what falls as 1 / P falls to its base: %.6g", f.value);
}

static void test_order_of_input(void)
{
	struct scaling_point v[] = { { 16, 1921 }, { 2, 240 }, { 8, 960 }, { 16, 1919 }, { 4, 480 }, { 2, 240 } };
	struct scaling_model m;

	scaling_fit(v, 6, 0, &m);
	ok(m.points == 4 && m.verdict == SCALING_EXACT && m.c1 == 120 && m.c0 == 0,
	   "repetitions are averaged, in any order: %g + %g P", m.c0, m.c1);
}

static void test_interval(void)
{
	static const double y[] = { 12, 21, 38, 82, 161, 318 };
	struct scaling_point v[6];
	double near, far, low, high;

	for (size_t i = 0; i < 6; i++)
		v[i] = (struct scaling_point){ powers_of_2[i], y[i] };
	scaling_interval(v, 6, 0, 64, &low, &high);
	near = high - low;
	scaling_interval(v, 6, 0, 1024, &low, &high);
	far = high - low;
	ok(near > 0 && far > near && low < 5 * 1024 && high > 5 * 1024,
	   "the interval widens with distance: %.3g at 64, %.3g at 1024", near, far);
	ok(scaling_interval(v, 3, 0, 64, &low, &high) == -1 && isinf(low) && isinf(high), "three points bound nothing");
	for (size_t i = 0; i < 4; i++)
		v[i].value = 120 * v[i].p;
	scaling_interval(v, 4, 0, 1024, &low, &high);
	ok(fabs(low - 122880) < 0.1 && fabs(high - 122880) < 0.1,
	   "exact points leave no doubt: %.9g to %.9g", low, high);
	for (size_t i = 0; i < 4; i++)
		v[i].value = 0;
	ok(scaling_interval(v, 4, 0, 1024, &low, &high) == -1, "nothing but zeros bounds nothing");
}

/* What each of p PEs has of `whole` bytes that they share, besides `base` bytes of its own; whole bytes or not. */
static void falls(double whole, double base, int whole_bytes, struct scaling_model *m)
{
	static const double p[] = { 2, 3, 4, 6, 8, 12 };
	struct scaling_point v[6];

	for (size_t i = 0; i < 6; i++)
		v[i] = (struct scaling_point){ p[i], base + (whole_bytes ? floor(whole / p[i]) : whole / p[i]) };
	scaling_fit(v, 6, SCALING_NEGATIVE, m);
}

static void test_base(void)
{
	static const double wholes[] = { 1e4, 1e5, 1e6, 123456789 };
	double mean = 0, squares = 0;
	struct scaling_model m;

	for (size_t i = 0; i < sizeof(wholes) / sizeof(*wholes); i++) {
		falls(wholes[i], 0, 1, &m);
		ok(scaling_credible(&m) && m.term.i_over == -1 && m.term.i_under == 1 && m.term.j == 0 && m.c0 == 0 &&
			   fabs(m.c1 - wholes[i]) < 1e-3 * wholes[i],
		   "%.0f whole bytes shared by all: %.9g + %.9g / p, verdict %d", wholes[i], m.c0, m.c1, m.verdict);
		falls(wholes[i], 100, 1, &m);
		ok(scaling_credible(&m) && fabs(m.c0 - 100) < 2, "and 100 for each: %.9g + %.9g / p, verdict %d", m.c0,
		   m.c1, m.verdict);
	}
	for (size_t i = 0; i < 6; i++) {
		double p = (double[]){ 2, 3, 4, 6, 8, 12 }[i], y = floor(1e6 / p);

		mean += y / 6;
		squares += y * y;
	}
	falls(1e6, 0, 1, &m);
	ok(fabs(m.adjusted_r2 - (1 - m.rss / 4 / ((squares - 6 * mean * mean) / 5))) < 1e-14, "without a base, R^2 is that of the curve without it: 1 - %.9g",
	   1 - m.adjusted_r2);
	falls(1000, 0.5, 0, &m);
	ok(m.verdict == SCALING_EXACT && fabs(m.c0 - 0.5) < 1e-6, "half a one for each that is met exactly stays: %.9g", m.c0);
}

int main(void)
{
	test_recovery(0, 42, "growth");
	test_recovery(SCALING_NEGATIVE, 82, "growth and decline");
	test_experiment();
	test_verdicts();
	test_range();
	test_base();
	test_words();
	test_noise();
	test_false_growth();
	test_levels(0);
	test_levels(0.02);
	test_levels(0.05);
	test_late(0);
	test_late(0.02);
	test_forecast();
	test_order_of_input();
	test_interval();
	return tap_end();
}
