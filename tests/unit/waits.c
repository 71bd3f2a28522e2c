/*
 * waits.c: three ranks whose messages and collective operations have waits of known length: what is
 * found must be these, to the nanosecond, and their causes as the formula of delays.h gives by hand.
 */

#include <math.h>
#include <string.h>

#include "analyze/messages/traffic.h"
#include "analyze/messages/waits.h"
#include "ranks.h"
#include "tap.h"
#include "trace_writer.h"

#define RANKS 3
#define BEGIN INT64_C(1000000)

static char dir[] = "/tmp/tau-waits.XXXXXX";

static const char *const region[] = {"main",	    "work",	     "extra",	   "MPI_Send()",
				     "MPI_Recv()",  "MPI_Barrier()", "MPI_Allreduce()",
				     "MPI_Bcast()", "MPI_Reduce()",  "MPI_Scan()", "MPI_Waitall()",
				     "MPI_Ssend()"};
enum { MAIN, WORK, EXTRA, SEND, RECV, BARRIER, ALLREDUCE, BCAST, REDUCE, SCAN, WAITALL, SSEND };
#define REGIONS (sizeof(region) / sizeof(*region))

/* A call of a rank. Between calls it works, in `work` or, up to a call with that flag, in `extra`. */
struct step {
	int rank, region;
	int64_t enter, leave;
	int peer, tag;	    /* of a message; peer is the root of an operation */
	int64_t extra_from; /* 0: none */
	int second;	    /* a second message: 1 + its peer */
};

static const struct step various[] = {
	{0, SEND, 500, 510, 1, 1, 300, 0},
	{0, SSEND, 1000, 1700, 1, 1, 0, 0},
	{0, BARRIER, 2000, 2510, -1, 0, 0, 0},
	{0, ALLREDUCE, 3000, 3310, -1, 0, 0, 0},
	{0, BCAST, 4000, 4405, 1, 0, 0, 0},
	{0, REDUCE, 5000, 5700, 0, 0, 0, 0},
	{0, SCAN, 6000, 6010, -1, 0, 0, 0},
	{0, RECV, 6800, 7110, 2, 2, 0, 0},
	{0, RECV, 7120, 7130, 2, 1, 0, 0},
	{0, RECV, 8100, 8110, 1, 8, 0, 0},
	{0, WAITALL, 9000, 9600, 1, 9, 0, 3},
	{0, SEND, 9700, 9710, 2, 3, 0, 0},

	{1, RECV, 100, 520, 0, 1, 0, 0},
	{1, RECV, 1600, 1710, 0, 1, 0, 0},
	{1, BARRIER, 2100, 2520, -1, 0, 0, 0},
	{1, ALLREDUCE, 3300, 3320, -1, 0, 0, 0},
	{1, BCAST, 4400, 4402, 1, 0, 0, 0},
	{1, REDUCE, 5200, 5210, 0, 0, 0, 0},
	{1, SCAN, 6100, 6150, -1, 0, 0, 0},
	{1, SEND, 7980, 7990, 0, 8, 0, 0},
	{1, SEND, 8000, 8010, 2, 7, 0, 0},
	{1, SEND, 9200, 9210, 0, 9, 0, 0},

	{2, BARRIER, 2500, 2530, -1, 0, 2400, 0},
	{2, ALLREDUCE, 3100, 3330, -1, 0, 0, 0},
	{2, BCAST, 4100, 4410, 1, 0, 0, 0},
	{2, REDUCE, 5600, 5610, 0, 0, 0, 0},
	{2, SCAN, 6050, 6160, -1, 0, 0, 0},
	{2, SEND, 7000, 7010, 0, 1, 0, 0},
	{2, SEND, 7100, 7105, 0, 2, 0, 0},
	{2, RECV, 7900, 7950, 1, 7, 0, 0},
	{2, SEND, 9500, 9510, 0, 9, 0, 0},
	{2, RECV, 9650, 9690, 0, 3, 0, 0},
};
/*
 * Rank 2 enters the broadcast of rank 1 when rank 0 has left it and waited for rank 1 again; and a scan when rank 1 has
 * waited in it, and rank 0 for rank 1 again.
 */
static const struct step late_member[] = {
	{0, BCAST, 100, 420, 1, 0, 0, 0},
	{0, RECV, 500, 620, 1, 1, 0, 0},
	{1, BCAST, 400, 410, 1, 0, 0, 0},
	{1, SEND, 610, 615, 0, 1, 0, 0},
	{2, SEND, 600, 700, 0, 2, 0, 0},
	{2, BCAST, 1000, 1010, 1, 0, 0, 0},
	{0, SCAN, 1500, 1510, -1, 0, 0, 0},
	{1, SCAN, 1200, 1520, -1, 0, 0, 0},
	{0, RECV, 1600, 1820, 1, 3, 0, 0},
	{1, SEND, 1800, 1810, 0, 3, 0, 0},
	{2, SEND, 1530, 1900, 0, 4, 0, 0},
	{2, SCAN, 2000, 2010, -1, 0, 0, 0},
};
static const struct step *steps = various;
static size_t step_n = sizeof(various) / sizeof(*various);

static void put_message(struct writer *w, int64_t at, unsigned kind, int peer, int tag)
{
	struct buffer f = {0};

	put_zigzag(&f, peer);
	put_zigzag(&f, tag);
	put_varint(&f, 0);
	put_varint(&f, 64);
	writer_extended(w, (uint64_t)at, kind, &f);
}

static void put_step(struct writer *w, const struct step *s)
{
	static const unsigned op[REGIONS] = {[BARRIER] = TAU_COLL_BARRIER,
					     [ALLREDUCE] = TAU_COLL_ALLREDUCE,
					     [BCAST] = TAU_COLL_BROADCAST,
					     [REDUCE] = TAU_COLL_REDUCE,
					     [SCAN] = TAU_COLL_SCAN};
	int64_t in = BEGIN + s->enter, out = BEGIN + s->leave;

	writer_enter(w, (uint64_t)in, (uint32_t)s->region);
	if (s->region == SEND || s->region == SSEND)
		put_message(w, in, TAU_REC_SEND, s->peer, s->tag);
	else if (s->region == RECV || s->region == WAITALL)
		put_message(w, out, TAU_REC_RECV, s->peer, s->tag);
	else
		writer_collective(w, (uint64_t)out, op[s->region], s->peer);
	if (s->second)
		put_message(w, out, TAU_REC_RECV, s->second - 1, s->tag);
	writer_leave(w, (uint64_t)out);
}

static void write_rank(const char *run, int rank)
{
	int64_t now = BEGIN;
	struct writer w;

	rank_file_open(&w, run, rank, RANKS, BEGIN, region, REGIONS, SEND);
	writer_enter(&w, (uint64_t)now, MAIN);
	for (size_t i = 0; i < step_n; i++) {
		const struct step *s = &steps[i];

		if (s->rank != rank)
			continue;
		writer_enter(&w, (uint64_t)now, WORK);
		if (s->extra_from) {
			writer_leave(&w, (uint64_t)(BEGIN + s->extra_from));
			writer_enter(&w, (uint64_t)(BEGIN + s->extra_from), EXTRA);
		}
		writer_leave(&w, (uint64_t)(BEGIN + s->enter));
		put_step(&w, s);
		now = BEGIN + s->leave;
	}
	writer_leave(&w, (uint64_t)(BEGIN + 10000));
	writer_close(&w);
}

/* ---- what is found ---- */

static struct messages m;
static struct waits x;
static struct traffic tr;

static double ns_of(const struct wait_rows *rows, enum wait_pattern p, int rank, const char *leaf)
{
	double ns = 0;

	for (size_t i = 0; i < rows->v_n; i++) {
		const struct wait_row *r = &rows->v[i];
		const char *name = r->path ? m.trace->region[m.paths.v[r->path].region].name : "";

		if (r->pattern == p && (rank < 0 || m.trace->process[r->process].node == rank) &&
		    (!leaf || !strcmp(leaf, name)))
			ns += r->ns;
	}
	return ns;
}

static void found(const struct wait_rows *rows, const char *what, enum wait_pattern p, int rank,
		  const char *leaf, double expected)
{
	double got = ns_of(rows, p, rank, leaf);

	ok(fabs(got - expected) < 1e-6, "%s: %s, rank %d, %s: %.3f ns (%.3f)", what, wait_name(p),
	   rank, leaf ? leaf : "all", got, expected);
}

static int analyze(struct trace *t, const struct window_span *span)
{
	struct error e = {0};
	struct messages_use use[2];
	int code;

	m = (struct messages){.trace = t, .span = span, .use = use, .use_n = 2};
	use[0] = waits_use(&x, &m);
	use[1] = traffic_use(&tr, &m);
	code = messages_read(&m, &e);
	if (code)
		printf("# %s\n", e.text);
	waits_end(&x);
	traffic_end(&tr);
	return code;
}

static void release(void)
{
	waits_release(&x);
	traffic_release(&tr);
	messages_release(&m);
}

static void test_waits(void)
{
	const struct wait_rows *w = &x.waits;

	found(w, "waits", WAIT_LATE_SENDER, 1, "MPI_Recv()", 400);
	found(w, "waits", WAIT_LATE_SENDER, 0, "MPI_Recv()", 300);
	found(w, "waits", WAIT_WRONG_ORDER, 0, "MPI_Recv()", 300);
	found(w, "the longest of two", WAIT_LATE_SENDER, 0, "MPI_Waitall()", 500);
	found(w, "cut by clocks", WAIT_LATE_SENDER, 2, NULL, 50 + 40);
	ok(x.early == 2 && m.found.early == 2, "two messages are received before they are sent");
	found(w, "waits", WAIT_LATE_RECEIVER, 0, "MPI_Ssend()", 600);
	found(w, "no others", WAIT_LATE_RECEIVER, -1, NULL, 600);
	found(w, "waits", WAIT_BARRIER, 0, NULL, 500);
	found(w, "waits", WAIT_BARRIER, 1, NULL, 400);
	found(w, "the last", WAIT_BARRIER, 2, NULL, 0);
	found(w, "waits", WAIT_BARRIER_COMPLETION, 1, NULL, 10);
	found(w, "waits", WAIT_BARRIER_COMPLETION, 2, NULL, 20);
	found(w, "waits", WAIT_NXN, 0, NULL, 300);
	found(w, "waits", WAIT_NXN, 2, NULL, 200);
	found(w, "waits", WAIT_NXN_COMPLETION, -1, NULL, 30);
	found(w, "waits", WAIT_LATE_BROADCAST, 0, NULL, 400);
	found(w, "waits", WAIT_LATE_BROADCAST, 2, NULL, 300);
	found(w, "the root", WAIT_LATE_BROADCAST, -1, NULL, 700);
	found(w, "waits", WAIT_EARLY_REDUCE, 0, NULL, 200);
	found(w, "no others", WAIT_EARLY_REDUCE, -1, NULL, 200);
	found(w, "waits", WAIT_EARLY_SCAN, 2, NULL, 50);
	found(w, "no others", WAIT_EARLY_SCAN, -1, NULL, 50);
	ok(!x.early_meetings, "no operation is left before the last comes");
}

static void test_causes(void)
{
	const struct wait_rows *c = &x.causes;

	/* Rank 0 worked 300 and did extra 200, rank 1 worked 100. */
	found(c, "causes", WAIT_LATE_SENDER, 0, "extra", 200);
	found(c, "causes", WAIT_LATE_SENDER, 0, "work", 200);
	/* Rank 1 left MPI_Recv 10 later than rank 0 MPI_Send, and worked 1080 instead of 490. */
	found(c, "causes", WAIT_LATE_RECEIVER, 1, "MPI_Recv()", 10);
	found(c, "causes", WAIT_LATE_RECEIVER, 1, "work", 590);
	found(c, "no others", WAIT_LATE_RECEIVER, -1, NULL, 600);
	/* Rank 2 worked 2400, rank 0 1090, rank 1 1570; rank 0 did as much extra. */
	found(c, "causes", WAIT_BARRIER, 2, "work", 500 + 400 * 830.0 / 930);
	found(c, "causes", WAIT_BARRIER, 2, "extra", 400 * 100.0 / 930);
	found(c, "no others", WAIT_BARRIER, -1, NULL, 900);
	/* Rank 1 left the barrier 10 late, rank 2 20; they worked 780, 490 and 570. */
	found(c, "causes", WAIT_NXN, 1, "MPI_Barrier()", 10);
	found(c, "causes", WAIT_NXN, 1, "work", 490);
	found(c, "causes", WAIT_LATE_BROADCAST, 1, NULL, 700);
}

/* Waiting of all ranks in the calls of a region. */
static void collective_waits(uint32_t id, int64_t expected)
{
	int64_t got = -1;

	for (size_t i = 0; i < tr.collective_n; i++)
		if (!strcmp(m.trace->region[tr.collective[i].region].name, region[id]))
			got = tr.collective[i].wait;
	ok(got == expected, "%s: %d ns of waiting (%d)", region[id], (int)got, (int)expected);
}

static void test_counts(void)
{
	ok(m.found.matched == 9 && m.found.meetings == 5, "9 messages and 5 operations");
	ok(!m.found.unsent && !m.found.unreceived && !m.found.unmet && !m.found.disagreed,
	   "all have both ends");
	collective_waits(BARRIER, 900);
	collective_waits(ALLREDUCE, 500);
	collective_waits(BCAST, 700);
	collective_waits(REDUCE, 200);
	collective_waits(SCAN, 50);
	ok(x.ns == 3 * 10000, "all time of the ranks is counted");
	ok(tr.pair_n == 5, "5 pairs send");
	ok(tr.pair_n && tr.pair[0].from == 0 && tr.pair[0].to == 1 && tr.pair[0].sent.n == 2 &&
		   tr.pair[0].received.bytes == 128,
	   "rank 0 sent 2 messages to rank 1");
}

static void test_window(void)
{
	struct trace *t = run_open(dir, RANKS, write_rank);
	struct window_span span[RANKS] = {{2000, 2600}, {2000, 2600}, {2000, 2600}};

	ok(t && !analyze(t, span), "a window");
	found(&x.waits, "in the window", WAIT_BARRIER, -1, NULL, 900);
	found(&x.waits, "outside of it", WAIT_LATE_SENDER, -1, NULL, 0);
	found(&x.waits, "outside of it", WAIT_NXN, -1, NULL, 0);
	ok(x.ns == 3 * 600, "the time of the ranks in the window");
	ok(tr.pair_n == 0 && tr.collective_n == 1 && tr.collective[0].calls == 3,
	   "only the barrier is in it");
	release();
	trace_free(t);
}

static void test_late_member(void)
{
	struct trace *t;

	steps = late_member;
	step_n = sizeof(late_member) / sizeof(*late_member);
	t = run_open(dir, RANKS, write_rank);
	ok(t && !analyze(t, NULL), "a broadcast that a rank enters late");
	found(&x.waits, "waits", WAIT_LATE_BROADCAST, 0, NULL, 300);
	found(&x.waits, "no others", WAIT_LATE_BROADCAST, -1, NULL, 300);
	/* Until then rank 1 worked 400, and rank 0 100. */
	found(&x.causes, "causes", WAIT_LATE_BROADCAST, 1, "work", 300);
	found(&x.waits, "waits", WAIT_EARLY_SCAN, 1, NULL, 300);
	/* Since 615 rank 1 worked 865 and was in the scan for 20 and 300 of waiting; since 620 rank 0 worked 970, and 10. */
	found(&x.causes, "causes", WAIT_LATE_SENDER, 1, "MPI_Scan()", 10 * 200 / 310.0);
	release();
	trace_free(t);
}

int main(void)
{
	char command[64];
	struct trace *t;

	if (!mkdtemp(dir))
		return 1;
	t = run_open(dir, RANKS, write_rank);
	ok(t && !analyze(t, NULL), "the run is read");
	test_waits();
	test_causes();
	test_counts();
	release();
	trace_free(t);
	test_window();
	test_late_member();
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ok(!system(command), "files removed");
	return tap_end();
}
