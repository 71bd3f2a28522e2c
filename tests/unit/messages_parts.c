/*
 * messages_parts.c: a pass in parts finds the visits that one pass finds, whatever their number; streams that belong together have one part, those
 * that are skipped have none, and a stream that cannot be read is an error.
 */
#include <string.h>
#include <unistd.h>

#include "analyze/messages/messages_parts.h"
#include "files.h"
#include "profiles.h"
#include "ranks.h"
#include "tap.h"
#include "trace_writer.h"
#include "visits.h"

#define START 1000000
#define RANKS 7
#define CALLS 900
#define MOST  9

static char dir[] = "/tmp/tau-parts.XXXXXX";
static const char *const region[] = {"main", "first", "second", "third"};

static void write_rank(const char *run, int rank)
{
	uint64_t now = START, seed = 88172645463325252ull + (uint64_t)rank;
	struct writer w;

	rank_file_open(&w, run, rank, RANKS, START, region, 4, 4);
	for (unsigned i = 0; i < CALLS; i++) {
		writer_enter(&w, now += profiles_random(&seed, 30), 0);
		writer_enter(&w, now += profiles_random(&seed, 20), 1 + (uint32_t)profiles_random(&seed, 3));
		writer_leave(&w, now += profiles_random(&seed, 50));
		writer_leave(&w, now += profiles_random(&seed, 3));
	}
	writer_close(&w);
}

struct parts {
	struct visits of[MOST];
	struct messages_use use[MOST];
	int begun, ended, in_order;
};

static void begin(void *to, size_t i, struct messages *m)
{
	struct parts *x = to;

	x->of[i].m = m;
	x->use[i] = (struct messages_use){.busy = visits_on_busy, .to = &x->of[i], .window_only = 1};
	m->use = &x->use[i];
	m->use_n = 1;
	x->begun++;
}

static void end(void *to, size_t i, const struct messages *m)
{
	struct parts *x = to;

	x->in_order += (int)i == x->ended++ && x->of[i].m == m;
}

/* By stream: how many parts have visits of it. */
static void parts_count(const struct parts *x, size_t n, int *of, int *part)
{
	memset(of, 0, RANKS * sizeof(*of));
	for (size_t i = 0; i < n; i++) {
		int seen[RANKS] = {0};

		for (size_t k = 0; k < x->of[i].v_n; k++) {
			seen[x->of[i].v[k].stream] = 1;
			part[x->of[i].v[k].stream] = (int)i;
		}
		for (int s = 0; s < RANKS; s++)
			of[s] += seen[s];
	}
}

/* The visits of a stream are in order, in the whole and in its part. */
static int is_same(const struct visits *whole, const struct parts *x, size_t n, const char *skip)
{
	size_t at[MOST] = {0};
	int of[RANKS], part[RANKS] = {0};

	parts_count(x, n, of, part);
	for (size_t k = 0; k < whole->v_n; k++) {
		const struct visit *v = &whole->v[k];
		const struct visits *p = &x->of[part[v->stream]];
		size_t *i = &at[part[v->stream]];

		if (skip && skip[v->stream])
			continue;
		/* Those of other streams of the part are before or after all of them. */
		for (size_t tries = 0; tries < p->v_n && p->v[*i % p->v_n].stream != v->stream; tries++)
			++*i;
		if (memcmp(&p->v[*i % p->v_n], v, sizeof(*v)))
			return 0;
		++*i;
	}
	for (int s = 0; s < RANKS; s++)
		if (of[s] != !(skip && skip[s]))
			return 0;
	return 1;
}

static void parts_release(struct parts *x)
{
	for (size_t i = 0; i < MOST; i++)
		free(x->of[i].v);
	*x = (struct parts){0};
}

static size_t n_of(const struct parts *x)
{
	size_t n = 0;

	for (size_t i = 0; i < MOST; i++)
		n += x->of[i].v_n;
	return n;
}

static void test_parts(struct messages *m, const struct visits *whole)
{
	const char skip[RANKS] = {0, 1, 0, 0, 1, 0, 0};
	const uint32_t together[RANKS] = {0, 1, 0, 1, 0, 1, 6};
	int of[RANKS], part[RANKS] = {0};
	struct parts x = {0};
	struct messages_parts p = {.whole = m, .begin = begin, .end = end, .to = &x};
	struct error e = {0};

	ok(messages_parts_n(m, 3) == 3 && messages_parts_n(m, 100) == RANKS && messages_parts_n(m, 0) == 1, "as many parts as threads, but no more than streams");
	for (size_t n = 1; n <= MOST; n += 2) {
		ok(!messages_parts_read(&p, n, &e) && x.begun == (int)n && x.in_order == (int)n, "%zu parts are read", n);
		ok(n_of(&x) == whole->v_n && is_same(whole, &x, n, NULL), "%zu parts: the visits of one pass", n);
		parts_release(&x);
	}
	m->skip = skip;
	ok(messages_parts_n(m, 100) == RANKS - 2 && !messages_parts_read(&p, 3, &e) && is_same(whole, &x, 3, skip), "streams that are skipped are not read");
	parts_release(&x);
	m->skip = NULL;
	p.together = together;
	ok(!messages_parts_read(&p, 3, &e) && is_same(whole, &x, 3, NULL), "streams that belong together: the visits of one pass");
	parts_count(&x, 3, of, part);
	ok(part[0] == part[2] && part[0] == part[4] && part[1] == part[3] && part[1] == part[5] && part[0] != part[1] && part[6] != part[0], "one part reads them");
	parts_release(&x);
}

static int no_open(struct trace *t, uint32_t stream, int64_t from, struct trace_cursor **out, struct error *e)
{
	(void)t;
	(void)from;
	*out = NULL;
	return error_set(e, ERROR_INPUT, "stream %u is not there", stream);
}

static void test_error(struct messages *m)
{
	const struct trace_ops *was = m->trace->ops;
	struct trace_ops none = *was;
	struct parts x = {0};
	const struct messages_parts p = {.whole = m, .begin = begin, .end = end, .to = &x};
	struct error e = {0};

	none.open = no_open;
	m->trace->ops = &none;
	ok(messages_parts_read(&p, 3, &e) == ERROR_INPUT && e.code == ERROR_INPUT && strstr(e.text, "is not there"), "a stream that cannot be read is an error: %s", e.text);
	ok(!x.ended, "then no part has ended");
	m->trace->ops = was;
	parts_release(&x);
}

int main(void)
{
	struct visits whole = {0};
	const struct messages_use use = {.busy = visits_on_busy, .to = &whole, .window_only = 1};
	struct messages m = {.use = &use, .use_n = 1};
	struct error e = {0};
	char *path;

	if (!mkdtemp(dir))
		return 1;
	m.trace = run_open(dir, RANKS, write_rank);
	whole.m = &m;
	if (m.trace && messages_read(&m, &e))
		printf("# %s\n", e.text);
	if (ok(whole.v_n > RANKS * CALLS, "one pass: %zu visits", whole.v_n)) {
		test_parts(&m, &whole);
		test_error(&m);
	}
	messages_release(&m);
	free(whole.v);
	if (m.trace)
		trace_free(m.trace);
	path = mem_printf("rm -r %s", dir);
	ok(!system(path), "removed");
	free(path);
	return tap_end();
}
