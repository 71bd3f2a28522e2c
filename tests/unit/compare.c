/* compare.c: families of names, the matching of runs, and the rows that explain a difference, against answers by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compare/difference.h"
#include "analyze/compare/name_family.h"
#include "tap.h"

static void put(struct profile *p, const char *name, uint32_t parent, double excl)
{
	uint32_t thread = profile_add_thread(p, 0, 0, 0),
		 path = profile_add_path(p, profile_add_timer(p, name, "G", NULL, 0), parent);
	struct profile_row *r = profile_add_row(p, thread, path);

	r->calls = 1;
	p->thread[thread].values[r->first] = p->thread[thread].values[r->first + 1] = excl;
}

static struct profile *profile(void)
{
	struct profile *p = profile_new();

	profile_add_metric(p, "TIME");
	return p;
}

static void family(const char *a, const char *b, const char *difference)
{
	char *x = name_family(a, NAME_RULES), *y = name_family(b, NAME_RULES);
	int same = !strcmp(x, y);

	ok(same == (difference != NULL) && (!same || !strcmp(name_family_difference(a, b), difference)), "'%s' and '%s': %s (%s, %s)", a, b,
	   same ? name_family_difference(a, b) : "not the same", x, y);
	free(x);
	free(y);
}

static void check_families(void)
{
	family("f [{/a/v1/x.c} {10,1}-{19,1}]", "f [{/b/x.c} {12,1}-{21,1}]", "place");
	family("f [{x.c} {10}]", "f [{y.c} {10}]", NULL);
	family("main x.c:17", "main x.c:20", "place");
	family("a::b", "a::c", NULL);
	family("std::array<int, 3>", "std::array<int, 4>", NULL);
	family("UNRESOLVED ADDR 0x7f12", "UNRESOLVED ADDR 0x55aa", "address");
	family("f [libm.so.6]", "f [libm.so.7.1]", "version");
	family("f [libm-2.31.so]", "f [libm-2.36.so]", "version");
	family("read@GLIBC_2.2.5", "read", "version");
	family("read@@GLIBC_2.2.5 [{x.c} {1}]", "read [{x.c} {2}]", "place and version");
	family("f.constprop.0", "f.isra.0.cold", "version");
	family("f.part", "f.partly", NULL);
	family("step 1", "step 2", NULL);
	family("f [ <n> = <3> ]", "f [ <n> = <4> ]", NULL);
	family("f [{", "f [{", "");
	family("", "", "");
}

static size_t row_named(const struct run_matrix *m, const char *name)
{
	for (size_t i = 0; i < m->row_n; i++)
		if (!strcmp(m->row[i].name, name))
			return i;
	return SIZE_MAX;
}

static double at(const struct run_matrix *m, const char *name, size_t run)
{
	size_t row = row_named(m, name);

	return row == SIZE_MAX ? NAN : run_matrix_cell(m, row, run)->excl;
}

static void check_matching(void)
{
	struct profile *p[3] = {profile(), profile(), profile()};
	struct run_matrix m;
	char *name;

	/* Two loops move; one function is new in the second run; the third has the names of the first. */
	put(p[0], "f [{x.c} {9}]", PROFILE_FLAT, 1);
	put(p[0], "f [{x.c} {10}]", PROFILE_FLAT, 2);
	put(p[0], "g 0x12", PROFILE_FLAT, 3);
	put(p[1], "f [{x.c} {110}]", PROFILE_FLAT, 20);
	put(p[1], "f [{x.c} {99}]", PROFILE_FLAT, 10);
	put(p[1], "g 0x34", PROFILE_FLAT, 30);
	put(p[1], "g 0x56", PROFILE_FLAT, 40);
	put(p[2], "f [{x.c} {9}]", PROFILE_FLAT, 100);
	put(p[2], "f [{x.c} {110}]", PROFILE_FLAT, 200);
	run_matrix_begin(&m, RUN_REGIONS, TIMER_MEASURED);
	for (int i = 0; i < 3; i++) {
		profile_sort(p[i]);
		run_matrix_add(&m, p[i], 0);
	}
	ok(at(&m, "f [{x.c} {9}]", 1) == 10 && at(&m, "f [{x.c} {10}]", 1) == 20, "two of a family are matched in the order of their numbers");
	ok(isnan(at(&m, "g 0x12", 1)) && at(&m, "g 0x34", 1) == 30 && at(&m, "g 0x56", 1) == 40, "one of a family is not two others");
	ok(at(&m, "f [{x.c} {9}]", 2) == 100 && at(&m, "f [{x.c} {10}]", 2) == 200, "a name of an earlier run is known");
	name = run_matrix_other_name(&m, row_named(&m, "f [{x.c} {10}]"), 2);
	ok(name && !strcmp(name, "f [{x.c} {110}]"), "the other name: %s", name ? name : "none");
	free(name);
	ok(!run_matrix_other_name(&m, row_named(&m, "f [{x.c} {9}]"), 2) && !run_matrix_other_name(&m, row_named(&m, "g 0x12"), 1),
	   "no other name: the same one, or no row");
	ok(m.run[1].excl == 100 && m.run[1].elapsed == 40 && m.run[1].threads == 1 && m.run[1].pes == 1, "sums of a run");
	run_matrix_release(&m);
	for (int i = 0; i < 3; i++)
		profile_free(p[i]);
}

static void check_paths(void)
{
	struct profile *p[2] = {profile(), profile()};
	struct run_matrix m;
	char *name;

	for (int i = 0; i < 2; i++) {
		put(p[i], i ? "main [{m.c} {2}]" : "main [{m.c} {1}]", PROFILE_FLAT, 1);
		put(p[i], "f", 0, 2 + i);
		put(p[i], "f", PROFILE_FLAT, 2 + i);
		profile_sort(p[i]);
	}
	run_matrix_begin(&m, RUN_PATHS, TIMER_MEASURED);
	for (int i = 0; i < 2; i++)
		run_matrix_add(&m, p[i], 0);
	ok(at(&m, "main [{m.c} {1}] => f", 0) == 2 && at(&m, "main [{m.c} {1}] => f", 1) == 3, "a path is matched region by region");
	name = run_matrix_other_name(&m, row_named(&m, "main [{m.c} {1}] => f"), 1);
	ok(name && !strcmp(name, "main [{m.c} {2}] => f"), "its other name");
	free(name);
	run_matrix_release(&m);
	run_matrix_begin(&m, RUN_GROUPS, TIMER_MEASURED);
	run_matrix_add(&m, p[0], 0);
	ok(at(&m, "G", 0) == 3 && m.row_n == 1 && isnan(run_matrix_cell(&m, 0, 0)->incl), "regions of a group are added up");
	run_matrix_release(&m);
	for (int i = 0; i < 2; i++)
		profile_free(p[i]);
}

static void check_difference(void)
{
	static const struct {
		const char *name;
		double before, after;
	} row[] = {{"up", 100, 200}, {"down", 200, 105}, {"same", 50, 50}, {"new", -1, 4}, {"gone", 3, -1}};
	struct profile *p[2] = {profile(), profile()};
	const double one[2] = {1, 1}, half[2] = {0.5, 0.5};
	struct run_matrix m;
	struct difference d;

	run_matrix_begin(&m, RUN_REGIONS, TIMER_MEASURED);
	for (int i = 0; i < 2; i++) {
		for (size_t k = 0; k < sizeof(row) / sizeof(*row); k++)
			if ((i ? row[k].after : row[k].before) >= 0)
				put(p[i], row[k].name, PROFILE_FLAT, i ? row[k].after : row[k].before);
		profile_sort(p[i]);
		run_matrix_add(&m, p[i], 0);
	}
	difference_make(&d, &m, one, 0);
	ok(d.v_n == 5 && d.v[0].change == 100 && d.v[1].change == -95 && d.v[2].change == 4 && d.v[3].change == -3 && d.v[4].change == 0,
	   "the largest change first, whatever its sign");
	ok(isnan(d.v[2].before) && d.v[2].after == 4 && d.v[3].before == 3 && isnan(d.v[3].after), "missing is not zero");
	ok(d.net == 6 && d.gross == 202 && d.explaining == 2 && d.explained == 195.0 / 202 && d.explained_net == 5,
	   "two rows explain: net %g, gross %g, %zu rows", d.net, d.gross, d.explaining);
	difference_release(&d);
	difference_make(&d, &m, half, 0);
	ok(d.net == 3 && d.gross == 101 && d.v[0].change == 50, "half of everything");
	difference_release(&d);
	run_matrix_release(&m);
	for (int i = 0; i < 2; i++)
		profile_free(p[i]);
}

int main(void)
{
	check_families();
	check_matching();
	check_paths();
	check_difference();
	return tap_end();
}
