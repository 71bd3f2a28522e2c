/*
 * collectives.c: four ranks on two hosts that meet in barriers, broadcasts and reductions; the second host's clock is off and
 * drifts. What leaves too early is counted exactly, and nothing does once it is corrected. They meet in the world, or two by two,
 * one of each host, in communicators that count the other way round; as a run and as an OTF2 archive.
 */

#include "analyze/clocks/clocks.h"
#include "analyze/trace/collective.h"
#include "convert/trace_write.h"
#include "ranks.h"
#include "tap.h"
#include "trace_writer.h"

#define RANKS 4
#define ROUNDS 300
#define STEP INT64_C(20000000)
#define BEGIN INT64_C(1000000000000)
#define LAST 3000 /* ns after the begin of a round the last rank comes */
#define WIRE 4000

static char dir[] = "/tmp/tau-collectives.XXXXXX";
static int64_t skew;
static double drift;
static int without; /* rank 3 leaves this round out; -1: none */
static int pairs;   /* they meet two by two: 0 and 2, 1 and 3, whose communicator counts from the higher one */
static int threads; /* odd rounds are those of another thread */

static const struct {
	const char *name;
	unsigned op;
	enum collective_order order;
} kind[] = {
	{"MPI_Barrier()", TAU_COLL_BARRIER, COLLECTIVE_ALL},
	{"MPI_Bcast()", TAU_COLL_BROADCAST, COLLECTIVE_FROM_ROOT},
	{"MPI_Reduce()", TAU_COLL_REDUCE, COLLECTIVE_TO_ROOT},
	{"MPI_Ibarrier()", TAU_COLL_BARRIER, COLLECTIVE_FREE},
};
#define KINDS (sizeof(kind) / sizeof(*kind))

static int64_t host_clock(int rank, int64_t time)
{
	return rank / 2 ? time + skew + (int64_t)(drift * (double)(time - BEGIN)) : time;
}

static int meets(int rank, int other)
{
	return !pairs || rank % 2 == other % 2;
}

/* Whom a rank waits for, or that wait for it. */
static int root_of(int rank)
{
	return pairs ? rank % 2 : 0;
}

/* True times: ranks come one after the other, rank 0, the root, last; each leaves as soon as it may. */
static int64_t enter_at(int round, int rank)
{
	return BEGIN + (round + 1) * STEP + (rank != root_of(rank) ? (rank - 1) * 1000 : LAST + rank);
}

static int64_t leave_at(int round, int rank)
{
	enum collective_order order = kind[(size_t)round % KINDS].order;
	int root = root_of(rank);
	int waits = order == COLLECTIVE_ALL || order == (rank != root ? COLLECTIVE_FROM_ROOT : COLLECTIVE_TO_ROOT);

	return (waits ? enter_at(round, root) : enter_at(round, rank)) + WIRE + rank * 10;
}

/* How many calls are left too early by these clocks, and the worst. */
static uint64_t expected(int64_t *most)
{
	uint64_t n = 0;

	*most = 0;
	for (int round = 0; round < ROUNDS; round++)
		for (int rank = 0; rank < RANKS; rank++) {
			enum collective_order order = kind[(size_t)round % KINDS].order;
			int64_t need = INT64_MIN, out = host_clock(rank, leave_at(round, rank));

			for (int other = 0; other < RANKS; other++) {
				int64_t in = host_clock(other, enter_at(round, other));

				int root = root_of(rank);

				if (meets(rank, other) &&
				    (order == COLLECTIVE_ALL || (order == COLLECTIVE_FROM_ROOT && other == root && rank != root) ||
				     (order == COLLECTIVE_TO_ROOT && rank == root)) && in > need)
					need = in;
			}
			n += need > out;
			*most = need > out && need - out > *most ? need - out : *most;
		}
	return n;
}

static void write_thread(const char *run, int rank, int thread)
{
	struct writer w;
	char path[128];

	snprintf(path, sizeof(path), "%s/%d.%d.tau", run, rank, thread);
	writer_open(&w, path, 100 + (uint64_t)rank, (uint32_t)thread, (uint64_t)host_clock(rank, BEGIN),
		    (uint64_t)host_clock(rank, BEGIN));
	w.limit = 600;
	writer_meta(&w, "Hostname", rank / 2 ? "there" : "here");
	writer_rank(&w, (uint32_t)rank, RANKS);
	for (size_t k = 0; k < KINDS; k++)
		writer_region(&w, (uint32_t)k, kind[k].name, "MPI");
	if (pairs) {
		struct buffer f = {0};

		put_varint(&f, 7);
		put_string(&f, "column");
		put_varint(&f, 2);
		put_varint(&f, (uint64_t)(rank % 2 + 2));
		put_varint(&f, (uint64_t)(rank % 2));
		writer_define(&w, TAU_DEF_COMM, &f);
	}
	for (int round = 0; round < ROUNDS; round++) {
		uint32_t k = (uint32_t)((size_t)round % KINDS);
		struct buffer f = {0};
		uint64_t in = (uint64_t)host_clock(rank, enter_at(round, rank));

		if ((rank == 3 && round == without) || (threads && round % 2 != thread))
			continue;
		writer_enter(&w, in, k);
		put_varint(&f, kind[k].op);
		put_varint(&f, pairs ? 7 : 0);
		put_zigzag(&f, kind[k].op == TAU_COLL_BARRIER ? -1 : root_of(rank));
		put_varint(&f, 8);
		put_varint(&f, 8);
		writer_extended(&w, in, TAU_REC_COLL, &f);
		writer_leave(&w, (uint64_t)host_clock(rank, leave_at(round, rank)));
	}
	writer_close(&w);
}

static void write_rank(const char *run, int rank)
{
	for (int i = 0; i <= threads; i++)
		write_thread(run, rank, i);
}

/* Events whose time is before that of the event before. */
static int backwards(struct trace *t)
{
	int n = 0;

	for (uint32_t s = 0; s < t->stream_n; s++) {
		struct error e = {0};
		struct trace_cursor *c;
		struct event_batch *b;
		int64_t last = INT64_MIN;

		if (t->ops->open(t, s, INT64_MIN, &c, &e))
			return -1;
		while (t->ops->next(c, &b, &e) > 0)
			for (size_t i = 0; i < b->n; i++) {
				n += b->event[i].time < last;
				last = b->event[i].time;
			}
		t->ops->close(c);
	}
	return n;
}

static void test(int64_t by, double rate)
{
	struct causality c, after;
	struct error e = {0};
	struct trace *t;
	int64_t most;
	uint64_t n;
	int code;

	skew = by, drift = rate, without = -1;
	n = expected(&most);
	t = run_open(dir, RANKS, write_rank);
	code = causality_check(t, &c, &e);
	ok(!code && c.left == n && c.left_worst == most,
	   "skew %lld ns: %llu of %llu calls are left too early, by %lld ns (expected %llu, %lld)", (long long)by,
	   (unsigned long long)c.left, (unsigned long long)c.calls, (long long)c.left_worst, (unsigned long long)n,
	   (long long)most);
	ok(c.calls == RANKS * ROUNDS * 3 / 4 && !c.alone, "all calls that wait are looked at, and no others");
	ok(by ? n > 0 : !n, "clocks that are off are found, right ones are right");
	ok(!causality_correct(t, &after, &e) && after.left == n, "the correction counts them too");
	ok(!causality_check(t, &after, &e) && !after.left && after.calls == c.calls, "after it none is left too early");
	ok(!backwards(t), "no time goes back");
	trace_free(t);
}

/* A missing call shifts all calls after it: they do not fit, and are not checked. */
static void test_missing(void)
{
	struct causality c;
	struct error e = {0};
	struct trace *t;
	int code;

	skew = 50000, drift = 0, without = 100;
	t = run_open(dir, RANKS, write_rank);
	code = causality_check(t, &c, &e);
	ok(!code && c.calls == RANKS * 75 && c.alone,
	   "behind a call that is missing nothing is trusted: %llu are looked at", (unsigned long long)c.calls);
	trace_free(t);
}

/* Communicators of the same members are not distinguished, which matters when two threads use them. */
static void test_threads(void)
{
	struct causality c;
	struct error e = {0};
	struct trace *t;
	int code;

	skew = 50000, drift = 0, without = -1, threads = 1;
	t = run_open(dir, RANKS, write_rank);
	code = causality_check(t, &c, &e);
	ok(!code && !c.calls && !c.left && c.alone == RANKS * ROUNDS * 3 / 4,
	   "what several threads do in a communicator is left out: %llu calls, %llu others", (unsigned long long)c.calls,
	   (unsigned long long)c.alone);
	trace_free(t);
	threads = 0;
}

#ifdef HAVE_OTF2
/* Roots are ranks of the communicator there, and of the world here. */
static void test_archive(void)
{
	struct write_options o = {0};
	struct causality c;
	struct error e = {0};
	struct trace *t;
	int64_t most;
	uint64_t n;
	char path[64];
	int code;

	skew = 50000, drift = 0, without = -1;
	n = expected(&most);
	t = run_open(dir, RANKS, write_rank);
	snprintf(path, sizeof(path), "%s/archive", dir);
	code = otf2_write(t, path, &o, &e);
	trace_free(t);
	if (!ok(!code && !trace_open(path, &t, &e), "as an archive: it is written and opens"))
		return;
	code = causality_check(t, &c, &e);
	ok(!code && n && c.left == n && c.left_worst == most, "as an archive: %llu calls are left too early (expected %llu)",
	   (unsigned long long)c.left, (unsigned long long)n);
	trace_free(t);
}
#endif

int main(void)
{
	char command[64];

	if (!mkdtemp(dir))
		return 1;
	ok(collective_order("MPI_BARRIER_", COLL_BARRIER) == COLLECTIVE_ALL &&
	   collective_order("MPI_Allreduce", COLL_ALLREDUCE) == COLLECTIVE_ALL &&
	   collective_order("mpi_bcast_", COLL_BROADCAST) == COLLECTIVE_FROM_ROOT, "names in Fortran and C");
	ok(!collective_order("MPI_Iallreduce", COLL_ALLREDUCE) && !collective_order("MPI_Alltoallv", COLL_ALLTOALL) &&
	   !collective_order("MPI_Barrier_init", COLL_BARRIER) && !collective_order("MPI_Wait", COLL_BARRIER) &&
	   !collective_order("MPI_Reduce_scatter", COLL_REDUCE_SCATTER), "calls in which nobody need wait");
	test(0, 0);
	test(50000, 0);
	test(-50000, 0);
	test(5000000, 0);
	test(50000, 1e-6);
	test(-60000, -1e-6);
	test_missing();
	pairs = 1;
	test(0, 0);
	test(50000, 0);
	test(-60000, -1e-6);
	test_threads();
#ifdef HAVE_OTF2
	test_archive();
#else
	skip("as an archive", "no OTF2 library");
#endif
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		return 1;
	return tap_end();
}
