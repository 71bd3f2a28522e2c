/*
 * kept_cells.c: cells of time that are kept beside a trace: those of each power are the sums of the events, and damage of the file
 * changes none.
 */
#include <stddef.h>
#include <string.h>

#include "analyze/messages/time_cells.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/file/native_index_head.h"
#include "convert/native/index/native_cells.h"
#include "files.h"
#include "profiles.h"
#include "ranks.h"
#include "tap.h"
#include "trace_writer.h"
#include "visits.h"

#define START 1000000
#define CALLS 60000
#define REGIONS 5

static char dir[] = "/tmp/tau-cells.XXXXXX";
static uint64_t seed = 88172645463325252ull;

static uint64_t roll(uint64_t n)
{
	return profiles_random(&seed, n);
}

/* Calls of regions, one inside another, with long pauses now and then. */
static void write_rank(const char *run, int rank)
{
	char path[128], name[32];
	uint64_t now = START;
	struct writer w;

	snprintf(path, sizeof(path), "%s/%d.tau", run, rank);
	writer_open(&w, path, 100 + (uint64_t)rank, 0, START, START);
	writer_rank(&w, (uint32_t)rank, 2);
	for (uint32_t r = 0; r < REGIONS; r++) {
		snprintf(name, sizeof(name), "r%u", r);
		writer_region(&w, r, name, "TAU_USER");
	}
	for (int i = 0; i < CALLS; i++) {
		writer_enter(&w, now += roll(30), 0);
		writer_enter(&w, now += roll(i % 999 ? 20 : 40000), (uint32_t)(1 + roll(REGIONS - 1)));
		writer_leave(&w, now += roll(50));
		writer_leave(&w, now += roll(3));
		now += i % 1777 ? 0 : roll(300000);
	}
	writer_close(&w);
}

/* Sums of the cells of a request, by which they are compared. */
struct sums {
	int64_t ns[64][REGIONS];
	uint64_t visits[64];
	int crosses[64], bad;
	int64_t first;
};

static void on_cell(void *to, const struct trace_cell *c)
{
	struct sums *s = to;
	int64_t i = c->cell - s->first;

	if (i < 0 || i >= 64 || s->visits[i] || s->crosses[i]) {
		s->bad = 1;
		return;
	}
	for (size_t k = 0; k < c->n; k++)
		s->ns[i][c->v[k].region] += c->v[k].ns;
	s->visits[i] = c->visits;
	s->crosses[i] = c->crosses;
}

static void sums_of(struct sums *s, const struct visits *x, unsigned power, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const int64_t begin = (s->first + (int64_t)i) << power, end = begin + (INT64_C(1) << power);

		for (size_t k = 0; k < x->v_n; k++) {
			const struct visit *v = &x->v[k];
			const int64_t ns = v->stream ? 0 : visit_inside(v, begin, end);

			if (!ns)
				continue;
			s->ns[i][v->region] += ns;
			s->visits[i] += v->from >= begin;
			s->crosses[i] |= v->from < begin;
		}
	}
}

static int get(struct trace *t, struct sums *s, unsigned power, size_t n)
{
	const struct trace_cells ask = {power, s->first, n, on_cell, s};

	return native_cells_get(t, 0, &ask);
}

static void test_cells(struct trace *t, const struct visits *x, unsigned least)
{
	static struct sums got, want;
	int differ = 0, known = 0;

	for (int i = 0; i < 60; i++) {
		unsigned power = i < 4 ? CELLS_POWER_MOST - (unsigned)i : least + (unsigned)roll(8);
		size_t n = i < 4 ? 1 : 1 + roll(64);

		memset(&got, 0, sizeof(got));
		memset(&want, 0, sizeof(want));
		got.first = want.first = i < 4 ? 0 : (int64_t)roll((uint64_t)(t->end >> power) + 2);
		known += get(t, &got, power, n);
		sums_of(&want, x, power, n);
		differ += memcmp(&got, &want, sizeof(got)) != 0;
	}
	ok(known == 60 && !differ, "60 requests of cells: %d known, %d differ from the events", known, differ);
	ok(!get(t, &got, least - 1, 1), "smaller cells are not known");
	ok(!native_cells_keep(t, &(struct trace_index){.kind = TRACE_INDEX_CELLS_KEEP, .stream = &(uint32_t){0}, .n = 1, .power = 10, .levels = 2}),
	   "what is kept is not written again");
}

/* The cells are read again at each request, so damage is met at once. */
static void test_damage(struct trace *t, const char *path)
{
	static struct sums good, got;
	int wrong = 0, unknown = 0, tried = 0;
	size_t n = 0;
	unsigned char *p = file_get(path, &n);

	ok(p && n > 1000, "the file has %zu bytes", n);
	if (!p)
		return;
	ok(get(t, &good, 40, 1), "its cells are known");
	for (size_t i = 0; i < n; i += 1 + roll(2 * n / 300 + 1), tried++) {
		const unsigned char was = p[i];

		p[i] ^= (unsigned char)(1 + roll(255));
		file_put(path, p, n);
		p[i] = was;
		memset(&got, 0, sizeof(got));
		if (!get(t, &got, 40, 1))
			unknown++;
		else
			wrong += memcmp(&got, &good, sizeof(got)) != 0;
	}
	ok(!wrong && unknown > tried / 4, "%d times a byte was wrong: %d times no cells were known, %d times wrong ones", tried, unknown, wrong);
	for (size_t i = wrong = tried = 0; i < n; i += 1 + roll(2 * n / 100 + 1), tried++) {
		file_put(path, p, i);
		wrong += get(t, &got, 40, 1) != 0;
	}
	ok(!wrong, "%d times it was cut short, and no cells were known", tried);
	file_put(path, p, n);
	free(p);
}

/* Bytes that belong to many blocks: each would be read again, so a short file could take for ever. */
static void test_shared(struct trace *t, const char *path)
{
	enum { BLOCKS = 1000 };
	static struct sums got;
	struct index_header h;
	struct cells_level *level;
	struct cells_block *block;
	size_t n = 0, heads, tables;
	unsigned char *p = file_get(path, &n);

	if (!p || n < sizeof(h))
		return;
	memcpy(&h, p, sizeof(h));
	heads = h.levels * sizeof(*level);
	tables = heads + (h.entries + BLOCKS) * sizeof(*block);
	level = mem_alloc(tables);
	block = (struct cells_block *)(level + h.levels);
	memcpy(level, p + h.tables, heads);
	for (size_t i = 0; i < h.entries + BLOCKS; i++)
		memcpy(&block[i], p + h.tables + heads, sizeof(*block));
	level[0].blocks += BLOCKS;
	h.tables = n;
	h.entries += BLOCKS;
	h.list_crc = native_crc(level, tables);
	h.crc = native_crc(&h, offsetof(struct index_header, crc));
	p = mem_resize(p, n + tables, 1);
	memcpy(p, &h, sizeof(h));
	memcpy(p + n, level, tables);
	file_put(path, p, n + tables);
	ok(block->length > 1000 && !get(t, &got, 40, 1), "%d blocks with the same bytes are damage", BLOCKS);
	free(level);
	free(p);
}

int main(void)
{
	struct error e = {0};
	struct trace *t = mkdtemp(dir) ? run_open(dir, 2, write_rank) : NULL;
	struct visits x = {0};
	struct time_cells cells;
	struct messages_use use[2];
	struct messages m = {.trace = t, .use = use, .use_n = 2};
	unsigned power;
	char *path;

	if (!t)
		return 1;
	x.m = &m;
	use[0] = (struct messages_use){.busy = visits_on_busy, .to = &x, .window_only = 1};
	use[1] = time_cells_use(&cells, &m, 1);
	ok(cells.kept == 2 && cells.row[0].sink, "the cells of both streams are kept");
	power = cells.row[0].sink ? cells.row[0].sink->power : 0;
	ok(!messages_read(&m, &e), "the run is read");
	time_cells_end(&cells, 1);
	test_cells(t, &x, power);
	use[1] = time_cells_use(&cells, &m, 1);
	ok(!cells.kept, "they are kept once");
	time_cells_end(&cells, 1);
	ok(time_cells_power(4096, &power) && power == 12 && !time_cells_power(4097, &power) && !time_cells_power(0, &power),
	   "lengths that are powers of 2");
	path = mem_printf("%s/0/0" CELLS_SUFFIX, dir);
	test_damage(t, path);
	test_shared(t, path);
	free(path);
	free(x.v);
	messages_release(&m);
	trace_free(t);
	path = mem_printf("rm -r %s", dir);
	ok(!system(path), "removed");
	free(path);
	return tap_end();
}
