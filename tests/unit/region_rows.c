/* region_rows.c: rows over threads computed by hand, their order, and names that have little room. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/base/nearest.h"
#include "analyze/profile/region_rows.h"
#include "cmd/table/region_name.h"
#include "tap.h"

static void put(struct profile *p, uint32_t thread, uint32_t path, double calls, double excl, double incl)
{
	struct profile_row *r = profile_add_row(p, thread, path);

	r->calls = calls;
	p->thread[thread].values[r->first] = incl;
	p->thread[thread].values[r->first + 1] = excl;
}

static void check_rows(void)
{
	struct profile *p = profile_new();
	struct region_rows r;
	struct waiting *waiting;
	uint32_t root, f, g, path;

	profile_add_metric(p, "TIME");
	root = profile_add_path(p, profile_add_timer(p, ".TAU application", "", NULL, 0), PROFILE_FLAT);
	f = profile_add_path(p, profile_add_timer(p, "f", "", NULL, 0), PROFILE_FLAT);
	g = profile_add_path(p, profile_add_timer(p, "g", "", NULL, 0), PROFILE_FLAT);
	path = profile_add_path(p, p->path[f].timer, root);
	for (int i = 0; i < 3; i++)
		put(p, profile_add_thread(p, i / 2, 0, i % 2), root, 1, 4, 10);
	put(p, 0, f, 2, 3, 3);
	put(p, 0, path, 2, 3, 3);
	put(p, 2, f, 1, 9, 9);
	put(p, 2, path, 1, 9, 9);
	put(p, 2, g, 1, 12, 12);
	waiting = waiting_find((const struct profile *const *)&p, 1, TIMER_MEASURED);
	region_rows_make(&r, p, waiting, 0, ROWS_FLAT);
	ok(r.threads == 2 && r.waiting == 1 && r.did == 0 && r.whole[TIMER_MEASURED] == 32,
	   "a thread that waits stands apart: %u %u %g", r.threads, r.waiting, r.whole[TIMER_MEASURED]);
	ok(r.v_n == 3 && r.v[0].path == f && r.v[1].path == g && r.v[2].path == root, "largest first, equal ones by name");
	ok(r.v[0].calls == 3 && r.v[0].excl == 12 && region_row_mean(&r.v[0]) == 6 && r.v[0].largest == 9 && r.v[0].largest_at == 2 &&
		   region_row_imbalance(&r.v[0]) == 1.5,
	   "sum, mean over the compared threads, largest and where, imbalance");
	ok(r.v[1].threads == 1 && r.v[1].compared == 2 && region_row_mean(&r.v[1]) == 6 && region_row_imbalance(&r.v[1]) == 2,
	   "one process has it alone: the other counts as 0");
	region_rows_release(&r);
	region_rows_make(&r, p, waiting, 0, ROWS_PATHS);
	ok(r.v_n == 3 && r.v[0].path == path && r.v[1].path == g && r.paths == 1, "a path stands for its region, others are flat");
	region_rows_release(&r);
	waiting_free(waiting);
	profile_free(p);
}

static void check_name(const char *name, size_t width, const char *want)
{
	char *s = region_name_short(name);

	region_name_fit(s, width);
	ok(!strcmp(s, want), "%s in %zu: %s", name, width, s);
	free(s);
}

static const char *nth(const void *of, size_t i)
{
	return ((const char *const *)of)[i];
}

/* What a report prints for the next command must select that region. */
static void check_word(const char *name, const char *want)
{
	const char *const names[] = {name, "(undefined region 11)", "void ns::solve(int)", "other [{b.c} {2}]"};
	const struct region_list list = {names, 4, nth};
	char *word = region_word(&list, 0);

	ok(!strcmp(word, want), "%s is selected by %s", name, word);
	free(word);
}

int main(void)
{
	static const char *const names[] = {"text", "callgrind", "memory", "memory-growth"}, *const switches[] = {"on", "off"};

	check_rows();
	check_name("main [{/full/path/app.c} {13,0}]", 80, "main [app.c:13]");
	check_name("main [{a/app.c} {13,0}-{20,1}] => f [{b/x.c} {7}]", 80, "main [app.c:13] => f [x.c:7]");
	check_name("main => around => innermost", 14, "~ => innermost");
	check_name("void ns::solve(std::vector<int> const&, int) [{a.cc} {1}]", 24, "void ns::solve(~)");
	check_name("void ns::solve(std::vector<int> const&, int)", 10, "~:solve(~)");
	check_name("parallelfor (loop body) [OpenMP location: file:/src/a.c <2, 9>]", 24, "parallelfor (loop body)");
	check_name("parallelfor (loop body) [OpenMP location: file:/src/a.c <2, 9>]", 40, "parallelfor (loop body) [a.c:2]");
	check_name("kernel(std::map<int, int>) [{a.cc} {1}]", 20, "kernel(~) [a.cc:1]");
	check_name("\xc3\xa4\xc3\xb6\xc3\xbc", 2, "~\xc3\xbc");
	check_word("main [{/src/app.c} {13,0}]", "main");
	check_word("void ns::free(int)", "ns::free");
	check_word("void ns::solve(long)", "void ns::solve(long)");
	check_word("(undefined region 1)", "(undefined region 1)");
	check_word("<module> [{app.py} {1}]", "<module> [{app.py} {1}]");
	ok(!strcmp(nearest_name("txet", names, 4), "text") && !strcmp(nearest_name("memroy", names, 4), "memory") &&
		   !strcmp(nearest_name("callg", names, 4), "callgrind") && !nearest_name("speed", names, 4),
	   "the nearest name, or none");
	ok(!strcmp(nearest_name("of", switches, 2), "off"), "of two names as near, the one that begins with the word");
	return tap_end();
}
