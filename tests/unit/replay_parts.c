/*
 * replay_parts.c: parts of a replay on their own: sums of chunks that are handed out, memory as summaries, one stream's profile, and
 * the messages of processes and shifts of their clocks.
 */
#include <string.h>

#include "analyze/clocks/message_graph.h"
#include "analyze/replay/live_memory_play.h"
#include "analyze/replay/profile_fill.h"
#include "analyze/replay/replay.h"
#include "analyze/replay/summary_build.h"
#include "analyze/replay/summary_build_memory.h"
#include "ranks.h"
#include "tap.h"
#include "trace_writer.h"

#define START 1000000

static char dir[] = "/tmp/tau-parts.XXXXXX";
enum { MAIN, WORK };

/* Rank 0 sends at 500; rank 1 receives at 400 by its clock. Each calls work 20 times for 10 ns. */
static void write_rank(const char *run, int rank)
{
	char path[128];
	struct writer w;

	snprintf(path, sizeof(path), "%s/%d.tau", run, rank);
	writer_open(&w, path, 100 + (uint64_t)rank, 0, START, START);
	w.limit = 8;
	writer_rank(&w, (uint32_t)rank, 2);
	writer_region(&w, MAIN, "main", "TAU_USER");
	writer_region(&w, WORK, "work", "TAU_USER");
	writer_enter(&w, START, MAIN);
	for (uint64_t i = 0; i < 20; i++) {
		writer_enter(&w, START + 10 + 20 * i, WORK);
		writer_leave(&w, START + 20 + 20 * i);
	}
	writer_message(&w, START + (rank ? 410 : 500), rank ? TAU_REC_RECV : TAU_REC_SEND, !rank);
	writer_leave(&w, START + 1000);
	writer_close(&w);
}

static struct trace *opened(void)
{
	struct trace *t = run_open(dir, 2, write_rank);

	if (!t)
		exit(1);
	return t;
}

/* ---- sums of chunks ---- */

struct sums {
	size_t taken, finished, chunks;
	uint64_t calls;
	int64_t excl;
	int refuse; /* what take returns */
};

static int on_wants(void *to, size_t k)
{
	(void)to;
	return k % 2 == 0;
}

static int on_receive(void *to, const struct summary *s, size_t first, size_t end)
{
	struct sums *x = to;

	x->taken++;
	x->chunks += end - first;
	for (size_t i = 0; i < s->row_n; i++) {
		x->calls += s->row[i].calls;
		x->excl += s->row[i].excl;
	}
	return x->refuse;
}

static void on_keep(void *to, const struct loop_frame *f)
{
	(void)to;
	(void)f;
}

static int on_finish(void *to, const struct summary_names *names, size_t chunks, const struct frames_kept *rest)
{
	(void)names;
	(void)chunks;
	(void)rest;
	((struct sums *)to)->finished++;
	return 0;
}

static void test_build(int refuse)
{
	struct trace *t = opened();
	struct sums x = {.refuse = refuse};
	const struct summary_sink sink = {on_wants, on_receive, on_keep, on_finish, &x};
	struct summary_job job = {.stream = 0, .sink = &sink};
	const struct summary_jobs jobs = {.ops = t->ops, .v = &job, .n = 1};
	struct error e = {0};

	ok(!summary_build_all(t, 0, &jobs, &e), "a stream is played: %s", e.text);
	if (refuse) {
		ok(x.taken == 1 && job.code == refuse, "nothing more is handed out when the sink refuses: %zu", x.taken);
	} else {
		ok(x.taken >= 2 && x.finished == 1 && !job.code, "%zu sums of %zu chunks", x.taken, x.chunks);
		/* The last chunk belongs to none: 44 records in chunks of 8 leave at most 4 calls out. */
		ok(x.calls >= 16 && x.calls <= 21 && x.excl >= 300 && x.excl < 1000, "with calls and times: %d, %d", (int)x.calls, (int)x.excl);
	}
	trace_free(t);
}

/* ---- memory ---- */

static int64_t peak, gain;

static int on_memory(void *to, const struct summary *s, size_t first, size_t end)
{
	(void)to;
	(void)first;
	(void)end;
	for (size_t i = 0; i < s->level_n; i++)
		if (s->level[i].row == 0) {
			peak = s->level[i].peak.bytes;
			gain += s->level[i].gain.bytes;
		}
	return 0;
}

static void test_memory(void)
{
	static const struct {
		int64_t bytes[3], peak, gain;
		int whole, code;
	} cases[] = {{{100, 50, -150}, 150, 150, 1, 0}, {{-10, -20, 30}, 0, -30, 1, 0}, {{5, 5, 5}, 10, 10, 0, 1}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct trace_memtype memtype = {.name = "list_t"};
		struct trace t = {.path = "t", .memtype = &memtype, .memtype_n = 1};
		struct sums x = {0};
		const struct summary_sink sink = {on_wants, on_memory, on_keep, on_finish, &x};
		struct summary_job job = {.sink = &sink};
		struct memory_build d;

		peak = gain = 0;
		memory_build_init(&d, &t, &job);
		for (int k = 0; k < 3; k++) {
			live_memory_note(&d.levels, (struct level_change){.time = 10 * k, .type = 0, .bytes = cases[i].bytes[k], .blocks = 1});
			d.states = k == 2 ? 2 : 1; /* the sink wants it before the last change */
			live_memory_advance(&d.levels, 10 * k + 1);
		}
		memory_build_finish(&d, cases[i].whole);
		ok(peak == cases[i].peak && gain == cases[i].gain, "memory %zu: peak %d, gain %d before the last change", i, (int)peak, (int)gain);
		ok(job.code == cases[i].code && x.finished == (size_t)cases[i].whole, "%s", cases[i].whole ? "whole" : "states disagree: it is not kept");
		memory_build_release(&d);
	}
}

static void test_known(void)
{
	struct trace *t = opened();
	struct segment segment = {0, INT64_MAX, 0, 1};
	uint32_t member = 0;
	const struct segments all = {.v = &segment, .v_n = 1, .member = &member, .member_n = 1};
	struct live_memory_known k;

	ok(!live_memory_known_make(&k, t, 0, &all), "without an index nothing is known of memory");
	trace_free(t);
}

/* ---- a profile ---- */

static void test_fill(void)
{
	struct trace *t = opened();
	struct window_spans everything = {.v = &(struct window_span){INT64_MIN, INT64_MAX}, .v_n = 1};
	struct window window = {.of = &everything, .of_n = 1};
	struct callstack_row row[3] = {[MAIN] = {.calls = 1, .subrs = 2, .incl = 1000, .excl = 600}, [WORK] = {.calls = 2, .incl = 400, .excl = 400}};
	struct tally tally = {.row = row};
	struct stack_places places = {.trace = t};
	struct player_shared shared;
	struct profile_fill s;
	const struct profile_thread *thread;

	player_shared_init(&shared, t, 0, 0);
	shared.end = 1001;
	profile_fill_open(&s, &shared, &places, &window, NULL);
	profile_fill_stream(&s, 1, &tally, NULL);
	profile_sort(s.profile);
	ok(s.all && s.profile->thread_n == 1 && s.profile->thread[0].node == 1, "the thread of a stream");
	thread = &s.profile->thread[0];
	ok(s.profile->timer_n >= 2 && thread->row_n >= 2 && thread->row[0].calls == 1 && thread->row[0].subrs == 2 &&
		   *profile_excl(s.profile, (struct profile_thread *)thread, &thread->row[0]) == 0.6,
	   "with calls and times in us");
	profile_free(s.profile);
	profile_fill_release(&s);
	player_shared_release(&shared);
	trace_free(t);
}

/* ---- messages of processes ---- */

static void test_graph(void)
{
	struct trace *t = opened();
	struct message_graph w;
	struct causality found = {0};
	struct error e = {0};

	ok(!message_graph_read(&w, t, &found, &e), "messages are read: %s", e.text);
	ok(w.channel_n == 1 && w.channel[0].sent == 1 && w.channel[0].received == 1, "one channel with a message");
	ok(w.lane[0].message_n == 1 && w.lane[0].message[0].point == POINT_SEND && w.lane[0].message[0].time == 500, "sent at 500");
	ok(w.lane[1].message[0].point == POINT_RECV && w.lane[1].message[0].time == 410, "received at 410 by another clock");
	message_graph_release(&w);
	trace_free(t);
}

static void test_shift(void)
{
	static const struct knot knot[] = {{100, 50}, {10000, 0}};
	static const struct {
		int64_t time, least, most;
	} cases[] = {{0, 0, 0}, {99, 0, 0}, {100, 50, 50}, {150, 49, 50}, {1000000, 0, 0}};

	ok(shift_at(NULL, 0, 5) == 0, "no knot, no shift");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int64_t shift = shift_at(knot, 2, cases[i].time);

		ok(shift >= cases[i].least && shift <= cases[i].most, "at %d a shift of %d", (int)cases[i].time, (int)shift);
	}
}

/* ---- a stream that cannot be opened ---- */

static int open_fails(struct trace *t, uint32_t stream, int64_t from, struct trace_cursor **out, struct error *e)
{
	(void)from;
	(void)out;
	return error_set(e, ERROR_SYSTEM, "%s: stream %u cannot be opened", t->path, stream);
}

/* The other streams of the process, whose memory is merged with its memory, are not open when it fails. */
static void test_unopened(void)
{
	static const struct trace_ops ops = {.open = open_fails};
	uint32_t of[] = {0, 1};
	struct trace_process process = {.end = 1000, .stream = of, .stream_n = 2};
	struct trace_stream stream[] = {{.name = "a", .has_memory = 1}, {.name = "b", .has_memory = 1}};
	struct trace t = {.path = "t", .ops = &ops, .process = &process, .process_n = 1, .stream = stream, .stream_n = 2, .end = 1001};
	struct profile *p;
	struct error e = {0};

	ok(replay_profiles(&t, &(struct replay_options){0}, &p, &e) == ERROR_SYSTEM && strstr(e.text, "stream 0"), "an error: %s", e.text);
}

int main(void)
{
	char command[64];

	if (!mkdtemp(dir))
		return 1;
	test_build(0);
	test_build(7);
	test_memory();
	test_known();
	test_fill();
	test_graph();
	test_shift();
	test_unopened();
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command) ? 1 : tap_end();
}
