/* waiting_threads.c: which threads only wait, by their rows and CPU time. */
#include "analyze/profile/waiting_threads.h"

#include "analyze/trace/trace.h"
#include "record/metadata.h"
#include "tap.h"

/* A row of a call of that many us, by itself. */
static void row(struct profile *p, uint32_t thread, const char *name, double us)
{
	uint32_t timer = profile_add_timer(p, name, "", NULL, 0), path = profile_add_path(p, timer, PROFILE_FLAT);
	struct profile_row *r = profile_add_row(p, thread, path);
	double *v = p->thread[thread].values + r->first;

	r->calls = 1;
	v[0] = v[p->metric_n] = us;
}

/* A process of two threads; the fields describe the second one. */
static struct profile *made(double root, double in_read, double start, const char *cpu)
{
	struct profile *p = profile_new();
	uint32_t first, second;

	profile_add_metric(p, "TIME");
	first = profile_add_thread(p, 0, 0, 0);
	second = profile_add_thread(p, 0, 0, 1);
	row(p, first, REGION_ROOT, 100);
	row(p, first, "main", 900);
	row(p, second, REGION_ROOT, root);
	if (in_read > 0)
		row(p, second, "read()", in_read);
	if (start > 0)
		row(p, second, "addr=<0x359d0> [libopen-pal.so.40]", start);
	if (cpu)
		profile_set_meta(p, second, TAU_META_THREAD_CPU_PPM, cpu);
	profile_sort(p);
	return p;
}

int main(void)
{
	static const struct {
		const char *what;
		double root, in_read, start;
		const char *cpu; /* ppm; NULL: unknown */
		int waits;
	} cases[] = {
		{"in no region", 1000, 0, 0, NULL, 1},
		{"in no region, with a processor", 1000, 0, 0, "600000", 0},
		{"in no region, without a processor", 1000, 0, 0, "100", 1},
		{"in a region for a moment", 990, 10, 0, NULL, 0},
		{"in a region for a moment, without a processor", 990, 10, 0, "100", 1},
		{"in a region for long, without a processor", 500, 500, 0, "100", 0},
		{"in a region for a moment, with a processor", 990, 10, 0, "60000", 0},
		{"where a library started it", 1, 0, 999, NULL, 1},
		{"where a library started it, with a processor", 1, 0, 999, "400000", 0},
		{"where a library started it, without a processor", 1, 0, 999, "400", 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile *p = made(cases[i].root, cases[i].in_read, cases[i].start, cases[i].cpu);
		struct waiting *w = waiting_find((const struct profile *const *)&p, 1, TIMER_MEASURED);

		ok(waiting_is(w, &p->thread[1]) == cases[i].waits && (waiting_looks(p, &p->thread[1]) == WAITING_WAITS) == cases[i].waits,
		   "%s: it %s", cases[i].what, cases[i].waits ? "waits" : "works");
		ok(!waiting_is(w, &p->thread[0]), "the first one never waits");
		waiting_free(w);
		profile_free(p);
	}
	return tap_end();
}
