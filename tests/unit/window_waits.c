/*
 * window_waits.c: ranks whose waits for accesses to windows are known: what is found must be these, to the nanosecond.
 */
#include <math.h>
#include <string.h>

#include "analyze/messages/epochs.h"
#include "analyze/messages/waits.h"
#include "ranks.h"
#include "tap.h"
#include "trace_writer.h"

#define RANKS 4
#define BEGIN INT64_C(1000000)

static char dir[] = "/tmp/tau-epochs.XXXXXX";

static const char *const region[] = {"main", "MPI_Win_post()", "MPI_Win_wait()", "MPI_Win_start()", "MPI_Win_complete()",
				     "MPI_Win_lock()", "MPI_Win_unlock()", "MPI_Put()", "MPI_Win_lock_all()",
				     "MPI_Win_unlock_all()", "MPI_Barrier()", "MPI_Win_fence()"};
enum { MAIN, POST, WAIT, START, COMPLETE, LOCK, UNLOCK, PUT, LOCK_ALL, UNLOCK_ALL, BARRIER, FENCE };
#define REGIONS (sizeof(region) / sizeof(*region))

/* A call of a rank; peers: up to two, ending with NONE. */
#define NONE  99
#define MEETS (TAU_SYNCS + 1)
struct step {
	int rank, region;
	int64_t enter, leave;
	unsigned sync; /* of TAU_REC_SYNC; TAU_SYNCS: a transfer; MEETS: all meet */
	int peer[2];
};

static const struct step steps[] = {
	/* 1: the start waits for the last of two posts, and each wait for the complete */
	{0, START, 100, 410, TAU_SYNC_START, {1, 2}},
	{1, POST, 200, 210, TAU_SYNC_POST, {0, NONE}},
	{2, POST, 400, 405, TAU_SYNC_POST, {0, NONE}},
	{1, WAIT, 300, 620, TAU_SYNC_WAIT, {0, NONE}},
	{2, WAIT, 450, 630, TAU_SYNC_WAIT, {0, NONE}},
	{0, COMPLETE, 600, 640, TAU_SYNC_COMPLETE, {1, 2}},
	/* 2: the start returns at once, and the transfer waits */
	{0, START, 1000, 1010, TAU_SYNC_START, {1, NONE}},
	{0, PUT, 1020, 1300, TAU_SYNCS, {1, NONE}},
	{1, POST, 1250, 1260, TAU_SYNC_POST, {0, NONE}},
	{1, WAIT, 1500, 1510, TAU_SYNC_WAIT, {0, NONE}},
	{0, COMPLETE, 1400, 1420, TAU_SYNC_COMPLETE, {1, NONE}},
	/* 3: no transfer: the end waits */
	{0, START, 2000, 2010, TAU_SYNC_START, {1, NONE}},
	{0, COMPLETE, 2100, 2420, TAU_SYNC_COMPLETE, {1, NONE}},
	{1, POST, 2400, 2410, TAU_SYNC_POST, {0, NONE}},
	{1, WAIT, 2500, 2510, TAU_SYNC_WAIT, {0, NONE}},
	/* 4: three ranks lock the same memory, one after the other */
	{0, LOCK, 3000, 3010, TAU_SYNC_LOCK, {1, NONE}},
	{2, LOCK, 3100, 3510, TAU_SYNC_LOCK, {1, NONE}},
	{3, LOCK, 3200, 3910, TAU_SYNC_LOCK, {1, NONE}},
	{0, UNLOCK, 3500, 3520, TAU_SYNC_UNLOCK, {1, NONE}},
	{2, UNLOCK, 3900, 3920, TAU_SYNC_UNLOCK, {1, NONE}},
	{3, UNLOCK, 4000, 4010, TAU_SYNC_UNLOCK, {1, NONE}},
	/* 5: readers do not wait for each other, nor for locks of other memory */
	{0, LOCK, 5000, 5010, TAU_SYNC_LOCK_SHARED, {1, NONE}},
	{1, LOCK, 5000, 5010, TAU_SYNC_LOCK, {3, NONE}},
	{2, LOCK, 5100, 5600, TAU_SYNC_LOCK_SHARED, {1, NONE}},
	{0, UNLOCK, 5500, 5520, TAU_SYNC_UNLOCK, {1, NONE}},
	{1, UNLOCK, 5550, 5560, TAU_SYNC_UNLOCK, {3, NONE}},
	{2, UNLOCK, 5700, 5720, TAU_SYNC_UNLOCK, {1, NONE}},
	/* 6: a lock of all memory waits for one of them; a lock that returns at once, in its transfer */
	{0, LOCK, 6000, 6010, TAU_SYNC_LOCK, {2, NONE}},
	{3, LOCK_ALL, 6100, 6510, TAU_SYNC_LOCK_SHARED, {-1, NONE}},
	{1, LOCK, 6200, 6205, TAU_SYNC_LOCK, {2, NONE}},
	{0, UNLOCK, 6500, 6520, TAU_SYNC_UNLOCK, {2, NONE}},
	{1, PUT, 6550, 6720, TAU_SYNCS, {2, NONE}},
	{3, UNLOCK_ALL, 6700, 6710, TAU_SYNC_UNLOCK, {-1, NONE}},
	{1, UNLOCK, 6800, 6820, TAU_SYNC_UNLOCK, {2, NONE}},
	/* 7: the post comes after the epoch: clocks disagree, and the next epoch has the next post */
	{0, START, 7000, 7010, TAU_SYNC_START, {2, NONE}},
	{0, COMPLETE, 7020, 7030, TAU_SYNC_COMPLETE, {2, NONE}},
	{2, POST, 7100, 7110, TAU_SYNC_POST, {0, NONE}},
	{2, WAIT, 7120, 7130, TAU_SYNC_WAIT, {0, NONE}},
	{0, START, 7200, 7310, TAU_SYNC_START, {2, NONE}},
	{2, POST, 7300, 7305, TAU_SYNC_POST, {0, NONE}},
	{0, COMPLETE, 7400, 7410, TAU_SYNC_COMPLETE, {2, NONE}},
	{2, WAIT, 7500, 7510, TAU_SYNC_WAIT, {0, NONE}},
	/* 8: what has no counterpart */
	{0, UNLOCK, 8000, 8010, TAU_SYNC_UNLOCK, {1, NONE}},
	{1, COMPLETE, 8000, 8010, TAU_SYNC_COMPLETE, {3, NONE}},
	{2, POST, 8000, 8010, TAU_SYNC_POST, {77, 3}},
	{3, LOCK, 8000, 8010, TAU_SYNC_LOCK, {77, NONE}},
	/* 9: the last transfer to 0 ends at 9350, to 3 at 9260; what 1 does after its fence is of the next epoch */
	{0, FENCE, 9000, 9110, MEETS, {NONE}},
	{1, FENCE, 9010, 9110, MEETS, {NONE}},
	{2, FENCE, 9020, 9110, MEETS, {NONE}},
	{3, FENCE, 9100, 9110, MEETS, {NONE}},
	{1, PUT, 9200, 9290, TAU_SYNCS, {0, NONE}},
	{2, PUT, 9220, 9260, TAU_SYNCS, {3, NONE}},
	{2, PUT, 9300, 9350, TAU_SYNCS, {0, NONE}},
	{2, PUT, 9360, 9370, TAU_SYNCS, {77, NONE}},
	{0, FENCE, 9250, 9450, MEETS, {NONE}},
	{1, FENCE, 9295, 9410, MEETS, {NONE}},
	{2, FENCE, 9400, 9420, MEETS, {NONE}},
	{3, FENCE, 9255, 9420, MEETS, {NONE}},
	{1, PUT, 9411, 9412, TAU_SYNCS, {0, NONE}},
	{0, FENCE, 9500, 9610, MEETS, {NONE}},
	{1, FENCE, 9510, 9610, MEETS, {NONE}},
	{2, FENCE, 9520, 9610, MEETS, {NONE}},
	{3, FENCE, 9600, 9610, MEETS, {NONE}},
	/* 10: the last transfer of the epoch ends at 9700; one more comes before the wait ends */
	{3, POST, 9620, 9625, TAU_SYNC_POST, {0, NONE}},
	{0, START, 9630, 9640, TAU_SYNC_START, {3, NONE}},
	{3, WAIT, 9650, 9810, TAU_SYNC_WAIT, {0, NONE}},
	{0, PUT, 9660, 9700, TAU_SYNCS, {3, NONE}},
	{0, COMPLETE, 9800, 9805, TAU_SYNC_COMPLETE, {3, NONE}},
	{0, PUT, 9806, 9807, TAU_SYNCS, {3, NONE}},
};
#define STEPS (sizeof(steps) / sizeof(*steps))

static void put_fence(struct writer *w, uint64_t at)
{
	struct buffer f = {0};

	put_varint(&f, TAU_COLL_BARRIER);
	put_varint(&f, 0);
	put_zigzag(&f, -1);
	put_varint(&f, 0);
	put_varint(&f, 0);
	writer_extended(w, at, TAU_REC_COLL, &f);
}

static void write_rank(const char *run, int rank)
{
	char path[128];
	struct writer w;

	snprintf(path, sizeof(path), "%s/%d.0.tau", run, rank);
	writer_open(&w, path, 100 + (uint64_t)rank, 0, (uint64_t)BEGIN, (uint64_t)BEGIN);
	writer_rank(&w, (uint32_t)rank, RANKS);
	for (size_t i = 0; i < REGIONS; i++)
		writer_region(&w, (uint32_t)i, region[i], i ? "MPI" : "");
	writer_enter(&w, (uint64_t)BEGIN, MAIN);
	for (size_t i = 0; i < STEPS; i++) {
		const struct step *s = &steps[i];
		uint64_t enter = (uint64_t)(BEGIN + s->enter);

		if (s->rank != rank)
			continue;
		writer_enter(&w, enter, (uint32_t)s->region);
		if (s->sync == MEETS)
			put_fence(&w, enter);
		for (int k = 0; k < 2 && s->peer[k] != NONE; k++) {
			struct buffer f = {0};

			put_varint(&f, s->sync == TAU_SYNCS ? TAU_RMA_PUT : s->sync);
			if (s->sync != TAU_SYNCS)
				put_varint(&f, 0);
			put_zigzag(&f, s->peer[k]);
			if (s->sync == TAU_SYNCS)
				put_varint(&f, 8);
			writer_extended(&w, enter, s->sync == TAU_SYNCS ? TAU_REC_RMA : TAU_REC_SYNC, &f);
		}
		writer_leave(&w, (uint64_t)(BEGIN + s->leave));
	}
	writer_leave(&w, (uint64_t)(BEGIN + 10000));
	writer_close(&w);
}

static struct messages m;
static struct waits x;

/* region NULL: all. */
static void found(enum wait_pattern p, int rank, const char *leaf, uint64_t n, double expected)
{
	uint64_t calls = 0;
	double ns = 0;

	for (size_t i = 0; i < x.waits.v_n; i++) {
		const struct wait_row *r = &x.waits.v[i];

		if (r->pattern != p || (int)m.trace->process[r->process].node != rank ||
		    (leaf && strcmp(m.trace->region[m.paths.v[r->path].region].name, leaf)))
			continue;
		ns += r->ns;
		calls += r->n;
	}
	ok(fabs(ns - expected) < 1e-6 && calls == n, "%s, rank %d, %s: %d calls, %.3f ns (%d, %.3f)", wait_name(p), rank,
	   leaf ? leaf : "all", (int)calls, ns, (int)n, expected);
}

static void test_waits(void)
{
	found(WAIT_LATE_POST, 0, "MPI_Win_start()", 2, 300 + 100);
	found(WAIT_LATE_POST, 0, "MPI_Put()", 1, 230);
	found(WAIT_LATE_POST, 0, "MPI_Win_complete()", 1, 300);
	found(WAIT_LATE_POST, 0, NULL, 4, 930);
	found(WAIT_EARLY_WAIT, 1, NULL, 1, 300);
	found(WAIT_EARLY_WAIT, 2, NULL, 1, 150);
	found(WAIT_WINDOW_LOCK, 0, NULL, 0, 0);
	found(WAIT_WINDOW_LOCK, 2, "MPI_Win_lock()", 1, 400);
	found(WAIT_WINDOW_LOCK, 3, "MPI_Win_lock()", 1, 700);
	found(WAIT_WINDOW_LOCK, 3, "MPI_Win_lock_all()", 1, 400);
	found(WAIT_WINDOW_LOCK, 1, "MPI_Put()", 1, 150);
	found(WAIT_WINDOW_LOCK, 1, NULL, 1, 150);
	found(WAIT_FENCE, 0, NULL, 3, 100 + 150 + 100);
	found(WAIT_EARLY_FENCE, 0, "MPI_Win_fence()", 1, 100);
	found(WAIT_EARLY_FENCE, 1, NULL, 0, 0);
	found(WAIT_EARLY_FENCE, 2, NULL, 0, 0);
	found(WAIT_EARLY_FENCE, 3, NULL, 1, 5);
	found(WAIT_LATE_COMPLETE, 1, NULL, 1, 300);
	found(WAIT_LATE_COMPLETE, 2, NULL, 1, 150);
	found(WAIT_EARLY_WAIT, 3, NULL, 1, 150);
	found(WAIT_LATE_COMPLETE, 3, "MPI_Win_wait()", 1, 100);
	ok(!wait_is_caused(WAIT_EARLY_FENCE) && !wait_is_caused(WAIT_LATE_COMPLETE), "parts of waits are in no sum");
	ok(!m.found.matched && !m.found.early && !m.found.unsent && !m.found.unreceived,
	   "they are not counted as messages");
}

/* A fence clears the list of transfers before it, so that the list does not grow. */
static void test_cleared(void)
{
	struct trace t = {.process_n = 1};
	struct matching matching = {.channels.trace = &t};
	struct epochs e;
	size_t before = 0, left = 0;

	epochs_init(&e, &matching);
	for (int i = 0; i < 50; i++) {
		struct message_call fence = {.process = 0};

		epochs_aimed(&e, 0, 1, 10 * i);
		epochs_aimed(&e, 0, 1, 10 * i + 5);
		before += e.of[0].aimed_n;
		epochs_fence(&e, &fence);
		left += e.of[0].aimed_n;
		epochs_drop(&fence);
	}
	ok(before == 50, "before each of 50 fences one target is in the list: %zu", before);
	ok(!left, "and none after it: %zu", left);
	epochs_release(&e);
}

int main(void)
{
	struct epochs none;
	struct error e = {0};
	struct messages_use use;
	char command[64];
	struct trace *t;

	epochs_init(&none, NULL);
	ok(!epochs_has(&none, 0), "without synchronisation there is no epoch");
	if (!mkdtemp(dir))
		return 1;
	t = run_open(dir, RANKS, write_rank);
	m = (struct messages){.trace = t, .use = &use, .use_n = 1};
	use = waits_use(&x, &m);
	ok(t && !messages_read(&m, &e), "the run is read %s", e.text);
	waits_end(&x);
	test_waits();
	test_cleared();
	waits_release(&x);
	messages_release(&m);
	trace_free(t);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ok(!system(command), "files removed");
	return tap_end();
}
