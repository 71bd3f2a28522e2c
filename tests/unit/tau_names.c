/* tau_names.c: names that TAU's files would take for call paths or contexts, and regions that a recorder throttled. */
#include "convert/tau/tau_names.h"

#include <stdlib.h>
#include <string.h>

#include "convert/throttled.h"
#include "tap.h"

static void test_names(void)
{
	static const struct {
		const char *name, *groups;
		size_t renamed;
		const char *as;
	} cases[] = {
		{"main", "TAU_USER", 0, "main"},
		{"a => b", "", 1, "a -> b"},
		{"a => b => c", "", 1, "a -> b -> c"},
		{"a => b", "TAU_USER", 0, "a => b"}, /* with a group it is no path */
		{"a=>b", "", 0, "a=>b"},
		{"std::map", "", 0, "std::map"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile *p = profile_new();
		struct tau_names n = {.made = NULL};
		const struct profile *q;

		profile_add_timer(p, cases[i].name, cases[i].groups, NULL, 0);
		q = tau_names_apply(&n, p);
		ok(tau_names_count(p) == cases[i].renamed, "'%s' of group '%s': %zu renamed", cases[i].name, cases[i].groups,
		   tau_names_count(p));
		ok(!strcmp(q->timer[0].name, cases[i].as) && !strcmp(p->timer[0].name, cases[i].name), "in files it is '%s'", q->timer[0].name);
		ok(cases[i].renamed || q == p, "a profile without such names is taken as it is");
		tau_names_release(&n);
		profile_free(p);
	}
}

static void test_throttled(void)
{
	static const struct {
		const char *name[5];
		const char *note; /* part of it; NULL: none */
	} cases[] = {
		{{NULL}, NULL},
		{{"f"}, "recording of 1 region was stopped to save time, so later calls of it are not included: f"},
		{{"Loop: f [{a.f} {1,1}-{2,1}]", "Loop: f [{a.f} {7,1}-{9,1}]", "g [{a.f} {20,1}-{30,1}]"},
		 "recording of 3 regions was stopped to save time, so later calls of them are not included: Loop: f [{a.f} {1,1}-{2,1}], Loop: f [{a.f} {7,1}-{9,1}], g"},
		{{"f", "g"}, "recording of 2 regions was stopped to save time, so later calls of them are not included: f, g"},
		{{"a", "b", "c", "d", "e"}, "recording of 5 regions was stopped to save time, so later calls of them are not included: a, b, c and 2 more"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile *p = profile_new();
		char *note;

		profile_add_timer(p, "main", "TAU_USER", NULL, 0);
		for (size_t k = 0; k < 5 && cases[i].name[k]; k++)
			profile_add_timer(p, cases[i].name[k], "TAU_USER|TAU_DISABLE", NULL, 0);
		note = throttled_in_profile(p, "p.4");
		ok(!note == !cases[i].note && (!note || (!strncmp(note, "p.4: ", 5) && !strcmp(note + 5, cases[i].note))), "throttled: %s",
		   note ? note : "none");
		free(note);
		profile_free(p);
	}
}

int main(void)
{
	test_names();
	test_throttled();
	return tap_end();
}
