/*
 * repeats.c: messages and transfers that repeat earlier ones byte by byte, among others: each event has the arguments that
 * were written, and the request that follows from the one before.
 */
#include <string.h>

#include "convert/native/events/native_repeats.h"
#include "ranks.h"
#include "seed.h"
#include "tap.h"
#include "trace_writer.h"

#define RECORDS 20000 /* several chunks and batches */
#define CHUNK	5000
#define START	1000000

static char dir[] = "/tmp/tau-repeats.XXXXXX";

static struct written {
	uint32_t kind; /* enum tau_record_kind */
	int64_t peer, tag;
	uint64_t bytes;
	uint32_t op, request; /* request: 0: none */
} written[RECORDS];

static uint64_t seed;

/* A number below n. */
static uint64_t draw(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % n;
}

/* Few different records: most of them repeat one, requests by the same step. */
static void draw_all(void)
{
	static const uint32_t kind[] = {TAU_REC_SEND, TAU_REC_RECV, TAU_REC_RMA, TAU_REC_POSTED};
	static const uint64_t bytes[] = {0, 8, 8, 127, 128, 1 << 20, UINT64_C(1) << 40};
	uint32_t request = 0;

	for (size_t i = 0; i < RECORDS; i++) {
		struct written *x = &written[i];

		if (i % CHUNK == 0)
			request = 0;
		x->kind = kind[draw(4)];
		x->peer = (int64_t)draw(3);
		x->tag = draw(8) ? 0 : -70;
		x->bytes = bytes[draw(7)];
		x->op = (uint32_t)draw(RMAS);
		if (x->kind != TAU_REC_RMA && (x->kind == TAU_REC_POSTED || draw(2)))
			x->request = request += 1 + (uint32_t)draw(2);
	}
}

static void write_rank(const char *run, int rank)
{
	uint32_t request = 0;
	struct writer w;
	char path[128];

	snprintf(path, sizeof(path), "%s/%d.tau", run, rank);
	writer_open(&w, path, 100, 0, START, START);
	w.limit = CHUNK;
	writer_rank(&w, (uint32_t)rank, 1);
	for (size_t i = 0; i < RECORDS; i++) {
		const struct written *x = &written[i];
		struct buffer f = {0};

		if (i % CHUNK == 0)
			request = 0;
		if (x->kind == TAU_REC_RMA)
			put_varint(&f, x->op);
		if (x->kind != TAU_REC_POSTED)
			put_zigzag(&f, x->peer);
		if (x->kind == TAU_REC_SEND || x->kind == TAU_REC_RECV) {
			put_zigzag(&f, x->tag);
			put_varint(&f, 0);
		}
		if (x->kind != TAU_REC_POSTED)
			put_varint(&f, x->bytes);
		if (x->request)
			put_zigzag(&f, (int32_t)(x->request - request));
		request = x->request ? x->request : request;
		writer_extended(&w, START + i, x->kind, &f);
	}
	writer_close(&w);
}

static int is_same(const struct written *x, const struct event *ev, const struct event_args *a)
{
	if (x->kind == TAU_REC_RMA)
		return ev->kind == EVENT_RMA && a->rma.op == x->op && a->rma.peer == x->peer &&
		       a->rma.bytes == x->bytes;
	if (x->kind == TAU_REC_POSTED)
		return ev->kind == EVENT_POSTED && a->message.request == x->request;
	return ev->kind == (x->kind == TAU_REC_SEND ? EVENT_SEND : EVENT_RECV) &&
	       a->message.peer == x->peer && a->message.tag == x->tag &&
	       a->message.bytes == x->bytes && a->message.request == x->request;
}

static void test_read(void)
{
	struct trace *t = run_open(dir, 1, write_rank);
	size_t n = 0, wrong = 0, args = 0;
	struct trace_cursor *c;
	struct event_batch *b;
	struct error e;

	if (!ok(t && !t->ops->open(t, 0, INT64_MIN, &c, &e), "the run opens"))
		return;
	while (t->ops->next(c, &b, &e) > 0) {
		for (size_t i = 0; i < b->n && n < RECORDS; i++, n++)
			wrong += !is_same(&written[n], &b->event[i], &b->args[b->event[i].ref]);
		args += b->args_n;
	}
	ok(n == RECORDS && !wrong, "%zu of %d events, %zu wrong", n, RECORDS, wrong);
	ok(args < RECORDS, "events share arguments: %zu", args);
	t->ops->close(c);
	trace_free(t);
}

/* A record whose length exceeds what is left of its column repeats none. */
static void test_cut(void)
{
	static struct native_repeats r;
	unsigned char column[3 + NATIVE_PAD] = {2, 5, 6};
	struct bytes whole = bytes_of(column, 3), cut = bytes_of(column, 2), none = bytes_of(column, 0);
	uint32_t ref = 0;

	native_repeats_add(&r, column, TAU_REC_SEND, 7);
	ok(!native_repeats_read(&r, &cut, TAU_REC_SEND, &ref) &&
		   !native_repeats_read(&r, &none, TAU_REC_SEND, &ref) && cut.p == column,
	   "a record that is cut");
	ok(!native_repeats_read(&r, &whole, TAU_REC_RECV, &ref), "another kind");
	ok(native_repeats_read(&r, &whole, TAU_REC_SEND, &ref) && ref == 7 && !bytes_left(&whole),
	   "the same record");
	native_repeats_clear(&r);
	whole = bytes_of(column, 3);
	ok(!native_repeats_read(&r, &whole, TAU_REC_SEND, &ref), "another batch");
	column[0] = NATIVE_REPEAT_MOST + 1;
	native_repeats_add(&r, column, TAU_REC_SEND, 7);
	whole = bytes_of(column, sizeof(column));
	ok(!native_repeats_read(&r, &whole, TAU_REC_SEND, &ref), "a long record");
}

int main(void)
{
	char command[64];

	if (!mkdtemp(dir))
		return 1;
	seed = test_seed(0x5eed);
	draw_all();
	test_read();
	test_cut();
	snprintf(command, sizeof(command), "rm -r %s", dir);
	if (system(command))
		return 1;
	return tap_end();
}
