/*
 * culprits.c: three ranks; the first makes the second wait, and that the third: who is named, where, and for how long, as the formula of
 * delays.h gives by hand; and sums of waits.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/messages/culprits.h"
#include "analyze/messages/wait_rows.h"
#include "analyze/messages/waits.h"
#include "tap.h"
#include "trace_writer.h"
#include "ranks.h"

#define RANKS 3
#define BEGIN INT64_C(1000000)

static char dir[] = "/tmp/tau-culprits.XXXXXX";

static const char *const region[] = {"main", "load",	  "spin",	"solve",
				     "exchange", "MPI_Init()", "MPI_Send()", "MPI_Recv()"};
enum { MAIN, LOAD, SPIN, SOLVE, EXCHANGE, INIT, SEND, RECV };
#define REGIONS (sizeof(region) / sizeof(*region))

/* A region of a rank, without its main; inner ones come after outer ones. peer: of a message. */
struct step {
	int rank, region;
	int64_t enter, leave;
	int peer;
};

/*
 *	        0      100        900  1000   1010       1030
 *	rank 0  [load  [spin      ]    ][Send][solve [spin]]
 *	rank 1         [Recv                  ]     [Send]
 *	rank 2     [Recv                                 ]
 */
static const struct step chain[] = {
	{0, LOAD, 0, 1000, 0},	  {0, SPIN, 100, 900, 0},  {0, SEND, 1000, 1010, 1},
	{0, SOLVE, 1010, 1110, 0}, {0, SPIN, 1020, 1100, 0}, {1, RECV, 100, 1010, 0},
	{1, SEND, 1020, 1030, 2}, {2, RECV, 50, 1030, 1},
};
/* The same; rank 0 begins late, as well. */
static const struct step late_start[] = {
	{0, INIT, 0, 500, 0},	 {0, LOAD, 500, 1000, 0},  {0, SEND, 1000, 1010, 1},
	{1, RECV, 100, 1010, 0}, {1, SEND, 1020, 1030, 2}, {2, RECV, 50, 1030, 1},
};
/* No function is called twice, so the innermost one is named; rank 0 is late twice. */
static const struct step deep[] = {
	{0, LOAD, 0, 1000, 0},	 {0, SPIN, 10, 990, 0},	   {0, SEND, 1000, 1010, 1},
	{1, RECV, 100, 1010, 0}, {0, EXCHANGE, 1010, 1500, 0}, {0, SEND, 1490, 1500, 1},
	{1, RECV, 1010, 1500, 0},
};

static const struct step *steps;
static size_t step_n;
static int hooks; /* the program has regions of its own */

static void end_until(struct writer *w, const struct step **open, size_t *n, int64_t at)
{
	while (*n && open[*n - 1]->leave <= at) {
		const struct step *s = open[--*n];
		int64_t out = BEGIN + s->leave;

		if (s->region == RECV)
			writer_message(w, out, TAU_REC_RECV, s->peer);
		writer_leave(w, (uint64_t)out);
	}
}

static void write_rank(const char *run, int rank)
{
	const struct step *open[8];
	size_t n = 0;
	struct writer w;

	rank_file_open(&w, run, rank, RANKS, BEGIN, region, REGIONS, INIT);
	if (hooks)
		writer_enter(&w, (uint64_t)BEGIN, MAIN);
	for (size_t i = 0; i < step_n; i++) {
		const struct step *s = &steps[i];

		if (s->rank != rank || (!hooks && s->region < INIT))
			continue;
		end_until(&w, open, &n, s->enter);
		writer_enter(&w, (uint64_t)(BEGIN + s->enter), (uint32_t)s->region);
		if (s->region == SEND)
			writer_message(&w, BEGIN + s->enter, TAU_REC_SEND, s->peer);
		open[n++] = s;
	}
	end_until(&w, open, &n, INT64_MAX);
	if (hooks)
		writer_leave(&w, (uint64_t)(BEGIN + 2000));
	writer_close(&w);
}

static struct messages m;
static struct waits x;

static struct trace *analyze(const struct step *of, size_t n, int with_hooks)
{
	struct trace *t;
	struct error e = {0};
	struct messages_use use;

	steps = of;
	step_n = n;
	hooks = with_hooks;
	t = run_open(dir, RANKS, write_rank);
	m = (struct messages){.trace = t, .use = &use, .use_n = 1};
	use = waits_use(&x, &m);
	x.culprits.wanted = 1;
	if (messages_read(&m, &e))
		printf("# %s\n", e.text);
	waits_end(&x);
	waits_culprits(&x);
	return t;
}

static void release(struct trace *t)
{
	waits_release(&x);
	messages_release(&m);
	trace_free(t);
}

/* The culprit with this place in the list: the innermost region of its path, or of the call that it is before. */
static void found(const char *what, size_t at, int rank, const char *leaf, int before, double ns,
		  const char *waiting)
{
	const struct culprits *c = &x.culprits;
	const struct culprit *v = &c->v[at];
	char who[16] = "", *name;
	uint32_t path;

	if (!ok(at < c->v_n, "%s: culprit %zu of %zu", what, at, c->v_n))
		return;
	path = before ? v->before : v->path;
	name = path ? m.trace->region[m.paths.v[path].region].name : "";
	ok(!strcmp(name, leaf) && (v->path == 0) == before, "%s: %s %s (%s)", what,
	   before ? "before" : "in", name, leaf);
	ok(fabs(v->ns - ns) < 1e-6, "%s: %.3f ns (%.3f)", what, v->ns, ns);
	ok((int)m.trace->stream[c->who[v->who].stream].process == rank, "%s: rank %d", what, rank);
	for (uint32_t i = 0; i < v->waiting.n && i < CULPRIT_FEW; i++)
		who[i] = (char)('0' + v->waiting.v[i]);
	ok(!strcmp(who, waiting), "%s: ranks %s wait (%s)", what, who, waiting);
}

#define ANALYZE(steps, hooks) analyze(steps, sizeof(steps) / sizeof(*(steps)), hooks)

static void test_chain(void)
{
	struct trace *t = ANALYZE(chain, 1);

	/*
	 * Rank 1 waits 900: rank 0 is 200 in load and 800 in spin, so k is 0.9. Rank 2 waits 970: rank 1 is 110 - 50 in main, waited 900,
	 * and received for 10. The 900 are passed on to rank 0; spin has two callers.
	 */
	ok(fabs(waits_caused(&x) - 1870) < 1e-6, "%.3f ns of waiting", waits_caused(&x));
	ok(x.culprits.v_n == 2, "two culprits: %zu", x.culprits.v_n);
	found("a chain", 0, 0, "load", 0, 1800, "12");
	found("its middle", 1, 1, "main", 0, 70, "2");
	ok(fabs(x.culprits.unknown) < 1e-6, "no wait has an unknown origin");
	release(t);
	t = ANALYZE(late_start, 1);
	/* Rank 0 is 500 in MPI_Init(), 500 in load: k is 0.9. The start of a rank is a condition. All of 900 is passed on to the larger one. */
	found("a late start", 0, 0, "load", 0, 450, "1");
	release(t);
	t = ANALYZE(chain, 0);
	/* Rank 1 is before a call of the same name for 60. */
	found("without regions", 0, 0, "MPI_Send()", 1, 1860, "12");
	release(t);
}

static void test_deep(void)
{
	struct trace *t = ANALYZE(deep, 1);

	/* 900: load has 20, spin 980; 480: exchange has 480 more, and load of before counts no longer. */
	found("one caller", 0, 0, "spin", 0, 0.9 * 980, "1");
	found("the second wait", 1, 0, "exchange", 0, 480, "1");
	release(t);
}

static void test_rows(void)
{
	struct wait_rows rows = {0}, sum;

	wait_rows_add(&rows, 0, 5, WAIT_BARRIER, 2, 100);
	wait_rows_add(&rows, 1, 5, WAIT_BARRIER, 1, 300);
	wait_rows_add(&rows, 0, 5, WAIT_BARRIER, 1, 50);
	wait_rows_add(&rows, 0, 6, WAIT_NXN, 1, 1000);
	ok(fabs(wait_rows_total(&rows, WAIT_BARRIER) - 450) < 1e-9, "the sum of a pattern");
	wait_rows_sum(&rows, 1, &sum);
	ok(sum.v_n == 2 && sum.v[0].path == 6 && sum.v[1].n == 4 && sum.v[1].processes == 2 &&
		   sum.v[1].worst == 1,
	   "over processes: the longest first");
	map_release(&sum.at);
	free(sum.v);
	wait_rows_sum(&rows, 0, &sum);
	ok(sum.v_n == 3 && sum.v[0].process == 0 && sum.v[0].pattern == WAIT_NXN, "over paths");
	map_release(&sum.at);
	free(sum.v);
	wait_rows_sort(&rows);
	ok(rows.v[0].path == 6 && rows.v[1].process == 1, "sorted");
	map_release(&rows.at);
	free(rows.v);
}

static void test_few(void)
{
	struct culprit_few f = {0};

	for (uint32_t i = 0; i < 3; i++) {
		culprit_few_add(&f, i);
		culprit_few_add(&f, 0);
	}
	ok(f.n == 3, "three numbers: %u", f.n);
	culprit_few_add(&f, 7);
	culprit_few_add(&f, 8);
	ok(f.n == 4, "more than three");
}

int main(void)
{
	char command[64];

	if (!mkdtemp(dir))
		return 1;
	test_chain();
	test_deep();
	test_rows();
	test_few();
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ok(!system(command), "files removed");
	return tap_end();
}
