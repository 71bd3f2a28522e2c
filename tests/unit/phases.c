/* phases.c: two ranks with known times: which functions are phases, where they are in the tree, and their times. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/messages/phases.h"
#include "tap.h"
#include "trace_writer.h"
#include "ranks.h"

#define RANKS 2
#define BEGIN INT64_C(1000000)

static char dir[] = "/tmp/tau-phases.XXXXXX";

static const char *const region[] = {"main", "run", "setup", "step", "force", "inner", "tiny", "MPI_Barrier()"};
enum { MAIN, RUN, SETUP, STEP, FORCE, INNER, TINY, WAIT };
#define REGIONS (sizeof(region) / sizeof(*region))

struct step {
	int rank, region;
	int64_t enter, leave; /* inner ones come after outer ones */
};

/* main has all, run nine tenths; inner has nearly all of force; tiny and messages are no phases. */
static const struct step steps[] = {
	{0, MAIN, 0, 1000},	{0, SETUP, 0, 60},	 {0, RUN, 60, 1000},   {0, STEP, 100, 700},
	{0, FORCE, 100, 400},	{0, INNER, 110, 400},	 {0, WAIT, 700, 990},  {1, MAIN, 0, 1000},
	{1, SETUP, 0, 100},	{1, RUN, 100, 1000},	 {1, STEP, 100, 900},  {1, FORCE, 100, 800},
	{1, INNER, 110, 790},	{1, TINY, 950, 960},
};

static size_t step_n = sizeof(steps) / sizeof(*steps);

static void write_rank(const char *run, int rank)
{
	int64_t end[8];
	size_t n = 0;
	struct writer w;

	rank_file_open(&w, run, rank, RANKS, BEGIN, region, REGIONS, WAIT);
	for (size_t i = 0; i < step_n; i++) {
		if (steps[i].rank != rank)
			continue;
		while (n && end[n - 1] <= steps[i].enter)
			writer_leave(&w, (uint64_t)(BEGIN + end[--n]));
		writer_enter(&w, (uint64_t)(BEGIN + steps[i].enter), (uint32_t)steps[i].region);
		end[n++] = steps[i].leave;
	}
	while (n)
		writer_leave(&w, (uint64_t)(BEGIN + end[--n]));
	writer_close(&w);
}

static struct messages m;
static struct phases x;

static struct trace *analyze(const char *waits_in)
{
	struct trace *t = run_open(dir, RANKS, write_rank);
	struct messages_use use;
	struct wait_rows waits = {0};
	struct error e = {0};

	m = (struct messages){.trace = t, .use = &use, .use_n = 1};
	use = phases_use(&x, &m);
	ok(!messages_read(&m, &e), "the run is read");
	for (uint32_t p = 1; waits_in && p < m.paths.v_n; p++)
		if (!strcmp(t->region[m.paths.v[p].region].name, waits_in))
			wait_rows_add(&waits, 0, p, WAIT_BARRIER, 1, 30);
	phases_end(&x, waits_in ? &waits : NULL);
	map_release(&waits.at);
	free(waits.v);
	return t;
}

static void release(struct trace *t)
{
	phases_release(&x);
	messages_release(&m);
	trace_free(t);
}

static void row(size_t at, const char *name, unsigned depth, double ns, double largest, uint32_t most,
		double waiting)
{
	const struct phase *v = &x.v[at];
	const char *is;

	if (!ok(at < x.v_n, "row %zu of %zu", at, x.v_n))
		return;
	is = m.trace->region[m.paths.v[v->path].region].name;
	ok(!strcmp(is, name) && v->depth == depth, "%s at depth %u (%s, %u)", is, v->depth, name,
	   depth);
	ok(fabs(v->ns - ns) < 1e-6 && fabs(v->largest - largest) < 1e-6 && v->largest_at == most,
	   "%s: %.0f ns, %.0f on rank %u (%.0f, %.0f, %u)", name, v->ns, v->largest, v->largest_at,
	   ns, largest, most);
	ok(fabs(v->waiting - waiting) < 1e-6, "%s waits %.0f ns (%.0f)", name, v->waiting, waiting);
}

int main(void)
{
	char command[64];
	struct trace *t;

	if (!mkdtemp(dir))
		return 1;
	t = analyze("inner");
	ok(fabs(x.whole - 2000) < 1e-6 && x.first_threads == 2, "%.0f ns of %u threads", x.whole,
	   x.first_threads);
	ok(x.v_n == 3, "%zu rows", x.v_n);
	row(0, "step", 0, 1400, 800, 1, 30);
	row(1, "force", 1, 1000, 700, 1, 30);
	row(2, "setup", 0, 160, 100, 1, 0);
	release(t);
	t = analyze(NULL);
	ok(x.v_n == 3 && !(x.v[0].waiting > 0), "without waits");
	release(t);
	step_n = 1;
	t = analyze(NULL);
	ok(x.v_n == 0, "one function is no tree");
	release(t);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ok(!system(command), "files removed");
	return tap_end();
}
