/*
 * whole.c: fuzzes what is kept of a whole run beside it: the critical path (STREAM.path) and waits (STREAM.waits). The bytes are which of the two
 * (8 bits), how many numbers are missing at the end (8 bits), then edits of the numbers that a small run has (which one, and what it is, as
 * varints). What is read indexes nothing outside of the run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/messages/cuts.h"
#include "analyze/messages/kept_whole.h"
#include "analyze/messages/messages.h"
#include "numbers.h"
#include "tests/files.h"
#include "tests/ranks.h"

#define RANKS 2
#define TURNS 8
#define BEGIN 1000000

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n);

static char dir[] = "/tmp/tau-fuzz-whole.XXXXXX";
static struct trace *trace;
static const enum trace_numbers which[] = {TRACE_NUMBERS_PATH, TRACE_NUMBERS_WAITS};
static int64_t *numbers[2];
static size_t number_n[2];

static const char *const region[] = {"main", "work", "MPI_Send()", "MPI_Recv()"};
enum { MAIN, WORK, SEND, RECV, REGIONS };

/* The first rank works and sends, the other one waits. */
static void rank_write(const char *run, int rank)
{
	struct writer w;

	rank_file_open(&w, run, rank, RANKS, BEGIN, region, REGIONS, SEND);
	w.limit = 0;
	writer_enter(&w, BEGIN, MAIN);
	for (unsigned i = 0; i < TURNS; i++) {
		const uint64_t at = BEGIN + 1000 * i + 10;

		writer_enter(&w, at, rank ? RECV : WORK);
		if (rank)
			writer_message(&w, at + 600, TAU_REC_RECV, 0);
		writer_leave(&w, at + (rank ? 610 : 500));
		if (rank)
			continue;
		writer_enter(&w, at + 510, SEND);
		writer_message(&w, at + 515, TAU_REC_SEND, 1);
		writer_leave(&w, at + 520);
	}
	writer_leave(&w, BEGIN + 1000 * TURNS);
	writer_close(&w);
}

static void run_remove(void)
{
	trace_free(trace);
	free(numbers[0]);
	free(numbers[1]);
	folder_remove(dir);
}

static void read_all(struct messages *m, struct messages_use use)
{
	struct error e = {0};

	m->use = &use;
	m->use_n = 1;
	if (messages_read(m, &e))
		abort();
}

static void path_keep(void)
{
	struct messages m = {.trace = trace};
	struct critical_path x;
	struct critical_times times;
	struct messages_found found;

	read_all(&m, critical_path_use(&x, &m));
	critical_path_end(&x);
	found = m.found;
	messages_again(&m);
	m.trace = trace;
	read_all(&m, critical_times_use(&times, &x, NULL));
	kept_path_put(&x, &times, &found);
	critical_times_release(&times);
	critical_path_release(&x);
	messages_release(&m);
}

static void waits_keep(void)
{
	struct messages m = {.trace = trace};
	struct messages_use use;
	struct waits x;

	use = waits_use(&x, &m);
	x.culprits.wanted = 1;
	read_all(&m, use);
	waits_end(&x);
	waits_culprits(&x);
	if (!x.culprits.v_n)
		abort();
	kept_waits_put(&x);
	waits_release(&x);
	messages_release(&m);
}

static void run_make(void)
{
	if (!mkdtemp(dir) || !(trace = run_open(dir, RANKS, rank_write)))
		abort();
	atexit(run_remove);
	trace->stream[0].records += CUTS_RUN; /* as if it were long */
	for (int i = 0; i < 2; i++) {
		good = NULL;
		numbers_stand_in(trace, which[i]);
		i ? waits_keep() : path_keep();
		if (!good)
			abort();
		numbers[i] = good;
		number_n[i] = good_n;
	}
}

static void path_check(uint32_t path, const struct messages *m)
{
	if (path >= m->paths.v_n || (path && m->paths.v[path].region >= trace->region_n))
		abort();
}

static int path_read(void)
{
	struct messages m = {.trace = trace};
	struct critical_path x;
	struct critical_times times;
	const int known = kept_path_get(&x, &times, &m);

	for (size_t i = 0; i < x.step_n; i++) {
		if (x.step[i].stream >= trace->stream_n || x.step[i].cause >= CRITICAL_CAUSES || x.step[i].end < x.step[i].begin)
			abort();
		if (x.step[i].path != TRACE_NONE)
			path_check(x.step[i].path, &m);
	}
	critical_times_release(&times);
	critical_path_release(&x);
	messages_release(&m);
	return known;
}

static int waits_read(void)
{
	struct messages m = {.trace = trace};
	struct waits x;
	const int known = kept_waits_get(&x, &m, 0);

	for (size_t i = 0; i < x.waits.v_n; i++) {
		path_check(x.waits.v[i].path, &m);
		if (x.waits.v[i].process >= trace->process_n || x.waits.v[i].pattern >= WAIT_PATTERNS)
			abort();
	}
	for (size_t i = 0; i < x.culprits.v_n; i++) {
		const struct culprit *c = &x.culprits.v[i];

		path_check(c->path, &m);
		path_check(c->before, &m);
		if (!c->who_n || c->who + c->who_n > x.culprits.who_n)
			abort();
		for (uint32_t k = 0; k < c->waiting.n && k < CULPRIT_FEW; k++)
			if (c->waiting.v[k] >= trace->process_n)
				abort();
	}
	waits_release(&x);
	messages_release(&m);
	return known;
}

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	int of, known;

	if (n < 2)
		return 0;
	if (!trace)
		run_make();
	of = p[0] & 1;
	kept_which = which[of];
	good = numbers[of];
	good_n = number_n[of];
	numbers_edit(p + 2, n - 2, p[1]);
	known = of ? waits_read() : path_read();
	if (!known && n == 2 && !p[1])
		abort();
	numbers_drop();
	return 0;
}
