/* imbalance.c: time lost to unequal shares, and distributions, computed by hand. */
#include <math.h>
#include <string.h>

#include "analyze/profile/compared_threads.h"
#include "analyze/profile/process_lives.h"
#include "analyze/profile/distribution.h"
#include "analyze/profile/grouped_rows.h"
#include "analyze/profile/imbalance.h"
#include "analyze/profile/programs.h"
#include "record/metadata.h"
#include "profiles.h"
#include "tap.h"

static const struct imbalance_row *row_of(const struct imbalance *x, const struct profile *p, const char *name)
{
	for (size_t i = 0; i < x->v_n; i++)
		if (!strcmp(p->timer[p->path[x->v[i].path].timer].name, name))
			return &x->v[i];
	return NULL;
}

/* The sums by region, and by groups that have one region each, compare the same threads. */
static void check_rows(const struct imbalance *x, const struct profile *p)
{
	struct compared_threads c;
	struct grouped_rows g;
	struct region_rows r;
	int bad = 0;

	region_rows_make(&r, p, NULL, 0, ROWS_FLAT);
	grouped_rows_make(&g, p, NULL, 0, GROUPED_GROUP);
	for (size_t i = 0; i < x->v_n; i++) {
		const struct imbalance_row *want = &x->v[i];
		const struct profile_timer *timer = &p->timer[p->path[want->path].timer];

		for (size_t k = 0; k < r.v_n; k++)
			bad += r.v[k].path == want->path &&
			       (r.v[k].compared != want->n || r.v[k].largest_at != want->largest_at ||
				region_row_mean(&r.v[k]) != imbalance_mean(want) || region_row_imbalance(&r.v[k]) != imbalance_ratio(want));
		for (size_t k = 0; k < g.v_n; k++)
			bad += !strcmp(g.v[k].name, timer->groups) && strcmp(timer->groups, "TAU_USER") &&
			       (g.v[k].sum.compared != want->n || region_row_imbalance(&g.v[k].sum) != imbalance_ratio(want));
	}
	ok(r.v_n == x->v_n && g.v_n == 4 && !bad, "rows of regions and groups have the same means and ratios: %d differ", bad);
	region_rows_release(&r);
	grouped_rows_release(&g);
	compared_threads_make(&c, p, NULL);
	ok(c.firsts && c.per_number[c.number[0]] == 3 && c.order[0] == 0 && c.order[1] == 2 && c.order[3] == 1,
	   "threads in order of their numbers");
	compared_threads_release(&c);
}

/* Three ranks with two threads each: work 1, 2, 6 on first threads; io on rank 1 only; loop on second threads; barriers. */
static void check_imbalance(void)
{
	struct profile *p = profile_new();
	const struct imbalance_row *r;
	struct imbalance x;

	profile_add_metric(p, "TIME");
	for (int i = 0; i < 6; i++)
		profile_add_thread(p, i / 2, 0, i % 2);
	profiles_put(p, 0, "work", "TAU_USER", 1);
	profiles_put(p, 2, "work", "TAU_USER", 2);
	profiles_put(p, 4, "work", "TAU_USER", 6);
	profiles_put(p, 2, "io", "TAU_IO", 5);
	profiles_put(p, 1, "loop", "TAU_USER", 4);
	profiles_put(p, 3, "loop", "TAU_USER", 4);
	profiles_put(p, 5, "loop", "TAU_USER", 10);
	profiles_put(p, 0, "MPI_Barrier()", "MPI", 90);
	profiles_put(p, 4, "MPI_Barrier()", "MPI", 10);
	for (int i = 0; i < 6; i++)
		profiles_put(p, (uint32_t)i, ".TAU application", "TAU_UTILITY", i % 2 ? 100 : 3);
	profile_sort(p);
	imbalance_make(&x, p, NULL, 0);
	ok(x.threads == 6 && x.v_n == 5 && x.useful_n == 4 && x.whole == 1 + 2 + 6 + 5 + 18 + 100 + 309, "rows: %zu, whole %g", x.v_n, x.whole);
	check_rows(&x, p);
	r = row_of(&x, p, "work");
	ok(r && r->n == 3 && r->have == 3 && r->largest == 6 && r->largest_at == 4 && r->least == 1 && r->least_at == 0 && r->lost == 9,
	   "work: 3 x (6 - 3) = 9 over first threads");
	r = row_of(&x, p, "io");
	ok(r && r->n == 3 && r->have == 1 && r->lost == 10 && r->least == 0 && r->least_at == 0, "io: the others did nothing: 3 x 5 - 5 = 10");
	r = row_of(&x, p, "loop");
	ok(r && r->n == 3 && r->lost == 12 && imbalance_mean(r) == 6, "loop: over second threads");
	r = row_of(&x, p, ".TAU application");
	ok(r && r->n == 3 && r->sum == 9 && r->lost == 0, "outside of regions: first threads only");
	r = row_of(&x, p, "MPI_Barrier()");
	ok(r && r == &x.v[4] && r->work == WORK_MESSAGES && r->lost == 170, "runtimes come last, whatever they lost");
	ok(!strcmp(p->timer[p->path[x.v[0].path].timer].name, "loop") && !strcmp(p->timer[p->path[x.v[1].path].timer].name, "io"), "most lost first");
	imbalance_release(&x);
	profile_free(p);
}

/* A first thread without regions, as of a runtime whose workers do all: the workers are compared. */
static void check_empty_first(void)
{
	struct profile *p = profile_new();
	struct imbalance x;
	struct region_rows r;

	profile_add_metric(p, "TIME");
	for (int i = 0; i < 3; i++)
		profile_add_thread(p, 0, 0, i);
	profiles_put(p, 1, ".TAU application", "TAU_UTILITY", 1);
	profiles_put(p, 2, ".TAU application", "TAU_UTILITY", 3);
	profile_sort(p);
	imbalance_make(&x, p, NULL, 0);
	region_rows_make(&r, p, NULL, 0, ROWS_FLAT);
	ok(r.v_n == 1 && r.v[0].compared == 2 && r.v[0].largest == 3 && r.v[0].largest_at == 2 && region_row_imbalance(&r.v[0]) == 1.5,
	   "a first thread without regions is not compared: %u threads, largest %g", r.v[0].compared, r.v[0].largest);
	ok(x.v_n == 1 && x.v[0].n == 2 && imbalance_ratio(&x.v[0]) == 1.5, "nor in the report about imbalance: %u", x.v_n ? x.v[0].n : 0);
	region_rows_release(&r);
	imbalance_release(&x);
	profile_free(p);
}

/* Time outside of regions only on second threads, while a first thread has regions: it is compared with nothing. */
static void check_not_compared(void)
{
	struct profile *p = profile_new();
	struct region_rows r;
	struct grouped_rows g;

	profile_add_metric(p, "TIME");
	profile_add_thread(p, 0, 0, 0);
	profile_add_thread(p, 0, 0, 1);
	profiles_put(p, 0, "work", "TAU_USER", 1);
	profiles_put(p, 1, ".TAU application", "TAU_UTILITY", 3);
	profile_sort(p);
	region_rows_make(&r, p, NULL, 0, ROWS_FLAT);
	grouped_rows_make(&g, p, NULL, 0, GROUPED_GROUP);
	ok(r.v_n == 2 && r.v[0].excl == 3 && !r.v[0].compared && isnan(r.v[0].largest) && isnan(region_row_imbalance(&r.v[0])),
	   "a region that is not compared has no largest value: %g", r.v[0].largest);
	ok(g.v_n == 2 && g.v[0].sum.excl == 3 && !g.v[0].sum.compared && isnan(g.v[0].sum.largest), "nor has its group: %g", g.v[0].sum.largest);
	region_rows_release(&r);
	grouped_rows_release(&g);
	profile_free(p);
}

/* Three processes of one program, and a shell with two commands: the shell starts all of them, and has no work. */
static void check_programs(void)
{
	static const char *const program[] = {"/app", "/app", "/app", "/bin/sh", "/bin/ls", NULL};
	struct profile *p = profile_new();
	const struct imbalance_row *r;
	uint32_t of[6];
	struct imbalance x;

	profile_add_metric(p, "TIME");
	for (uint32_t i = 0; i < 6; i++) {
		profile_add_thread(p, (int32_t)i, 0, 0);
		if (program[i])
			profile_set_meta(p, i, TAU_META_EXECUTABLE, program[i]);
		profiles_put(p, i, "read()", "TAU_IO", i < 3 ? 10 : 1);
		profiles_put(p, i, "MPI_Recv()", "MPI", 2);
		if (i < 3)
			profiles_put(p, i, "work", "TAU_USER", i + 1);
	}
	profiles_put(p, 3, "waitpid()", "PROCESS", 40);
	profile_sort(p);
	ok(programs_make(of, p) == 4 && of[0] == of[2] && of[0] != of[3] && of[3] != of[4] && !of[5], "four programs, one of them unknown");
	imbalance_make(&x, p, NULL, 0);
	r = row_of(&x, p, "work");
	ok(r && r->n == 3 && imbalance_ratio(r) == 1.5, "a region of one program: over its processes");
	r = row_of(&x, p, "read()");
	ok(r && r->n == 3 && r->have == 3 && r->lost == 0 && imbalance_ratio(r) == 1, "of several: over those of the one with most time");
	r = row_of(&x, p, "MPI_Recv()");
	ok(r && r->n == 6 && r->lost == 0, "messages: over all that have them");
	r = row_of(&x, p, "waitpid()");
	ok(r && r->n == 1, "the shell is compared with itself");
	imbalance_release(&x);
	profile_free(p);
}

static void check_distribution(void)
{
	static const double v[] = {4, 1, 3, 2}, equal[] = {7, 7, 7};
	struct distribution d;

	distribution_make(&d, v, 4, 3);
	ok(d.n == 4 && d.sum == 10 && d.mean == 2.5 && d.median == 2.5 && d.least == 1 && d.largest == 4 && fabs(d.sd - sqrt(1.25)) < 1e-15,
	   "sum, mean, median, extremes, deviation");
	ok(d.bins == 3 && d.bin[0] == 1 && d.bin[1] == 1 && d.bin[2] == 2 && distribution_edge(&d, 1) == 2 && distribution_edge(&d, 3) == 4,
	   "bins [1,2) [2,3) [3,4]");
	distribution_make(&d, v, 3, 2);
	ok(d.median == 3 && d.bin[0] == 1 && d.bin[1] == 2, "an odd number of values");
	distribution_make(&d, equal, 3, 10);
	ok(d.bins == 1 && d.bin[0] == 3 && d.sd == 0, "equal values are one bin");
	distribution_make(&d, NULL, 0, 10);
	ok(d.n == 0 && d.bin[0] == 0, "nothing");
}

/* Numbers of threads come from names of files. */
static void check_large_numbers(void)
{
	struct profile *p = profile_new();
	struct imbalance x;

	profile_add_metric(p, "TIME");
	for (int i = 0; i < 4; i++)
		profiles_put(p, profile_add_thread(p, i / 2, 0, i % 2 ? INT32_MAX : 0), "work", "TAU_USER", i + 1);
	for (uint32_t i = 0; i < 4; i++)
		profiles_put(p, i, "MPI_Barrier()", "MPI", 3 - i);
	profile_sort(p);
	imbalance_make(&x, p, NULL, 0);
	ok(x.v_n == 2 && x.v[0].n == 4 && x.v[0].lost == 6, "threads with the largest number: 4 x 4 - 10 = 6");
	imbalance_release(&x);
	profile_free(p);
}

/* TAU writes the metadata that ranks have in common in rank 0 only. */
static void check_common_program(void)
{
	struct profile *p = profile_new();
	const struct imbalance_row *r;
	uint32_t of[4];
	struct imbalance x;

	profile_add_metric(p, "TIME");
	for (uint32_t i = 0; i < 4; i++) {
		profile_add_thread(p, (int32_t)i, 0, 0);
		profiles_put(p, i, "work", "TAU_USER", i ? 10 : 50);
	}
	profile_set_meta(p, 0, TAU_META_EXECUTABLE, "/app");
	profile_sort(p);
	ok(programs_make(of, p) == 1 && !of[0] && !of[3], "one known program is that of all ranks");
	imbalance_make(&x, p, NULL, 0);
	r = row_of(&x, p, "work");
	ok(r && r->n == 4 && imbalance_ratio(r) == 2.5, "its regions are compared over all ranks");
	imbalance_release(&x);
	profile_free(p);
}

/* A shell with eight programs that it starts, one after the other: only it has a long life. Fork and join: main waits for its workers. */
/* Process 0 ends before 1 begins; the start of 2 is unknown; 3 is on another host, and 4 begins while 1 runs. */
static void check_apart(void)
{
	static const char *const start[] = {"1700000000000000", "1700000000000010", NULL, "1700000000000000", "1700000000000012"};
	static const double total[] = {10, 5, 1, 1, 1};
	struct profile *p = profile_new();
	struct process_lives l;

	profile_add_metric(p, "TIME");
	for (uint32_t i = 0; i < 5; i++) {
		profile_add_thread(p, (int32_t)i, 0, 0);
		profile_set_meta(p, i, "Hostname", i == 3 ? "b" : "a");
		if (start[i])
			profile_set_meta(p, i, "Starting Timestamp", start[i]);
	}
	process_lives_make(&l, p, total);
	ok(l.life[0] == 10 && l.begin[1] == 10 && isnan(l.begin[2]), "life and begin: %g, %g", l.life[0], l.begin[1]);
	ok(process_lives_apart(&l, 0, 1) && process_lives_apart(&l, 1, 0), "one ended before the other began");
	ok(!process_lives_apart(&l, 0, 2) && !process_lives_apart(&l, 1, 3) && !process_lives_apart(&l, 1, 4),
	   "not apart: unknown start, another host, at the same time");
	process_lives_release(&l);
	profile_free(p);
}

static void check_lives(void)
{
	struct profile *p = profile_new();
	const struct imbalance_row *r;
	struct imbalance x;

	profile_add_metric(p, "TIME");
	profile_add_metric(p, "PAPI_TOT_INS");
	for (uint32_t i = 0; i < 9; i++) {
		profiles_put(p, profile_add_thread(p, (int32_t)i, 0, 0), "work", "TAU_USER", i ? 1 : 100);
		profiles_put(p, i, "main", "TAU_USER", i ? 2 : 20);
	}
	profile_sort(p);
	imbalance_make(&x, p, NULL, 0);
	r = row_of(&x, p, "work");
	ok(r && r->n == 9 && r->lost == 8 * 2, "programs of 3 us wait 2 us for another one's 100 us");
	r = row_of(&x, p, "main");
	ok(r && r->lost == 8 * 1, "and 1 us for its 20 us");
	ok(x.whole == 120 + 8 * 3, "shares are of all time");
	imbalance_release(&x);
	/* Four of them ended before the one of 100 us began; of one, the host is another. */
	for (uint32_t i = 0; i < 9; i++) {
		profile_set_meta(p, i, "Starting Timestamp", i && i < 5 ? "1700000000000000" : "1700000000000003");
		profile_set_meta(p, i, "Hostname", i == 1 ? "b" : "a");
	}
	imbalance_make(&x, p, NULL, 0);
	r = row_of(&x, p, "work");
	ok(r && r->n == 9 && r->lost == 5 * 2, "processes that never ran at the same time do not wait for each other");
	imbalance_release(&x);
	imbalance_make(&x, p, NULL, 1);
	r = row_of(&x, p, "work");
	ok(r && r->lost == 9 * 100 - 108 && x.whole == 9 * 120, "instructions are not limited, shares are of nine times the largest");
	imbalance_release(&x);
	profile_free(p);

	p = profile_new();
	profile_add_metric(p, "TIME");
	profiles_put(p, profile_add_thread(p, 0, 0, 0), "pthread_join()", "PTHREAD", 40);
	for (uint32_t i = 1; i < 5; i++)
		profiles_put(p, profile_add_thread(p, 0, 0, (int32_t)i), "work", "TAU_USER", 10 * i);
	profile_sort(p);
	imbalance_make(&x, p, NULL, 0);
	r = row_of(&x, p, "work");
	ok(r && r->n == 4 && r->lost == 40, "workers that end early: the lost time is at most that of other regions, 40 of 60");
	imbalance_release(&x);
	profile_free(p);
}

int main(void)
{
	check_apart();
	check_lives();
	check_large_numbers();
	check_imbalance();
	check_empty_first();
	check_not_compared();
	check_programs();
	check_common_program();
	check_distribution();
	return tap_end();
}
