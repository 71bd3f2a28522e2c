/* call_tree.c: trees of call paths, computed by hand: complete paths, recursion, paths of limited depth, samples, callers and callees. */
#include <string.h>

#include "analyze/profile/call_tree.h"
#include "tap.h"

static struct profile *begin(void)
{
	struct profile *p = profile_new();

	profile_add_metric(p, "TIME");
	profile_add_thread(p, 0, 0, 0);
	return p;
}

static uint32_t timer(struct profile *p, const char *name)
{
	return profile_add_path(p, profile_add_timer(p, name, "", NULL, 0), PROFILE_FLAT);
}

/* Adds the row of a path "a => b => c". */
static void put(struct profile *p, const char *path, double calls, double excl, double incl)
{
	char *copy = mem_string(path), *at = copy;
	uint32_t id = PROFILE_FLAT;
	struct profile_row *r;

	while (at) {
		char *next = strstr(at, " => ");

		if (next)
			*next = 0;
		timer(p, at);
		id = profile_add_path(p, profile_add_timer(p, at, "", NULL, 0), id);
		at = next ? next + 4 : NULL;
	}
	r = profile_add_row(p, 0, id);
	r->calls = calls;
	p->thread[0].values[r->first] = incl;
	p->thread[0].values[r->first + 1] = excl;
	free(copy);
}

/* "depth name calls excl incl;" of all nodes, in order. */
static char *text_of(const struct call_tree *t)
{
	char *text = mem_string("");
	int depth = 0;

	for (uint32_t at = call_tree_next(t, CALL_NONE, &depth); at != CALL_NONE; at = call_tree_next(t, at, &depth)) {
		const struct call_node *n = &t->v[at];
		char *more = mem_printf("%s%d %s %g %g %g%s;", text, depth, call_tree_name(t, at), n->calls, n->excl, n->incl,
					n->open ? " open" : "");

		free(text);
		text = more;
	}
	return text;
}

static void check(const char *what, struct profile *p, enum profile_timer_kind kind, const char *want, double whole)
{
	struct call_tree t;
	char *got;

	profile_sort(p);
	call_tree_make(&t, p, NULL, 0, kind);
	got = text_of(&t);
	ok(!strcmp(got, want) && t.whole == whole, "%s: %s (whole %g)", what, got, t.whole);
	free(got);
	call_tree_release(&t);
}

/* main 1 calls f 10 (twice) and g 4; f calls g 5. */
static struct profile *complete(void)
{
	struct profile *p = begin();

	put(p, "main", 1, 1, 20);
	put(p, "f", 2, 10, 15);
	put(p, "g", 7, 9, 9);
	put(p, "main => f", 2, 10, 15);
	put(p, "main => g", 3, 4, 4);
	put(p, "main => f => g", 4, 5, 5);
	return p;
}

static void check_edges(void)
{
	struct profile *p = complete();
	struct call_tree t;
	struct call_edges x;
	char *path;

	profile_sort(p);
	call_tree_make(&t, p, NULL, 0, TIMER_MEASURED);
	call_edges_make(&x, &t, (uint32_t)names_find(&t.names, "g", 1));
	ok(x.calls == 7 && x.excl == 9 && x.incl == 9 && x.caller_n == 2 && !x.callee_n, "g: its sums, two callers, no callee");
	ok(x.caller_n == 2 && !strcmp(t.names.name[x.caller[0].name], "f") && x.caller[0].calls == 4 && x.caller[0].incl == 5 &&
		   !strcmp(t.names.name[x.caller[1].name], "main") && x.caller[1].incl == 4,
	   "the caller with most comes first");
	call_edges_release(&x);
	call_edges_make(&x, &t, (uint32_t)names_find(&t.names, "main", 4));
	ok(x.caller_n == 1 && x.caller[0].name == CALL_NONE && x.callee_n == 2 && x.callee[0].incl == 15 && x.callee[1].incl == 4,
	   "main is called from nowhere and calls f and g");
	path = call_tree_path(&t, t.v[t.v[t.first].first].first);
	ok(!strcmp(path, "main => f => g"), "%s", path);
	free(path);
	call_edges_release(&x);
	call_tree_release(&t);
	profile_free(p);
}

/* r calls itself: 3 outside, 2 inside, 1 in all of main. */
static void check_recursion(void)
{
	struct profile *p = begin();
	struct call_tree t;
	struct call_edges x;

	put(p, "main", 1, 1, 6);
	put(p, "r", 2, 5, 5);
	put(p, "main => r", 1, 3, 5);
	put(p, "main => r => r", 1, 2, 2);
	check("recursion", p, TIMER_MEASURED, "0 main 1 1 6;1 r 1 3 5;2 r 1 2 2;", 6);
	call_tree_make(&t, p, NULL, 0, TIMER_MEASURED);
	call_edges_make(&x, &t, (uint32_t)names_find(&t.names, "r", 1));
	ok(x.calls == 2 && x.excl == 5 && x.incl == 5, "inclusive time of recursion counts once: %g", x.incl);
	call_edges_release(&x);
	call_tree_release(&t);
	profile_free(p);
}

/* Edges of recursion: a => b => a => b, and b calls itself once more. */
static void check_recursive_edges(void)
{
	struct profile *p = begin();
	struct call_tree t;
	struct call_edges x;

	put(p, "a", 2, 4, 16);
	put(p, "b", 3, 12, 14);
	put(p, "a => b", 1, 2, 14);
	put(p, "a => b => a", 1, 2, 12);
	put(p, "a => b => a => b", 1, 3, 10);
	put(p, "a => b => a => b => b", 1, 7, 7);
	call_tree_make(&t, p, NULL, 0, TIMER_MEASURED);
	call_edges_make(&x, &t, (uint32_t)names_find(&t.names, "b", 1));
	ok(x.calls == 3 && x.excl == 12 && x.incl == 14, "calls of each other: inclusive counts once: %g", x.incl);
	ok(x.caller_n == 2 && x.caller[0].incl == 14 && x.caller[0].calls == 2 && x.caller[0].excl == 5 && x.caller[1].incl == 7,
	   "so it does for each caller: %g %g", x.caller[0].incl, x.caller[1].incl);
	ok(x.callee_n == 2 && x.callee[0].incl == 12 && x.callee[1].incl == 7 && x.callee[1].calls == 1, "and for each callee: %g %g",
	   x.callee[0].incl, x.callee[1].incl);
	call_edges_release(&x);
	call_edges_make(&x, &t, (uint32_t)names_find(&t.names, "a", 1));
	ok(x.caller_n == 2 && x.caller[0].name == CALL_NONE && x.caller[0].incl == 16 && x.caller[1].incl == 12 && x.callee_n == 1 &&
		   x.callee[0].incl == 14 && x.callee[0].calls == 2,
	   "a is called from nowhere and by b, and calls b: %g", x.callee[0].incl);
	call_edges_release(&x);
	call_tree_release(&t);
	profile_free(p);
}

/* Recursion of any depth: linear time, and no stack overflow. */
static void check_depth(void)
{
	struct profile *p = begin();
	struct call_tree t;
	struct call_edges x;
	uint32_t r = profile_add_timer(p, "r", "", NULL, 0), path = profile_add_path(p, r, PROFILE_FLAT);
	enum { DEPTH = 300000 };

	for (int i = 0; i < DEPTH; i++) {
		struct profile_row *row = profile_add_row(p, 0, path);

		row->calls = i ? 1 : DEPTH;
		p->thread[0].values[row->first] = i ? DEPTH - i : DEPTH;
		p->thread[0].values[row->first + 1] = i ? 1 : DEPTH;
		path = profile_add_path(p, r, path);
	}
	call_tree_make(&t, p, NULL, 0, TIMER_MEASURED);
	call_edges_make(&x, &t, (uint32_t)names_find(&t.names, "r", 1));
	ok(x.callee_n == 1 && x.callee[0].calls == DEPTH - 1 && x.callee[0].incl == DEPTH - 1, "%d calls inside each other: %g", DEPTH,
	   x.callee[0].incl);
	call_edges_release(&x);
	call_tree_release(&t);
	profile_free(p);
}

int main(void)
{
	struct profile *p = complete();

	check("complete", p, TIMER_MEASURED, "0 main 1 1 20;1 f 2 10 15;2 g 4 5 5;1 g 3 4 4;", 20);
	profile_free(p);

	/* A region that is outermost too: g has 2 calls and 6 of its own. */
	p = complete();
	p->thread[0].row[2].calls = 9;
	p->thread[0].values[p->thread[0].row[2].first] = 15;
	p->thread[0].values[p->thread[0].row[2].first + 1] = 15;
	check("a root besides", p, TIMER_MEASURED, "0 main 1 1 20;1 f 2 10 15;2 g 4 5 5;1 g 3 4 4;0 g 2 6 6;", 26);
	profile_free(p);

	p = begin();
	put(p, "main", 1, 1, 20);
	put(p, "f", 2, 10, 19);
	put(p, "g", 4, 9, 9);
	put(p, "main => f", 2, 10, 19);
	put(p, "f => g", 4, 9, 9);
	check("depth 2", p, TIMER_MEASURED, "0 main 1 1 20;1 f 2 10 19;0 f 0 0 9 open;1 g 4 9 9;", 20);
	profile_free(p);

	/* Without calls, as in folded stacks "main;f 5", "main;f;g 7", "s;main;g 3", "r;r;g 2". */
	p = begin();
	put(p, "main", 0, 0, 15);
	put(p, "f", 0, 5, 12);
	put(p, "g", 0, 12, 12);
	put(p, "s", 0, 0, 3);
	put(p, "r", 0, 0, 2);
	put(p, "main => f", 0, 5, 12);
	put(p, "main => f => g", 0, 7, 7);
	put(p, "s => main", 0, 0, 3);
	put(p, "s => main => g", 0, 3, 3);
	put(p, "r => r", 0, 0, 2);
	put(p, "r => r => g", 0, 2, 2);
	check("stacks whose roots and inner frames have no value of their own", p, TIMER_MEASURED,
	      "0 main 0 0 12;1 f 0 5 12;2 g 0 7 7;0 s 0 0 3;1 main 0 0 3;2 g 0 3 3;0 r 0 0 2;1 r 0 0 2;2 g 0 2 2;", 17);
	profile_free(p);

	p = begin();
	put(p, "main", 1, 1, 20);
	put(p, "f", 2, 19, 19);
	check("no paths", p, TIMER_MEASURED, "0 main 1 1 20;0 f 2 19 19;", 20);
	profile_free(p);

	/* Unwound: f at two lines; the region around does not count. Not unwound: below the region. */
	p = begin();
	put(p, "main", 1, 50, 50);
	put(p, "[SAMPLE] f [{a.c} {4}]", 3, 30, 30);
	put(p, "main => [CONTEXT] main", 5, 0, 50);
	put(p, "main => [CONTEXT] main => [UNWIND] _start => [UNWIND] main [{a.c} {9}] => [SAMPLE] f [{a.c} {4}]", 3, 30, 30);
	put(p, "main => [CONTEXT] main => [UNWIND] _start => [UNWIND] main [{a.c} {10}] => [SAMPLE] f [{a.c} {5}]", 1, 10, 10);
	put(p, "main => [CONTEXT] main => [SAMPLE] h [{a.c} {7}]", 1, 10, 10);
	check("samples", p, TIMER_SAMPLE, "0 _start 0 0 40;1 main 0 0 40;2 f 4 40 40;0 main 0 0 10;1 h 1 10 10;", 50);
	profile_free(p);

	check_edges();
	check_recursion();
	check_recursive_edges();
	check_depth();
	return tap_end();
}
