/* scan_waits.c: in a scan, each rank waits for the last of the ranks before it, also with many ranks in little time. */
#include <time.h>

#include "analyze/messages/awaited.h"
#include "seed.h"
#include "tap.h"

static struct trace_region regions[] = {{.name = "MPI_Scan()"}};
static struct trace trace = {.region = regions, .region_n = 1};
static struct call_kinds kinds;
static uint64_t state;

static uint64_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* An operation of n ranks that entered at random times, in random order; calls by rank. */
static struct message_call *scan_make(struct meeting *m, size_t n)
{
	struct message_call *c = mem_alloc((n + 1) * sizeof(*c));
	size_t *order = mem_alloc((n + 1) * sizeof(*order));

	*m = (struct meeting){.op = COLL_SCAN, .root = -1, .members = n, .joined = n};
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	for (size_t i = n; i-- > 1;) {
		size_t k = draw() % (i + 1), was = order[i];

		order[i] = order[k];
		order[k] = was;
	}
	for (size_t i = 0; i < n; i++) {
		struct message_call *o = &c[order[i]];

		*o = (struct message_call){.region = 0,
					   .op = COLL_SCAN,
					   .meets = 1,
					   .bytes_sent = 8,
					   .bytes_received = 8,
					   .rank = (uint32_t)order[i],
					   .enter = (int64_t)(draw() % 1000000),
					   .meeting = m,
					   .next_in_meeting = m->first};
		o->leave = o->enter + 500000;
		m->first = o;
	}
	free(order);
	return c;
}

static void test_each(void)
{
	size_t n = 300, bad = 0, waits = 0;
	struct meeting m;
	struct message_call *c = scan_make(&m, n);
	int64_t last = INT64_MIN;

	for (size_t i = 0; i < n; i++) {
		int64_t until = last < c[i].leave ? last : c[i].leave;
		struct awaited a = {0};
		int found = awaited_meeting(&kinds, &c[i], &a);

		bad += found != (until > c[i].enter);
		bad += found && (a.until != until || a.pattern != WAIT_EARLY_SCAN || a.call->enter != last || a.call->rank >= i);
		waits += (size_t)found;
		last = c[i].enter > last ? c[i].enter : last;
	}
	ok(!bad && waits > n / 2, "%zu of %zu ranks wait for the last before them, %zu wrong", waits, n, bad);
	free(c);
}

static void test_many(void)
{
	size_t n = 200000, waits = 0;
	struct meeting m;
	struct message_call *c = scan_make(&m, n);
	clock_t begin = clock();
	double seconds;

	for (size_t i = 0; i < n; i++) {
		struct awaited a;

		waits += (size_t)awaited_meeting(&kinds, &c[i], &a);
	}
	seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
	ok(waits > n / 2 && seconds < 5, "%zu ranks in %.3f s", n, seconds);
	free(c);
}

int main(void)
{
	state = test_seed(20261126);
	call_kinds_init(&kinds, &trace);
	test_each();
	test_many();
	call_kinds_release(&kinds);
	return tap_end();
}
