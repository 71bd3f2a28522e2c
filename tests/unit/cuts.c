/*
 * cuts.c: ranks that send, receive, wait for requests and meet in random order. What is found in a window must be the same, to the
 * nanosecond, whether the pass begins with the trace or at a cut, also if clocks disagree, or if the kept cuts are damaged.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/messages/critical_path.h"
#include "analyze/messages/cuts.h"
#include "analyze/messages/efficiency.h"
#include "analyze/messages/lane.h"
#include "analyze/messages/traffic.h"
#include "analyze/messages/waits.h"
#include "convert/native/file/native_index_head.h"
#include "convert/native/index/native_numbers.h"
#include "files.h"
#include "profiles.h"
#include "ranks.h"
#include "tap.h"
#include "trace_writer.h"

#define RANKS 3
#define BEGIN INT64_C(1000000)
#define ACTIONS 30000
#define OPEN 8		/* messages between two ranks that are not received */
#define WINDOWS 160

static char dir[] = "/tmp/tau-cuts.XXXXXX";
static uint64_t seed = 88172645463325252ull;

static uint64_t roll(uint64_t n)
{
	return profiles_random(&seed, n);
}

static const char *const region[] = {"main", "f", "MPI_Send()", "MPI_Recv()", "MPI_Isend()", "MPI_Irecv()", "MPI_Wait()",
				     "MPI_Barrier()", "MPI_Bcast()", "MPI_Allreduce()"};
enum { MAIN, F, SEND, RECV, ISEND, IRECV, WAIT, BARRIER, BCAST, ALLREDUCE };
#define REGIONS (sizeof(region) / sizeof(*region))

static struct rank {
	struct writer w;
	int64_t now;
	uint32_t request, last, seq; /* last: request of the chunk with this number */
	struct sent { /* to the next rank, and not received */
		int64_t at;
		uint32_t request; /* of a receive that is posted; 0: none */
	} sent[OPEN];
	size_t sent_n;
	uint32_t isend[OPEN]; /* requests of sends */
	size_t isend_n;
} rank[RANKS];
static int64_t skew; /* of the clock of the last rank */

static uint64_t tick(const struct rank *r, int64_t time)
{
	return (uint64_t)(BEGIN + time + (r == &rank[RANKS - 1] ? skew : 0));
}

static void put(struct rank *r, int64_t at, unsigned kind, int peer, uint32_t request)
{
	struct buffer f = {0};

	if (kind == TAU_REC_SEND || kind == TAU_REC_RECV) {
		put_zigzag(&f, peer);
		put_zigzag(&f, 5);
		put_varint(&f, 0);
		put_varint(&f, 64);
	}
	if (request) {
		const uint32_t seq = r->w.seq + (r->w.records >= r->w.limit);

		put_zigzag(&f, (int32_t)(request - (seq == r->seq ? r->last : 0)));
		r->last = request;
		r->seq = seq;
	}
	writer_extended(&r->w, tick(r, at), kind, &f);
}

/* A call from `at` on, and its end. */
static void enter(struct rank *r, uint32_t what)
{
	writer_enter(&r->w, tick(r, r->now), what);
}
static void leave(struct rank *r, int64_t at)
{
	r->now = at;
	writer_leave(&r->w, tick(r, at));
	r->now += 1 + (int64_t)roll(3);
}

static void compute(struct rank *r)
{
	enter(r, F);
	leave(r, r->now + 1 + (int64_t)roll(roll(50) ? 60 : 20000));
}

static void send(struct rank *r, int to)
{
	int is_isend = roll(2) && r->isend_n < OPEN;

	if (r->sent_n == OPEN)
		return;
	enter(r, is_isend ? ISEND : SEND);
	put(r, r->now, TAU_REC_SEND, to, is_isend ? ++r->request : 0);
	if (is_isend)
		r->isend[r->isend_n++] = r->request;
	r->sent[r->sent_n++] = (struct sent){r->now, 0};
	leave(r, r->now + 3 + (int64_t)roll(10));
}

static void wait_sent(struct rank *r)
{
	if (!r->isend_n)
		return;
	enter(r, WAIT);
	put(r, r->now + 2, TAU_REC_COMPLETED, 0, r->isend[0]);
	memmove(r->isend, r->isend + 1, --r->isend_n * sizeof(*r->isend));
	leave(r, r->now + 4);
}

/* The oldest message that rank `from` sent is received, or its receive is posted. */
static void receive(struct rank *r, int from)
{
	struct rank *s = &rank[from];
	int64_t end;

	if (!s->sent_n)
		return;
	if (!s->sent[0].request && roll(2)) {
		enter(r, IRECV);
		s->sent[0].request = ++r->request;
		put(r, r->now + 1, TAU_REC_POSTED, 0, r->request);
		leave(r, r->now + 2);
		return;
	}
	enter(r, s->sent[0].request ? WAIT : RECV);
	end = (s->sent[0].at > r->now ? s->sent[0].at : r->now) + 5 + (int64_t)roll(20);
	put(r, end - 1, TAU_REC_RECV, from, s->sent[0].request);
	memmove(s->sent, s->sent + 1, --s->sent_n * sizeof(*s->sent));
	leave(r, end);
}

/* The sender waits for the receive of its message, which comes late. */
static void send_late(struct rank *s, int from)
{
	struct rank *r = &rank[(from + 1) % RANKS];
	const uint32_t request = ++s->request;
	int64_t sent = s->now, end;

	if (s->sent_n)
		return;
	enter(s, ISEND);
	put(s, sent, TAU_REC_SEND, (from + 1) % RANKS, request);
	leave(s, sent + 2);
	s->now += (int64_t)roll(100);
	r->now = (r->now > s->now ? r->now : s->now) + (int64_t)roll(400);
	end = r->now + 6;
	enter(s, WAIT);
	put(s, end - 1, TAU_REC_COMPLETED, 0, request);
	leave(s, end);
	enter(r, RECV);
	put(r, r->now + 2, TAU_REC_RECV, from, 0);
	leave(r, r->now + 3);
}

static void meet(uint32_t what, unsigned op, int root)
{
	int64_t last = 0, in[RANKS];

	for (int i = 0; i < RANKS; i++) {
		in[i] = rank[i].now;
		last = in[i] > last ? in[i] : last;
	}
	for (int i = 0; i < RANKS; i++) {
		int64_t end = op == TAU_COLL_BROADCAST ? in[root] : last;

		end = (end > in[i] ? end : in[i]) + 10 + (int64_t)roll(5);
		enter(&rank[i], what);
		writer_collective(&rank[i].w, tick(&rank[i], roll(2) ? in[i] : end - 1), op, root);
		leave(&rank[i], end);
	}
}

static void act(void)
{
	const int i = (int)roll(RANKS);
	const uint64_t what = roll(100);

	if (what < 30)
		compute(&rank[i]);
	else if (what < 60)
		send(&rank[i], (i + 1) % RANKS);
	else if (what < 85)
		receive(&rank[i], (i + RANKS - 1) % RANKS);
	else if (what < 92)
		wait_sent(&rank[i]);
	else if (what < 96)
		send_late(&rank[i], i);
	else if (what == 96)
		meet(BARRIER, TAU_COLL_BARRIER, -1);
	else if (what < 99)
		meet(BCAST, TAU_COLL_BROADCAST, (int)roll(RANKS));
	else
		meet(ALLREDUCE, TAU_COLL_ALLREDUCE, -1);
}

/* All ranks are written together, at the first one. */
static void write_rank(const char *run, int first)
{
	if (first)
		return;
	memset(rank, 0, sizeof(rank));
	for (int i = 0; i < RANKS; i++) {
		rank_file_open(&rank[i].w, run, i, RANKS, BEGIN, region, REGIONS, SEND);
		rank[i].w.limit = 1000;
		enter(&rank[i], MAIN);
	}
	for (int i = 0; i < ACTIONS * RANKS; i++)
		act();
	for (int i = 0; i < RANKS; i++) {
		leave(&rank[i], rank[i].now);
		writer_close(&rank[i].w);
	}
}

/* ---- what is found ---- */

struct sum {
	uint32_t process, region, pattern;
	uint64_t n;
	double ns;
};
struct result {
	struct sum wait[256], cause[256];
	size_t wait_n, cause_n;
	uint64_t pairs, bytes, calls, early;
	int64_t call_ns, call_wait;
	double ns, unexplained, indirect;
	struct step { /* the last ones */
		uint32_t stream, cause;
		int64_t begin, end;
	} step[64];
	size_t step_n, threads;
	double path_ns, useful, ideal, runtime, busiest;
	int at_cut;
};

static int sum_order(const void *va, const void *vb)
{
	const struct sum *a = va, *b = vb;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->region != b->region)
		return a->region < b->region ? -1 : 1;
	return (a->pattern > b->pattern) - (a->pattern < b->pattern);
}

static size_t sums(struct sum *to, const struct wait_rows *r, const struct messages *m)
{
	size_t n = r->v_n < 256 ? r->v_n : 256;

	for (size_t i = 0; i < n; i++)
		to[i] = (struct sum){r->v[i].process, r->v[i].path ? m->paths.v[r->v[i].path].region : TRACE_NONE,
				     r->v[i].pattern, r->v[i].n, r->v[i].ns};
	qsort(to, n, sizeof(*to), sum_order);
	return n;
}

static void find(struct trace *t, const struct window_span *span, int cuts, struct result *to)
{
	struct waits waits;
	struct traffic traffic;
	struct critical_path critical;
	struct efficiency efficiency;
	struct messages_use use[4];
	struct messages m = {.trace = t, .span = span, .use = use, .use_n = 4, .cuts = cuts};
	struct error e = {0};

	memset(to, 0, sizeof(*to));
	use[0] = waits_use(&waits, &m);
	waits.culprits.wanted = 1;
	use[1] = traffic_use(&traffic, &m);
	use[2] = critical_path_use(&critical, &m);
	use[3] = efficiency_use(&efficiency, &m);
	if (messages_read(&m, &e))
		printf("# %s\n", e.text);
	waits_end(&waits);
	traffic_end(&traffic);
	critical_path_end(&critical);
	efficiency_end(&efficiency);
	to->wait_n = sums(to->wait, &waits.waits, &m);
	to->cause_n = sums(to->cause, &waits.causes, &m);
	for (size_t i = 0; i < traffic.pair_n; i++) {
		to->pairs += traffic.pair[i].messages.n << 8 * i;
		to->bytes += traffic.pair[i].messages.bytes;
	}
	for (size_t i = 0; i < traffic.collective_n; i++) {
		to->calls += traffic.collective[i].calls;
		to->call_ns += traffic.collective[i].time;
		to->call_wait += traffic.collective[i].wait;
	}
	to->early = m.found.early + waits.early;
	to->ns = waits.ns;
	to->unexplained = waits.unexplained;
	to->indirect = waits.indirect;
	to->at_cut = m.pass->from != INT64_MIN;
	to->step_n = critical.step_n;
	to->threads = critical.threads;
	for (size_t i = 0; i < critical.step_n && i < 64; i++) {
		const struct critical_step *s = &critical.step[critical.step_n - 1 - i];

		to->step[i].stream = s->stream;
		to->step[i].cause = s->cause;
		to->step[i].begin = s->begin;
		to->step[i].end = s->end;
	}
	for (size_t p = 0; p < critical.sum_n; p++)
		to->path_ns += critical.sum[p];
	to->useful = efficiency.mean;
	to->ideal = efficiency.ideal;
	to->runtime = efficiency.runtime;
	to->busiest = efficiency.most;
	critical_path_release(&critical);
	efficiency_release(&efficiency);
	waits_release(&waits);
	traffic_release(&traffic);
	messages_release(&m);
}

/* Random windows, in which the pass begins with the trace, and at a cut if it can. */
static void test_windows(struct trace *t, const char *what)
{
	static struct result all, cut;
	struct window_span span[RANKS];
	int differ = 0, cuts = 0, waits = 0, early = 0;
	struct cuts c;

	ok(cuts_get(&c, t, 1) && c.n > 2, "%s: cuts are kept", what);
	for (int i = 0; i < WINDOWS; i++) {
		int64_t begin = (int64_t)roll((uint64_t)t->end), length = (int64_t)(1 + roll(roll(2) ? 300 : 30000));

		/* What is open at a cut ends after it. */
		if (i % 2)
			begin = cuts_time(&c, 2 + roll(c.n - 1)) + (int64_t)roll(100), length = 1 + (int64_t)roll(200);

		for (int p = 0; p < RANKS; p++)
			span[p] = (struct window_span){begin, begin + length};
		find(t, span, 0, &all);
		find(t, span, 1, &cut);
		cuts += cut.at_cut;
		waits += all.wait_n > 0;
		early += all.early > 0;
		cut.at_cut = 0;
		differ += memcmp(&all, &cut, sizeof(all)) != 0;
	}
	ok(!differ && cuts > WINDOWS / 2 && waits > WINDOWS / 8 && (skew || !early),
	   "%s: %d windows, %d of them read from a cut, %d with waits, %d with clocks that disagree; %d differ", what, WINDOWS, cuts,
	   waits, early, differ);
	cuts_release(&c);
}

/* The cuts are read again at each request, so damage is met at once. */
static void test_damage(struct trace *t, const char *path)
{
	static struct result all, got;
	struct window_span span[RANKS];
	int wrong = 0, used = 0, tried = 0;
	size_t n = 0;
	unsigned char *p = file_get(path, &n);

	ok(p && n > sizeof(struct index_header), "the file of the cuts has %zu bytes", n);
	if (!p)
		return;
	for (int r = 0; r < RANKS; r++)
		span[r] = (struct window_span){t->end / 10 * 9, t->end / 10 * 9 + 3000};
	find(t, span, 0, &all);
	for (size_t i = 0; i < n; i += 1 + roll(2 * n / 20 + 1), tried++) {
		const unsigned char was = p[i];

		p[i] ^= (unsigned char)(1 + roll(255));
		file_put(path, p, n);
		p[i] = was;
		find(t, span, 1, &got);
		used += got.at_cut;
		got.at_cut = 0;
		wrong += memcmp(&all, &got, sizeof(all)) != 0;
		file_put(path, p, i);
		find(t, span, 1, &got);
		wrong += got.at_cut || memcmp(&all, &got, sizeof(all)) != 0;
	}
	ok(!wrong, "%d times a byte was wrong or the end was missing: %d times the cuts were used, %d results are wrong", tried, used, wrong);
	free(p);
}

/* Wrong numbers are refused, or used within their limits. */
static void test_numbers(struct trace *t)
{
	struct trace_index x = {.kind = TRACE_INDEX_NUMBERS};
	int64_t *good;
	size_t n;
	int refused = 0, tried = 0;

	ok(native_numbers_get(t, &x) == 1, "the cuts are known again");
	good = x.number;
	n = x.number_n;
	for (size_t i = 0; i < n; i += 1 + roll(2 * n / 300 + 1), tried++) {
		const int64_t was = good[i];
		struct trace_index to = {.kind = TRACE_INDEX_NUMBERS_KEEP, .number = good, .number_n = n};
		struct cuts c;

		good[i] = roll(2) ? -(int64_t)roll(100) : (int64_t)(roll(UINT64_MAX) >> 1);
		if (native_numbers_keep(t, &to) != 1 || !cuts_get(&c, t, 1))
			refused++;
		else
			cuts_release(&c);
		good[i] = was;
	}
	ok(tried > 50 && refused > 5, "%d wrong numbers, %d refused", tried, refused);
	free(good);
}

static void test_run(const char *what, int64_t clock, int run)
{
	static struct result none;
	struct trace *t;
	char *path;

	skew = clock;
	t = run_open(dir, RANKS, write_rank);
	if (!t)
		return;
	find(t, NULL, 1, &none);
	path = mem_printf("%s/%d/0" CUTS_SUFFIX, dir, run);
	test_windows(t, what);
	if (!run) {
		test_numbers(t);
		unlink(path);
		find(t, NULL, 1, &none);
		test_damage(t, path);
	}
	free(path);
	trace_free(t);
}

int main(void)
{
	char *path;

	if (!mkdtemp(dir))
		return 1;
	test_run("clocks that agree", 0, 0);
	test_run("a clock that is ahead", 150, 1);
	path = mem_printf("rm -r %s", dir);
	ok(!system(path), "removed");
	free(path);
	return tap_end();
}
