/* efficiency.c: ranks whose efficiencies and replay on an ideal network are known in closed form. */

#include <math.h>

#include "analyze/messages/efficiency.h"
#include "ranks.h"
#include "tap.h"
#include "trace_writer.h"

#define BEGIN INT64_C(1000000)

static char dir[] = "/tmp/tau-efficiency.XXXXXX";

enum { MAIN, SEND, SSEND, RECV, IRECV, WAIT, BARRIER, SCAN, BCAST, DEVICE };
static const char *region[] = {"main",	 "MPI_Send", "MPI_Ssend",   "MPI_Recv", "MPI_Irecv",
				     "MPI_Wait", "MPI_Barrier", "MPI_Scan", "MPI_Bcast",
				     "cudaStreamSynchronize()"};

/* ns for which rank 1 waits for a device before its barrier, or records nothing */
static int64_t device;
static int recorder;

/* Between calls a rank computes. */
struct call {
	int rank, region;
	int64_t enter, leave;
};
static const struct call usual[] = {
	{0, SEND, 100, 110},  {0, BARRIER, 200, 410}, {0, SSEND, 420, 700},
	{0, SCAN, 800, 940},
	{1, RECV, 50, 150},   {1, BARRIER, 400, 410}, {1, RECV, 690, 700},
	{1, SCAN, 720, 820},
};
/* Rank 1 leaves a broadcast of rank 0 before rank 2 enters it. */
static const struct call early_leave[] = {
	{0, BCAST, 300, 900}, {1, BCAST, 100, 320}, {2, SEND, 400, 410}, {2, BCAST, 600, 950},
};
/* The receive for which a synchronous send waits is known only when it is complete. */
static const struct call posted[] = {
	{0, SSEND, 100, 510}, {0, BARRIER, 890, 900},
	{1, IRECV, 500, 505}, {1, SEND, 520, 600}, {1, WAIT, 800, 810}, {1, BARRIER, 820, 900},
};
/* The clock of rank 1 is slow: it receives before rank 0 sends, and leaves the barrier before rank 0 enters. */
static const struct call slow_clock[] = {
	{0, RECV, 130, 300}, {0, SEND, 500, 510}, {0, SEND, 600, 610},	    {0, BARRIER, 900, 910},
	{1, SEND, 10, 20},   {1, RECV, 50, 120},  {1, BARRIER, 220, 530}, {1, RECV, 640, 650},
};
static const struct call *calls = usual;
static size_t call_n = sizeof(usual) / sizeof(*usual);
static int ranks = 2;

static void put_collective(struct buffer *f, int kind)
{
	put_varint(f, kind == SCAN    ? TAU_COLL_SCAN
		      : kind == BCAST ? TAU_COLL_BROADCAST
				      : TAU_COLL_BARRIER);
	put_varint(f, 0);
	put_zigzag(f, kind == BCAST ? 0 : -1);
	put_varint(f, kind == BARRIER ? 0 : 8);
	put_varint(f, kind == BARRIER ? 0 : 8);
}

static void put_message(struct buffer *f, const struct call *c)
{
	put_zigzag(f, !c->rank);
	put_zigzag(f, 1);
	put_varint(f, 0);
	put_varint(f, 0);
	if (c->region == WAIT)
		put_zigzag(f, 0);	/* the request before */
}

static void write_call(struct writer *w, const struct call *c)
{
	struct buffer f = {0};
	int kind = c->region;
	uint64_t at = (uint64_t)(BEGIN + c->enter);

	if (device && c->rank && kind == BARRIER) {
		writer_enter(w, (uint64_t)(BEGIN + 200), DEVICE);
		writer_leave(w, (uint64_t)(BEGIN + 200 + device));
	}
	writer_enter(w, at, (uint32_t)kind);
	if (kind == IRECV)
		put_zigzag(&f, 1);
	else if (kind >= BARRIER)
		put_collective(&f, kind);
	else
		put_message(&f, c);
	writer_extended(w, at,
			kind == IRECV			 ? TAU_REC_POSTED
			: kind >= BARRIER		 ? TAU_REC_COLL
			: kind == RECV || kind == WAIT ? TAU_REC_RECV
							 : TAU_REC_SEND,
			&f);
	writer_leave(w, (uint64_t)(BEGIN + c->leave));
}

static void write_rank(const char *run, int rank)
{
	char path[128];
	struct writer w;

	snprintf(path, sizeof(path), "%s/%d.tau", run, rank);
	writer_open(&w, path, 100 + (uint64_t)rank, 0, (uint64_t)BEGIN, (uint64_t)BEGIN);
	writer_rank(&w, (uint32_t)rank, (uint32_t)ranks);
	for (uint32_t i = 0; i <= DEVICE; i++)
		writer_region(&w, i, region[i], i == DEVICE && recorder ? "TAU_UTILITY" : "");
	writer_enter(&w, (uint64_t)BEGIN, MAIN);
	for (size_t i = 0; i < call_n; i++)
		if (calls[i].rank == rank)
			write_call(&w, &calls[i]);
	writer_leave(&w, (uint64_t)(BEGIN + 1000));
	writer_close(&w);
}

static void is(const char *what, double got, double expected)
{
	ok(fabs(got - expected) < 1e-12 * fmax(1, fabs(expected)), "%s: %.15g (%.15g)", what, got,
	   expected);
}

static void check(const struct window_span *span, double u0, double u1, double ideal, double runtime)
{
	struct trace *t = run_open(dir, ranks, write_rank);
	struct error e = {0};
	struct efficiency x;
	struct messages_use use;
	struct messages m = {.trace = t, .span = span, .use = &use, .use_n = 1};
	double most = fmax(u0, u1), mean = (u0 + u1) / 2;

	use = efficiency_use(&x, &m);
	ok(t && !messages_read(&m, &e), "the run is read");
	efficiency_end(&x);
	is("mean useful time", x.mean, mean - (double)device / 2);
	is("largest useful time", x.most, fmax(u0, u1 - (double)device));
	is("waits for devices", efficiency_own(&x), (mean - (double)device / 2) / mean);
	ok(efficiency_has_own(&x) == (device > 0), "%d ns of them", (int)device);
	is("time of the recorder", x.recorder_mean, recorder ? (double)device / 2 : 0);
	is("runtime", x.runtime, runtime);
	is("runtime on an ideal network", x.ideal, ideal);
	is("load balance", efficiency_balance(&x), mean / most);
	is("serialisation", efficiency_serialisation(&x), most / ideal);
	is("transfer", efficiency_transfer(&x), ideal / runtime);
	is("the product", efficiency_balance(&x) * efficiency_serialisation(&x) *
				  efficiency_transfer(&x) * efficiency_own(&x),
	   (mean - (double)device / 2) / runtime);
	ok(x.most <= x.ideal && x.ideal <= x.runtime, "the ideal runtime is between");
	efficiency_release(&x);
	messages_release(&m);
	trace_free(t);
}

#define IDEAL_IS(what, n_ranks, v, ns)                                                             \
	(calls = (v), call_n = sizeof(v) / sizeof(*(v)), ranks = (n_ranks), ideal_is(what, ns))

static void ideal_is(const char *what, double ideal)
{
	struct trace *t = run_open(dir, ranks, write_rank);
	struct error e = {0};
	struct efficiency x;
	struct messages_use use;
	struct messages m = {.trace = t, .use = &use, .use_n = 1};

	use = efficiency_use(&x, &m);
	ok(t && !messages_read(&m, &e), "the run is read");
	efficiency_end(&x);
	is(what, x.ideal, ideal);
	efficiency_release(&x);
	messages_release(&m);
	trace_free(t);
}

int main(void)
{
	/* The first message, and the barrier: the second rank has 100 + 250 then. */
	const struct window_span half[] = {{0, 410}, {0, 410}}, to_receive[] = {{0, 700}, {0, 700}};
	char command[64];

	if (!mkdtemp(dir))
		return 1;
	check(half, 190, 300, 350, 410);
	/* Then the first rank waits for the receive of the second: 350 + 280. */
	check(to_receive, 200, 580, 630, 700);
	/* The second waits for the first in the scan, 630 + 100, and has 180 after it; the first does not wait. */
	check(NULL, 360, 780, 910, 1000);
	/* A device is no part of the network: its time stays, but is not useful. */
	device = 60;
	check(NULL, 360, 780, 910, 1000);
	recorder = 1;
	region[DEVICE] = "MEASUREMENT OFF";
	check(NULL, 360, 780, 910, 1000);
	device = 0;
	/* Rank 1 has the data at 300 and computes 680. */
	IDEAL_IS("a broadcast that a rank leaves before another enters", 3, early_leave, 980);
	/* Rank 0 goes on at 500 and computes 380 to the barrier, and 100 after it. */
	IDEAL_IS("a synchronous send whose receive was posted", 2, posted, 980);
	/* Rank 1 has the message at 330; rank 0 is in the barrier at 710, then rank 1 computes 110 + 350. */
	IDEAL_IS("a slow clock", 2, slow_clock, 1170);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ok(!system(command), "files removed");
	return tap_end();
}
