/* speedup.c: what regions took in several runs, and speedup and efficiency over the number of PEs. */
#include "analyze/compare/speedup.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "tap.h"

/* A run of pes ranks; each rank has main around the named regions, with an exclusive time in us each; NULL ends. */
static struct profile *run_of(int pes, ...)
{
	struct profile *p = profile_new();
	struct {
		uint32_t path;
		double us;
	} part[8];
	size_t n = 0;
	double sum = 100;
	va_list args;
	uint32_t main;
	const char *name;

	profile_add_metric(p, "TIME");
	main = profile_add_path(p, profile_add_timer(p, "main", "TAU_USER", NULL, 0), PROFILE_FLAT);
	va_start(args, pes);
	while ((name = va_arg(args, const char *))) {
		part[n].path = profile_add_path(p, profile_add_timer(p, name, "TAU_USER", NULL, 0), PROFILE_FLAT);
		part[n].us = va_arg(args, double);
		sum += part[n++].us;
	}
	va_end(args);
	for (int r = 0; r < pes; r++) {
		uint32_t t = profile_add_thread(p, r, 0, 0);
		struct profile_row *row = profile_add_row(p, t, main);

		row->calls = 1;
		row->subrs = (double)n;
		*profile_excl(p, &p->thread[t], row) = 100;
		*profile_incl(&p->thread[t], row) = sum;
		for (size_t i = 0; i < n; i++) {
			row = profile_add_row(p, t, part[i].path);
			row->calls = 1;
			*profile_excl(p, &p->thread[t], row) = part[i].us;
			*profile_incl(&p->thread[t], row) = part[i].us;
		}
	}
	profile_sort(p);
	return p;
}

static void add(struct run_matrix *m, struct profile *p)
{
	run_matrix_add(m, p, 0);
	profile_free(p);
}

static const struct run_row *row_named(const struct run_matrix *m, const char *name)
{
	for (size_t i = 0; i < m->row_n; i++)
		if (!strcmp(m->row[i].name, name))
			return &m->row[i];
	return NULL;
}

static void test_matrix(void)
{
	struct run_matrix m;
	const struct run_row *work;
	char *other;
	size_t k;

	run_matrix_begin(&m, RUN_REGIONS, TIMER_MEASURED);
	add(&m, run_of(2, "work [{a.c} {10,1}-{19,1}]", 50.0, "gone", 7.0, NULL));
	add(&m, run_of(4, "work [{a.c} {12,1}-{21,1}]", 30.0, "new", 5.0, NULL));
	work = row_named(&m, "work [{a.c} {10,1}-{19,1}]");
	ok(m.run_n == 2 && m.row_n == 4, "2 runs, 4 rows: main, work, gone, new");
	ok(work && m.run[0].pes == 2 && m.run[1].pes == 4, "each run has its PEs");
	k = (size_t)(work - m.row);
	ok(run_matrix_cell(&m, k, 0)->excl == 100 && run_matrix_cell(&m, k, 1)->excl == 120, "values are sums over threads");
	ok(run_matrix_cell(&m, k, 1)->threads == 4 && run_matrix_cell(&m, k, 1)->calls == 4, "so are calls");
	other = run_matrix_other_name(&m, k, 1);
	ok(other && !strcmp(other, "work [{a.c} {12,1}-{21,1}]"), "a region on other lines is the same");
	free(other);
	ok(!run_matrix_other_name(&m, k, 0), "in its first run it has no other name");
	k = (size_t)(row_named(&m, "new") - m.row);
	ok(!run_matrix_cell(&m, k, 0)->threads && run_matrix_cell(&m, k, 1)->threads == 4, "a run may lack a row");
	k = (size_t)(row_named(&m, "gone") - m.row);
	ok(!run_matrix_cell(&m, k, 1)->threads, "also the second one");
	ok(!strcmp(run_matrix_groups(&m, k), "TAU_USER"), "rows have groups");
	ok(m.run[1].elapsed == 135 && !strcmp(m.run[1].elapsed_in, "main"), "how long a run took");
	run_matrix_release(&m);
}

static void test_laws(void)
{
	/* PEs and times of two regions; speedup and efficiency of the last run. */
	static const struct {
		const char *name;
		double us[4][2];
		enum speedup_law law;
		double speedup, efficiency;
	} cases[] = {
		/* T = 100 + 8000 / P: 8100 at 1, 1100 at 8. */
		{"strong", {{8000, 0}, {4000, 0}, {2000, 0}, {1000, 0}}, SPEEDUP_STRONG, 8100.0 / 1100, 8100.0 / 1100 / 8},
		/* T = 1100, 1200, 1400, 1900: weak. */
		{"weak", {{1000, 0}, {1000, 100}, {1000, 300}, {1000, 800}}, SPEEDUP_WEAK, 1100.0 / 1900 * 8, 1100.0 / 1900},
		/* Falls, but not at every step. */
		{"mixed", {{8000, 0}, {4000, 0}, {4100, 0}, {1000, 0}}, SPEEDUP_WEAK, 8100.0 / 1100 * 8, 8100.0 / 1100},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct run_matrix m;
		struct speedup s;

		run_matrix_begin(&m, RUN_REGIONS, TIMER_MEASURED);
		for (int k = 3; k >= 0; k--) /* in any order */
			add(&m, run_of(1 << k, "work", cases[i].us[k][0], "wait", cases[i].us[k][1], NULL));
		speedup_make(&s, &m, 0);
		ok(s.p_n == 4 && s.p[0] == 1 && s.p[3] == 8, "%s: PEs in ascending order", cases[i].name);
		ok(s.law == cases[i].law && s.detected == cases[i].law, "%s: %s", cases[i].name, s.law == SPEEDUP_STRONG ? "strong" : "weak");
		ok(fabs(speedup_ratio(&s, s.time[0], s.time[3], 3) - cases[i].speedup) < 1e-12, "%s: speedup %.3f", cases[i].name,
		   speedup_ratio(&s, s.time[0], s.time[3], 3));
		ok(fabs(speedup_efficiency(&s, s.time[0], s.time[3], 3) - cases[i].efficiency) < 1e-12, "%s: efficiency %.3f",
		   cases[i].name, speedup_efficiency(&s, s.time[0], s.time[3], 3));
		ok(fabs(s.sum[3] - (100 + cases[i].us[3][0] + cases[i].us[3][1])) < 1e-9, "%s: sum per PE", cases[i].name);
		speedup_release(&s);
		run_matrix_release(&m);
	}
}

/* work = 8000 / P falls, wait = 10 P grows: it is larger from P = 29 on (10 P^2 > 8000), the first power of 2 is not the answer. */
static void test_next(void)
{
	struct run_matrix m;
	struct speedup s;

	run_matrix_begin(&m, RUN_REGIONS, TIMER_MEASURED);
	for (int p = 1; p <= 16; p *= 2)
		add(&m, run_of(p, "work", 8000.0 / p, "wait", 10.0 * p, NULL));
	speedup_make(&s, &m, 0);
	ok(!strcmp(m.row[s.row[s.largest[4]].row].name, "work") || !strcmp(m.row[s.largest[4]].name, "work"), "work is the largest now");
	ok(s.next != SIZE_MAX && s.next_from > 20 && s.next_from < 40, "another region dominates from about 28 PEs: %.1f", s.next_from);
	ok(s.unmodelled < 0.1, "nearly all of the time has a model");
	speedup_release(&s);
	run_matrix_release(&m);
}

/* Repetitions are averaged, a run that lacks a region counts in no mean. */
static void test_repetitions(void)
{
	struct run_matrix m;
	struct speedup s;

	run_matrix_begin(&m, RUN_REGIONS, TIMER_MEASURED);
	add(&m, run_of(2, "work", 100.0, NULL));
	add(&m, run_of(2, "work", 300.0, "rare", 8.0, NULL));
	add(&m, run_of(4, "work", 50.0, NULL));
	speedup_make(&s, &m, 0);
	ok(s.p_n == 2 && s.runs[0] == 2 && s.runs[1] == 1, "2 runs on 2 PEs, 1 on 4");
	ok(s.time[0] == (200 + 408) / 2.0, "their mean: %.1f", s.time[0]);
	for (size_t i = 0; i < s.row_n; i++)
		if (!strcmp(m.row[s.row[i].row].name, "rare"))
			ok(s.row[i].per[0] == 8 && isnan(s.row[i].per[1]), "missing is not zero");
	speedup_release(&s);
	run_matrix_release(&m);
}

static void row_add(struct profile *p, uint32_t thread, uint32_t path, double excl, double incl)
{
	struct profile_row *row = profile_add_row(p, thread, path);

	row->calls = 1;
	*profile_excl(p, &p->thread[thread], row) = excl;
	*profile_incl(&p->thread[thread], row) = incl;
}

/* Work of `work` us per rank; MPI_Init() takes `init`, a file that it reads `file`, and a region of the recorder `tool`. */
static struct profile *run_with_setup(int pes, double work, double init, double file, double tool)
{
	struct profile *p = profile_new();
	uint32_t of_main, of_init, of_read, of_tool, below, apart;

	profile_add_metric(p, "TIME");
	of_main = profile_add_path(p, profile_add_timer(p, ".TAU application", "TAU_DEFAULT", NULL, 0), PROFILE_FLAT);
	of_init = profile_add_path(p, profile_add_timer(p, "MPI_Init()", "MPI", NULL, 0), PROFILE_FLAT);
	of_read = profile_add_path(p, profile_add_timer(p, "read()", "TAU_IO", NULL, 0), PROFILE_FLAT);
	of_tool = profile_add_path(p, profile_add_timer(p, ".TAU memory census", "TAU_UTILITY", NULL, 0), PROFILE_FLAT);
	below = profile_add_path(p, p->path[of_read].timer, of_init);
	apart = profile_add_path(p, p->path[of_read].timer, of_main);
	for (int r = 0; r < pes; r++) {
		uint32_t t = profile_add_thread(p, r, 0, 0);
		struct {
			uint32_t path;
			double excl, incl;
		} rows[] = {{of_main, work, work + init + file + 40 + tool},
			    {of_init, init, init + file},
			    {of_read, file + 40, file + 40}, /* 40 us outside of it */
			    {of_tool, tool, tool},
			    {below, file, file},
			    {apart, 40, 40}};

		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
			row_add(p, t, rows[i].path, rows[i].excl, rows[i].incl);
	}
	profile_sort(p);
	return p;
}

/* Work is 800 us / P or 800 us, and all of the setup grows or shrinks with P; by regions, call paths and groups. */
static void test_setup(void)
{
	for (int rows = RUN_REGIONS; rows <= RUN_GROUPS; rows++)
		for (int strong = 0; strong < 2; strong++) {
			struct run_matrix m;
			struct speedup s;

			run_matrix_begin(&m, (enum run_rows)rows, TIMER_MEASURED);
			for (int p = 1; p <= 8; p *= 2) {
				double x = strong ? p : 1.0 / p;

				add(&m, run_with_setup(p, strong ? 800.0 / p : 800, 1000 * x, 300 * x, 50 * x));
			}
			speedup_make(&s, &m, 0);
			ok(s.law == (strong ? SPEEDUP_STRONG : SPEEDUP_WEAK), "rows %d: %s, whatever the setup does", rows,
			   strong ? "strong" : "weak");
			ok(fabs(s.setup[3] - 1350 * (strong ? 8 : 0.125)) < 1e-9 && fabs(s.setup[0] - 1350) < 1e-9,
			   "... MPI_Init(), what it calls, and the recorder, once each: %.3f", s.setup[3]);
			ok(fabs(speedup_program(&s, 3) - (strong ? 140 : 840)) < 1e-9, "... the rest is the program's: %.3f",
			   speedup_program(&s, 3));
			speedup_release(&s);
			run_matrix_release(&m);
		}
}

/* On 1 and 4 PEs, the work and the time in MPI_Wait(). */
static void test_communication(void)
{
	static const struct {
		const char *name;
		double work[2], wait[2];
		int strong;
	} cases[] = {
		{"work falls as the number of PEs, and communication more than makes up for it", {800, 200}, {10, 900}, 1},
		{"work falls by a half, at the limit", {800, 400}, {10, 900}, 1},
		{"work falls by less", {800, 410}, {10, 900}, 0},
		{"work is a twentieth of the time", {50, 10}, {950, 1000}, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct run_matrix m;
		struct speedup s;

		run_matrix_begin(&m, RUN_REGIONS, TIMER_MEASURED);
		for (int k = 0; k < 2; k++) {
			struct profile *p = profile_new();
			uint32_t of[2];

			profile_add_metric(p, "TIME");
			of[0] = profile_add_path(p, profile_add_timer(p, "work", "TAU_USER", NULL, 0), PROFILE_FLAT);
			of[1] = profile_add_path(p, profile_add_timer(p, "MPI_Wait()", "MPI", NULL, 0), PROFILE_FLAT);
			for (int rank = 0; rank < (k ? 4 : 1); rank++) {
				uint32_t t = profile_add_thread(p, (int32_t)rank, 0, 0);

				row_add(p, t, of[0], cases[i].work[k], cases[i].work[k] + cases[i].wait[k]);
				row_add(p, t, of[1], cases[i].wait[k], cases[i].wait[k]);
			}
			profile_sort(p);
			add(&m, p);
		}
		speedup_make(&s, &m, 0);
		ok(s.by_work == cases[i].strong && s.law == (cases[i].strong ? SPEEDUP_STRONG : SPEEDUP_WEAK), "%s: %s", cases[i].name,
		   cases[i].strong ? "strong" : "weak");
		ok(fabs(s.work[1] - cases[i].work[1]) < 1e-9, "... the work on 4 PEs: %.3f", s.work[1]);
		speedup_release(&s);
		run_matrix_release(&m);
	}
}

int main(void)
{
	test_matrix();
	test_laws();
	test_next();
	test_repetitions();
	test_setup();
	test_communication();
	return tap_end();
}
