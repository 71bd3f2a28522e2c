/* deep_paths.c: call paths of many levels are added up: by hand, and the sums of random trees. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/deep_paths.h"
#include "profiles.h"
#include "tap.h"

static const struct profile_row *named(const struct profile *p, const char *name)
{
	char text[4096];

	for (size_t i = 0; i < p->thread[0].row_n; i++) {
		profile_path_name(p, p->thread[0].row[i].path, text, sizeof(text));
		if (!strcmp(text, name))
			return &p->thread[0].row[i];
	}
	return NULL;
}

static int row_is(const struct profile *p, const char *name, double calls, double subrs, double incl, double excl)
{
	const struct profile_row *r = named(p, name);
	const double *v = r ? &p->thread[0].values[r->first] : NULL;

	return r && r->calls == calls && r->subrs == subrs && v[0] == incl && v[1] == excl;
}

/* main => f => f => f => g, and g also below the second f; 1 us of its own in each. */
static void check_by_hand(void)
{
	struct profile *p = profile_new();
	uint32_t timer[3], path[7];

	profile_add_metric(p, "TIME");
	profile_add_thread(p, 0, 0, 0);
	timer[0] = profile_add_timer(p, "main", NULL, NULL, 0);
	timer[1] = profile_add_timer(p, "f", NULL, NULL, 0);
	timer[2] = profile_add_timer(p, "g", NULL, NULL, 0);
	profiles_row(p, path[0] = profile_add_path(p, timer[0], PROFILE_FLAT), 1, 1, 6, 1);
	profiles_row(p, profile_add_path(p, timer[1], PROFILE_FLAT), 3, 4, 5, 3);
	profiles_row(p, profile_add_path(p, timer[2], PROFILE_FLAT), 2, 0, 2, 2);
	profiles_row(p, path[1] = profile_add_path(p, timer[1], path[0]), 1, 1, 5, 1);
	profiles_row(p, path[2] = profile_add_path(p, timer[1], path[1]), 1, 2, 4, 1);
	profiles_row(p, path[3] = profile_add_path(p, timer[1], path[2]), 1, 1, 2, 1);
	profiles_row(p, path[4] = profile_add_path(p, timer[2], path[2]), 1, 0, 1, 1);
	profiles_row(p, path[5] = profile_add_path(p, timer[2], path[3]), 1, 0, 1, 1);
	profile_sort(p);
	ok(deep_paths_merge(p, 5) == 0 && p->path_n == 8, "no path has more than 5 regions");
	ok(deep_paths_merge(p, 2) == 3 && p->path_n == 6, "three paths become others of 3 regions");
	profile_sort(p);
	ok(row_is(p, "main => f => f", 2, 3, 4, 2), "both calls of f below two levels: their time once");
	ok(row_is(p, "main => f => g", 2, 0, 2, 2), "g: both calls, wherever they were");
	ok(row_is(p, "main => f", 1, 1, 5, 1) && row_is(p, "f", 3, 4, 5, 3), "rows of shorter paths, and of regions, stay");
	ok(deep_paths_merge(p, 2) == 0, "nothing more to do");
	profile_free(p);
}

/* By timer: calls and exclusive values of its paths. */
static void sums(const struct profile *p, double sum[8][2])
{
	memset(sum, 0, 8 * sizeof(*sum));
	for (size_t i = 0; i < p->thread[0].row_n; i++) {
		const struct profile_row *r = &p->thread[0].row[i];

		sum[p->path[r->path].timer][0] += r->calls;
		sum[p->path[r->path].timer][1] += p->thread[0].values[r->first + 1];
	}
}

static void check_random(void)
{
	int bad = 0, deep = 0;

	srand(7);
	for (int round = 0; round < 200; round++) {
		struct profile *p = profile_new();
		uint32_t levels = 1 + (uint32_t)rand() % 6, longest = 0;
		double before[8][2], after[8][2];

		profile_add_metric(p, "TIME");
		profile_add_thread(p, 0, 0, 0);
		for (int i = 0; i < 4; i++)
			profile_add_timer(p, (const char[]){(char)('a' + i), 0}, NULL, NULL, 0);
		profile_add_path(p, 0, PROFILE_FLAT);
		for (int i = 0; i < 60; i++)
			profile_add_path(p, (uint32_t)rand() % 4, (uint32_t)rand() % (uint32_t)p->path_n);
		for (uint32_t i = 0; i < p->path_n; i++)
			profiles_row(p, i, 1 + rand() % 5, 0, 100, rand() % 50);
		sums(p, before);
		deep += deep_paths_merge(p, levels) > 0;
		profile_sort(p);
		sums(p, after);
		bad += memcmp(before, after, sizeof(before)) != 0;
		for (uint32_t i = 0; i < p->path_n; i++) {
			uint32_t n = 1;

			for (uint32_t k = i; p->path[k].parent != PROFILE_FLAT; k = p->path[k].parent)
				n++;
			longest = n > longest ? n : longest;
		}
		bad += longest > levels + 1;
		profile_free(p);
	}
	ok(!bad && deep > 100, "200 random trees (seed 7): calls and exclusive values of each region, and lengths: %d differ", bad);
}

int main(void)
{
	check_by_hand();
	check_random();
	return tap_end();
}
