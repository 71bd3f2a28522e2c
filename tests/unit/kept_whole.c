/*
 * kept_whole.c: the critical path and the waits of a whole run, which are kept beside it, are those that a pass over its events finds, to the
 * last bit. Nothing is kept of a part of it, and wrong numbers are refused, or are numbers that index nothing outside.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/messages/kept_whole.h"
#include "analyze/trace/numbers.h"
#include "profiles.h"
#include "ranks.h"
#include "tap.h"
#include "trace_writer.h"

#define RANKS 3
#define BEGIN INT64_C(1000000)
#define TURNS 10000 /* more than 200,000 records */

static char dir[] = "/tmp/tau-whole.XXXXXX";
static uint64_t seed = 88172645463325252ull;
static int turns;

static uint64_t roll(uint64_t n)
{
	return profiles_random(&seed, n);
}

static const char *const region[] = {"main", "f", "g", "MPI_Send()", "MPI_Recv()"};
enum { MAIN, F, G, SEND, RECV };
#define REGIONS (sizeof(region) / sizeof(*region))

/* All ranks are written together, at the first one: each works, sends to the next, and waits for the message of the one before. */
static void write_rank(const char *run, int first)
{
	struct writer w[RANKS];
	int64_t now[RANKS] = {0}, sent[RANKS];

	for (int i = 0; i < RANKS && !first; i++) {
		rank_file_open(&w[i], run, i, RANKS, BEGIN, region, REGIONS, SEND);
		w[i].limit = 1000;
		writer_enter(&w[i], (uint64_t)BEGIN, MAIN);
	}
	for (int n = 0; n < turns && !first; n++) {
		for (int i = 0; i < RANKS; i++) {
			writer_enter(&w[i], (uint64_t)(BEGIN + now[i]), roll(5) ? F : G);
			writer_leave(&w[i], (uint64_t)(BEGIN + (now[i] += 10 + (int64_t)roll(500))));
			writer_enter(&w[i], (uint64_t)(BEGIN + ++now[i]), SEND);
			writer_message(&w[i], BEGIN + (sent[i] = now[i] + 1), TAU_REC_SEND, (i + 1) % RANKS);
			writer_leave(&w[i], (uint64_t)(BEGIN + (now[i] += 3)));
		}
		for (int i = 0; i < RANKS; i++) {
			int64_t late = sent[(i + RANKS - 1) % RANKS], end = (late > now[i] ? late : now[i]) + 7;

			writer_enter(&w[i], (uint64_t)(BEGIN + ++now[i]), RECV);
			writer_message(&w[i], BEGIN + end, TAU_REC_RECV, (i + RANKS - 1) % RANKS);
			writer_leave(&w[i], (uint64_t)(BEGIN + (now[i] = end + 2)));
		}
	}
	for (int i = 0; i < RANKS && !first; i++) {
		writer_leave(&w[i], (uint64_t)(BEGIN + now[i]));
		writer_close(&w[i]);
	}
}

/* ---- what a pass finds, and what is kept ---- */

struct whole_run {
	struct messages m;
	struct critical_path path;
	struct critical_times times;
	struct waits waits;
	struct messages_found found;
};

static void path_read(struct whole_run *w, struct trace *t)
{
	struct messages_use use;
	struct error e = {0};
	int code;

	w->m = (struct messages){.trace = t, .use = &use, .use_n = 1};
	use = critical_path_use(&w->path, &w->m);
	code = messages_read(&w->m, &e);
	critical_path_end(&w->path);
	w->found = w->m.found;
	messages_again(&w->m);
	w->m.trace = t;
	use = critical_times_use(&w->times, &w->path, NULL);
	w->m.use = &use;
	w->m.use_n = 1;
	code = code ? code : messages_read(&w->m, &e);
	ok(!code, "a pass finds the path %s", e.text);
}

static void path_release(struct whole_run *w)
{
	critical_times_release(&w->times);
	critical_path_release(&w->path);
	messages_release(&w->m);
}

static void waits_read(struct whole_run *w, struct trace *t, int culprits)
{
	struct messages_use use;
	struct error e = {0};

	w->m = (struct messages){.trace = t, .use = &use, .use_n = 1};
	use = waits_use(&w->waits, &w->m);
	w->waits.culprits.wanted = culprits;
	ok(!messages_read(&w->m, &e), "a pass finds the waits %s", e.text);
	waits_end(&w->waits);
	waits_culprits(&w->waits);
}

static void waits_drop(struct whole_run *w)
{
	waits_release(&w->waits);
	messages_release(&w->m);
}

static int paths_equal(const struct messages *a, const struct messages *b)
{
	int equal = a->paths.v_n == b->paths.v_n;

	for (size_t i = 1; equal && i < a->paths.v_n; i++)
		equal = a->paths.v[i].parent == b->paths.v[i].parent && a->paths.v[i].region == b->paths.v[i].region;
	return equal;
}

static int path_equal(const struct whole_run *a, const struct whole_run *b, size_t streams)
{
	int equal = paths_equal(&a->m, &b->m) && a->path.step_n == b->path.step_n && a->path.threads == b->path.threads &&
		    a->path.begin == b->path.begin && a->path.end == b->path.end && a->path.sum_n == b->path.sum_n &&
		    a->times.by_path_n == b->times.by_path_n && !memcmp(&a->found, &b->m.found, sizeof(a->found));

	for (size_t i = 0; equal && i < a->path.step_n; i++) {
		const struct critical_step *x = &a->path.step[i], *y = &b->path.step[i];

		equal = x->stream == y->stream && x->cause == y->cause && x->begin == y->begin && x->end == y->end && x->path == y->path;
	}
	return equal && !memcmp(a->path.sum, b->path.sum, a->path.sum_n * sizeof(*a->path.sum)) &&
	       !memcmp(a->times.by_path, b->times.by_path, a->times.by_path_n * sizeof(*a->times.by_path)) &&
	       !memcmp(a->times.by_stream, b->times.by_stream, streams * sizeof(*a->times.by_stream));
}

static int rows_equal(const struct wait_rows *a, const struct wait_rows *b)
{
	int equal = a->v_n == b->v_n;

	for (size_t i = 0; equal && i < a->v_n; i++)
		equal = a->v[i].pattern == b->v[i].pattern && a->v[i].process == b->v[i].process && a->v[i].path == b->v[i].path &&
			a->v[i].n == b->v[i].n && a->v[i].ns == b->v[i].ns;
	return equal;
}

static int culprits_equal(const struct culprits *a, const struct culprits *b)
{
	int equal = a->v_n == b->v_n && a->who_n == b->who_n;

	for (size_t i = 0; equal && i < a->v_n; i++) {
		const struct culprit *x = &a->v[i], *y = &b->v[i];

		equal = x->path == y->path && x->before == y->before && x->ns == y->ns && x->who == y->who && x->who_n == y->who_n &&
			x->waiting.n == y->waiting.n && !memcmp(x->pattern_ns, y->pattern_ns, sizeof(x->pattern_ns));
		for (uint32_t k = 0; equal && k < x->waiting.n && k < CULPRIT_FEW; k++)
			equal = x->waiting.v[k] == y->waiting.v[k];
	}
	for (size_t i = 0; equal && i < a->who_n; i++)
		equal = a->who[i].stream == b->who[i].stream && a->who[i].ns == b->who[i].ns;
	return equal;
}

static int waits_equal(const struct waits *a, const struct waits *b)
{
	return a->ns == b->ns && a->unexplained == b->unexplained && a->indirect == b->indirect && a->tests == b->tests &&
	       a->completed == b->completed && a->early == b->early && rows_equal(&a->waits, &b->waits) && rows_equal(&a->causes, &b->causes);
}

/* ---- numbers that are wrong, in a file that is whole ---- */

/* All that is read can be used: the sanitizers of the other builds watch. */
static double use_path(const struct whole_run *w, size_t streams)
{
	double sum = 0;

	for (size_t i = 0; i < w->path.step_n; i++)
		sum += w->path.step[i].path == TRACE_NONE ? 0 : w->m.paths.v[w->path.step[i].path].region + (double)w->path.step[i].stream;
	for (size_t s = 0; s < streams; s++)
		sum += (double)w->times.by_stream[s];
	return sum;
}

static double use_waits(const struct whole_run *w)
{
	const struct culprits *c = &w->waits.culprits;
	double sum = 0;

	for (size_t i = 0; i < w->waits.waits.v_n; i++)
		sum += w->m.paths.v[w->waits.waits.v[i].path].region;
	for (size_t i = 0; i < c->v_n; i++)
		for (size_t k = 0; k < c->v[i].who_n; k++)
			sum += c->who[c->v[i].who + k].ns + w->m.paths.v[c->v[i].path].region;
	return sum;
}

static void wrong_numbers(struct trace *t, enum trace_numbers which)
{
	static const int64_t bad[] = {-1, INT64_MAX, INT64_MIN, 0, 1, 1000};
	struct kept_numbers x;
	unsigned refused = 0, taken = 0;
	double sum = 0;

	if (!numbers_load(&x, t, which)) {
		ok(0, "there are numbers");
		return;
	}
	for (size_t i = 0; i < x.v_n; i += i < 200 ? 1 : 1 + roll(x.v_n / 100 + 1)) {
		int64_t right = x.v[i];

		for (size_t k = 0; k < sizeof(bad) / sizeof(*bad); k++) {
			struct whole_run w = {.m.trace = t};
			int known;

			x.v[i] = bad[k];
			numbers_keep(&x, t, which);
			if (which == TRACE_NUMBERS_PATH) {
				known = kept_path_get(&w.path, &w.times, &w.m);
				sum += known ? use_path(&w, t->stream_n) : 0;
				path_release(&w);
			} else {
				known = kept_waits_get(&w.waits, &w.m, 0);
				sum += known ? use_waits(&w) : 0;
				waits_drop(&w);
			}
			known ? taken++ : refused++;
		}
		x.v[i] = right;
	}
	x.v_n--;
	numbers_keep(&x, t, which);
	x.v_n++;
	numbers_release(&x);
	ok(refused > 100 && sum == sum, "%u wrong numbers are refused, %u could be right", refused, taken);
}

int main(void)
{
	struct whole_run read = {0}, kept = {0};
	struct window_span span[RANKS] = {{0, 1000}, {0, 1000}, {0, 1000}};
	struct trace *t;
	char *path;

	if (!mkdtemp(dir))
		return 1;
	turns = 100;
	t = run_open(dir, RANKS, write_rank);
	path_read(&read, t);
	ok(!kept_path_put(&read.path, &read.times, &read.found), "a short run keeps nothing");
	path_release(&read);
	trace_free(t);

	turns = TURNS;
	t = run_open(dir, RANKS, write_rank);
	kept.m.trace = t;
	ok(!kept_path_get(&kept.path, &kept.times, &kept.m) && !kept_waits_get(&kept.waits, &kept.m, 0), "nothing is kept at first");
	path_read(&read, t);
	ok(read.path.step_n > 1000, "the path has %zu steps", read.path.step_n);
	ok(kept_path_put(&read.path, &read.times, &read.found), "the path is kept");
	ok(kept_path_get(&kept.path, &kept.times, &kept.m), "and is there");
	ok(path_equal(&read, &kept, t->stream_n), "as a pass finds it");
	path_release(&kept);
	kept.m.span = span;
	ok(!kept_path_get(&kept.path, &kept.times, &kept.m), "of a window it is another one");
	kept.m.span = NULL;
	path_release(&read);
	wrong_numbers(t, TRACE_NUMBERS_PATH);
	ok(!kept_path_get(&kept.path, &kept.times, &kept.m), "numbers that are too few are refused");

	waits_read(&read, t, 0);
	ok(kept_waits_put(&read.waits) && kept_waits_get(&kept.waits, &kept.m, 0) && waits_equal(&read.waits, &kept.waits),
	   "waits are as a pass finds them");
	waits_drop(&kept);
	kept.m.trace = t;
	ok(!kept_waits_get(&kept.waits, &kept.m, 1), "without culprits they are not enough for these");
	waits_drop(&read);
	waits_read(&read, t, 1);
	ok(read.waits.culprits.v_n > 1, "there are %zu culprits", read.waits.culprits.v_n);
	kept.m.trace = t;
	ok(kept_waits_put(&read.waits) && kept_waits_get(&kept.waits, &kept.m, 1) && waits_equal(&read.waits, &kept.waits) &&
		   culprits_equal(&read.waits.culprits, &kept.waits.culprits) && paths_equal(&read.m, &kept.m),
	   "so are culprits");
	waits_drop(&kept);
	waits_drop(&read);
	wrong_numbers(t, TRACE_NUMBERS_WAITS);
	trace_free(t);
	path = mem_printf("rm -r %s", dir);
	ok(!system(path), "removed");
	free(path);
	return tap_end();
}
