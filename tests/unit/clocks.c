/*
 * clocks.c: four ranks on two hosts that send messages to each other; the second host's clock is off and drifts. The job's
 * measurements correct it; without measurements, messages show it, and the controlled logical clock corrects it.
 */

#include "analyze/clocks/clocks.h"
#include "ranks.h"
#include "tap.h"
#include "trace_writer.h"

#define RANKS 4
#define ROUNDS 500
#define STEP INT64_C(20000000) /* ns a round: ten seconds in all */
#define BEGIN INT64_C(1000000000000)
#define WIRE 4000	/* ns a message takes */

static char dir[] = "/tmp/tau-clocks.XXXXXX";
static int64_t skew;
static double drift;
static int measured;

static int64_t host_clock(int host, int64_t time)
{
	return host ? time + skew + (int64_t)(drift * (double)(time - BEGIN)) : time;
}

static int old_form; /* three numbers in one text */

static void meta_offset(struct writer *w, const char *when, int64_t time)
{
	long long here = host_clock(1, time), offset = time - host_clock(1, time);
	char name[80], value[80];

	snprintf(name, sizeof(name), "TAU Clock Offset at %s%s", when, old_form ? "" : " (ns)");
	snprintf(value, sizeof(value), "%lld", offset);
	if (old_form)
		snprintf(value, sizeof(value), "%lld %lld 900", here, offset);
	writer_meta(w, name, value);
	if (old_form)
		return;
	snprintf(name, sizeof(name), "TAU Clock Compared at %s (ns)", when);
	snprintf(value, sizeof(value), "%lld", here);
	writer_meta(w, name, value);
}

/* Round after round each rank sends to its right and receives from its left. */
static void write_rank(const char *run, int rank)
{
	int64_t (*at)(int host, int64_t time) = host_clock;
	int host = rank / 2, left = (rank + RANKS - 1) % RANKS, right = (rank + 1) % RANKS;
	char path[128];
	struct writer w;

	snprintf(path, sizeof(path), "%s/%d.tau", run, rank);
	writer_open(&w, path, 100 + (uint64_t)rank, 0, (uint64_t)at(host, BEGIN),
		    (uint64_t)at(host, BEGIN));
	w.limit = 600;
	writer_meta(&w, "Hostname", host ? "there" : "here");
	writer_rank(&w, (uint32_t)rank, RANKS);
	if (host && measured && rank == 2)
		meta_offset(&w, "Start", BEGIN + 1000);
	writer_region(&w, 0, "main", "");
	writer_region(&w, 1, "round", "");
	writer_enter(&w, (uint64_t)at(host, BEGIN + 2000), 0);
	for (int64_t i = 1; i <= ROUNDS; i++) {
		int64_t now = BEGIN + i * STEP + rank * 100;

		writer_enter(&w, (uint64_t)at(host, now), 1);
		writer_message(&w, at(host, now + 50), TAU_REC_SEND, right);
		now = BEGIN + i * STEP + left * 100 + 50 + WIRE;
		writer_message(&w, at(host, now), TAU_REC_RECV, left);
		writer_leave(&w, (uint64_t)at(host, now + 10));
	}
	writer_leave(&w, (uint64_t)at(host, BEGIN + (ROUNDS + 2) * STEP));
	if (host && measured && rank == 2)
		meta_offset(&w, "End", BEGIN + (ROUNDS + 1) * STEP);
	writer_close(&w);
}

struct seen {
	int64_t time[RANKS][ROUNDS * 4 + 4];
	size_t n[RANKS];
	int backwards;
};

static void read_all(struct trace *t, struct seen *out)
{
	struct error e = {0};

	memset(out, 0, sizeof(*out));
	for (uint32_t s = 0; s < t->stream_n; s++) {
		int rank = t->process[t->stream[s].process].node;
		struct trace_cursor *c;
		struct event_batch *b;
		int64_t last = INT64_MIN;

		if (t->ops->open(t, s, INT64_MIN, &c, &e))
			continue;
		while (t->ops->next(c, &b, &e) > 0)
			for (size_t i = 0; i < b->n && out->n[rank] < ROUNDS * 4 + 4; i++) {
				out->backwards += b->event[i].time < last;
				last = b->event[i].time;
				out->time[rank][out->n[rank]++] = last;
			}
		t->ops->close(c);
	}
}

/* The largest distance of a time from the truth, ns. */
static int64_t worst(const struct seen *a, const struct seen *truth)
{
	int64_t most = 0;

	for (int r = 0; r < RANKS; r++)
		for (size_t i = 0; i < truth->n[r] || i < a->n[r]; i++) {
			int64_t d = a->time[r][i] - truth->time[r][i];

			d = d < 0 ? -d : d;
			most = d > most ? d : most;
		}
	return most;
}

static struct seen truth, seen;

static void test_right(void)
{
	struct error e = {0};
	struct causality c;
	struct trace *t = run_open(dir, RANKS, write_rank);

	ok(!causality_check(t, &c, &e) && c.messages == RANKS * ROUNDS, "all messages are matched");
	ok(!c.early && !c.single && !c.worst, "right clocks: no message is early");
	read_all(t, &truth);
	ok(truth.n[0] == ROUNDS * 4 + 2 && !truth.backwards, "all records are read");
	trace_free(t);
}

static void test_measured(int64_t by, double rate)
{
	struct error e = {0};
	struct causality c;
	struct trace *t;

	skew = by, drift = rate, measured = 1;
	t = run_open(dir, RANKS, write_rank);
	read_all(t, &seen);
	ok(worst(&seen, &truth) <= 20 && !seen.backwards,
	   "skew %lld ns, drift %g, measured: times within %lld ns of the truth", (long long)by,
	   rate, (long long)worst(&seen, &truth));
	ok(!causality_check(t, &c, &e) && !c.early, "and no message is early");
	trace_free(t);
}

/* Rank 1 sends over to 2, and 3 to 0: one of the two is early. */
static void test_corrected(int64_t by, double rate)
{
	int64_t expected = (by < 0 ? -by : by) - WIRE;
	struct error e = {0};
	struct causality c, after;
	struct trace *t;

	skew = by, drift = rate, measured = 0;
	t = run_open(dir, RANKS, write_rank);
	if (causality_check(t, &c, &e))
		printf("# %s\n", e.text);
	ok(c.early == ROUNDS,
	   "skew %lld ns, not measured: %llu messages are early", (long long)by,
	   (unsigned long long)c.early);
	if (rate == 0)
		ok(c.worst == expected, "by %lld ns", (long long)c.worst);
	ok(!causality_correct(t, &after, &e) && after.early == c.early,
	   "the correction counts them too");
	ok(!causality_check(t, &after, &e) && !after.early && after.messages == RANKS * ROUNDS,
	   "after it none is");
	read_all(t, &seen);
	ok(!seen.backwards, "no time goes back");
	for (int r = 0; r < RANKS; r++)
		ok(seen.n[r] == truth.n[r], "rank %d has all its records", r);
	trace_free(t);
}

/* Each reader computes the bounds of the trace by itself. */
static void test_bounds(void)
{
	struct error e = {0};
	struct causality c;
	struct trace *t;
	int out = 0;

	skew = -30000000, drift = 0, measured = 0;
	t = run_open(dir, RANKS, write_rank);
	causality_correct(t, &c, &e);
	read_all(t, &seen);
	for (size_t s = 0; s < t->stream_n; s++) {
		int r = t->process[t->stream[s].process].node;

		out += seen.time[r][seen.n[r] - 1] >= t->end ||
		       seen.time[r][seen.n[r] - 1] > t->stream[s].last ||
		       seen.time[r][0] < t->process[t->stream[s].process].start;
	}
	ok(!out, "streams, processes and the whole end after their last record");
	trace_free(t);
}

/* The run begins on the host whose clock is late; the first file is of the other host. */
static void test_wall(void)
{
	struct trace *t;

	skew = -5000000000, drift = 0, measured = 0;
	t = run_open(dir, RANKS, write_rank);
	ok(t->wall == BEGIN + skew, "the run began at %lld ns, %lld ns from the right time", (long long)t->wall,
	   (long long)(t->wall - BEGIN - skew));
	trace_free(t);
}

int main(void)
{
	char command[64];

	if (!mkdtemp(dir))
		return 1;
	test_right();
	test_measured(7000000, 0);
	test_measured(-9000000000, 0);
	test_measured(7000000, 20e-6);
	test_measured(-123456789, -150e-6);
	old_form = 1;
	test_measured(7000000, 20e-6);
	old_form = 0;
	test_corrected(50000, 0);
	test_corrected(-50000, 0);
	test_corrected(5000000, 0);
	test_corrected(-9000000000, 0);
	test_corrected(50000, 1e-6);
	test_bounds();
	test_wall();
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		return 1;
	return tap_end();
}
