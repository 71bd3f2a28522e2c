/* context.c: call paths and the contexts of counters out of their texts. */
#include "analyze/profile/context.h"

#include <string.h>
#include <unistd.h>

#include "tap.h"

static void test_paths(void)
{
	static const struct {
		const char *text, *name; /* NULL: it is no path */
	} cases[] = {
		{"main", "main"},
		{"main => solve", "main => solve"},
		{" main  =>  solve => MPI_Send() ", "main => solve => MPI_Send()"},
		{"a =>b", "a =>b"},
		{"", NULL},
		{"main => ", NULL},
		{" => main", NULL},
		{"main =>  => solve", NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile *p = profile_new();
		uint32_t path = context_add_path(p, cases[i].text, "G");
		char name[100] = "";

		if (path != PROFILE_FLAT)
			profile_path_name(p, path, name, sizeof(name));
		ok(cases[i].name ? !strcmp(name, cases[i].name) : path == PROFILE_FLAT, "path '%s': '%s'", cases[i].text, name);
		if (cases[i].name)
			ok(context_add_path(p, cases[i].name, NULL) == path, "the same text again is the same path");
		profile_free(p);
	}
}

static void test_timers(void)
{
	struct profile *p = profile_new();
	uint32_t path = context_add_path(p, "main => work [{/src/w.c} {12,1}-{19,2}]", "LOOPS");
	const struct profile_timer *work = &p->timer[p->path[path].timer], *first = &p->timer[p->path[p->path[path].parent].timer];

	ok(!strcmp(work->file, "/src/w.c") && work->line == 12, "the place is taken from the name");
	ok(!strcmp(work->name, "work [{/src/w.c} {12,1}-{19,2}]"), "which stays whole");
	ok(!strcmp(work->groups, "LOOPS") && (!first->groups || !*first->groups), "groups belong to the last timer");
	ok(context_add_timer(p, "main", NULL) == p->path[p->path[path].parent].timer, "a timer is added once");
	profile_free(p);
}

static void test_contexts(void)
{
	static const struct {
		const char *name;
		size_t base; /* length of the event; 0: none */
	} cases[] = {
		{"Message size : main", 12},
		{"Message size : main => solve", 12},
		{"Bytes Written : elsewhere", 13}, /* by the event */
		{"Message size : elsewhere", 0},
		{"Message size", 0},
		{"a : main : main => solve", 8},
		{"x : y : main", 5},
		{" : main", 0},
		{"Message size : main => ", 0},
	};
	struct profile *p = profile_new();
	struct names events = {0};

	names_add(&events, "Bytes Written", 13);
	context_add_path(p, "main => solve", NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t n = context_base(p, &events, cases[i].name);

		ok(n == cases[i].base, "'%s': %zu bytes are the event", cases[i].name, n);
	}
	names_release(&events);
	profile_free(p);
}

/* Of a name with very many " : " not all splits are tried. */
static void test_many_splits(void)
{
	const size_t n = 200000;
	struct profile *p = profile_new();
	struct names events = {0};
	char *name = mem_alloc(4 * n + 2);

	name[0] = 'E';
	for (size_t i = 0; i < n; i++)
		memcpy(name + 1 + 4 * i, " : x", 5);
	alarm(200);
	ok(!context_base(p, &events, name), "a name with %zu signs of a context has none", n);
	alarm(0);
	free(name);
	profile_free(p);
}

/* The order of paths is that of their texts, also where a name begins with another or has an arrow in it. */
static void test_order(void)
{
	static const char *const name[] = {"a", "a ", "a =", "a => b", "aa", "b", " ", "=", "=> b", "a => b => c"};
	const size_t n = sizeof(name) / sizeof(*name);
	struct profile *p = profile_new();
	size_t wrong = 0;

	for (size_t i = 0; i < n; i++)
		profile_add_path(p, profile_add_timer(p, name[i], NULL, NULL, 0), PROFILE_FLAT);
	for (uint32_t parent = 0; p->path_n < 600; parent++)
		for (uint32_t t = 0; t < n; t++)
			profile_add_path(p, t, parent);
	for (uint32_t a = 0; a < p->path_n; a++)
		for (uint32_t b = 0; b < p->path_n; b++) {
			char *x = profile_path_text(p, a), *y = profile_path_text(p, b);
			int by_text = strcmp(x, y), order = profile_path_order(p, a, b);

			/* Equal texts of different paths may have any order. */
			wrong += by_text && (by_text < 0) != (order < 0);
			free(x);
			free(y);
		}
	ok(!wrong, "order of %zu paths, %zu wrong", p->path_n, wrong);
	profile_free(p);
}

int main(void)
{
	test_paths();
	test_timers();
	test_contexts();
	test_many_splits();
	test_order();
	return tap_end();
}
