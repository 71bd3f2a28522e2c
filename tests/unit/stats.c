/* stats.c: derived threads of a profile small enough to check by hand, and of an empty one. */
#include <math.h>

#include "analyze/profile/derived_threads.h"
#include "tap.h"

static int near(double a, double b)
{
	return fabs(a - b) <= 1e-12 * fmax(1, fabs(b));
}

/* Three threads, of which two have the row: inclusive 2 and 6, exclusive 1 and 1, calls 1 and 3. */
static void make(struct profile *p)
{
	static const double value[2][3] = { { 1, 2, 1 }, { 3, 6, 1 } };
	uint32_t path, c;

	profile_add_metric(p, "TIME");
	path = profile_add_path(p, profile_add_timer(p, "f", "", NULL, 0), PROFILE_FLAT);
	c = profile_add_counter(p, "E", COUNTER_EVENT);
	for (int i = 0; i < 3; i++)
		profile_add_thread(p, i, 0, 0);
	for (uint32_t i = 0; i < 2; i++) {
		struct profile_row *r = profile_add_row(p, i, path);

		r->calls = value[i][0];
		p->thread[i].values[r->first] = value[i][1];
		p->thread[i].values[r->first + 1] = value[i][2];
	}
	/* Samples 1, 3 on one thread, 5 on the other. */
	*profile_add_sample(p, 0, c, PROFILE_FLAT) = (struct profile_sample){ c, PROFILE_FLAT, 2, 3, 1, 2, 10 };
	*profile_add_sample(p, 1, c, PROFILE_FLAT) = (struct profile_sample){ c, PROFILE_FLAT, 1, 5, 5, 5, 25 };
}

static void check_rows(const struct profile_thread *d)
{
	const struct {
		const char *name;
		double calls, incl, excl;
	} expected[STATS_DERIVED] = {
		{ "mean", 2, 4, 1 },
		{ "total", 4, 8, 2 },
		{ "deviation", 1, 2, 0 },
		{ "min", 1, 2, 1 },
		{ "max", 3, 6, 1 },
		{ "mean, nulls as 0", 4 / 3., 8 / 3., 2 / 3. },
		/* 1, 3, 0 about 4/3; 2, 6, 0 about 8/3; 1, 1, 0 about 2/3 */
		{ "deviation, nulls as 0", sqrt(14 / 9.), sqrt(56 / 9.), sqrt(2 / 9.) },
	};

	for (int i = 0; i < STATS_DERIVED; i++)
		ok(d[i].node == -1 - i && d[i].row_n == 1 && near(d[i].row[0].calls, expected[i].calls) &&
			   near(d[i].values[0], expected[i].incl) && near(d[i].values[1], expected[i].excl),
		   "%s: calls %g inclusive %g exclusive %g", expected[i].name, d[i].row[0].calls, d[i].values[0],
		   d[i].values[1]);
}

static void check_samples(const struct profile_thread *d)
{
	/* n, max, min, mean, standard deviation; of all samples together: mean 3, deviation sqrt(35/3 - 9). */
	const double all = sqrt(35 / 3. - 9);
	const double expected[STATS_DERIVED][5] = {
		{ 1.5, 4, 3, 3, all },
		{ 3, 5, 1, 3, all },
		{ .5, 1, 2, 1.5, .5 },
		{ 1, 3, 1, 2, 0 },
		{ 2, 5, 5, 5, 1 },
		{ 1, 8 / 3., 2, 3, all },
		{ sqrt(2 / 3.), sqrt(38 / 9.), sqrt(14 / 3.), sqrt(38 / 9.), sqrt(2 / 9.) },
	};

	for (int i = 0; i < STATS_DERIVED; i++) {
		const struct profile_sample *s = &d[i].sample[0];
		double deviation = derived_deviation(s);

		ok(d[i].sample_n == 1 && near(s->n, expected[i][0]) && near(s->max, expected[i][1]) &&
			   near(s->min, expected[i][2]) && near(s->mean, expected[i][3]) &&
			   fabs(deviation - expected[i][4]) < 1e-7,
		   "counter on %d: n %g max %g min %g mean %g deviation %g", d[i].node, s->n, s->max, s->min, s->mean, deviation);
	}
	ok(d[1].sample[0].n * d[1].sample[0].mean == 9 && near(d[5].sample[0].n * d[5].sample[0].mean, 3),
	   "n * mean is the sum, and the sum per thread");
}

/* One pass gives what two give, for values that are large beside their differences, and rows that some threads lack. */
static void check_stream(void)
{
	struct profile *p = profile_new();
	uint32_t path, c[2];
	struct profile_thread two[STATS_DERIVED], one[STATS_DERIVED];
	struct derived_stream *stream;
	int good = 1;

	profile_add_metric(p, "TIME");
	path = profile_add_path(p, profile_add_timer(p, "f", "", NULL, 0), PROFILE_FLAT);
	c[0] = profile_add_counter(p, "E", COUNTER_EVENT);
	c[1] = profile_add_counter(p, "live x", COUNTER_LEVEL);
	for (uint32_t i = 0; i < 1000; i++) {
		uint32_t t = profile_add_thread(p, (int32_t)i, 0, 0);
		double v = 1e9 + i % 17;
		struct profile_row *r = i % 3 ? profile_add_row(p, t, path) : NULL;

		if (r) {
			r->calls = i;
			p->thread[t].values[r->first] = p->thread[t].values[r->first + 1] = v;
		}
		*profile_add_sample(p, t, c[0], i % 2 ? PROFILE_FLAT : path) =
			(struct profile_sample){ c[0], i % 2 ? PROFILE_FLAT : path, 2, v + 1, v - 1, v, 2 * v * v + 2 };
		*profile_add_sample(p, t, c[1], PROFILE_FLAT) = (struct profile_sample){ c[1], PROFILE_FLAT, 1, v, v, v, v * v };
	}
	derived_derive(p, NULL, NULL, two);
	stream = derived_stream_new(p);
	for (size_t i = 0; i < p->thread_n; i++)
		derived_stream_add(stream, &p->thread[p->thread_n - 1 - i]);
	derived_stream_derive(stream, one);
	for (int d = 0; d < STATS_DERIVED; d++) {
		good &= one[d].node == two[d].node && one[d].row_n == two[d].row_n && one[d].sample_n == two[d].sample_n;
		for (size_t i = 0; good && i < one[d].values_n; i++)
			good &= fabs(one[d].values[i] - two[d].values[i]) <= 1e-8 * fmax(1, fabs(two[d].values[i]));
		for (size_t i = 0; good && i < one[d].sample_n; i++) {
			const struct profile_sample *a = &one[d].sample[i], *b = &two[d].sample[i];

			good &= a->counter == b->counter && a->path == b->path && a->n == b->n && fabs(a->max - b->max) <= 1e-8 * fabs(b->max) &&
				fabs(a->mean - b->mean) <= 1e-8 * fabs(b->mean) && fabs(a->sumsq - b->sumsq) <= 1e-7 * fabs(b->sumsq);
		}
	}
	ok(good && one[2].values[0] > 4 && one[2].values[0] < 6, "one pass says what two passes say: deviation %.6g beside 1e9",
	   one[2].values[0]);
	derived_release(one);
	derived_release(two);
	derived_stream_free(stream);
	profile_free(p);
}

/* A busy thread and a helper that is in no region: the helper has no part in the rows, in one pass and in two. */
static void check_waiting(void)
{
	struct profile *p = profile_new();
	struct profile_thread two[STATS_DERIVED], one[STATS_DERIVED];
	struct waiting *waiting;
	uint32_t root, work;

	profile_add_metric(p, "TIME");
	root = profile_add_path(p, profile_add_timer(p, ".TAU application", "", NULL, 0), PROFILE_FLAT);
	work = profile_add_path(p, profile_add_timer(p, "work", "", NULL, 0), PROFILE_FLAT);
	for (int i = 0; i < 3; i++) {
		uint32_t t = profile_add_thread(p, 0, 0, i);
		struct profile_row *r = profile_add_row(p, t, root);

		r->calls = 1;
		p->thread[t].values[r->first] = 10;
		p->thread[t].values[r->first + 1] = i ? 10 : 2;
		if (!i)
			p->thread[t].values[profile_add_row(p, t, work)->first + 1] = 8;
	}
	waiting = waiting_find((const struct profile *const *)&p, 1, TIMER_MEASURED);
	ok(!waiting_is(waiting, &p->thread[0]) && waiting_is(waiting, &p->thread[1]) && !waiting_is(NULL, &p->thread[1]),
	   "a thread in no region waits beside one that works");
	derived_derive(p, waiting, NULL, two);
	derived_derive(p, NULL, NULL, one);
	ok(two[0].values[1] == 2 && two[1].values[1] == 2 && near(two[5].values[1], 2 / 3.) && near(one[0].values[1], 22 / 3.),
	   "means and totals exclude it: %g %g %g, and %g with it", two[0].values[1], two[1].values[1], two[5].values[1],
	   one[0].values[1]);
	derived_release(one);
	for (int alone = 0; alone < 2; alone++) {
		struct derived_stream *stream = derived_stream_new(p);

		for (size_t i = alone; i < p->thread_n; i++)
			derived_stream_add(stream, &p->thread[i]);
		derived_stream_derive(stream, one);
		ok(one[1].values[1] == (alone ? 20 : 2), "in one pass too%s: %g", alone ? ", unless all wait" : "",
		   one[1].values[1]);
		derived_release(one);
		derived_stream_free(stream);
	}
	derived_release(two);
	waiting_free(waiting);
	profile_free(p);
}

int main(void)
{
	struct profile *p = profile_new(), *empty = profile_new();
	struct profile_thread d[STATS_DERIVED];
	struct profile_sample one = { 0, 0, 2, 3, 1, 2, 10 }, none = { 0 };

	make(p);
	derived_derive(p, NULL, NULL, d);
	check_rows(d);
	check_samples(d);
	derived_release(d);
	derived_derive(empty, NULL, NULL, d);
	ok(!d[0].row_n && !d[6].sample_n, "an empty profile has empty derived threads");
	derived_release(d);
	ok(derived_deviation(&one) == 1 && derived_deviation(&none) == 0,
	   "the deviation of a counter row");
	check_stream();
	check_waiting();
	profile_free(p);
	profile_free(empty);
	return tap_end();
}
