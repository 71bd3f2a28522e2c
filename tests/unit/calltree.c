/* calltree.c: trees of calls as rows: recursion counts once, values of nodes without calls stay, empty nodes have no row. */
#include "convert/calltree.h"

#include <math.h>

#include "tap.h"

static uint32_t flat(struct profile *p, uint32_t timer)
{
	return profile_add_path(p, timer, PROFILE_FLAT);
}

static double value(struct profile *p, uint32_t path, int inclusive)
{
	const struct profile_row *r = profile_row_get(&p->thread[0], path);

	return !r ? -1 : inclusive ? *profile_incl(&p->thread[0], r) : *profile_excl(p, &p->thread[0], r);
}

/* main calls f, which calls itself and g; h is never called. */
static void test_rows(int inclusive)
{
	struct calltree_node node[5] = {{.parent = PROFILE_FLAT}, {.parent = 0}, {.parent = 1}, {.parent = 2}, {.parent = 0}};
	const double calls[] = {1, 2, 3, 4, 0}, excl[] = {10, 20, 30, 40, 0}, incl[] = {100, 90, 70, 40, 0};
	const char is_inclusive[] = {(char)inclusive};
	struct profile *p = profile_new();
	uint32_t timer[4];

	profile_add_metric(p, "TIME");
	timer[0] = profile_add_timer(p, "main", "", NULL, 0);
	timer[1] = profile_add_timer(p, "f", "", NULL, 0);
	timer[2] = profile_add_timer(p, "g", "", NULL, 0);
	timer[3] = profile_add_timer(p, "h", "", NULL, 0);
	node[0].timer = timer[0];
	node[1].timer = node[2].timer = timer[1];
	node[3].timer = timer[2];
	node[4].timer = timer[3];
	calltree_paths(p, node, 5);
	ok(node[1].outermost && !node[2].outermost && node[3].outermost, "the inner call of itself is not outermost");
	ok(p->path[node[3].path].parent == node[2].path, "a path has the path of its caller");
	profile_add_thread(p, 0, 0, 0);
	calltree_rows(p, 0, node, 5, calls, inclusive ? incl : excl, is_inclusive);
	profile_sort(p);
	ok(value(p, node[1].path, 1) == 90 && value(p, node[1].path, 0) == 20, "%s values give the others", inclusive ? "inclusive" : "exclusive");
	ok(value(p, flat(p, timer[1]), 0) == 50 && value(p, flat(p, timer[1]), 1) == 90, "a timer: sum, and the outermost call");
	ok(value(p, flat(p, timer[0]), 1) == 100, "main has all");
	ok(value(p, node[4].path, 0) == -1, "a node without calls and values has no row");
	profile_free(p);
}

int main(void)
{
	struct profile *p = profile_new();

	test_rows(0);
	test_rows(1);
	calltree_paths(p, NULL, 0);
	ok(!p->path_n, "an empty tree has no paths");
	profile_free(p);
	return tap_end();
}
