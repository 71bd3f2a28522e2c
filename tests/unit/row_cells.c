/*
 * row_cells.c: sums of rows of streams by cells of time: those of each power are the sums of the events, and also if there are many regions, with
 * which cells grow, or if each row is read by a part of its own; what is kept beside the run is the same, and wrong numbers are refused.
 */
#include <string.h>

#include "analyze/messages/messages_parts.h"
#include "analyze/messages/row_cells.h"
#include "analyze/trace/numbers.h"
#include "files.h"
#include "profiles.h"
#include "ranks.h"
#include "tap.h"
#include "trace_writer.h"
#include "visits.h"

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
			const int64_t ns = v->stream % 2 == row ? visit_inside(v, begin, end) : 0;

			if (!ns)
				continue;
			s->ns[i * regions + v->region] += ns;
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
	int refused = 0, tried = 0;
	struct kept_numbers x;

	if (!ok(numbers_load(&x, t, TRACE_NUMBERS_ROWS) == 1 && x.v_n > 100, "the numbers are known"))
		return;
	for (size_t i = 0; i < x.v_n; i += i < 30 ? 1 : 1 + roll(2 * x.v_n / 300 + 1), tried++) {
		const int64_t was = x.v[i];
		struct row_cells c;

		x.v[i] = roll(2) ? -(int64_t)roll(100) : (int64_t)(roll(UINT64_MAX) >> 1);
		if (!numbers_keep(&x, t, TRACE_NUMBERS_ROWS) || !row_cells_get(&c, t)) {
			refused++;
		} else {
			const struct trace_cells all = {CELLS_POWER_MOST, 0, 1, on_cell, &(struct sums){.n = 1, .ns = mem_alloc(regions * sizeof(int64_t))}};

			for (size_t r = 0; r < c.row_n; r++)
				row_cells_pass(&c, r, &all);
			free(((struct sums *)all.to)->ns);
			row_cells_release(&c);
		}
		x.v[i] = was;
	}
	ok(tried > 100 && refused > tried / 2, "%d wrong numbers, %d refused", tried, refused);
	numbers_release(&x);
}

/* Reading ends at the first number that is missing or wrong. */
static void test_limits(void)
{
	struct kept_numbers x = {0};

	for (int64_t i = 0; i < 4; i++)
		numbers_put(&x, i - 1);
	ok(numbers_get(&x) == -1 && numbers_below(&x, 1) == 0 && numbers_count(&x, 2) == 1 && !x.bad, "numbers, below limits, and of things for which there is room");
	ok(numbers_below(&x, 2) == 0 && x.bad && numbers_get(&x) == 0, "one that is too large is none");
	x.at = 2;
	x.bad = 0;
	ok(numbers_count(&x, 3) == 0 && x.bad, "things for which there is no room are none");
	x.at = 4;
	x.bad = 0;
	ok(numbers_get(&x) == 0 && x.bad, "nor is one beyond the end");
	numbers_release(&x);
}

static const uint32_t shared[RANKS] = {0, 1, 0, 1, 0};
static const char named[RANKS] = {1, 1, 1, 1, 1};

/* Each row by a part. */
struct parts {
	struct row_cells whole, of[2];
	struct messages_use use[2];
};

static void begin(void *to, size_t i, struct messages *m)
{
	struct parts *x = to;

	x->use[i] = row_cells_use(&x->of[i], m, shared, named);
	x->of[i].parts_most /= 2 + i; /* their cells differ if there are many regions */
	m->use = &x->use[i];
	m->use_n = 1;
}

static void end(void *to, size_t i, const struct messages *m)
{
	struct parts *x = to;

	(void)m;
	row_cells_join(&x->whole, &x->of[i]);
}

static void test_parts(const struct messages *m, const struct visits *x)
{
	struct parts y = {.use = {{0}}};
	const struct messages_parts parts = {m, shared, begin, end, &y};
	struct error e = {0};

	row_cells_use(&y.whole, m, shared, named);
	ok(!messages_parts_read(&parts, 2, &e) && !y.whole.failed && y.whole.row_n == 2, "two parts are read: cells of 2^%u", y.whole.power);
	ok(!differ(&y.whole, m->trace, x, 40), "40 requests of what they have together");
	row_cells_release(&y.whole);
	row_cells_release(&y.of[0]);
	row_cells_release(&y.of[1]);
}

static void test_run(unsigned n)
{
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
	use[0] = (struct messages_use){.busy = visits_on_busy, .to = &x, .window_only = 1};
	use[1] = row_cells_use(&made, &m, shared, named);
	power = made.power;
	cells = made.cell_n;
	ok(!messages_read(&m, &e) && !made.failed && made.row_n == 2, "%u regions: the run is read", n);
	ok((made.power > power) == (n * 2 * cells > ROW_CELLS_PARTS_LEAST), "cells grow if there are many: from %zu to %zu", cells, made.cell_n);
	ok(!differ(&made, t, &x, 40), "40 requests of cells have the sums of the events");
	ok(row_cells_keep(&made, t) && row_cells_get(&kept, t), "they are kept");
	ok(kept.power == made.power && kept.row_n == 2 && !memcmp(kept.row_of, made.row_of, RANKS * sizeof(*kept.row_of)) && !differ(&kept, t, &x, 40), "40 requests of what is kept, too");
	test_parts(&m, &x);
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
	test_limits();
	test_run(5);
	test_run(400);
	path = mem_printf("rm -r %s", dir);
	ok(!system(path), "removed");
	free(path);
	return tap_end();
}
