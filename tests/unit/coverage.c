/*
 * coverage.c: how often the 95 % interval holds the truth, 16 times beyond the last point: 1,000 models drawn from the
 * whole space for each design and each noise, base and factor drawn too; and the same among what is called credible.
 */
#include "tap.h"

#include "analyze/scaling/scaling.h"
#include "draw.h"

#define DRAWS 1000
#define BEYOND 16
#define POINTS_MAX 24

struct design {
	const char *what;
	size_t points, repetitions;
	double first;	/* number of PEs, doubled from point to point */
	unsigned options;
	double base;	/* up to so much; 0: none */
	double most;	/* % of draws in which the interval may hold the truth */
};

/* A model of the space and what was measured of it. Returns the truth beyond. */
static double draw(const struct design *d, double noise, struct scaling_point *v)
{
	double c0 = d->base * (0.1 + 0.9 * draw_uniform()), c1 = 1 + 99 * draw_uniform();
	struct scaling_term t;
	size_t n = 0, terms = 0;

	while (scaling_term_get(terms, d->options, &t))
		terms++;
	scaling_term_get(draw_below(terms), d->options, &t);
	for (size_t i = 0; i < d->points; i++)
		for (size_t k = 0; k < d->repetitions; k++, n++) {
			v[n].p = d->first * exp2((double)i);
			v[n].value = (c0 + c1 * scaling_term_value(&t, v[n].p)) * (1 + noise * draw_gauss());
		}
	return c0 + c1 * scaling_term_value(&t, BEYOND * v[n - 1].p);
}

static void test_design(const struct design *d, double noise)
{
	size_t inside = 0, below = 0, credible = 0, credible_inside = 0, n = d->points * d->repetitions;
	double share;

	for (size_t i = 0; i < DRAWS; i++) {
		struct scaling_point v[POINTS_MAX];
		double truth = draw(d, noise, v), low, high;
		struct scaling_forecast f;
		struct scaling_model m;
		int holds;

		scaling_interval(v, n, d->options, BEYOND * v[n - 1].p, &low, &high);
		holds = low <= truth && truth <= high;
		inside += holds;
		below += truth < low;
		scaling_fit(v, n, d->options, &m);
		scaling_forecast(v, n, d->options, &m, 0, BEYOND * v[n - 1].p, &f);
		credible += f.credible;
		credible_inside += f.credible && f.low <= truth && truth <= f.high;
	}
	share = 100 * (double)inside / DRAWS;
	ok(share >= 93 && share <= d->most, "%s, %.0f %% noise: holds the truth in %.1f %% of %d draws", d->what, 100 * noise,
	   share, DRAWS);
	printf("#   truth below in %.1f %%, above in %.1f %%; forecast credible in %.1f %%, which holds it in %.1f %%\n",
	       100 * (double)below / DRAWS, 100 - share - 100 * (double)below / DRAWS, 100 * (double)credible / DRAWS,
	       100 * (double)credible_inside / (double)credible);
	ok(credible >= DRAWS / 4 && (double)credible_inside >= 0.92 * (double)credible,
	   "%s, %.0f %% noise: so it does where the forecast is called credible", d->what, 100 * noise);
}

int main(void)
{
	static const struct design designs[] = {
		{ "5 points", 5, 1, 2, 0, 1000, 97 },
		{ "5 points, 3 repetitions", 5, 3, 2, 0, 1000, 97 },
		{ "6 points without base", 6, 1, 4, 0, 0, 97 },
		{ "8 points", 8, 1, 2, 0, 1000, 97 },
		/* Falling curves flatten out, and differ less than the prior assumes: the intervals err on the safe side. */
		{ "6 points, falling ones too", 6, 1, 2, SCALING_NEGATIVE, 100, 98 },
	};
	static const double noises[] = { 0.02, 0.05 };

	for (size_t i = 0; i < sizeof(designs) / sizeof(*designs); i++)
		for (size_t k = 0; k < sizeof(noises) / sizeof(*noises); k++) {
			draw_seed(20181115 + 1000 * i + k);
			test_design(&designs[i], noises[k]);
		}
	return tap_end();
}
