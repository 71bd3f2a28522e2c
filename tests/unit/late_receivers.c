/*
 * late_receivers.c: ranks that send with MPI_Isend and receive with MPI_Irecv, whose waits for late receivers are known: what
 * is found must be these, to the nanosecond, whatever calls come between.
 */

#include <math.h>
#include <string.h>

#include "analyze/messages/critical_path.h"
#include "analyze/messages/requests.h"
#include "analyze/messages/waits.h"
#include "ranks.h"
#include "tap.h"
#include "trace_writer.h"

#define RANKS 3
#define BEGIN INT64_C(1000000)

static char dir[] = "/tmp/tau-late.XXXXXX";

static const char *const region[] = {"main", "MPI_Send()", "MPI_Recv()", "MPI_Isend()",
				     "MPI_Irecv()", "MPI_Wait()", "MPI_Waitall()", "MPI_Test()",
				     "MPI_Waitany()"};
enum { MAIN, SEND, RECV, ISEND, IRECV, WAIT, WAITALL, TEST, WAITANY };
#define REGIONS (sizeof(region) / sizeof(*region))

/* A call; up to two things that happen in it: tag and request (0: none) of a message, peer < 0: a send completes. */
struct step {
	int thread, region; /* thread: the rank, or RANKS: the second thread of rank 0 */
	int64_t enter, leave;
	struct {
		unsigned kind;
		int peer, tag;
		uint32_t request;
	} what[2];
};
#define S(peer, tag, request) {TAU_REC_SEND, peer, tag, request}
#define R(peer, tag, request) {TAU_REC_RECV, peer, tag, request}
#define P(request) {TAU_REC_POSTED, 0, 0, request}
#define C(request) {TAU_REC_COMPLETED, 0, 0, request}

static const struct step various[] = {
	/* 1: the receive is a call of its own */
	{0, ISEND, 100, 110, {S(1, 1, 7)}},
	{0, WAIT, 200, 700, {C(7)}},
	{1, RECV, 600, 650, {R(0, 1, 0)}},
	/* 2: the send is complete before the receive begins */
	{0, ISEND, 1000, 1010, {S(1, 2, 8)}},
	{0, WAIT, 1020, 1030, {C(8)}},
	{1, RECV, 1500, 1510, {R(0, 2, 0)}},
	/* 3: the receive ends after the wait, with another call between */
	{0, ISEND, 2100, 2110, {S(1, 3, 9)}},
	{0, WAITANY, 2200, 2700, {C(9)}},
	{1, IRECV, 2600, 2605, {P(7)}},
	{1, SEND, 2610, 2800, {S(2, 30, 0)}},
	{2, RECV, 2600, 2820, {R(1, 30, 0)}},
	{1, WAIT, 2900, 2950, {R(0, 3, 7)}},
	/* 4: the same for a send that does not return earlier */
	{0, SEND, 3100, 3700, {S(1, 4, 0)}},
	{1, IRECV, 3600, 3605, {P(8)}},
	{1, SEND, 3610, 3800, {S(2, 31, 0)}},
	{2, RECV, 3605, 3820, {R(1, 31, 0)}},
	{1, WAIT, 3900, 3950, {R(0, 4, 8)}},
	/* 5: tests do not wait */
	{0, ISEND, 4100, 4110, {S(1, 5, 10)}},
	{0, TEST, 4200, 4700, {C(10)}},
	{1, RECV, 4600, 4650, {R(0, 5, 0)}},
	/* 6: another thread completes the send, in its first call */
	{0, ISEND, 5100, 5110, {S(1, 6, 11)}},
	{RANKS, WAIT, 5200, 5700, {C(11)}},
	{1, RECV, 5600, 5650, {R(0, 6, 0)}},
	/* 7: a call that waits for a message is charged with that alone */
	{0, ISEND, 6100, 6110, {S(1, 7, 12)}},
	{0, IRECV, 6120, 6125, {P(13)}},
	{0, WAITALL, 6200, 6700, {C(12), R(1, 70, 13)}},
	{1, RECV, 6600, 6605, {R(0, 7, 0)}},
	{1, SEND, 6610, 6690, {S(0, 70, 0)}},
	/* 8: of two receivers, the second is known later */
	{0, ISEND, 7100, 7110, {S(1, 8, 14)}},
	{0, ISEND, 7120, 7130, {S(2, 8, 15)}},
	{0, WAITALL, 7200, 7700, {C(14), C(15)}},
	{1, RECV, 7350, 7690, {R(0, 8, 0)}},
	{2, IRECV, 7600, 7605, {P(1)}},
	{2, SEND, 7610, 7800, {S(1, 80, 0)}},
	{1, RECV, 7805, 7830, {R(2, 80, 0)}},
	{2, WAIT, 7900, 7950, {R(0, 8, 1)}},
	/* 9: the begin of a request is not in the trace, or its end */
	{0, WAIT, 8100, 8300, {C(99)}},
	{0, ISEND, 8400, 8410, {S(1, 9, 16)}},
	{1, WAIT, 8600, 8650, {R(0, 9, 98)}},
	{2, IRECV, 8700, 8710, {P(97)}},
	/* 10: the message is not received */
	{0, ISEND, 9000, 9010, {S(1, 10, 17)}},
	{0, WAIT, 9100, 9200, {C(17)}},
	/* 11: of two receives, the second is complete first, but the first message is that of the first */
	{2, IRECV, 9210, 9220, {P(20)}},
	{2, IRECV, 9230, 9240, {P(21)}},
	{0, ISEND, 9320, 9330, {S(2, 11, 0)}},
	{2, WAIT, 9400, 9650, {R(0, 11, 21)}},
	{0, ISEND, 9600, 9610, {S(2, 11, 0)}},
	{2, WAIT, 9700, 9710, {R(0, 11, 20)}},
	/* 12: so it is with a receive that is a call of its own, and within one call */
	{2, IRECV, 9712, 9714, {P(22)}},
	{2, IRECV, 9716, 9718, {P(23)}},
	{0, ISEND, 9720, 9722, {S(2, 12, 0)}},
	{0, ISEND, 9725, 9727, {S(2, 12, 0)}},
	{2, RECV, 9730, 9780, {R(0, 12, 0)}},
	{0, ISEND, 9770, 9772, {S(2, 12, 0)}},
	{2, WAITALL, 9790, 9800, {R(0, 12, 23), R(0, 12, 22)}},
};
/* The sender waits for rank 1, which is known after another call of that rank; then it waits for rank 1 again. */
static const struct step again[] = {
	{0, ISEND, 100, 110, {S(1, 1, 1)}},
	{0, WAIT, 200, 700, {C(1)}},
	{1, IRECV, 600, 605, {P(1)}},
	{1, SEND, 610, 800, {S(2, 2, 0)}},
	{2, RECV, 605, 820, {R(1, 2, 0)}},
	{1, WAIT, 900, 950, {R(0, 1, 1)}},
	{0, RECV, 1000, 1210, {R(1, 3, 0)}},
	{1, SEND, 1200, 1205, {S(0, 3, 0)}},
};
static const struct step *steps = various;
static size_t step_n = sizeof(various) / sizeof(*various);

static void put_what(struct writer *w, const struct step *s, size_t k, uint32_t *last)
{
	uint32_t request = s->what[k].request;
	unsigned kind = s->what[k].kind;
	int begins = kind == TAU_REC_SEND || kind == TAU_REC_POSTED;
	struct buffer f = {0};

	if (!kind)
		return;
	if (kind == TAU_REC_SEND || kind == TAU_REC_RECV) {
		put_zigzag(&f, s->what[k].peer);
		put_zigzag(&f, s->what[k].tag);
		put_varint(&f, 0);
		put_varint(&f, 64);
	}
	if (request) {
		put_zigzag(&f, (int32_t)(request - *last));
		*last = request;
	}
	writer_extended(w, (uint64_t)(BEGIN + (begins ? s->enter : s->leave)), kind, &f);
}

static void write_thread(const char *run, int rank, int thread)
{
	char path[128];
	struct writer w;
	uint32_t last = 0;

	snprintf(path, sizeof(path), "%s/%d.%d.tau", run, rank, thread);
	writer_open(&w, path, 100 + (uint64_t)rank, (uint32_t)thread, (uint64_t)BEGIN,
		    (uint64_t)BEGIN);
	writer_rank(&w, (uint32_t)rank, RANKS);
	for (size_t i = 0; i < REGIONS; i++)
		writer_region(&w, (uint32_t)i, region[i], i ? "MPI" : "");
	writer_enter(&w, (uint64_t)BEGIN, MAIN);
	for (size_t i = 0; i < step_n; i++) {
		const struct step *s = &steps[i];

		if (s->thread != (thread ? RANKS : rank))
			continue;
		writer_enter(&w, (uint64_t)(BEGIN + s->enter), (uint32_t)s->region);
		put_what(&w, s, 0, &last);
		put_what(&w, s, 1, &last);
		writer_leave(&w, (uint64_t)(BEGIN + s->leave));
	}
	writer_leave(&w, (uint64_t)(BEGIN + 10000));
	writer_close(&w);
}

static void write_rank(const char *run, int rank)
{
	write_thread(run, rank, 0);
	if (!rank)
		write_thread(run, rank, 1);
}

/* ---- what is found ---- */

static struct messages m;
static struct waits x;
static struct critical_path path;

static void found_in(const struct wait_rows *rows, enum wait_pattern p, int rank, const char *leaf, uint64_t n,
		     double expected)
{
	uint64_t calls = 0;
	double ns = 0;

	for (size_t i = 0; i < rows->v_n; i++) {
		const struct wait_row *r = &rows->v[i];

		if (r->pattern != p || (int)m.trace->process[r->process].node != rank ||
		    (leaf && strcmp(m.trace->region[m.paths.v[r->path].region].name, leaf)))
			continue;
		ns += r->ns;
		calls += r->n;
	}
	ok(fabs(ns - expected) < 1e-6 && calls == n, "%s, rank %d, %s: %d calls, %.3f ns (%d, %.3f)",
	   wait_name(p), rank, leaf ? leaf : "all", (int)calls, ns, (int)n, expected);
}

static void found(enum wait_pattern p, int rank, const char *leaf, uint64_t n, double expected)
{
	found_in(&x.waits, p, rank, leaf, n, expected);
}

static void test_waits(void)
{
	/* 1 and 6 */
	found(WAIT_LATE_RECEIVER, 0, "MPI_Wait()", 2, 400 + 400);
	found(WAIT_LATE_RECEIVER, 0, "MPI_Waitany()", 1, 400);
	found(WAIT_LATE_RECEIVER, 0, "MPI_Send()", 1, 500);
	found(WAIT_LATE_RECEIVER, 0, "MPI_Waitall()", 1, 400);
	found(WAIT_LATE_RECEIVER, 0, NULL, 5, 800 + 400 + 500 + 400);
	found(WAIT_LATE_RECEIVER, 1, NULL, 0, 0);
	found(WAIT_LATE_RECEIVER, 2, NULL, 0, 0);
	found(WAIT_LATE_SENDER, 0, "MPI_Waitall()", 1, 410);
	found(WAIT_LATE_SENDER, 2, "MPI_Wait()", 1, 9600 - 9400);
	/* two of 3 and 4 */
	found(WAIT_LATE_SENDER, 2, "MPI_Recv()", 3, 10 + 5 + 9770 - 9730);
	found(WAIT_LATE_SENDER, 2, "MPI_Waitall()", 0, 0);
	ok(m.found.matched == 19 && m.found.unreceived == 1 && !m.found.unsent,
	   "19 messages, and one that nobody receives");
}

/* The times of the threads without their waits, so that the waits of all patterns are missing from those of their calls. */
static void test_critical_path(void)
{
	double waitany = 0, send = 0;

	for (size_t p = 1; p < m.paths.v_n && p < path.sum_n; p++) {
		const char *name = m.trace->region[m.paths.v[p].region].name;

		waitany += strcmp(name, "MPI_Waitany()") ? 0 : path.sum[p];
		send += strcmp(name, "MPI_Send()") ? 0 : path.sum[p];
	}
	ok(fabs(waitany - 100) < 1e-6, "critical path: %.3f ns of MPI_Waitany() without waits",
	   waitany);
	/* 100 in 4, and what the other sends took */
	ok(fabs(send - (100 + 190 + 190 + 80 + 190)) < 1e-6,
	   "critical path: %.3f ns of MPI_Send() without waits", send);
}

static void test_table(void)
{
	static struct message_call call[4000];
	struct requests r = {0};
	int good = 1, odd = 1;

	for (uint32_t i = 0; i < 4000; i++)
		good &= !requests_add(&r, (struct message_request){.key = request_key(i % 3, i + 1),
								   .posted = &call[i]})
				 .key;
	ok(good && r.n == 4000, "4000 requests of three processes");
	for (uint32_t i = 0; i < 4000; i += 2)
		good &= requests_remove(&r, request_key(i % 3, i + 1)).posted == &call[i];
	for (uint32_t i = 0; i < 4000; i++)
		odd &= (requests_remove(&r, request_key(i % 3, i + 1)).posted == &call[i]) == i % 2;
	ok(good && odd && !r.n, "each is removed once");
	requests_add(&r, (struct message_request){.key = request_key(0, 5), .posted = &call[0]});
	ok(requests_add(&r, (struct message_request){.key = request_key(0, 5), .posted = &call[1]})
				   .posted == &call[0] &&
		   requests_remove(&r, request_key(0, 5)).posted == &call[1] &&
		   !requests_remove(&r, request_key(0, 5)).key,
	   "one with the same number replaces it");
	requests_release(&r);
}

static struct trace *read_run(void)
{
	static struct messages_use use[2];
	struct trace *t = run_open(dir, RANKS, write_rank);
	struct error e = {0};
	int code;

	m = (struct messages){.trace = t, .use = use, .use_n = 2};
	use[0] = waits_use(&x, &m);
	use[1] = critical_path_use(&path, &m);
	code = t ? messages_read(&m, &e) : -1;
	ok(!code, "the run is read %s", e.text);
	waits_end(&x);
	critical_path_end(&path);
	return t;
}

static void release(struct trace *t)
{
	waits_release(&x);
	critical_path_release(&path);
	messages_release(&m);
	trace_free(t);
}

/* Causes are those since the two ranks last waited for each other, though that was found late. */
static void test_causes(void)
{
	struct trace *t;

	steps = again;
	step_n = sizeof(again) / sizeof(*again);
	t = read_run();
	found(WAIT_LATE_RECEIVER, 0, "MPI_Wait()", 1, 400);
	found(WAIT_LATE_SENDER, 0, "MPI_Recv()", 1, 200);
	/* Since 605 and 700: 190 in MPI_Send, and 355 - 300 in main; less of MPI_Wait than rank 0 */
	found_in(&x.causes, WAIT_LATE_SENDER, 1, "MPI_Send()", 1, 190 * 200 / 245.0);
	found_in(&x.causes, WAIT_LATE_SENDER, 1, "main", 1, 55 * 200 / 245.0);
	found_in(&x.causes, WAIT_LATE_SENDER, 1, NULL, 3, 200 + 5); /* 5: of rank 2 */
	release(t);
}

int main(void)
{
	char command[64];
	struct trace *t;

	if (!mkdtemp(dir))
		return 1;
	t = read_run();
	test_waits();
	test_critical_path();
	test_table();
	release(t);
	test_causes();
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ok(!system(command), "files removed");
	return tap_end();
}
