/* profile_series.c: profiles of several windows as one matrix of regions and windows. */
#include "analyze/profile/profile_series.h"

#include <string.h>

#include "tap.h"

/* A window of 2 threads: on the first main around f and g, on the second f; 0: not there. */
static struct profile *window(const char *name, double begin, double f, double g, double other)
{
	struct profile *p = profile_new();
	const double us[2][3] = {{10, f, g}, {0, other, 0}};
	static const char *const names[] = {"main", "f", "g"};

	p->window = mem_string(name);
	p->begin_us = begin;
	p->end_us = begin + 100;
	profile_add_metric(p, "TIME");
	for (uint32_t i = 0; i < 3; i++)
		profile_add_path(p, profile_add_timer(p, names[i], "TAU_USER", NULL, 0), PROFILE_FLAT);
	for (int t = 0; t < 2; t++) {
		uint32_t thread = profile_add_thread(p, 0, 0, t);

		for (uint32_t i = 0; i < 3; i++) {
			struct profile_row *r;

			if (us[t][i] <= 0)
				continue;
			r = profile_add_row(p, thread, i);
			r->calls = 1 + i;
			*profile_excl(p, &p->thread[thread], r) = us[t][i];
			*profile_incl(&p->thread[thread], r) = us[t][i];
		}
	}
	profile_sort(p);
	return p;
}

static size_t region(const struct timeline *s, const char *name)
{
	size_t i = 0;

	while (i < s->region_n && strcmp(s->region[i].name, name))
		i++;
	return i;
}

static void make(struct timeline *s, struct profile **p, size_t n)
{
	timeline_begin(s, TIMER_MEASURED);
	for (size_t i = 0; i < n; i++)
		timeline_look(s, p[i]);
	for (size_t i = 0; i < n; i++)
		timeline_add(s, p[i]);
	timeline_end(s);
}

int main(void)
{
	struct profile *p[] = {window("a", 0, 50, 0, 7), window("b", 100, 20, 5, 8), window("c", 200, 0, 90, 9)};
	/* Values by window and region, summed over threads; -1: no thread has it. */
	static const struct {
		const char *name;
		double excl[3];
	} cases[] = {{"main", {10, 10, 10}}, {"f", {57, 28, 9}}, {"g", {-1, 5, 90}}};
	struct timeline s;

	make(&s, p, 3);
	ok(s.window_n == 3 && s.region_n == 3, "3 windows, 3 regions");
	ok(!strcmp(s.region[0].name, "g") && s.region[0].excl == 95 && s.region[1].excl == 94, "the region with most time first");
	for (size_t i = 0; i < 3; i++)
		for (size_t w = 0; w < 3; w++) {
			const struct timeline_cell *c = timeline_cell(&s, w, region(&s, cases[i].name));

			ok(cases[i].excl[w] < 0 ? !c : c && c->excl == cases[i].excl[w], "%s in window %zu: %.0f", cases[i].name, w,
			   c ? c->excl : -1);
		}
	ok(timeline_cell(&s, 0, region(&s, "f"))->threads == 2 && timeline_cell(&s, 2, region(&s, "f"))->threads == 1, "threads that have it");
	ok(s.window[0].excl == 67 && s.window[2].excl == 109, "sums of the windows");
	ok(timeline_in_order(&s), "the windows follow each other");
	ok(!s.counts && !s.left_out && !s.idle_most, "the metric is a time, and nothing is excluded");
	timeline_release(&s);

	p[1]->begin_us = 50;
	make(&s, p, 3);
	ok(!timeline_in_order(&s), "windows that overlap do not");
	timeline_release(&s);
	make(&s, p, 0);
	ok(!s.window_n && !s.region_n, "no windows, no regions");
	timeline_release(&s);
	for (size_t i = 0; i < 3; i++)
		profile_free(p[i]);
	p[0] = profile_new();
	profile_add_row(p[0], profile_add_thread(p[0], 0, 0, 0), profile_add_path(p[0], profile_add_timer(p[0], "f", NULL, NULL, 0), PROFILE_FLAT))->calls = 3;
	make(&s, p, 1);
	ok(s.cell_n == 1 && s.cell[0].calls == 3 && s.cell[0].excl == 0 && !s.counts, "a profile without metrics has calls and no times");
	timeline_release(&s);
	profile_free(p[0]);
	return tap_end();
}
