/*
 * cuts.c: fuzzes what is kept of cuts beside a run (STREAM.cuts). The bytes are the window (8 bits each: its begin and length in
 * 1/256 of the run), then edits of the numbers that a small run of three ranks has (which one, and what it is, as varints).
 * Whatever they are, a window is read to its end. With the unchanged numbers it has the waits that a pass over everything finds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/messages/critical_path.h"
#include "analyze/messages/cuts.h"
#include "analyze/messages/efficiency.h"
#include "analyze/messages/traffic.h"
#include "analyze/messages/waits.h"
#include "numbers.h"
#include "tests/files.h"
#include "tests/ranks.h"

#define RANKS  3
#define ROUNDS 60
#define ROUND  1000 /* ns */
#define BEGIN  1000000

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n);

static char dir[] = "/tmp/tau-fuzz-cuts.XXXXXX";
static struct trace *trace;

/* ---- the run: messages and requests that are open for a round, barriers ---- */

static const char *const region[] = {"main", "MPI_Send()", "MPI_Recv()", "MPI_Isend()", "MPI_Wait()", "MPI_Barrier()"};
enum { MAIN, SEND, RECV, ISEND, WAIT, BARRIER, REGIONS };

static void message(struct writer *w, uint64_t at, unsigned kind, int peer, int is_request)
{
	struct buffer f = {0};

	put_zigzag(&f, peer);
	put_zigzag(&f, 5);
	put_varint(&f, 0);
	put_varint(&f, 64);
	if (is_request)
		put_zigzag(&f, 1); /* the number after the last one */
	writer_extended(w, at, kind, &f);
}

static void completed(struct writer *w, uint64_t at)
{
	struct buffer f = {0};

	put_zigzag(&f, 0); /* the last one */
	writer_extended(w, at, TAU_REC_COMPLETED, &f);
}

/* Rank 0 sends to 1, which receives in the next round; 1 sends to 2 and waits for its request in the next round; all meet. */
static void round_write(struct writer *w, int rank, uint64_t at, int first)
{
	const uint64_t late = 100 * (uint64_t)rank;

	if (rank == 0) {
		writer_enter(w, at + 100, SEND);
		message(w, at + 101, TAU_REC_SEND, 1, 0);
		writer_leave(w, at + 120);
	} else if (rank == 1) {
		if (!first) {
			writer_enter(w, at + 20, RECV);
			message(w, at + 150, TAU_REC_RECV, 0, 0);
			writer_leave(w, at + 160);
			writer_enter(w, at + 165, WAIT);
			completed(w, at + 180);
			writer_leave(w, at + 190);
		}
		writer_enter(w, at + 200, ISEND);
		message(w, at + 201, TAU_REC_SEND, 2, 1);
		writer_leave(w, at + 230);
	} else if (!first) {
		writer_enter(w, at + 10, RECV);
		message(w, at + 50, TAU_REC_RECV, 1, 0);
		writer_leave(w, at + 60);
	}
	writer_enter(w, at + 400 + late, BARRIER);
	writer_collective(w, at + 400 + late, TAU_COLL_BARRIER, -1);
	writer_leave(w, at + 700);
}

static void rank_write(const char *run, int rank)
{
	struct writer w;

	rank_file_open(&w, run, rank, RANKS, BEGIN, region, REGIONS, SEND);
	w.limit = 0;
	writer_enter(&w, BEGIN, MAIN);
	for (int i = 0; i < ROUNDS; i++)
		round_write(&w, rank, BEGIN + ROUND * (uint64_t)i, !i);
	writer_leave(&w, BEGIN + ROUND * ROUNDS);
	writer_close(&w);
}

/* ---- what is found in it ---- */

struct found {
	double ns, path, useful;
	uint64_t messages, calls;
};

static struct found find(const struct window_span *span, int with)
{
	struct found to = {0};
	struct waits waits;
	struct traffic traffic;
	struct critical_path critical;
	struct efficiency efficiency;
	struct messages_use use[4];
	struct messages m = {.trace = trace, .span = span, .use = use, .use_n = 4, .cuts = with};
	struct error e = {0};

	use[0] = waits_use(&waits, &m);
	waits.culprits.wanted = 1;
	use[1] = traffic_use(&traffic, &m);
	use[2] = critical_path_use(&critical, &m);
	use[3] = efficiency_use(&efficiency, &m);
	if (messages_read(&m, &e))
		abort();
	waits_end(&waits);
	traffic_end(&traffic);
	critical_path_end(&critical);
	efficiency_end(&efficiency);
	for (size_t i = 0; i < traffic.pair_n; i++)
		to.messages += traffic.pair[i].messages.n;
	for (size_t i = 0; i < traffic.collective_n; i++)
		to.calls += traffic.collective[i].calls;
	for (size_t i = 0; i < critical.sum_n; i++)
		to.path += critical.sum[i];
	to.ns = waits.ns;
	to.useful = efficiency.mean;
	critical_path_release(&critical);
	efficiency_release(&efficiency);
	waits_release(&waits);
	traffic_release(&traffic);
	messages_release(&m);
	return to;
}

static void run_remove(void)
{
	trace_free(trace);
	folder_remove(dir);
}

static void run_make(void)
{
	uint64_t *records;

	if (!mkdtemp(dir) || !(trace = run_open(dir, RANKS, rank_write)))
		abort();
	atexit(run_remove);
	numbers_stand_in(trace, TRACE_NUMBERS_CUTS);
	/* Cuts are made of long runs only. */
	records = &trace->stream[0].records;
	*records += 37 * CUTS_STEP;
	find(NULL, 1);
	*records -= 37 * CUTS_STEP;
	if (!good_n)
		abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	struct window_span span[RANKS];
	struct found cut, all;

	if (n < 2)
		return 0;
	if (!trace)
		run_make();
	for (int r = 0; r < RANKS; r++) {
		span[r].begin = p[0] * trace->end / 256;
		span[r].end = span[r].begin + 1 + p[1] * trace->end / 256;
	}
	numbers_edit(p + 2, n - 2, 0);
	cut = find(span, 1);
	if (n == 2) {
		all = find(span, 0);
		if (memcmp(&cut, &all, sizeof(all)) != 0)
			abort();
	}
	numbers_drop();
	return 0;
}
