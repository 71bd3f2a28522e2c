/*
 * rows.c: fuzzes what is kept of rows of streams beside a run (STREAM.rows). The bytes are what is requested (8 bits each: the power, the
 * first cell, the number of cells), how many numbers are missing at the end (8 bits), then edits of the numbers that a small run has
 * (which one, and what it is, as varints). Cells that are passed are in the request, in order, with regions of the trace that have time.
 */
#include <stdio.h>
#include <stdlib.h>

#include "analyze/messages/row_cells.h"
#include "numbers.h"
#include "tests/files.h"
#include "tests/ranks.h"

#define RANKS 4
#define CALLS 100
#define BEGIN 1000000

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n);

static char dir[] = "/tmp/tau-fuzz-rows.XXXXXX";
static struct trace *trace;

static const char *const region[] = {"main", "one", "two", "MPI_Send()"};
enum { MAIN, ONE, TWO, SEND, REGIONS };

static void rank_write(const char *run, int rank)
{
	struct writer w;

	rank_file_open(&w, run, rank, RANKS, BEGIN, region, REGIONS, SEND);
	w.limit = 0;
	writer_enter(&w, BEGIN, MAIN);
	for (unsigned i = 0; i < CALLS; i++) {
		writer_enter(&w, BEGIN + 100 * i + 10, ONE + i % 2);
		writer_leave(&w, BEGIN + 100 * i + 20 + 15 * (unsigned)rank);
	}
	writer_leave(&w, BEGIN + 100 * CALLS);
	writer_close(&w);
}

static void run_remove(void)
{
	trace_free(trace);
	free(good);
	folder_remove(dir);
}

static void run_make(void)
{
	const uint32_t shared[RANKS] = {0, 0, 2, 2};
	const char named[RANKS] = {1, 1, 1, 1};
	struct row_cells c;
	struct messages_use use;
	struct messages m = {.use = &use, .use_n = 1};
	struct error e = {0};

	if (!mkdtemp(dir) || !(trace = run_open(dir, RANKS, rank_write)))
		abort();
	atexit(run_remove);
	numbers_stand_in(trace, TRACE_NUMBERS_ROWS);
	m.trace = trace;
	use = row_cells_use(&c, &m, shared, named);
	if (messages_read(&m, &e))
		abort();
	row_cells_keep(&c, trace);
	row_cells_release(&c);
	messages_release(&m);
	if (!good_n)
		abort();
}

struct passed {
	const struct trace_cells *ask;
	int64_t next;
	uint64_t ns;
};

static void receive(void *to, const struct trace_cell *c)
{
	struct passed *x = to;

	if (c->cell < x->next || c->cell >= x->ask->first + (int64_t)x->ask->n || !c->n)
		abort();
	x->next = c->cell + 1;
	for (size_t i = 0; i < c->n; i++) {
		if (c->v[i].region >= trace->region_n || c->v[i].ns <= 0)
			abort();
		x->ns += (uint64_t)c->v[i].ns;
	}
}

static void pass(const struct row_cells *c, const unsigned char *p, int edited)
{
	struct trace_cells ask = {.power = c->power + p[0] % (CELLS_POWER_MOST + 1 - c->power),
				  .n = 1 + p[2],
				  .receive = receive};
	uint64_t ns = 0;

	ask.first = (int64_t)p[1] * (trace->end >> ask.power) / 256;
	for (size_t r = 0; r < c->row_n; r++) {
		struct passed x = {&ask, ask.first, 0};

		ask.to = &x;
		row_cells_pass(c, r, &ask);
		ns += x.ns;
	}
	if (!edited && ask.power == CELLS_POWER_MOST && ns != RANKS * 100 * CALLS)
		abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	struct row_cells c;

	if (n < 4)
		return 0;
	if (!trace)
		run_make();
	numbers_edit(p + 4, n - 4, p[3]);
	if (row_cells_get(&c, trace)) {
		pass(&c, p, n > 4 || p[3]);
		row_cells_release(&c);
	} else if (n == 4 && !p[3]) {
		abort();
	}
	numbers_drop();
	return 0;
}
