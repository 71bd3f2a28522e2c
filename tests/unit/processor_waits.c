/* processor_waits.c: who waited for a processor, and whether a host, a process or neither is crowded; computed by hand. */
#include "analyze/profile/processor_waits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/metadata.h"
#include "profiles.h"
#include "tap.h"

struct thread {
	int node, thread;
	double time;
	const char *to_run, *host, *begin, *end, *cores, *allowed, *asleep; /* NULL: unknown */
};

static struct profile *profile_of(const struct thread *v, size_t n)
{
	struct profile *p = profile_new();

	profile_add_metric(p, "TIME");
	for (size_t i = 0; i < n; i++) {
		uint32_t t = profile_add_thread(p, v[i].node, 0, v[i].thread);
		const char *const meta[][2] = {{TAU_META_THREAD_TO_RUN_US, v[i].to_run},
					       {TAU_META_HOSTNAME, v[i].host},
					       {TAU_META_STARTING_TIMESTAMP, v[i].begin},
					       {TAU_META_ENDING_TIMESTAMP, v[i].end},
					       {TAU_META_CPU_CORES, v[i].cores},
					       {TAU_META_CPUS_ALLOWED, v[i].allowed},
					       {TAU_META_THREAD_ASLEEP_US, v[i].asleep}};

		profiles_put(p, t, "work", "TAU_USER", v[i].time);
		for (size_t k = 0; k < sizeof(meta) / sizeof(*meta); k++)
			if (meta[k][1])
				profile_set_meta(p, t, meta[k][0], meta[k][1]);
	}
	profile_sort(p);
	return p;
}

/* host is borrowed from what is released here: it is copied. */
static struct processor_waits made(const struct thread *v, size_t n, char *window, char host[16])
{
	struct profile *p = profile_of(v, n);
	struct thread_rows r;
	struct processor_waits w;

	p->window = window;
	thread_rows_make(&r, p, NULL, 0, 0);
	processor_waits_make(&w, p, &r);
	snprintf(host, 16, "%s", w.host ? w.host : "");
	p->window = NULL;
	thread_rows_release(&r);
	profile_free(p);
	return w;
}

#define MADE(v, window) made(v, sizeof(v) / sizeof(*(v)), window, host)

int main(void)
{
	/* Four ranks on two processors for 100 us; another host is quiet. */
	static const struct thread crowded[] = {
		{0, 0, 100, "45", "a", "1000", "1100", "2", "2", NULL}, {1, 0, 100, "50", "a", "1000", "1100", "2", "2", NULL},
		{2, 0, 100, "55", "a", "1000", "1100", "2", "2", NULL}, {3, 0, 100, "40", "a", "1000", "1100", "2", "2", NULL},
		{4, 0, 100, "5", "b", "1000", "1100", "2", "2", NULL}};
	/* Rank 1 has three threads on one processor of eight; a thread that had ended is unknown. */
	static const struct thread bound[] = {{0, 0, 100, "1", "a", "1000", "1100", "8", "8", NULL},
					      {1, 0, 100, "60", "a", "1000", "1100", "8", "1", NULL},
					      {1, 1, 100, "65", NULL, NULL, NULL, NULL, NULL, NULL},
					      {1, 2, 100, NULL, NULL, NULL, NULL, NULL, NULL, NULL}};
	/* Of two threads on one processor each waits for the other at most half of the time: 100 us of 180 are theirs. */
	static const struct thread both[] = {{0, 0, 100, "90", "a", "1000", "1100", "1", "1", NULL},
					     {1, 0, 100, "90", "a", "1000", "1100", "1", "1", NULL}};
	/* Its end is too early: its time is that of 2.5 threads at once. */
	static const struct thread early[] = {{0, 0, 100, "90", "a", "1000", "1040", "2", "2", NULL}};
	/* One after the other: never more than one at once. */
	static const struct thread apart[] = {{0, 0, 100, "30", "a", "1000", "1100", "1", "1", NULL},
					      {1, 0, 100, "31", "a", "1100", "1200", "1", "1", NULL}};
	static const struct thread unknown[] = {{0, 0, 100, NULL, "a", "1000", "1100", "2", "2", NULL}};
	static const struct thread bare[] = {{0, 0, 100, "7", NULL, NULL, NULL, NULL, NULL, NULL}};
	/* Two threads on one processor, and a third that sleeps for 95 of its 100 us. */
	static const struct thread sleeping[] = {
		{0, 0, 100, "2", "a", "1000", "1100", "2", "1", "95"},
		{0, 1, 100, "50", NULL, NULL, NULL, NULL, NULL, "0"},
		{0, 2, 100, "50", NULL, NULL, NULL, NULL, NULL, "0"}};
	struct processor_waits w;
	char host[16];

	w = MADE(sleeping, NULL);
	ok(w.crowd == CROWD_PROCESS && fabs(w.at_once - 2.05) < 1e-12 && w.processors == 1,
	   "%g threads of rank %d are bound to %g: sleep does not count", w.at_once, w.node, w.processors);
	w = MADE(crowded, NULL);
	ok(w.threads == 5 && w.us == 195, "all waiting: %g us of %zu threads", w.us, w.threads);
	ok(w.crowd == CROWD_HOST && !strcmp(host, "a") && fabs(w.at_once - 4) < 1e-12 && w.processors == 2,
	   "%g threads at once, %g processors of %s", w.at_once, w.processors, host);
	ok(w.node == 2, "rank %d waits most", w.node);
	ok(w.other == 0, "four on two can wait for each other for 200 us; other work: %g us", w.other);
	w = MADE(both, NULL);
	ok(w.crowd == CROWD_HOST && w.us == 180 && fabs(w.other - 80) < 1e-9, "other work: %g us", w.other);
	w = MADE(early, NULL);
	ok(w.crowd == CROWD_HOST && w.us == 90 && w.other == 90, "never more than all: %g us", w.other);
	w = MADE(bound, NULL);
	ok(w.threads == 3 && w.us == 126 && w.crowd == CROWD_PROCESS && w.node == 1 &&
		   fabs(w.at_once - 3) < 1e-12 && w.processors == 1,
	   "%g threads of rank %d are bound to %g", w.at_once, w.node, w.processors);
	w = MADE(apart, NULL);
	ok(w.threads == 2 && w.us == 61 && w.crowd == CROWD_NONE && w.node == 1, "one after the other: other work");
	w = MADE(unknown, NULL);
	ok(!w.threads, "unknown");
	w = MADE(bare, NULL);
	ok(w.threads == 1 && w.us == 7 && w.crowd == CROWD_NONE && !*host, "without any other metadata");
	w = MADE(crowded, "50%:");
	ok(!w.threads, "not of a window");
	w = made(NULL, 0, NULL, host);
	ok(!w.threads && w.us == 0, "no threads");
	return tap_end();
}
