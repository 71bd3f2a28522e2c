/*
 * late_regions.c: instances of regions that begin late in a stream: chunks before the first that defines the region are not read, and
 * nothing is missed.
 */
#include <string.h>

#include "analyze/window/instances.h"
#include "ranks.h"
#include "tap.h"
#include "trace_writer.h"

#define START 1000000
#define STEPS 100 /* calls of work before the late region, two records each */

static char dir[] = "/tmp/tau-late.XXXXXX";
enum { MAIN, WORK, LATE, TWICE };

/* main, in it work 100 times, then late, and work in late. TWICE is a region of the file that is defined once more, by the name "late". */
static void write_rank(const char *run, int rank)
{
	char path[128];
	struct writer w;

	snprintf(path, sizeof(path), "%s/%d.tau", run, rank);
	writer_open(&w, path, 100 + (uint64_t)rank, 0, START, START);
	w.limit = 4;
	writer_rank(&w, (uint32_t)rank, 3);
	writer_region(&w, MAIN, "main", "TAU_USER");
	writer_region(&w, WORK, "work", "TAU_USER");
	if (rank == 1)
		writer_region(&w, TWICE, "other", "TAU_USER");
	writer_enter(&w, START, MAIN);
	for (uint64_t i = 0; i < STEPS; i++) {
		writer_enter(&w, START + 10 + 10 * i, rank == 1 && i == 1 ? TWICE : WORK);
		writer_leave(&w, START + 15 + 10 * i);
	}
	if (rank < 2) {
		writer_region(&w, rank ? TWICE : LATE, "late", "TAU_USER");
		writer_enter(&w, START + 2000, rank ? TWICE : LATE);
		writer_enter(&w, START + 2010, WORK);
		writer_leave(&w, START + 2020);
		writer_leave(&w, START + 2100);
	}
	writer_leave(&w, START + 3000);
	writer_close(&w);
}

static uint32_t region_of(const struct trace *t, const char *name)
{
	for (uint32_t i = 0; i < t->region_n; i++)
		if (!strcmp(t->region[i].name, name))
			return i;
	return TRACE_NONE;
}

/* The instances of a region in the only process of a rank; *events: how many records were read for them. */
static struct instances found(struct trace *t, int64_t rank, const char *name, struct instances_slot *slot,
			      struct instances_selected *w, uint64_t *events)
{
	static uint32_t region;
	struct instances x = {.slot = NULL};
	struct error e = {0};
	uint64_t before = t->events;
	uint32_t process = 0;

	region = region_of(t, name);
	*slot = (struct instances_slot){.region = {.v = &region, .v_n = 1}};
	*w = (struct instances_selected){.slot = slot, .slot_n = 1, .index = INDEX_NEVER};
	while (t->process[process].rank != rank)
		process++;
	ok(!instances_find(t, process, w, NULL, NULL, &x, &e), "rank %d: %s is searched", (int)rank, name);
	*events = t->events - before;
	return x;
}

int main(void)
{
	static const struct {
		const char *name;
		int64_t rank;
		size_t n;
		int64_t begin, end; /* of the last one */
		uint64_t least, most; /* records that are read */
	} cases[] = {
		{"work", 0, STEPS + 1, 2010, 2020, 2 * STEPS, 2 * STEPS + 20},
		{"main", 0, 1, 0, 3000, 2 * STEPS, 2 * STEPS + 20},
		{"late", 0, 1, 2000, 2100, 4, 12},
		/* An id that is defined twice has the last name everywhere. */
		{"late", 1, 2, 2000, 2100, 2 * STEPS, 2 * STEPS + 20},
		{"late", 2, 0, 0, 0, 0, 0},
	};
	struct trace *t;
	char command[64];

	if (!mkdtemp(dir) || !(t = run_open(dir, 3, write_rank)))
		return 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct instances_slot slot;
		struct instances_selected w;
		uint64_t events;
		struct instances x = found(t, cases[i].rank, cases[i].name, &slot, &w, &events);
		const struct window_spans *v = &x.slot[0];

		ok(v->v_n == cases[i].n && (!v->v_n || (v->v[v->v_n - 1].begin == cases[i].begin && v->v[v->v_n - 1].end == cases[i].end)),
		   "%zu instances", v->v_n);
		ok(events >= cases[i].least && events <= cases[i].most, "%llu records are read", (unsigned long long)events);
		instances_release(&x, &w);
	}
	trace_free(t);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command) ? 1 : tap_end();
}
