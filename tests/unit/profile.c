/* profile.c: the profile type finds what was added, sorts, names paths and counts PEs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/profile.h"
#include "tap.h"

#define MANY 100000u

static void check_building(struct profile *p)
{
	uint32_t a = profile_add_timer(p, "main", "", NULL, 0), b = profile_add_timer(p, "foo", "TAU_USER", NULL, 0);
	uint32_t pa, pb, pab;

	ok(profile_add_metric(p, "TIME") == 0 && profile_add_metric(p, "TIME") == 0, "a metric has one number");
	profile_add_metric(p, "PAPI_TOT_INS");
	ok(a == 0 && b == 1 && profile_add_timer(p, "main", "MPI", "main.c", 7) == a, "a timer has one number");
	ok(!strcmp(p->timer[a].groups, "MPI") && !strcmp(p->timer[a].file, "main.c") && p->timer[a].line == 7,
	   "groups and file are filled in later");
	profile_add_timer(p, "main", "OTHER", "other.c", 8);
	ok(!strcmp(p->timer[a].groups, "MPI") && p->timer[a].line == 7, "groups and file are kept once set");
	pa = profile_add_path(p, a, PROFILE_FLAT);
	pb = profile_add_path(p, b, PROFILE_FLAT);
	pab = profile_add_path(p, b, pa);
	ok(pa == 0 && pb == 1 && pab == 2 && profile_add_path(p, b, pa) == pab, "a path has one number");
}

static void check_sorting(struct profile *p)
{
	uint32_t t1 = profile_add_thread(p, 1, 0, 0), t0 = profile_add_thread(p, 0, 0, 1), c, d;

	profile_add_thread(p, 0, 0, 0);
	profile_add_thread(p, -2, -2, -2);
	ok(profile_add_thread(p, 1, 0, 0) == t1 && p->thread_n == 4, "a thread has one number");
	profile_add_row(p, t0, 2)->calls = 3;
	profile_excl(p, &p->thread[t0], &p->thread[t0].row[0])[1] = 5;
	profile_add_row(p, t0, 0)->calls = 1;
	profile_incl(&p->thread[t0], &p->thread[t0].row[1])[0] = 9;
	c = profile_add_counter(p, "alloc b <= a", COUNTER_EVENT);
	d = profile_add_counter(p, "live b", COUNTER_LEVEL);
	profile_add_sample(p, t0, d, PROFILE_FLAT)->max = 4;
	profile_add_sample(p, t0, c, PROFILE_FLAT)->max = 3;
	profile_add_sample(p, t0, c, 2)->max = 2;
	profile_set_meta(p, t0, "Hostname", "n1");
	profile_sort(p);
	ok(p->thread[0].node == -2 && p->thread[1].thread == 0 && p->thread[2].thread == 1 && p->thread[3].node == 1,
	   "threads are sorted by node, context, thread");
	ok(profile_add_thread(p, 0, 0, 1) == 2, "a thread is found after sorting");
	ok(!strcmp(profile_meta(p, 2, "Hostname"), "n1") && !profile_meta(p, 1, "Hostname"),
	   "metadata stay with their thread");
	ok(profile_row_get(&p->thread[2], 0)->calls == 1 && profile_row_get(&p->thread[2], 2)->calls == 3,
	   "rows are found by path");
	ok(profile_incl(&p->thread[2], profile_row_get(&p->thread[2], 0))[0] == 9 &&
		   profile_excl(p, &p->thread[2], profile_row_get(&p->thread[2], 2))[1] == 5,
	   "rows keep their values");
	ok(!profile_row_get(&p->thread[2], 1) && !profile_row_get(&p->thread[0], 0), "a missing row is not zero");
	ok(profile_sample_get(&p->thread[2], c, 2)->max == 2 && profile_sample_get(&p->thread[2], d, PROFILE_FLAT)->max == 4 &&
		   !profile_sample_get(&p->thread[2], d, 2),
	   "samples are found by counter and path");
	ok(profile_pes(p) == 2, "PEs are distinct non-negative nodes");
}

static void check_names(struct profile *p)
{
	char buf[32];
	int cut = 1;

	ok(profile_path_name(p, 2, buf, sizeof(buf)) == 11 && !strcmp(buf, "main => foo"), "a path has a name");
	ok(profile_path_name(p, 0, buf, sizeof(buf)) == 4 && !strcmp(buf, "main"), "a flat path is its timer");
	for (size_t size = 1; size <= 13; size++) {
		memset(buf, '#', sizeof(buf));
		cut &= profile_path_name(p, 2, buf, size) == 11 && !strncmp(buf, "main => foo", size - 1) &&
		       strlen(buf) == (size <= 11 ? size - 1 : 11) && buf[size > 12 ? 12 : size] == '#';
	}
	ok(cut, "a path name is cut at any buffer size and always terminated");
	ok(profile_path_name(p, 2, NULL, 0) == 11, "its length can be asked for");
	ok(p->counter[profile_read_counter(p, "live objects X")].kind == COUNTER_LEVEL &&
		   p->counter[profile_read_counter(p, "peak X")].kind == COUNTER_PEAK &&
		   p->counter[profile_read_counter(p, "alloc X")].kind == COUNTER_EVENT &&
		   p->counter[profile_read_counter(p, "live")].kind == COUNTER_EVENT,
	   "the kind of a counter shows in its name");
}

/* Paths in the order of their names, whatever these are. */
static void check_places(void)
{
	static const char *const odd[] = {"a", "a b", "a =", "a =>b", "ab", "a => b", "z", " ", "a\x01"};
	size_t wrong = 0, tried = 0;

	for (int round = 0; round < 40; round++) {
		struct profile *p = profile_new();
		uint32_t *place;
		char name[2][400];

		/* In every other round no name has an arrow in it. */
		for (size_t i = 0; i < 30; i++) {
			size_t k = (i * 7 + (size_t)round * 5 + i / 4) % 9;
			uint32_t timer = profile_add_timer(p, odd[k == 5 && round % 2 ? 0 : k], "", NULL, 0);

			profile_add_path(p, timer, p->path_n && i % 5 ? (uint32_t)((i * 13) % p->path_n) : PROFILE_FLAT);
		}
		place = profile_path_places(p);
		for (uint32_t i = 0; i < p->path_n; i++)
			for (uint32_t k = 0; k < p->path_n; k++) {
				int order;

				profile_path_name(p, i, name[0], sizeof(name[0]));
				profile_path_name(p, k, name[1], sizeof(name[1]));
				order = strcmp(name[0], name[1]);
				tried++;
				wrong += order && (order < 0) != (place[i] < place[k]);
			}
		free(place);
		profile_free(p);
	}
	ok(tried > 10000 && !wrong, "paths stand in the order of their names: %zu of %zu pairs do not", wrong, tried);
}

static void test_time_metric(void)
{
	struct profile *p = profile_new();

	ok(profile_time_metric(p) == 0 && p->metric_n == 0, "without metrics");
	profile_add_metric(p, "PAPI_TOT_INS");
	ok(profile_time_metric(p) == 1, "no metric is a time");
	profile_add_metric(p, "GET_TIME_OF_DAY");
	profile_add_metric(p, "CPU_TIME");
	ok(profile_time_metric(p) == 1, "the first that is a time");
	profile_free(p);
}

/* One by one, a hundred thousand names would be compared ten thousand million times. */
static void check_metadata(struct profile *p)
{
	size_t wrong = 0;

	profile_set_meta(p, UINT32_MAX, "CWD", "/a");
	profile_set_meta(p, UINT32_MAX, "CWD", "/b");
	ok(p->meta_n == 1 && !strcmp(profile_meta(p, UINT32_MAX, "CWD"), "/b"), "the last metadata value holds");
	for (unsigned i = 0; i < 3 * MANY; i++) {
		char name[16], value[16];

		snprintf(name, sizeof(name), "k%u", i % MANY);
		snprintf(value, sizeof(value), "%u", i);
		profile_set_meta(p, UINT32_MAX, name, value);
	}
	for (unsigned i = 0; i < p->meta_n; i++)
		wrong += i && atoi(p->meta[i].value) != (int)(2 * MANY + i - 1);
	ok(p->meta_n == MANY + 1 && !wrong, "so it does of %u names: %zu wrong", MANY, wrong);
}

/* Samples in an order that is far from sorted: by counter, then by path, those of equal keys in the order in which they came. */
static void check_samples(size_t n, size_t counters, size_t paths)
{
	struct profile *p = profile_new();
	uint32_t thread = profile_add_thread(p, 0, 0, 0), wrong = 0, found = 0;

	for (size_t i = 0; i < counters; i++) {
		char name[24];

		snprintf(name, sizeof(name), "c%zu", i);
		profile_add_counter(p, name, COUNTER_EVENT);
	}
	for (size_t i = 0; i < paths; i++) {
		char name[24];

		snprintf(name, sizeof(name), "t%zu", i);
		profile_add_path(p, profile_add_timer(p, name, NULL, NULL, 0), PROFILE_FLAT);
	}
	for (size_t i = 0; i < n; i++)
		profile_add_sample(p, thread, (uint32_t)(i * 7919 % counters), (uint32_t)(i * 31 % paths))->n =
			(double)i;
	profile_sort(p);
	for (size_t i = 1; i < p->thread[thread].sample_n; i++) {
		const struct profile_sample *a = &p->thread[thread].sample[i - 1], *b = a + 1;

		wrong += a->counter > b->counter || (a->counter == b->counter && a->path > b->path) ||
			 (a->counter == b->counter && a->path == b->path && a->n > b->n);
	}
	for (size_t i = 0; i < n; i++)
		found += profile_sample_get(&p->thread[thread], (uint32_t)(i * 7919 % counters),
					    (uint32_t)(i * 31 % paths)) != NULL;
	ok(p->thread[thread].sample_n == n && !wrong && found == n, "%zu samples of %zu counters and %zu paths are sorted", n,
	   counters, paths);
	profile_free(p);
}

int main(void)
{
	test_time_metric();
	struct profile *p = profile_new();

	check_building(p);
	check_sorting(p);
	check_names(p);
	check_metadata(p);
	profile_free(p);
	profile_free(NULL);
	check_places();
	check_samples(0, 1, 1);
	check_samples(1000, 100, 7);
	check_samples(1000, 1, 1000);
	check_samples(10, 1000, 3);
	return tap_end();
}
