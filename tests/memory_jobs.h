/* memory_jobs.h: for tests of memory by type: profiles with the counters of a job's memory, and the rows that are made of them. */
#ifndef TESTS_MEMORY_JOBS_H
#define TESTS_MEMORY_JOBS_H

#include <stdio.h>

#include "analyze/memory/memory.h"
#include "analyze/profile/profile.h"

static void sample(struct profile *p, uint32_t thread, const char *name, double n, double mean)
{
	uint32_t counter = profile_read_counter(p, name);
	struct profile_sample *s = profile_add_sample(p, thread, counter, PROFILE_FLAT);

	s->n = n;
	s->mean = s->max = s->min = mean;
	s->sumsq = n * mean * mean;
}

/* All that the replay writes for one type: live, peak and cumulative alike. */
static void type(struct profile *p, uint32_t thread, const char *name, double objects, double each)
{
	static const char *const state[] = { "live", "peak" };
	char text[200];

	snprintf(text, sizeof(text), "alloc %s", name);
	sample(p, thread, text, objects, each);
	for (int i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), "%s %s", state[i], name);
		sample(p, thread, text, 1, objects * each);
		snprintf(text, sizeof(text), "%s objects %s", state[i], name);
		sample(p, thread, text, 1, objects);
	}
}

/* A job of pes PEs with a little of everything; extra bytes that no row explains. */
static struct memory *job(int pes, double extra)
{
	struct profile *p = profile_new();
	struct memory *m;

	for (int n = 0; n < pes; n++) {
		uint32_t t = profile_add_thread(p, n, 0, 0), second = profile_add_thread(p, n, 0, 1);
		uint32_t slab = pes <= 4 ? 1 : 2;

		type(p, t, "ompi_proc_t", pes, 120);
		type(p, t, "opal_list_t", 10 + (n == 0), 64);
		type(p, t, "opal_list_t <= ompi_group_t", 4, 64);
		type(p, t, "fixed_t[]", 1, 1 << 20);
		type(p, t, "grows_t[]", slab, 4096);
		type(p, t, "untyped [libopen-pal.so.40]", 20 + pes, 100);
		type(p, t, "untyped [libopen-pal.so.40] <= ompi_proc_t", pes, 100);
		type(p, t, "untyped [/usr/bin/gups]", 3, 1000);
		type(p, t, "pmix_list_t", 1, 80);
		/* Allocated on both threads, retyped on the second, nothing live. */
		sample(p, t, "alloc opal_value_t", 100, 96);
		sample(p, second, "alloc opal_value_t", 50, 96);
		sample(p, second, "retyped opal_value_t", 10, 96);
		sample(p, second, "free opal_value_t", 140, 96);
		sample(p, t, "live opal_value_t", 1, 0);
		sample(p, t, "live objects opal_value_t", 1, 0);
		sample(p, t, "live (all)", 1,
		       pes * 120 + (10 + (n == 0)) * 64 + (1 << 20) + slab * 4096 + (20 + pes) * 100 + 3000 + 80 + extra);
		sample(p, t, "Heap Memory Used (KB)", 1, 4);
		sample(p, t, "allocations", 1, 4);
	}
	profile_set_meta(p, UINT32_MAX, "TAU Lost Events", "7");
	profile_sort(p);
	m = memory_new(p);
	profile_free(p);
	return m;
}

#endif
