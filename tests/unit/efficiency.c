/* efficiency.c: two ranks whose efficiencies and replay on an ideal network are known in closed form. */

#include <math.h>

#include "analyze/messages/efficiency.h"
#include "ranks.h"
#include "tap.h"
#include "trace_writer.h"

#define BEGIN INT64_C(1000000)

static char dir[] = "/tmp/tau-efficiency.XXXXXX";

enum { MAIN, SEND, SSEND, RECV, BARRIER, SCAN, DEVICE };
static const char *const region[] = {"main",	   "MPI_Send",	  "MPI_Ssend",
				     "MPI_Recv",	   "MPI_Barrier", "MPI_Scan",
				     "cudaStreamSynchronize()"};

/* ns for which rank 1 waits for a device before its barrier */
static int64_t device;

/* Between calls a rank computes. */
static const struct {
	int rank, region;
	int64_t enter, leave;
} calls[] = {
	{0, SEND, 100, 110},  {0, BARRIER, 200, 410}, {0, SSEND, 420, 700},
	{0, SCAN, 800, 940},
	{1, RECV, 50, 150},   {1, BARRIER, 400, 410}, {1, RECV, 690, 700},
	{1, SCAN, 720, 820},
};
#define CALLS (sizeof(calls) / sizeof(*calls))

static void write_rank(const char *run, int rank)
{
	char path[128];
	struct writer w;

	snprintf(path, sizeof(path), "%s/%d.tau", run, rank);
	writer_open(&w, path, 100 + (uint64_t)rank, 0, (uint64_t)BEGIN, (uint64_t)BEGIN);
	writer_rank(&w, (uint32_t)rank, 2);
	for (uint32_t i = 0; i <= DEVICE; i++)
		writer_region(&w, i, region[i], "");
	writer_enter(&w, (uint64_t)BEGIN, MAIN);
	for (size_t i = 0; i < CALLS; i++) {
		struct buffer f = {0};
		int kind = calls[i].region;

		if (calls[i].rank != rank)
			continue;
		if (device && rank && kind == BARRIER) {
			writer_enter(&w, (uint64_t)(BEGIN + 200), DEVICE);
			writer_leave(&w, (uint64_t)(BEGIN + 200 + device));
		}
		writer_enter(&w, (uint64_t)(BEGIN + calls[i].enter), (uint32_t)kind);
		if (kind >= BARRIER) {
			put_varint(&f, kind == SCAN ? TAU_COLL_SCAN : TAU_COLL_BARRIER);
			put_varint(&f, 0);
			put_zigzag(&f, -1);
			put_varint(&f, kind == SCAN ? 8 : 0);
			put_varint(&f, kind == SCAN ? 8 : 0);
		} else {
			put_zigzag(&f, !rank);
			put_zigzag(&f, 1);
			put_varint(&f, 0);
			put_varint(&f, 0);
		}
		writer_extended(&w, (uint64_t)(BEGIN + calls[i].enter),
				kind >= BARRIER ? TAU_REC_COLL
				: kind == RECV	? TAU_REC_RECV
						: TAU_REC_SEND,
				&f);
		writer_leave(&w, (uint64_t)(BEGIN + calls[i].leave));
	}
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
	struct trace *t = run_open(dir, 2, write_rank);
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
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ok(!system(command), "files removed");
	return tap_end();
}
