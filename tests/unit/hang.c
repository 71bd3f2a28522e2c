/*
 * hang.c: what threads wait for at the end of a trace, and which of them can never go on: of many small jobs drawn at random, against the
 * definition, tried for each set of ranks; and the waits of a live header as records.
 */
#include <string.h>

#include "analyze/hang/ends.h"
#include "analyze/hang/hang.h"
#include "analyze/hang/holders.h"
#include "convert/native/live/native_waits.h"
#include "files.h"
#include "ranks.h"
#include "seed.h"
#include "tap.h"
#include "trace_writer.h"

#define MOST 6
#define JOBS 400

enum { MAIN, WAITALL, FINALIZE };
enum does { RUNS, WAITS_ALL, WAITS_ANY, ENDED, DOES };

struct rank {
	enum does does;
	int peer[3], n; /* -1: any */
};
static struct rank rank[MOST];
static int ranks;
static uint64_t seed;
static char dir[] = "/tmp/tau-hang.XXXXXX";

static unsigned draw(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed >> 32) % n;
}

/* ---- the definition ---- */

static int is_in(unsigned set, int r)
{
	return set >> r & 1;
}

/* Can the message not come if no rank of the set goes on? */
static int is_vain(unsigned set, int me, int peer)
{
	int vain = 1;

	if (peer >= 0)
		return is_in(set, peer) || rank[peer].does == ENDED;
	for (int r = 0; r < ranks; r++)
		vain &= r == me || is_in(set, r) || rank[r].does == ENDED;
	return vain;
}

/* No rank of the set can go on, if no other rank of the set does. */
static int is_stuck(unsigned set)
{
	for (int r = 0; r < ranks; r++) {
		int vain = 0;

		if (!is_in(set, r))
			continue;
		if (rank[r].does == RUNS || rank[r].does == ENDED)
			return 0;
		for (int k = 0; k < rank[r].n; k++)
			vain += is_vain(set, r, rank[r].peer[k]);
		if (rank[r].does == WAITS_ALL ? !vain : vain < rank[r].n)
			return 0;
	}
	return 1;
}

static unsigned stuck_ranks(void)
{
	unsigned all = 0;

	for (unsigned set = 1; set < 1u << ranks; set++)
		if (is_stuck(set))
			all |= set;
	return all;
}

/* ---- the trace ---- */

static void write_rank(const char *run, int r)
{
	struct buffer none = {0};
	char path[128];
	struct writer w;

	snprintf(path, sizeof(path), "%s/%d.tau", run, r);
	writer_open(&w, path, 100 + (uint64_t)r, 0, 1000, 1000);
	writer_rank(&w, (uint32_t)r, (uint32_t)ranks);
	writer_region(&w, MAIN, "main", "");
	writer_region(&w, WAITALL, "MPI_Waitall()", "MPI");
	writer_region(&w, FINALIZE, "MPI_Finalize()", "MPI");
	writer_enter(&w, 1000, MAIN);
	writer_enter(&w, 1010, WAITALL);
	if (rank[r].does == RUNS)
		writer_leave(&w, 1100);
	if (rank[r].does == ENDED)
		writer_extended(&w, 1100, TAU_REC_THREAD_END, &none);
	if (rank[r].does == WAITS_ALL || rank[r].does == WAITS_ANY) {
		writer_wait(&w, 1300, rank[r].does == WAITS_ANY ? TAU_WAIT_ANY : TAU_WAIT_ALL, TAU_COLL_OTHER, 0, 0);
		for (int k = 0; k < rank[r].n; k++)
			writer_wait(&w, 1300, TAU_WAIT_RECEIVE, TAU_COLL_OTHER, rank[r].peer[k], 5);
	}
	writer_close(&w);
}

static void draw_ranks(void)
{
	ranks = 2 + (int)draw(MOST - 1);
	for (int r = 0; r < ranks; r++) {
		rank[r] = (struct rank){.does = draw(5) ? 1 + draw(2) : (enum does)draw(DOES),
					.n = 1 + (int)draw(3)};
		for (int k = 0; k < rank[r].n; k++) {
			rank[r].peer[k] = draw(6) ? (int)draw((unsigned)ranks) : -1;
			if (rank[r].peer[k] == r)
				rank[r].peer[k] = (r + 1) % ranks;
		}
	}
}

/* ---- what is found ---- */

static int waits_for(int r, int other)
{
	for (int k = 0; k < rank[r].n; k++)
		if (rank[r].peer[k] == other || rank[r].peer[k] < 0)
			return 1;
	return 0;
}

static int circle_is_right(const struct hang *h, const struct thread_ends *ends)
{
	const struct trace_process *p = ends->trace->process;

	for (size_t i = 0; i < h->circle_n; i++) {
		int from = (int)p[ends->thread[h->circle[i]].process].rank;
		int to = (int)p[ends->thread[h->circle[(i + 1) % h->circle_n]].process].rank;

		if (h->thread[h->circle[i]].state != HANG_BLOCKED || !waits_for(from, to))
			return 0;
	}
	return 1;
}

static int job_is_right(struct trace *t)
{
	unsigned expected = stuck_ranks(), found = 0;
	struct thread_ends ends;
	struct hang h = {0};
	struct error e;
	int good = 1;

	if (ends_read(&ends, t, &e))
		return 0;
	hang_find(&h, &ends, 0);
	for (size_t i = 0; i < ends.thread_n; i++) {
		int r = (int)t->process[ends.thread[i].process].rank;
		int waits = rank[r].does == WAITS_ALL || rank[r].does == WAITS_ANY;

		found |= (unsigned)(h.thread[i].state == HANG_BLOCKED) << r;
		good &= (h.thread[i].state == HANG_RUNS) == (rank[r].does == RUNS);
		good &= (h.thread[i].state == HANG_ENDED) == (rank[r].does == ENDED);
		good &= ends.thread[i].wait_n == (waits ? (size_t)rank[r].n : 0);
		good &= !waits || (h.thread[i].since == ends.thread[i].enter[1] &&
				   ends_process(&ends, r) == ends.thread[i].process);
	}
	good &= ends.thread_n == (size_t)ranks && found == expected && circle_is_right(&h, &ends);
	if (found != expected)
		printf("# found %x, expected %x of %d ranks\n", found, expected, ranks);
	hang_release(&h);
	ends_release(&ends);
	return good;
}

static void jobs(void)
{
	int wrong = 0, stuck = 0;

	for (int i = 0; i < JOBS; i++) {
		struct trace *t;

		draw_ranks();
		t = run_open(dir, ranks, write_rank);
		stuck += stuck_ranks() != 0;
		wrong += !t || !job_is_right(t);
		if (t)
			trace_free(t);
	}
	ok(!wrong, "%d of %d jobs: the ranks that can never go on are found, and no other ones", JOBS - wrong, JOBS);
	ok(stuck > JOBS / 5 && stuck < JOBS, "... %d have such ranks", stuck);
}

/* ---- ranks that send to each other ---- */

static int posts;

static void write_sender(const char *run, int r)
{
	struct buffer f = {0};
	char path[128];
	struct writer w;

	snprintf(path, sizeof(path), "%s/%d.tau", run, r);
	writer_open(&w, path, 100 + (uint64_t)r, 0, 1000, 1000);
	writer_rank(&w, (uint32_t)r, 2);
	writer_region(&w, 0, "MPI_Irecv()", "MPI");
	writer_region(&w, 1, "MPI_Send()", "MPI");
	writer_enter(&w, 1000, 0);
	if (posts) {
		put_zigzag(&f, 1);
		writer_extended(&w, 1000, TAU_REC_POSTED, &f);
	}
	writer_leave(&w, 1010);
	writer_enter(&w, 1020, 1);
	put_zigzag(&f, 1 - r);
	put_zigzag(&f, 7);
	put_varint(&f, 0);
	put_varint(&f, 1 << 20);
	writer_extended(&w, 1020, TAU_REC_SEND, &f);
	writer_close(&w);
}

/* How many of two ranks that send to each other are blocked. */
static size_t blocked_senders(int with_receives)
{
	struct thread_ends ends = {0};
	struct hang h = {0};
	struct error e;
	struct trace *t;
	size_t blocked = SIZE_MAX;

	posts = with_receives;
	t = run_open(dir, 2, write_sender);
	if (t && !ends_read(&ends, t, &e)) {
		hang_find(&h, &ends, 0);
		blocked = h.in_state[HANG_BLOCKED];
		if (h.in_state[HANG_BLOCKED] + h.in_state[HANG_WAITS] != 2)
			blocked = SIZE_MAX;
	}
	hang_release(&h);
	ends_release(&ends);
	if (t)
		trace_free(t);
	return blocked;
}

/* ---- of a live header ---- */

static void live_put(struct native_columns *c, uint16_t later, uint16_t token)
{
	memcpy(c->data[TAU_TIMES] + c->length[TAU_TIMES], (uint16_t[2]){later, token}, 4);
	c->length[TAU_TIMES] += 4;
}

/* Records that are added to a chunk of these tokens, each 10 ticks after the other; its snapshot has no section. */
static size_t added(const uint16_t *token, size_t n, uint64_t tick, uint64_t file_tick, uint16_t minor, uint32_t header_size)
{
	struct tau_live_header live = {.header_size = header_size, .first_tick = 1000, .minor = minor, .file = {.tick = file_tick, .file = 3}};
	struct native_columns c = {0};
	size_t before;

	for (int i = 0; i < TAU_COLUMNS; i++) {
		c.cap[i] = 256;
		c.data[i] = mem_alloc(c.cap[i]);
	}
	c.length[TAU_ARGS] = 1;
	for (size_t i = 0; i < n; i++) {
		live_put(&c, 10, token[i]);
		if (token[i] == TAU_REC_UNWIND) {
			memcpy(c.data[TAU_ARGS] + c.length[TAU_ARGS], "\1\1", 2);
			c.length[TAU_ARGS] += 2;
		}
	}
	live.waits = (struct tau_live_waits){.tick = tick, .n = 2, .of = {{TAU_WAIT_RECEIVE, 10, 0, 1, 7}}};
	before = c.length[TAU_TIMES];
	native_waits_add(&c, &live);
	before = (c.length[TAU_TIMES] - before) / 4;
	for (int i = 0; i < TAU_COLUMNS; i++)
		free(c.data[i]);
	return before;
}

/* Who has the lock of a file for which process 0 waits, after what the processes did with it; -1: unknown. own: it is not of processes. */
static int64_t holder(int own, int64_t at_enter, int64_t by_kernel, const int *last)
{
	struct trace_event file = {.name = "a"};
	struct trace_process process[3] = {{.pid = 10, .host = "h", .lock_holder = by_kernel}, {.pid = 11, .host = "h"}, {.pid = 12, .host = "h"}};
	struct trace t = {.event = &file, .event_n = 1, .process = process, .process_n = 3};
	unsigned char ended[3] = {0};
	struct holders x = {0};
	struct holders_lock l = {.own = own, .pid = at_enter};

	for (uint32_t p = 0; p < 3; p++) {
		struct event_args a = {.io = {.op = IO_LOCK}};

		if (last[p] >= 0)
			holders_note(&x, &t, p, &a, 10);
		a.io.op = IO_UNLOCK;
		if (last[p] == 0)
			holders_note(&x, &t, p, &a, 20);
		a.io.op = IO_CLOSE;
		if (last[p] >= 0)
			holders_note(&x, &t, p, &a, 5); /* by another thread, earlier */
	}
	holders_find(&x, &t, ended, &l);
	holders_release(&x);
	return l.holder;
}

static void holders(void)
{
	ok(holder(0, 11, 0, (int[]){-1, -1, -1}) == 1, "the process that had a lock when the call began");
	ok(holder(0, 11, 0, (int[]){-1, 0, 1}) == 2, "it has given it back: the one that has it since");
	ok(holder(0, 11, 12, (int[]){-1, 1, 0}) == 2, "the kernel's table is the latest");
	ok(holder(0, 99, 0, (int[]){-1, 1, -1}) == -1, "a process that is not recorded");
	ok(holder(1, 0, 0, (int[]){-1, -1, 1}) == 2, "the only one that has a lock by its records");
	ok(holder(1, 0, 0, (int[]){-1, 1, 1}) == -1, "two have one");
	ok(holder(1, 0, 0, (int[]){1, -1, -1}) == 0, "the caller has it by another descriptor");
	ok(holder(0, 0, 0, (int[]){1, -1, -1}) == -1, "but not what belongs to processes");
}

static void headers(void)
{
	static const uint16_t open[] = {TAU_TOKEN_REGION, TAU_TOKEN_REGION + 1, TAU_TOKEN_REGION + 2, 0};
	static const uint16_t left[] = {TAU_TOKEN_REGION, TAU_TOKEN_REGION + 1, 0, TAU_TOKEN_REGION + 1};
	static const uint16_t unwound[] = {TAU_TOKEN_REGION, TAU_TOKEN_REGION + 1, TAU_REC_UNWIND};
	const uint32_t size = sizeof(struct tau_live_header);

	ok(added(open, 4, 1020, 0, 5, size) == 3, "waits of a call that is open: one record for all, one for each");
	ok(added(open, 4, 0, 1020, 5, size) == 1 && added(open, 4, 0, 1030, 5, size) == 0, "of a call on a file that is open: one record");
	ok(added(open, 4, 0, 1020, 4, size) == 0, "not by a recorder of an earlier version");
	ok(added(open, 4, 1030, 0, 5, size) == 0, "of a call inside it that has returned: none");
	ok(added(left, 4, 1020, 0, 5, size) == 0, "of an earlier call of the same function: none");
	ok(added(unwound, 3, 1020, 0, 5, size) == 0, "of a call that ended without a leave: none");
	ok(added(open, 4, 1025, 0, 5, size) == 0 && added(open, 4, 0, 0, 5, size) == 0, "of no call: none");
	ok(added(open, 4, 1020, 0, 5, TAU_LIVE_LEAST) == 0, "of a header before minor version 2: none");
}

int main(void)
{
	seed = test_seed(37);
	if (!mkdtemp(dir))
		return 1;
	jobs();
	ok(blocked_senders(0) == 2, "two ranks that send to each other and receive nothing are blocked");
	ok(blocked_senders(1) == 0, "with receives that are posted they are not");
	headers();
	holders();
	folder_remove(dir);
	return tap_end();
}
