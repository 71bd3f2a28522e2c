/* memory_series.c: from rows of several runs to growth: models, totals, owners and sites, and what is unknown. */
#include "tap.h"

#include <math.h>
#include <string.h>

#include "memory_jobs.h"

static const struct memory_growth *growth(const struct memory_series *s, const char *name)
{
	for (size_t i = 0; i < s->row_n; i++)
		if (!strcmp(s->row[i].name, name))
			return &s->row[i];
	return NULL;
}

/* What is forecast for everything is what is forecast for the rows, and what has no forecast is named with its share. */
static void test_total(const struct memory_series *s, const char *by)
{
	static const double at[] = {32, 1024, 1048576};

	for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++) {
		double value = 0, without = 0, share;
		struct scaling_forecast f;

		for (size_t k = 0; k < s->row_n; k++) {
			without += memory_forecast(s, &s->row[k], at[i], &f) > 0 ? s->row[k].last : 0;
			value += f.credible ? f.value : 0;
		}
		share = memory_forecast(s, &s->all, at[i], &f);
		ok(fabs(f.value - value) < 1e-6 && without > 0 && fabs(share - 100 * without / s->all.last) < 1e-9 &&
			   (!f.credible || (f.low <= value && value <= f.high)),
		   "%s: everything on %.0f PEs is the sum of its rows, without %.2f %%", by, at[i], share);
		ok(f.credible == (value >= s->all.last) && f.credible == !f.why[0],
		   "%s: but not on %.0f if fewer have more: %s", by, at[i], f.why);
	}
	ok(s->all.model.verdict == SCALING_SUM && s->all.model.term.i_over == 1 && s->all.model.term.i_under == 1,
	   "%s: its order is that of the fastest row", by);
}

static void test_growth(enum memory_by by_what)
{
	int by_owner = by_what == MEMORY_BY_OWNER;
	const char *by = by_owner ? "by owner" : "by type";
	struct memory *run[4];
	struct memory_query q = { .by = by_what };
	struct memory_series s;
	const struct memory_growth *g;
	struct memory_share share;
	const struct memory_part *own = &share.part[MEMORY_OPENMPI];
	double sum = 0, all = 0;

	for (int i = 0; i < 4; i++)
		run[i] = job(2 << i, 0);
	memory_series_init(&s, (const struct memory *const *)run, 4, &q);
	g = growth(&s, "ompi_proc_t");
	ok(g && g->model.verdict == SCALING_EXACT && g->model.c1 == 120 && g->model.c0 == 0 && g->first == 240 &&
		   g->last == 1920,
	   "%s: 120 bytes each are found", by);
	ok(growth(&s, "fixed_t[]")->fixed && !growth(&s, "grows_t[]")->fixed && !g->fixed,
	   "%s: a slab that does not grow is fixed, others are not", by);
	ok(growth(&s, "grows_t[]")->model.verdict == SCALING_STEPS, "%s: a slab that doubled once is a step", by);
	for (size_t i = 0; i < s.row_n; i++) {
		sum += s.row[i].last - s.row[i].first;
		all += s.row[i].last;
		if (i && s.row[i].last - s.row[i].first > s.row[i - 1].last - s.row[i - 1].first)
			sum = NAN;
	}
	ok(fabs(sum - (s.all.last - s.all.first)) < 1e-6, "%s: shares of the growth add up, largest first", by);
	g = growth(&s, "opal_value_t");
	ok(g && g->last == 0 && g->model.verdict == SCALING_CONSTANT, "%s: a type of which nothing is live is a row", by);
	ok(fabs(all - s.all.last) < 1e-6, "%s: rows add up to all", by);
	test_total(&s, by);
	memory_share(&s, 3, &share);
	ok(own->typed == 1920 + 640 + 4 + (1 << 20) + 8192 && own->bytes == own->typed + 3600 &&
		   own->slabs == (1 << 20) + 8192 && own->fixed == 1 << 20 && own->owned == 1600,
	   "%s: shares of Open MPI's bytes", by);
	ok(share.part[MEMORY_SUPPORT].bytes == 80 && share.part[MEMORY_SUPPORT].typed == 80 &&
		   share.part[MEMORY_OTHER].bytes == 3000 && !share.part[MEMORY_OTHER].typed,
	   "%s: shares of the others' bytes", by);
	if (by_owner) {
		g = growth(&s, "opal_list_t <= (no known owner)");
		ok(g && g->value[0].bytes == 2 * 6 * 64 + 64 && isnan(g->value[0].bytes_max) && !g->owner,
		   "by owner: what has no known owner remains, its largest PE is unknown");
		ok(!growth(&s, "opal_list_t") && growth(&s, "ompi_proc_t"), "by owner: a refined row does not stand twice");
	}
	memory_series_release(&s);
	for (int i = 0; i < 4; i++)
		memory_free(run[i]);
}

/* A type with two owners, one of them under a third, and sites; another without any. */
static struct memory *job_with_sites(void)
{
	struct profile *p = profile_new();
	uint32_t t = profile_add_thread(p, 0, 0, 0);
	struct memory *m;

	type(p, t, "a_t", 10, 100);
	type(p, t, "a_t <= b_t", 4, 100);
	type(p, t, "a_t <= b_t <= c_t", 3, 100);
	type(p, t, "a_t @ main [{m.c} {7}]", 2, 100);
	type(p, t, "a_t <= b_t @ main [{m.c} {7}]", 4, 100);
	type(p, t, "a_t <= b_t <= c_t @ make [{m.c} {9}]", 3, 100);
	type(p, t, "d_t", 5, 8);
	profile_sort(p);
	m = memory_new(p);
	profile_free(p);
	return m;
}

static struct memory *job_of(const char *const *name, const double *n, size_t rows, int pes)
{
	struct profile *p = profile_new();
	struct memory *m;

	for (int pe = 0; pe < pes; pe++) {
		uint32_t t = profile_add_thread(p, pe, 0, 0);

		for (size_t i = 0; i < rows; i++)
			type(p, t, name[i], n[i], 100);
	}
	profile_sort(p);
	m = memory_new(p);
	profile_free(p);
	return m;
}

/* What has no owner is one row, whether other objects of the type have owners in a run or not. */
static void test_owners_in_one_run(void)
{
	static const char *const with[] = { "a_t", "a_t <= b_t" }, *const without[] = { "a_t" };
	struct memory *run[] = { job_of(with, (const double[]){ 10, 3 }, 2, 1),
				 job_of(without, (const double[]){ 12 }, 1, 2) };
	struct memory_query q = { .by = MEMORY_BY_OWNER };
	const struct memory_growth *g;
	struct memory_series s;

	memory_series_init(&s, (const struct memory *const *)run, 2, &q);
	g = growth(&s, "a_t <= (no known owner)");
	ok(s.row_n == 2 && g && g->first == 700 && g->last == 1200 && !growth(&s, "a_t"),
	   "by owner: what has no owner is one row, with and without owners in a run");
	memory_series_release(&s);
	memory_free(run[0]);
	memory_free(run[1]);
}

/* Each way to look at it has these rows, and all of them add up to 1040 bytes. */
static void test_partitions(void)
{
	static const struct {
		enum memory_by by;
		const char *what, *name, *owner, *site;
		double bytes;
	} rows[] = {
		{ MEMORY_BY_TYPE, "type", "a_t", NULL, NULL, 1000 },
		{ MEMORY_BY_OWNER, "owner", "a_t <= b_t <= c_t", "b_t <= c_t", NULL, 300 },
		{ MEMORY_BY_OWNER, "owner", "a_t <= (no known owner)", NULL, NULL, 300 },
		{ MEMORY_BY_PARENT, "parent", "a_t <= b_t", "b_t", NULL, 700 },
		{ MEMORY_BY_SITE, "site", "a_t @ main [{m.c} {7}]", NULL, "main [{m.c} {7}]", 600 },
		{ MEMORY_BY_SITE, "site", "a_t @ (no known site)", NULL, NULL, 100 },
		{ MEMORY_BY_ALL, "all", "a_t <= b_t @ main [{m.c} {7}]", "b_t", "main [{m.c} {7}]", 400 },
		{ MEMORY_BY_ALL, "all", "a_t @ main [{m.c} {7}]", NULL, "main [{m.c} {7}]", 200 },
		{ MEMORY_BY_ALL, "all", "d_t", NULL, NULL, 40 },
	};
	struct memory *m = job_with_sites();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct memory_query q = { .by = rows[i].by };
		const struct memory_growth *g;
		struct memory_series s;
		double sum = 0;

		memory_series_init(&s, (const struct memory *const *)&m, 1, &q);
		g = growth(&s, rows[i].name);
		ok(g && g->value[0].bytes == rows[i].bytes && !strcmp(g->owner ? g->owner : "-", rows[i].owner ? rows[i].owner : "-") &&
			   !strcmp(g->site ? g->site : "-", rows[i].site ? rows[i].site : "-"),
		   "by %s: %s has %.0f bytes", rows[i].what, rows[i].name, rows[i].bytes);
		for (size_t k = 0; k < s.row_n; k++)
			sum += s.row[k].value[0].bytes;
		ok(sum == 1040 && s.all.value[0].bytes == 1040, "by %s: rows add up: %.0f", rows[i].what, sum);
		memory_series_release(&s);
	}
	memory_free(m);
}

/* Peaks of several rows happen at several moments: their sum and the difference to the total have no meaning. */
static void test_peaks(void)
{
	struct memory *m = job_with_sites();
	struct memory_query q = { .by = MEMORY_BY_SITE, .measure = MEMORY_PEAK };
	struct memory_series s;

	memory_series_init(&s, (const struct memory *const *)&m, 1, &q);
	ok(isnan(growth(&s, "a_t @ main [{m.c} {7}]")->value[0].bytes) && isnan(growth(&s, "a_t @ (no known site)")->value[0].bytes) &&
		   growth(&s, "a_t @ make [{m.c} {9}]")->value[0].bytes == 300,
	   "peaks of several rows are not added up");
	memory_series_release(&s);
	memory_free(m);
}

static void test_sum(void)
{
	struct memory *run[2] = { job(2, 0), job(4, 0) };
	struct memory_query q = { .per = MEMORY_PER_MAX };
	struct memory_series s;
	struct memory_growth g;
	size_t all[32];

	memory_series_init(&s, (const struct memory *const *)run, 2, &q);
	for (size_t i = 0; i < s.row_n; i++)
		all[i] = i;
	memory_series_sum(&s, all, s.row_n, "sum", &g);
	ok(g.value[1].bytes == s.all.value[1].bytes && isnan(g.value[1].bytes_max) && isnan(g.last),
	   "a sum of rows adds bytes; its largest PE is unknown, not 0");
	memory_growth_release(&g);
	memory_series_sum(&s, all, 1, "one", &g);
	ok(g.value[1].bytes_max == s.row[0].value[1].bytes_max, "a sum of one row is that row");
	memory_growth_release(&g);
	memory_series_release(&s);
	memory_free(run[0]);
	memory_free(run[1]);
}

static void test_unaccounted(void)
{
	struct memory *run[2] = { job(2, 0), job(4, 50) };
	struct memory_query q = { 0 };
	struct memory_series s;
	const struct memory_growth *g;

	memory_series_init(&s, (const struct memory *const *)run, 2, &q);
	g = growth(&s, "(unaccounted)");
	ok(g && g->kind == MEMORY_UNACCOUNTED && g->value[1].bytes == 200 && g->value[0].bytes == 0,
	   "bytes of the total that no row explains are a row");
	memory_series_release(&s);
	q.measure = MEMORY_PEAK;
	memory_series_init(&s, (const struct memory *const *)run, 2, &q);
	ok(growth(&s, "opal_value_t")->last == 0 && growth(&s, "ompi_proc_t")->last == 480,
	   "no counter where others have one is 0");
	memory_series_release(&s);
	q.measure = MEMORY_CUMULATIVE;
	memory_series_init(&s, (const struct memory *const *)run, 2, &q);
	ok(!growth(&s, "(unaccounted)") && growth(&s, "opal_value_t")->last == 140 * 96, "the cumulative view has no such row");
	memory_series_release(&s);
	memory_free(run[0]);
	memory_free(run[1]);
}

/* Bytes without a count of blocks: the count is unknown, which is not 0. */
static void test_unknown_blocks(void)
{
	struct memory_query q = {.by = MEMORY_BY_SITE};
	const struct memory *run[1];
	struct memory_series s;
	struct memory *m;

	for (int summary = 0; summary < 2; summary++) {
		struct profile *p = profile_new();
		uint32_t t = profile_add_thread(p, summary ? -2 : 0, summary ? -2 : 0, summary ? -2 : 0);

		if (summary)
			p->summary.pes = 1;
		sample(p, t, "live some_t", 1, 4096);
		sample(p, t, "live some_t @ here", 1, 4096);
		type(p, t, "counted_t", 3, 8);
		profile_sort(p);
		run[0] = m = memory_new(p);
		memory_series_init(&s, run, 1, &q);
		ok(isnan(m->row[0].value[MEMORY_LIVE].objects) && isnan(m->row[0].value[MEMORY_LIVE].objects_max) &&
			   m->row[0].value[MEMORY_LIVE].bytes == 4096,
		   "%s: blocks that nothing counts are unknown", summary ? "summary" : "PEs");
		ok(isnan(m->all[MEMORY_LIVE].objects) && m->all[MEMORY_PEAK].objects == 3 && m->all[MEMORY_LIVE].bytes == 4120,
		   "and so is their sum with others");
		ok(s.row_n == 2 && isnan(growth(&s, "some_t @ here")->value[0].objects) &&
			   growth(&s, "counted_t")->value[0].objects == 3,
		   "unknown blocks leave no remainder of a type");
		memory_series_release(&s);
		memory_free(m);
		profile_free(p);
	}
}

/* What is live of these rows of a PE in runs on 2 and 4 PEs: name, blocks, bytes of each. */
struct held {
	const char *name;
	double blocks, each;
};
static struct memory *held_by(int pes, const struct held *held, size_t n)
{
	struct profile *p = profile_new();
	struct memory *m;

	for (int node = 0; node < pes; node++) {
		uint32_t t = profile_add_thread(p, node, 0, 0);
		double all = 0;

		for (size_t i = 0; i < n; i++) {
			const char *at = strstr(held[i].name, " @ ");
			char whole[100];

			snprintf(whole, sizeof(whole), "%.*s", (int)(at - held[i].name), held[i].name);
			type(p, t, held[i].name, held[i].blocks, held[i].each);
			type(p, t, whole, held[i].blocks, held[i].each);
			all += held[i].blocks * held[i].each;
		}
		sample(p, t, "live (all)", 1, all);
	}
	profile_sort(p);
	m = memory_new(p);
	profile_free(p);
	return m;
}

static double bytes_of(const struct memory_series *s, const char *name, size_t run)
{
	const struct memory_growth *g = growth(s, name);

	return g ? g->value[run].bytes : -1;
}

static void test_sites(void)
{
	const struct held few[] = {{"untyped [l.so] @ array [{a.c} {1}]", 1, 300}, {"untyped [k.so] @ two [{a.c} {2}]", 1, 30},
				   {"untyped [m.so] @ mixed [{a.c} {3}]", 2, 10}, {"untyped [n.so] @ more [{a.c} {4}]", 2, 10}},
			  many[] = {{"x_t[] @ array [{a.c} {1}]", 1, 500}, {"x_t[] @ two [{a.c} {2}]", 1, 50},
				    {"y_t[] @ two [{a.c} {2}]", 1, 60}, {"x_t[] @ mixed [{a.c} {3}]", 1, 70},
				    {"o_t @ mixed [{a.c} {3}]", 1, 70}, {"z_t[] @ more [{a.c} {4}]", 1, 70}};
	struct memory *run[] = {held_by(2, few, 4), held_by(4, many, 6)};
	static const enum memory_measure measures[] = {MEMORY_LIVE, MEMORY_CUMULATIVE};
	struct memory_query q = {MEMORY_PEAK, MEMORY_PER_PE, MEMORY_BY_TYPE};
	struct memory_series s;

	for (int i = 0; i < 2; i++) {
		q.measure = measures[i];
		q.by = MEMORY_BY_TYPE;
		memory_series_init(&s, (const struct memory *const *)run, 2, &q);
		ok(bytes_of(&s, "x_t[]", 0) == 600 && bytes_of(&s, "untyped [l.so]", 0) == 0 && bytes_of(&s, "x_t[]", 1) == 2480,
		   "a site's array has its type where it is too short to show it (%d)", i);
		ok(bytes_of(&s, "untyped [k.so]", 0) == 60 && bytes_of(&s, "untyped [m.so]", 0) == 40 &&
			   bytes_of(&s, "untyped [n.so]", 0) == 40,
		   "not where it may be another, or there are others, or more (%d)", i);
		memory_series_release(&s);
		q.by = MEMORY_BY_SITE;
		memory_series_init(&s, (const struct memory *const *)run, 2, &q);
		ok(bytes_of(&s, "x_t[] @ array [{a.c} {1}]", 0) == 600 && bytes_of(&s, "x_t[] @ array [{a.c} {1}]", 1) == 2000 &&
			   !growth(&s, "untyped [l.so] @ array [{a.c} {1}]"),
		   "by site, too (%d)", i);
		memory_series_release(&s);
	}
	q = (struct memory_query){MEMORY_PEAK, MEMORY_PER_PE, MEMORY_BY_TYPE};
	memory_series_init(&s, (const struct memory *const *)run, 2, &q);
	ok(bytes_of(&s, "untyped [l.so]", 0) == 600, "peaks stay as they are");
	memory_series_release(&s);
	memory_free(run[0]);
	memory_free(run[1]);
}

/* A sum of a_t, which has a model, and b_t, which has steps, on 2 to 16 PEs. */
static void test_sum_refused(void)
{
	static const struct {
		double base, each, step, beyond;
		const char *why;
	} row[] = {
		{ 0, 100, 10, 32, "" },
		{ 0, 100, 100, 32, "11.1 % of it has no model" },
		{ 0, 100, 1000, 1048576, "55.6 % of it has no model" },
		{ 100000, 500, 5000, 32, "less than measured on 16" },
		{ 100000, 500, 5000, 1048576, "" },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct memory *run[4];
		struct memory_query q = { 0 };
		struct memory_series s;
		struct scaling_forecast f;

		for (int k = 0; k < 4; k++) {
			struct profile *p = profile_new();

			for (int n = 0; n < 2 << k; n++) {
				uint32_t t = profile_add_thread(p, n, 0, 0);
				double a = row[i].base + row[i].each * (2 << k), b = row[i].step * (k < 2 ? 1 : 2);

				type(p, t, "a_t", 1, a);
				type(p, t, "b_t", 1, b);
				sample(p, t, "live (all)", 1, a + b);
				sample(p, t, "allocations", 1, 2);
			}
			profile_sort(p);
			run[k] = memory_new(p);
			profile_free(p);
		}
		memory_series_init(&s, (const struct memory *const *)run, 4, &q);
		memory_forecast(&s, &s.all, row[i].beyond, &f);
		ok(f.credible == !*row[i].why && !strcmp(f.why, row[i].why) && isfinite(f.low) == f.credible &&
			   isfinite(f.high) == f.credible,
		   "%g + %g P and steps of %g on %.0f PEs: '%s'", row[i].base, row[i].each, row[i].step, row[i].beyond, f.why);
		memory_series_release(&s);
		for (int k = 0; k < 4; k++)
			memory_free(run[k]);
	}
}

int main(void)
{
	test_growth(MEMORY_BY_TYPE);
	test_growth(MEMORY_BY_OWNER);
	test_owners_in_one_run();
	test_partitions();
	test_peaks();
	test_sum();
	test_sum_refused();
	test_unaccounted();
	test_unknown_blocks();
	test_sites();
	return tap_end();
}
