/*
 * anomalies.c: threads whose instances have times from fixed seeds. Runs in which nothing is unusual have anomalies at most as
 * often as stated; what is planted is found, with the number, window and cost that were planted.
 */
#include <math.h>
#include <string.h>

#include "analyze/anomalies/anomalies.h"
#include "analyze/anomalies/anomaly_add.h"
#include "analyze/anomalies/growth.h"
#include "analyze/anomalies/loop_times.h"
#include "analyze/anomalies/odd_ranks.h"
#include "analyze/anomalies/robust.h"
#include "analyze/anomalies/slow_instances.h"
#include "tap.h"

#define RANKS	12
#define MEDIAN	1e6 /* ns */

enum { OUTER, INNER, MPI, BARRIER, REGIONS };
enum { IN_OUTER = 1, IN_INNER, IN_MPI, IN_BARRIER }; /* call paths */

static struct trace_region region[REGIONS] = {
	{.name = "outer"}, {.name = "inner"}, {.name = "MPI_Recv()", .groups = "MPI"},
	{.name = "MPI_Barrier()", .groups = "MPI"}};
static struct trace_stream stream[RANKS];
static struct trace_process process[RANKS];
static uint32_t numbers[RANKS];
static struct trace trace;

static uint64_t state = 88172645463325252u;

static double uniform(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static void trace_make(void)
{
	trace.region = region;
	trace.region_n = REGIONS;
	trace.stream = stream;
	trace.process = process;
	trace.stream_n = trace.process_n = RANKS;
	for (uint32_t r = 0; r < RANKS; r++) {
		numbers[r] = r;
		stream[r].process = r;
		process[r].node = (int32_t)r;
		process[r].stream = &numbers[r];
		process[r].stream_n = 1;
	}
}

/* How many ns an instance of inner takes: number from 1, in a rank. */
typedef double law(uint32_t rank, int nth, double noise);

static double plain(uint32_t rank, int nth, double noise)
{
	(void)rank;
	(void)nth;
	return MEDIAN * exp(noise);
}

/* Two usual times: one of five is ten times as long. */
static double two_times(uint32_t rank, int nth, double noise)
{
	return (nth % 5 ? 1 : 10) * plain(rank, nth, noise);
}

static double planted_slow(uint32_t rank, int nth, double noise)
{
	return rank == 3 && nth == 17 ? 5 * MEDIAN : plain(rank, nth, noise);
}

static double planted_first(uint32_t rank, int nth, double noise)
{
	return (nth == 1 || (rank == 3 && nth == 17) ? 5 : 1) * plain(rank, nth, noise);
}

static double planted_rank(uint32_t rank, int nth, double noise)
{
	return (rank == 5 ? 3 : 1) * plain(rank, nth, noise);
}

static double planted_growth(uint32_t rank, int nth, double noise)
{
	return (rank == 2 ? 1 + nth / 100.0 : 1) * plain(rank, nth, noise);
}

static double planted_jump(uint32_t rank, int nth, double noise)
{
	return (rank == 2 && nth > 60 ? 2 : 1) * plain(rank, nth, noise);
}

static const uint32_t same[REGIONS] = {OUTER, INNER, MPI, BARRIER}; /* their names are unlike each other */

static int64_t begun[RANKS][1001], ended[RANKS][1001]; /* by instance of inner */

/* outer has inner, and a message that takes long in every seventh instance: it is no time of its own. */
static void run(struct anomalies *a, struct instance_times *x, law *of, int steps, double sd)
{
	static struct messages m;
	static struct callstack_path path[] = {
		{.region = TRACE_NONE}, {.region = OUTER, .parent = 0}, {.region = INNER, .parent = 1},
		{.region = MPI, .parent = 1}};
	struct messages_use use;

	m = (struct messages){.trace = &trace, .region = same};
	m.paths.v = path;
	m.paths.v_n = 4;
	use = instance_times_use(x, &m);
	for (uint32_t r = 0; r < RANKS; r++) {
		int64_t now = 1000;

		for (int i = 1; i <= steps; i++) {
			use.begins(x, r, IN_OUTER, now);
			use.begins(x, r, IN_INNER, now);
			begun[r][i] = now;
			now += (int64_t)of(r, i, sd * normal());
			ended[r][i] = now;
			use.ends(x, r, IN_INNER, now);
			use.begins(x, r, IN_MPI, now);
			now += i % 7 ? 1000 : 50000000;
			use.ends(x, r, IN_MPI, now);
			use.ends(x, r, IN_OUTER, now);
			now += 100;
		}
	}
	anomalies_find(a, x);
}

/* How many of the runs have an anomaly of a kind. */
static void alarms(law *of, int steps, double sd, int runs, const char *what)
{
	int n[ANOMALY_KINDS] = {0};

	for (int i = 0; i < runs; i++) {
		struct instance_times x;
		struct anomalies a;

		run(&a, &x, of, steps, sd);
		for (int k = 0; k < ANOMALY_KINDS; k++)
			n[k] += a.n[k] > 0;
		anomalies_release(&a);
		instance_times_release(&x);
	}
	for (int k = 0; k < ANOMALY_KINDS; k++)
		ok(n[k] <= runs * ROBUST_ALARMS + 3 * sqrt(runs * ROBUST_ALARMS),
		   "%s, %d instances, noise %g: kind %d in %d of %d runs", what, steps, sd, k, n[k],
		   runs);
}

static void find(law *of, int steps, enum anomaly_kind kind, uint32_t rank, uint64_t first,
		 uint64_t last, double value, double typical, double cost, const char *what)
{
	struct instance_times x;
	struct anomalies a;
	const struct anomaly *f;
	size_t before = 0;

	run(&a, &x, of, steps, 0.02);
	for (int k = 0; k < (int)kind; k++)
		before += a.n[k];
	f = &a.v[before];
	if (ok(a.n[kind] == 1, "%s: one anomaly, not %zu", what, a.n[kind])) {
		ok(f->region == INNER && f->stream == rank && f->streams == 1,
		   "%s: region %u, rank %u, %u threads", what, f->region, f->stream, f->streams);
		ok(f->first == first && f->last == last, "%s: instances %d to %d", what,
		   (int)f->first, (int)f->last);
		ok(fabs(f->value / value - 1) < 0.03 && fabs(f->typical / typical - 1) < 0.03,
		   "%s: %.0f ns, typically %.0f ns", what, f->value, f->typical);
		ok(!first || (f->begin == begun[rank][first] && f->end == ended[rank][last]),
		   "%s: from %lld to %lld", what, (long long)f->begin, (long long)f->end);
		ok(fabs(f->cost / cost - 1) < 0.06, "%s: costs %.0f ns", what, f->cost);
	}
	anomalies_release(&a);
	instance_times_release(&x);
}

/* outer and inner of all ranks: only outer's time counts. */
static void firsts(void)
{
	struct instance_times x;
	struct anomalies a;

	run(&a, &x, planted_first, 50, 0.02);
	ok(a.first_regions == 2, "first instances of %zu regions are slow", a.first_regions);
	ok(fabs(a.first_ns / (RANKS * 4 * MEDIAN) - 1) < 0.06, "they cost %.0f ns", a.first_ns);
	anomalies_release(&a);
	instance_times_release(&x);
	run(&a, &x, planted_slow, 50, 0.02);
	ok(!a.first_regions, "a later one is not one of them");
	ok(x.lane[0].elsewhere == 43 * 1000 + 7 * 50000000LL + 49 * 100,
	   "%lld ns from the first region on belong to none of them", (long long)x.lane[0].elsewhere);
	anomalies_release(&a);
	instance_times_release(&x);
}

/* Each kind is looked for by a function of its own. */
static void kinds(void)
{
	static const struct {
		law *of;
		size_t slow, odd, growing;
	} cases[] = {{plain, 0, 0, 0}, {planted_slow, 1, 0, 0}, {planted_rank, 0, 1, 0}, {planted_growth, 0, 1, 1} /* so the rank is unlike the others, too */};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct instance_times x;
		struct anomalies all, slow = {0}, odd = {0}, growing = {0};

		run(&all, &x, cases[i].of, 100, 0.02);
		slow_instances_find(&slow, &x);
		odd_ranks_find(&odd, &x);
		growth_find(&growing, &x);
		ok((slow.v_n > 0) == cases[i].slow && (odd.v_n > 0) == cases[i].odd && (growing.v_n > 0) == cases[i].growing,
		   "times %zu: %zu slow instances, %zu odd ranks, %zu growing", i, slow.v_n, odd.v_n, growing.v_n);
		ok(slow.tests[ANOMALY_INSTANCE] >= 100 * RANKS && odd.tests[ANOMALY_RANK] >= RANKS && growing.tests[ANOMALY_GROWTH] >= RANKS,
		   "of %zu instances, %zu ranks and %zu series", slow.tests[ANOMALY_INSTANCE], odd.tests[ANOMALY_RANK],
		   growing.tests[ANOMALY_GROWTH]);
		anomalies_release(&slow);
		anomalies_release(&odd);
		anomalies_release(&growing);
		anomalies_release(&all);
		instance_times_release(&x);
	}
}

#define EVENTS 6000
#define DEPTH  8

static int same_series(const struct instance_series *a, const struct instance_series *b)
{
	double x[INSTANCE_BLOCKS], y[INSTANCE_BLOCKS];
	size_t n = instance_blocks(a, x);

	return a->region == b->region && a->stream == b->stream && a->seen == b->seen && a->n == b->n && a->first == b->first &&
	       a->own == b->own && a->exclusive == b->exclusive && a->bin_first == b->bin_first && a->bin_n == b->bin_n &&
	       (!a->bin_n || !memcmp(a->bin, b->bin, a->bin_n * sizeof(*a->bin))) && a->longest_n == b->longest_n &&
	       !memcmp(a->longest, b->longest, a->longest_n * sizeof(*a->longest)) && n == instance_blocks(b, y) &&
	       !memcmp(x, y, n * sizeof(*x));
}

/* Random calls, also of regions that are open, one by one and as events in batches, with and without a window. */
static void batches(int window)
{
	static struct callstack_path path[] = {
		{.region = TRACE_NONE}, {.region = OUTER}, {.region = INNER}, {.region = MPI}, {.region = BARRIER}};
	static struct event event[EVENTS];
	struct window_span span[RANKS] = {{EVENTS, EVENTS * 8}};
	struct messages m = {.trace = &trace, .region = same, .span = window ? span : NULL};
	struct instance_times one, many;
	struct messages_use u, v;
	uint32_t open[DEPTH];
	size_t n = 0;

	m.paths.v = path;
	m.paths.v_n = REGIONS + 1;
	u = instance_times_use(&one, &m);
	v = instance_times_use(&many, &m);
	for (size_t i = 0; i < EVENTS; i++) {
		int64_t time = (int64_t)i * 10 + (int64_t)(uniform() * 10);

		if (n < DEPTH && (!n || uniform() < 0.5)) {
			open[n++] = (uint32_t)(uniform() * REGIONS);
			event[i] = (struct event){time, EVENT_ENTER, open[n - 1]};
			u.begins(&one, 0, 1 + open[n - 1], time);
		} else {
			event[i] = (struct event){time, EVENT_LEAVE, 0};
			u.ends(&one, 0, 1 + open[--n], time);
		}
	}
	for (size_t i = 0, some; i < EVENTS; i += some) {
		some = 1 + (size_t)(uniform() * 30);
		some = some < EVENTS - i ? some : EVENTS - i;
		v.ran(&many, 0, event + i, some);
	}
	ok(one.v_n == REGIONS && many.v_n == REGIONS, "%zu and %zu regions have instances or iterations", one.v_n, many.v_n);
	for (size_t i = 0; i < REGIONS; i++) {
		ok(one.v[i].loop == (one.v[i].region >= MPI), "region %zu: iterations only of messages", i);
		ok(one.v[i].n >= INSTANCE_BLOCKS && (one.v[i].n + 1 < one.v[i].seen) == window,
		   "region %zu: %d of %d instances are in the window", i, (int)one.v[i].n, (int)one.v[i].seen);
		ok(same_series(&one.v[i], &many.v[i]), "region %zu: the same in batches", i);
	}
	instance_times_release(&one);
	instance_times_release(&many);
}

/* ---- iterations of loops that nothing marks ---- */

#define PARTS 30 /* calls of MPI_Recv() in each step */

/* ns of useful work before call `part` of step `nth`, both from 1, in a rank. */
typedef double step_law(uint32_t rank, int nth, int part);

static double work_first(uint32_t rank, int nth, int part)
{
	(void)rank;
	(void)nth;
	return (part == 1 ? MEDIAN : MEDIAN / 100) * exp(0.02 * normal());
}

static double work_slow(uint32_t rank, int nth, int part)
{
	return (rank == 3 && nth == 17 && part == 1 ? 5 : 1) * work_first(rank, nth, part);
}

static double work_even(uint32_t rank, int nth, int part)
{
	(void)part;
	return MEDIAN * exp(0.02 * normal()) * (rank == 3 && nth == 17 ? 5 : 1);
}

static double work_slow_last(uint32_t rank, int nth, int part)
{
	return (nth == 50 || nth == 1 ? 5 : 1) * work_first(rank, nth, part);
}

static double work_growing(uint32_t rank, int nth, int part)
{
	return (rank == 2 && part == 1 ? 1 + nth / 50.0 : 1) * work_first(rank, nth, part);
}

/* The first half of the steps does much less. */
static double work_phases(uint32_t rank, int nth, int part)
{
	return (nth <= 25 ? 0.01 : 1) * work_first(rank, nth, part);
}

/* One long computation, between calls that begin and end the program. */
static double work_once(uint32_t rank, int nth, int part)
{
	return (nth == 17 && part == 1 ? 1000 : 0.01) * work_first(rank, nth, part);
}

/* 50 steps: a barrier, then work and a message, `parts` times. Messages take time, which is no work. */
static void loop_run(struct anomalies *a, struct instance_times *x, step_law *of, int parts)
{
	static struct callstack_path path[] = {
		{.region = TRACE_NONE}, {.region = OUTER}, {.region = INNER}, {.region = MPI}, {.region = BARRIER}};
	static struct messages m;
	struct messages_use use;

	m = (struct messages){.trace = &trace, .region = same, .paths = {.v = path, .v_n = REGIONS + 1}};
	use = instance_times_use(x, &m);
	for (uint32_t r = 0; r < RANKS; r++) {
		int64_t now = 1000;

		for (int i = 1; i <= 50; i++) {
			begun[r][i] = now;
			use.begins(x, r, IN_BARRIER, now);
			now += 1000 * (i % 7);
			use.ends(x, r, IN_BARRIER, now);
			for (int k = 1; k <= parts; k++) {
				now += (int64_t)of(r, i, k);
				use.begins(x, r, IN_MPI, now);
				now += 50000000 * (i % 5 == 0);
				use.ends(x, r, IN_MPI, now);
			}
			ended[r][i] = now;
		}
		use.begins(x, r, IN_BARRIER, now);
		use.ends(x, r, IN_BARRIER, now);
	}
	anomalies_find(a, x);
}

/* The slow iteration 17 of rank 3 between calls of a region, of 50. */
static void slow_iteration(step_law *of, int parts, uint32_t expected, int first, const char *what)
{
	struct instance_times x;
	struct anomalies a;
	double rest = (parts - 1) * MEDIAN / 100;

	loop_run(&a, &x, of, parts);
	if (ok(a.v_n == 1 && a.n[ANOMALY_INSTANCE] == 1, "%s: one anomaly, not %zu", what, a.v_n)) {
		const struct anomaly *f = &a.v[0];

		ok(instance_is_tested(instance_series_of(&x, 3, expected, 1), 10, LOOP_EVEN) &&
		   !instance_is_tested(instance_series_of(&x, 3, BARRIER + MPI - expected, 1), 1, LOOP_REGULAR),
		   "%s: only iterations of region %u are tested", what, expected);
		ok(f->loop && f->region == expected && f->stream == 3 && (int)f->first == first,
		   "%s: iteration %d of region %u in rank %u", what, (int)f->first, f->region, f->stream);
		ok(fabs(f->typical / (MEDIAN + rest) - 1) < 0.03 && fabs(f->value / (5 * MEDIAN + rest) - 1) < 0.1,
		   "%s: %.0f ns, typically %.0f", what, f->value, f->typical);
		ok(fabs(loop_times_useful(&x) / (RANKS * 50 * (MEDIAN + rest)) - 1) < 0.05, "%s: useful work: %.0f ns", what,
		   loop_times_useful(&x));
		ok(expected != BARRIER || (f->begin == begun[3][17] && f->end == ended[3][17]), "%s: its span", what);
	}
	anomalies_release(&a);
	instance_times_release(&x);
}

static void loops(void)
{
	struct instance_times x;
	struct anomalies a;
	size_t slow = 0, growing = 0;

	/* between 29 of 30 calls of MPI_Recv() is little: those before the long ones are no anomalies */
	slow_iteration(work_slow, PARTS, BARRIER, 17, "a loop with an inner one");
	/* as many iterations: the region called first */
	slow_iteration(work_slow, 1, BARRIER, 17, "one message in each step");
	for (int i = 0; i < 50; i++) {
		loop_run(&a, &x, work_first, PARTS);
		slow += a.n[ANOMALY_INSTANCE] > 0;
		growing += a.n[ANOMALY_GROWTH] > 0;
		anomalies_release(&a);
		instance_times_release(&x);
	}
	ok(slow <= 3 && growing <= 3, "nothing unusual: %zu and %zu of 50 runs have an anomaly", slow, growing);
	loop_run(&a, &x, work_slow_last, PARTS);
	ok(!a.v_n, "the first and the last iteration are none: %zu", a.v_n);
	anomalies_release(&a);
	instance_times_release(&x);
	loop_run(&a, &x, work_growing, PARTS);
	ok(a.n[ANOMALY_GROWTH] == 1 && a.v[a.v_n - 1].loop && a.v[a.v_n - 1].stream == 2, "iterations that grow: %zu",
	   a.n[ANOMALY_GROWTH]);
	anomalies_release(&a);
	instance_times_release(&x);
	loop_run(&a, &x, work_phases, PARTS);
	ok(!a.v_n, "a loop after another one, at the same barrier: %zu", a.v_n);
	anomalies_release(&a);
	instance_times_release(&x);
	loop_run(&a, &x, work_once, PARTS);
	ok(!a.n[ANOMALY_INSTANCE], "one long computation is no slow iteration: %zu", a.n[ANOMALY_INSTANCE]);
	anomalies_release(&a);
	instance_times_release(&x);
	loop_run(&a, &x, work_even, 2);
	ok(a.n[ANOMALY_INSTANCE] > 0 && a.v[0].region == MPI, "equal times: the region with most iterations, %u", a.v[0].region);
	anomalies_release(&a);
	instance_times_release(&x);
}

/* The same instance of a region in two threads is one anomaly. */
static void test_add(void)
{
	struct anomalies a = {0};
	struct anomaly one = {.kind = ANOMALY_INSTANCE, .region = OUTER, .stream = 1, .streams = 1, .first = 7, .last = 7,
			      .value = 5, .cost = 3};

	anomaly_add(&a, &one, 1);
	one.stream = 2;
	anomaly_add(&a, &one, 1);
	ok(a.v_n == 1 && a.v[0].streams == 2 && a.v[0].cost == 6, "one anomaly of two threads");
	one.first = one.last = 8;
	anomaly_add(&a, &one, 1);
	anomaly_add(&a, &one, 0);
	ok(a.v_n == 3, "others are anomalies of their own");
	anomalies_release(&a);
}

int main(void)
{
	trace_make();
	loops();
	batches(0);
	batches(1);
	kinds();
	alarms(plain, 10, 0.05, 300, "independent times");
	alarms(plain, 30, 0.05, 300, "independent times");
	alarms(plain, 300, 0.3, 100, "independent times");
	alarms(two_times, 100, 0.05, 50, "two usual times");
	find(planted_slow, 50, ANOMALY_INSTANCE, 3, 17, 17, 5 * MEDIAN, MEDIAN, 4 * MEDIAN,
	     "a slow instance");
	find(planted_first, 50, ANOMALY_INSTANCE, 3, 17, 17, 5 * MEDIAN, MEDIAN, 4 * MEDIAN,
	     "a slow instance, and slow first ones");
	firsts();
	find(planted_growth, 100, ANOMALY_GROWTH, 2, 1, 100, 2 * MEDIAN, MEDIAN, 50 * MEDIAN,
	     "slower and slower");
	find(planted_jump, 128, ANOMALY_GROWTH, 2, 61, 128, 2 * MEDIAN, MEDIAN, 68 * MEDIAN,
	     "a jump");
	find(planted_rank, 20, ANOMALY_RANK, 5, 0, 0, 60 * MEDIAN, 20 * MEDIAN, 40 * MEDIAN,
	     "a rank with more");
	test_add();
	return tap_end();
}
