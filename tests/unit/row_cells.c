/*
 * row_cells.c: sums of rows of streams by cells of time: those of each power are the sums of the events, and also if there are many regions, with
 * which cells grow; what is kept beside the run is the same, and wrong numbers are refused.
 */
#include <string.h>

#include "analyze/messages/row_cells.h"
#include "convert/native/index/native_numbers.h"
#include "files.h"
#include "profiles.h"
#include "ranks.h"
#include "tap.h"
#include "trace_writer.h"

#define START 1000000
#define RANKS 5
#define CALLS 1600
#define CELLS 16

static char dir[] = "/tmp/tau-rows.XXXXXX";
static uint64_t seed = 88172645463325252ull;
static unsigned regions;

static uint64_t roll(uint64_t n)
{
	return profiles_random(&seed, n);
}

/* Calls of regions, one inside another, with long pauses now and then. */
static void write_rank(const char *run, int rank)
{
	char path[128], name[32];
	uint64_t now = START + (uint64_t)rank * 777;
	struct writer w;

	snprintf(path, sizeof(path), "%s/%d.tau", run, rank);
	writer_open(&w, path, 100 + (uint64_t)rank, 0, START, now);
	writer_rank(&w, (uint32_t)rank, RANKS);
	for (uint32_t r = 0; r < regions; r++) {
		snprintf(name, sizeof(name), "r%u", r);
		writer_region(&w, r, name, "TAU_USER");
	}
	for (unsigned i = 0; i < CALLS; i++) {
		writer_enter(&w, now += roll(30), 0);
		writer_enter(&w, now += roll(i % 99 ? 20 : 40000), 1 + (i < regions - 1 ? i : (uint32_t)roll(regions - 1)));
		writer_leave(&w, now += roll(50));
		writer_leave(&w, now += roll(3));
		now += i % 177 ? 0 : roll(300000);
	}
	writer_close(&w);
}

struct visit {
	uint32_t stream, region;
	int64_t from, until;
};
struct visits {
	const struct messages *m;
	struct visit *v;
	size_t v_n, v_cap;
};

static void on_busy(void *to, uint32_t stream, uint32_t path, int64_t from, int64_t until)
{
	struct visits *x = to;

	if (path)
		*array_add(x, v) = (struct visit){stream, x->m->paths.v[path].region, from, until};
}

/* Sums of the cells of a request, by which they are compared. */
struct sums {
	int64_t *ns; /* [cell * regions + region] */
	uint64_t visits[CELLS], crosses[CELLS];
	int64_t first;
	size_t n;
	int bad;
};

static void on_cell(void *to, const struct trace_cell *c)
{
	struct sums *s = to;
	const int64_t i = c->cell - s->first;

	if (i < 0 || i >= (int64_t)s->n || s->visits[i] || s->crosses[i]) {
		s->bad = 1;
		return;
	}
	for (size_t k = 0; k < c->n; k++)
		s->ns[(size_t)i * regions + c->v[k].region] += c->v[k].ns;
	s->visits[i] = c->visits;
	s->crosses[i] = c->crosses;
}

static void sums_of(struct sums *s, const struct visits *x, uint32_t row, unsigned power)
{
	for (size_t i = 0; i < s->n; i++) {
		const int64_t begin = (s->first + (int64_t)i) << power, end = begin + (INT64_C(1) << power);

		for (size_t k = 0; k < x->v_n; k++) {
			const struct visit *v = &x->v[k];
			int64_t from = v->from > begin ? v->from : begin, until = v->until < end ? v->until : end;

			if (v->stream % 2 != row || until <= from)
				continue;
			s->ns[i * regions + v->region] += until - from;
			s->visits[i] += v->from >= begin;
			s->crosses[i] += v->from < begin;
		}
	}
}

static int is_equal(const struct sums *a, const struct sums *b)
{
	return !a->bad && !memcmp(a->ns, b->ns, a->n * regions * sizeof(*a->ns)) &&
	       !memcmp(a->visits, b->visits, sizeof(a->visits)) && !memcmp(a->crosses, b->crosses, sizeof(a->crosses));
}

static int differ(const struct row_cells *c, const struct trace *t, const struct visits *x, int tries)
{
	int n = 0;

	for (int i = 0; i < tries; i++) {
		const unsigned power = i % 10 ? c->power + (unsigned)roll(6) : CELLS_POWER_MOST - (unsigned)roll(4);
		struct sums got = {.first = i % 10 ? (int64_t)roll((uint64_t)(t->end >> power) + 2) : 0, .n = i % 10 ? 1 + roll(CELLS) : 1}, want = got;
		const struct trace_cells ask = {power, got.first, got.n, on_cell, &got};
		const uint32_t row = (uint32_t)roll(2);

		got.ns = mem_alloc(got.n * regions * sizeof(*got.ns));
		want.ns = mem_alloc(got.n * regions * sizeof(*got.ns));
		row_cells_pass(c, row, &ask);
		sums_of(&want, x, row, power);
		n += !is_equal(&got, &want);
		free(got.ns);
		free(want.ns);
	}
	return n;
}

/* Wrong numbers are refused, or used within their limits. */
static void test_numbers(struct trace *t)
{
	struct trace_index ask = {.kind = TRACE_INDEX_NUMBERS, .numbers = TRACE_NUMBERS_ROWS};
	int refused = 0, tried = 0;

	if (!ok(native_numbers_get(t, &ask) == 1, "the numbers are known"))
		return;
	for (size_t i = 0; i < ask.number_n; i += i < 30 ? 1 : 1 + roll(2 * ask.number_n / 300 + 1), tried++) {
		struct trace_index to = {.kind = TRACE_INDEX_NUMBERS_KEEP, .numbers = TRACE_NUMBERS_ROWS, .number = ask.number, .number_n = ask.number_n};
		const int64_t was = ask.number[i];
		struct row_cells c;

		ask.number[i] = roll(2) ? -(int64_t)roll(100) : (int64_t)(roll(UINT64_MAX) >> 1);
		if (native_numbers_keep(t, &to) != 1 || !row_cells_get(&c, t)) {
			refused++;
		} else {
			const struct trace_cells all = {CELLS_POWER_MOST, 0, 1, on_cell, &(struct sums){.n = 1, .ns = mem_alloc(regions * sizeof(int64_t))}};

			for (size_t r = 0; r < c.row_n; r++)
				row_cells_pass(&c, r, &all);
			free(((struct sums *)all.to)->ns);
			row_cells_release(&c);
		}
		ask.number[i] = was;
	}
	ok(tried > 100 && refused > tried / 2, "%d wrong numbers, %d refused", tried, refused);
	free(ask.number);
}

static void test_run(unsigned n)
{
	const uint32_t shared[RANKS] = {0, 1, 0, 1, 0};
	const char named[RANKS] = {1, 1, 1, 1, 1};
	struct row_cells made, kept;
	struct messages_use use[2];
	struct error e = {0};
	struct visits x = {0};
	struct messages m = {.use = use, .use_n = 2};
	struct trace *t;
	unsigned power;
	size_t cells;

	regions = n;
	m.trace = t = run_open(dir, RANKS, write_rank);
	if (!t)
		return;
	x.m = &m;
	use[0] = (struct messages_use){.busy = on_busy, .to = &x, .window_only = 1};
	use[1] = row_cells_use(&made, &m, shared, named);
	power = made.power;
	cells = made.cell_n;
	ok(!messages_read(&m, &e) && !made.failed && made.row_n == 2, "%u regions: the run is read", n);
	ok((made.power > power) == (n * 2 * cells > ROW_CELLS_PARTS_LEAST), "cells grow if there are many: from %zu to %zu", cells, made.cell_n);
	ok(!differ(&made, t, &x, 40), "40 requests of cells have the sums of the events");
	ok(row_cells_keep(&made, t) && row_cells_get(&kept, t), "they are kept");
	ok(kept.power == made.power && kept.row_n == 2 && !memcmp(kept.row_of, made.row_of, RANKS * sizeof(*kept.row_of)) && !differ(&kept, t, &x, 40), "40 requests of what is kept, too");
	row_cells_release(&kept);
	row_cells_release(&made);
	if (n < 10)
		test_numbers(t);
	messages_release(&m);
	free(x.v);
	trace_free(t);
}

int main(void)
{
	char *path;

	if (!mkdtemp(dir))
		return 1;
	test_run(5);
	test_run(400);
	path = mem_printf("rm -r %s", dir);
	ok(!system(path), "removed");
	free(path);
	return tap_end();
}
