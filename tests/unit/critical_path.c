/*
 * critical_path.c: traces whose critical path is known in closed form: a pipeline, collective
 * operations, a long ring with a rank that only listens, and threads. What is found must be these
 * steps and times, to the nanosecond.
 */
#include "analyze/messages/critical_path.h"

#include <math.h>
#include <string.h>

#include "ranks.h"
#include "tap.h"
#include "trace_writer.h"

#define BEGIN INT64_C(1000000)

static char dir[] = "/tmp/tau-critical.XXXXXX";

static const char *const region[] = {"main",	 "work",	"MPI_Send()",   "MPI_Ssend()",
				     "MPI_Recv()",    "MPI_Barrier()", "MPI_Bcast()", "MPI_Reduce()",
				     "MPI_Scan()", "MPI_Finalize()", "pthread_create",
				     "pthread_join", "MPI_Test()"};
enum { MAIN, WORK, SEND, SSEND, RECV, BARRIER, BCAST, REDUCE, SCAN, FINALIZE, CREATE, JOIN, TEST,
       REGIONS };

/* A call of a rank; before it, it works. */
struct call {
	int rank, region;
	int64_t enter, leave;
	int peer; /* or the root */
};

static void put_call(struct writer *w, const struct call *c)
{
	static const unsigned op[REGIONS] = {[BARRIER] = TAU_COLL_BARRIER,
					     [BCAST] = TAU_COLL_BROADCAST,
					     [REDUCE] = TAU_COLL_REDUCE,
					     [SCAN] = TAU_COLL_SCAN};
	int64_t in = BEGIN + c->enter, out = BEGIN + c->leave;

	writer_enter(w, (uint64_t)in, (uint32_t)c->region);
	if (c->region == SEND || c->region == SSEND)
		writer_message(w, in, TAU_REC_SEND, c->peer);
	else if (c->region == RECV || c->region == TEST)
		writer_message(w, out, TAU_REC_RECV, c->peer);
	else if (c->region < FINALIZE)
		writer_collective(w, (uint64_t)out, op[c->region], c->peer);
	writer_leave(w, (uint64_t)out);
}

static void rank_open(struct writer *w, const char *run, int rank, int ranks)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%d.tau", run, rank);
	writer_open(w, path, 100 + (uint64_t)rank, 0, (uint64_t)BEGIN, (uint64_t)BEGIN);
	w->limit = 4096;
	writer_rank(w, (uint32_t)rank, (uint32_t)ranks);
	for (size_t i = 0; i < REGIONS; i++)
		writer_region(w, (uint32_t)i, region[i], i > WORK && i < CREATE ? "MPI" : "");
	writer_enter(w, (uint64_t)BEGIN, MAIN);
}

static void write_calls(const char *run, int rank, int ranks, const struct call *c, size_t n,
			int64_t end)
{
	struct writer w;
	int64_t now = BEGIN;

	rank_open(&w, run, rank, ranks);
	for (size_t i = 0; i < n; i++) {
		if (c[i].rank != rank)
			continue;
		writer_enter(&w, (uint64_t)now, WORK);
		writer_leave(&w, (uint64_t)(BEGIN + c[i].enter));
		put_call(&w, &c[i]);
		now = BEGIN + c[i].leave;
	}
	writer_leave(&w, (uint64_t)(BEGIN + end));
	writer_close(&w);
}

/* ---- what is found ---- */

static struct messages m;
static struct critical_path x;
static struct critical_times times;

static int analyze(struct trace *t, const struct window_span *span)
{
	struct error e = {0};
	struct messages_use use;
	int code;

	m = (struct messages){.trace = t, .span = span, .use = &use, .use_n = 1};
	use = critical_path_use(&x, &m);
	code = messages_read(&m, &e);
	critical_path_end(&x);
	messages_again(&m);
	m.trace = t;
	m.span = span;
	m.use = &use;
	m.use_n = 1;
	use = critical_times_use(&times, &x, NULL);
	code = code ? code : messages_read(&m, &e);
	if (code)
		printf("# %s\n", e.text);
	return code;
}

static void release(struct trace *t)
{
	critical_times_release(&times);
	critical_path_release(&x);
	messages_release(&m);
	trace_free(t);
}

/* Time of a region on the path, and the mean of all threads. */
static void region_is(uint32_t id, double ns, double mean)
{
	double got = 0, got_mean = 0;

	for (uint32_t p = 0; p < m.paths.v_n; p++) {
		if (!p || strcmp(m.trace->region[m.paths.v[p].region].name, region[id]))
			continue;
		got += p < times.by_path_n ? (double)times.by_path[p] : 0;
		got_mean += critical_path_mean(&x, p);
	}
	ok(got == ns && fabs(got_mean - mean) < 1e-6, "%s: %.0f ns on the path (%.0f), mean %.3f "
	   "(%.3f)", region[id], got, ns, got_mean, mean);
}

struct expected {
	int rank;
	int64_t begin, end;
	uint32_t cause;
};

static void steps_are(const char *what, const struct expected *v, size_t n)
{
	ok(x.step_n == n, "%s: %zu steps (%zu)", what, x.step_n, n);
	for (size_t i = 0; i < n && i < x.step_n; i++) {
		const struct critical_step *s = &x.step[i];
		const struct trace_stream *stream = &m.trace->stream[s->stream];

		ok(m.trace->process[stream->process].node + (int)stream->thread == v[i].rank &&
			   s->begin == v[i].begin && s->end == v[i].end && s->cause == v[i].cause,
		   "%s: step %zu: thread %d from %d to %d, %s", what, i,
		   (int)(m.trace->process[stream->process].node + (int)stream->thread),
		   (int)s->begin, (int)s->end, critical_cause_name(s->cause));
	}
}
#define STEPS_ARE(what, ...)                                                                       \
	steps_are(what, (const struct expected[]){__VA_ARGS__},                                    \
		  sizeof((const struct expected[]){__VA_ARGS__}) / sizeof(struct expected))

/* ---- a pipeline ---- */

static const struct call pipeline[] = {
	{0, SEND, 1000, 1010, 1},    {0, FINALIZE, 1100, 5000, 0}, {1, RECV, 100, 1020, 0},
	{1, SEND, 3000, 3010, 2},    {1, FINALIZE, 3010, 5000, 0}, {2, RECV, 200, 3020, 1},
	{2, FINALIZE, 4800, 5000, 0},
};
static int64_t first_ends;

static void write_pipeline(const char *run, int rank)
{
	write_calls(run, rank, 3, pipeline, sizeof(pipeline) / sizeof(*pipeline),
		    rank == 0 ? first_ends : rank == 1 ? 5005 : 5010);
}

static void test_pipeline(void)
{
	struct trace *t;
	static const struct window_span window[] = {{500, 2500}, {500, 2500}, {500, 2500}};

	first_ends = 5001;
	t = run_open(dir, 3, write_pipeline);
	ok(t && !analyze(t, NULL), "a pipeline");
	STEPS_ARE("pipeline", {0, 0, 1000, CRITICAL_START}, {1, 1000, 3000, WAIT_LATE_SENDER},
		  {2, 3000, 5010, WAIT_LATE_SENDER});
	region_is(WORK, 1000 + 1980 + 1780, (1000 + 90 + 100 + 1980 + 200 + 1780) / 3.0);
	region_is(RECV, 20 + 20, 40 / 3.0);
	region_is(FINALIZE, 200, 200);
	region_is(MAIN, 10, (1 + 5 + 10) / 3.0);
	region_is(SEND, 0, 20 / 3.0);
	ok(m.paths.v[x.step[1].path].region == WORK, "its second step is mostly work");
	release(t);

	first_ends = 5020;
	t = run_open(dir, 3, write_pipeline);
	ok(t && !analyze(t, NULL), "the first rank ends last");
	STEPS_ARE("finalize", {0, 0, 1000, CRITICAL_START}, {1, 1000, 3000, WAIT_LATE_SENDER},
		  {2, 3000, 4800, WAIT_LATE_SENDER}, {0, 4800, 5020, CRITICAL_FINALIZE});
	release(t);

	t = run_open(dir, 3, write_pipeline);
	ok(t && !analyze(t, window), "a window");
	ok(x.step_n && x.begin == 500 && x.end == 2500, "the path has the length of the window");
	release(t);
}

/* ---- collective operations ---- */

static const struct call operations[] = {
	{0, BARRIER, 100, 520, -1},  {0, BCAST, 600, 905, 1},	 {0, REDUCE, 1000, 1620, 0},
	{0, SCAN, 1700, 1710, -1},   {0, SSEND, 2000, 2310, 1},	 {0, TEST, 2320, 2330, 1},
	{1, BARRIER, 500, 510, -1},  {1, BCAST, 900, 902, 1},	 {1, REDUCE, 1600, 1610, 0},
	{1, SCAN, 1650, 1712, -1},   {1, RECV, 2300, 2310, 0},	 {1, SEND, 2325, 2326, 0},
};

static void write_operations(const char *run, int rank)
{
	write_calls(run, rank, 2, operations, sizeof(operations) / sizeof(*operations),
		    rank ? 2390 : 2400);
}

static void test_operations(void)
{
	struct trace *t = run_open(dir, 2, write_operations);

	ok(t && !analyze(t, NULL), "collective operations");
	STEPS_ARE("operations", {1, 0, 1600, CRITICAL_START}, {0, 1600, 1700, WAIT_EARLY_REDUCE},
		  {1, 1700, 2300, WAIT_EARLY_SCAN}, {0, 2300, 2400, WAIT_LATE_RECEIVER});
	region_is(BARRIER, 10, (20 + 10) / 2.0);
	region_is(BCAST, 2, (5 + 2) / 2.0);
	region_is(REDUCE, 20, (20 + 10) / 2.0);
	region_is(SSEND, 10, 10 / 2.0);
	release(t);
}

/* ---- a long ring: more jumps than are kept at once ---- */

#define ROUNDS 60000

static void ring_calls(struct writer *w, int rank, int64_t t, int64_t *now)
{
	const struct call c[] = {
		{0, SEND, t + 5, t + 6, 2},   {0, SEND, t + 10, t + 12, 1},
		{0, RECV, t + 12, t + 30, 1}, {1, RECV, t ? t - 3 : 0, t + 15, 0},
		{1, SEND, t + 25, t + 27, 0}, {2, RECV, t ? t - 23 : 0, t + 7, 0},
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		if (c[i].rank != rank)
			continue;
		if (*now < BEGIN + c[i].enter) {
			writer_enter(w, (uint64_t)*now, WORK);
			writer_leave(w, (uint64_t)(BEGIN + c[i].enter));
		}
		put_call(w, &c[i]);
		*now = BEGIN + c[i].leave;
	}
}

static void write_ring(const char *run, int rank)
{
	struct writer w;
	int64_t now = BEGIN;

	rank_open(&w, run, rank, 3);
	for (int64_t i = 0; i < ROUNDS; i++)
		ring_calls(&w, rank, 30 * i, &now);
	writer_leave(&w, (uint64_t)now);
	writer_close(&w);
}

static void test_ring(void)
{
	struct trace *t = run_open(dir, 3, write_ring);

	ok(t && !analyze(t, NULL), "a ring of two and a listener");
	ok(x.step_n == 2 * ROUNDS + 1, "%zu steps", x.step_n);
	ok(x.jumps < 5 * ROUNDS / 2, "%zu of %d jumps were kept: those of the listener were dropped",
	   x.jumps, 3 * ROUNDS);
	ok(x.begin == 0 && x.end == 30 * ROUNDS, "the path is the whole time");
	ok(times.by_stream[0] == 15 * ROUNDS && times.by_stream[1] == 15 * ROUNDS &&
		   times.by_stream[2] == 0,
	   "half of it is on each of the two");
	/* Rank 0 works 9 of its 15 ns, except in the first round, and rank 1 10. */
	region_is(WORK, 19 * ROUNDS, (9 * ROUNDS + 10 * ROUNDS) / 3.0);
	release(t);
}

/* ---- threads ---- */

static void write_threads(const char *run, int rank)
{
	static const struct call c[] = {{0, CREATE, 100, 110, 0}, {0, JOIN, 200, 1010, 0}};
	char path[128];
	struct writer w;

	write_calls(run, rank, 1, c, 2, 1200);
	snprintf(path, sizeof(path), "%s/0.1.tau", run);
	writer_open(&w, path, 100, 1, (uint64_t)BEGIN, (uint64_t)BEGIN + 120);
	writer_region(&w, WORK, region[WORK], "");
	writer_enter(&w, (uint64_t)BEGIN + 130, WORK);
	writer_leave(&w, (uint64_t)BEGIN + 990);
	writer_close(&w);
}

static void test_threads(void)
{
	struct trace *t = run_open(dir, 1, write_threads);
	int64_t last;

	ok(t && !analyze(t, NULL), "a thread");
	last = t->stream[1].last;
	STEPS_ARE("threads", {0, 0, 120, CRITICAL_START}, {1, 120, last, CRITICAL_CREATE},
		  {0, last, 1200, CRITICAL_JOIN});
	ok(last >= 990 && last <= 1000, "the thread ends at %d", (int)last);
	region_is(WORK, 100 + 10 + 860, (100 + 90 + 860) / 2.0);
	release(t);
}

/* ---- processes without an end, as in OTF2 archives, and clocks that disagree ---- */

static const struct call endless[] = {{0, SEND, 100, 110, 1}, {1, RECV, 50, 120, 0}};

static void write_endless(const char *run, int rank)
{
	write_calls(run, rank, 2, endless, 2, rank ? 1000 : 200);
}

static void test_endless(void)
{
	struct trace *t = run_open(dir, 2, write_endless);

	t->process[0].end = t->process[1].end;
	ok(!analyze(t, NULL), "processes without an end");
	STEPS_ARE("endless", {0, 0, 100, CRITICAL_START}, {1, 100, 1000, WAIT_LATE_SENDER});
	release(t);
}

/* The clock of rank 1 is slow: it receives before rank 0 sends. */
static const struct call slow_clock[] = {
	{0, RECV, 130, 300, 1}, {0, SEND, 500, 510, 1}, {1, SEND, 10, 20, 0}, {1, RECV, 50, 120, 0},
};

static void write_slow_clock(const char *run, int rank)
{
	write_calls(run, rank, 2, slow_clock, 4, 600);
}

static void test_slow_clock(void)
{
	struct trace *t = run_open(dir, 2, write_slow_clock);

	ok(t && !analyze(t, NULL), "a slow clock");
	STEPS_ARE("slow clock", {0, 0, 600, CRITICAL_START});
	region_is(RECV, 170, 170 / 2.0); /* all of the other receive is a wait */
	release(t);
}

int main(void)
{
	char command[64];

	if (!mkdtemp(dir))
		return 1;
	test_pipeline();
	test_operations();
	test_ring();
	test_threads();
	test_endless();
	test_slow_clock();
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ok(!system(command), "files removed");
	return tap_end();
}
