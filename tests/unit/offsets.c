/* offsets.c: the offsets of transfers of files, as the records have them: at the end, or not there. */
#include <stdlib.h>
#include <string.h>

#include "analyze/trace/trace.h"
#include "ranks.h"
#include "tap.h"
#include "trace_writer.h"

#define START 1000000
#define MOST  8

static char dir[] = "/tmp/tau-offsets.XXXXXX";

/* The bytes of a record after its first four fields. */
static struct tail {
	const char *bytes;
	size_t n;
} tails[MOST];
static size_t tail_n;

static void write_rank(const char *run, int rank)
{
	char path[128];
	struct writer w;

	snprintf(path, sizeof(path), "%s/%d.tau", run, rank);
	writer_open(&w, path, 100, 0, START, START);
	writer_region(&w, 0, "read()", "TAU_IO");
	writer_event(&w, 0, "in.dat", 0);
	writer_enter(&w, START, 0);
	for (size_t i = 0; i < tail_n; i++) {
		struct buffer f = {0};

		put_varint(&f, TAU_IO_READ);
		put_varint(&f, 0);
		put_varint(&f, 100 + i);
		put_varint(&f, 10);
		put_bytes(&f, tails[i].bytes, tails[i].n);
		writer_extended(&w, START + 10 + i, TAU_REC_IO, &f);
	}
	writer_leave(&w, START + 1000);
	writer_close(&w);
}

/* Reads the offsets. Returns the number of transfers before the end or the damage. */
static size_t offsets(const struct tail *v, size_t n, int64_t *at, int *damaged)
{
	struct trace_cursor *c;
	struct event_batch *b;
	struct error e = {0};
	struct trace *t;
	size_t found = 0;

	memcpy(tails, v, n * sizeof(*v));
	tail_n = n;
	t = run_open(dir, 1, write_rank);
	if (!t || t->ops->open(t, 0, INT64_MIN, &c, &e) < 0)
		exit(1);
	while (t->ops->next(c, &b, &e) > 0)
		for (size_t i = 0; i < b->n; i++)
			if (b->event[i].kind == EVENT_IO && found < MOST)
				at[found++] = b->args[b->event[i].ref].io.at;
	t->ops->close(c);
	*damaged = t->stream[0].damaged;
	trace_free(t);
	return found;
}

int main(void)
{
	static const struct tail good[] = {
		{"", 0},				     /* an earlier recorder, or not known */
		{"\x00", 1},				     /* 0 */
		{"\x81\x20", 2},			     /* 4097 */
		{"\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 9}, /* the largest: 2^63 - 1 */
		{"\x07\x09\x05", 3},			     /* 7, then fields of later versions */
	};
	static const int64_t expected[] = {-1, 0, 4097, INT64_MAX, 7};
	static const struct tail cut[] = {{"\x05", 1}, {"\x80", 1}},
				 large[] = {{"\x05", 1}, {"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10}};
	int64_t at[MOST];
	char command[64];
	int damaged;
	size_t n;

	if (!mkdtemp(dir))
		return 1;
	n = offsets(good, 5, at, &damaged);
	ok(n == 5 && !damaged, "%zu transfers are read", n);
	for (size_t i = 0; i < n; i++)
		ok(at[i] == expected[i], "the offset of transfer %zu is %lld", i, (long long)at[i]);
	n = offsets(cut, 2, at, &damaged);
	ok(n == 1 && at[0] == 5 && damaged, "an offset that is cut short is damage, after what is before");
	n = offsets(large, 2, at, &damaged);
	ok(n == 1 && at[0] == 5 && damaged, "an offset of 2^63 or more is damage");
	snprintf(command, sizeof(command), "rm -r %s", dir);
	if (system(command))
		return 1;
	return tap_end();
}
