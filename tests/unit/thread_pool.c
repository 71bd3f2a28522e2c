/* thread_pool.c: each item is done once, in the order of their numbers on one thread, and a failure ends the work. */
#include "analyze/base/thread_pool.h"

#include <stdatomic.h>
#include <string.h>

#include "tap.h"

#define ITEMS 1000

struct work {
	atomic_int done[ITEMS];
	atomic_uint largest; /* worker */
	size_t fails;	     /* this item, with code -7; ITEMS: none */
	size_t last;	     /* on one thread */
	int in_order;
};

static int item(void *to, unsigned worker, size_t i)
{
	struct work *w = to;
	unsigned largest = atomic_load(&w->largest);

	while (worker > largest && !atomic_compare_exchange_weak(&w->largest, &largest, worker))
		;
	if (!worker && w->in_order)
		w->in_order = !i || i == w->last + 1;
	w->last = worker ? w->last : i;
	atomic_fetch_add(&w->done[i], 1);
	return i == w->fails ? -7 : 0;
}

static size_t done(struct work *w, size_t from, size_t to, int times)
{
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		n += atomic_load(&w->done[i]) == times;
	return n;
}

int main(void)
{
	static const struct {
		unsigned threads;
		size_t n, fails;
		int code;
	} cases[] = {{0, ITEMS, ITEMS, 0}, {1, ITEMS, ITEMS, 0}, {2, ITEMS, ITEMS, 0},   {8, ITEMS, ITEMS, 0}, {64, 3, ITEMS, 0},
		     {4, 0, ITEMS, 0},	  {1, ITEMS, 10, -7},	{4, ITEMS, 500, -7},	{3, ITEMS, 0, -7}};
	static struct work w;

	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		size_t n = cases[k].n, before;
		int code;

		memset(&w, 0, sizeof(w));
		w.fails = cases[k].fails;
		w.in_order = 1;
		code = thread_pool_run(&(struct thread_pool){item, NULL, &w}, cases[k].threads, n);
		before = cases[k].code ? cases[k].fails + 1 : n;
		ok(code == cases[k].code, "%zu items on %u threads: code %d", n, cases[k].threads, code);
		ok(done(&w, 0, before, 1) == before, "each of the first %zu is done once", before);
		ok(done(&w, before, ITEMS, 0) + done(&w, before, ITEMS, 1) == ITEMS - before, "no other one more than once");
		if (cases[k].threads < 2)
			ok(w.in_order && !w.largest && done(&w, before, ITEMS, 0) == ITEMS - before,
			   "one thread: the caller's, in order, and nothing after a failure");
		else
			ok(w.largest < cases[k].threads, "workers are numbered below %u", cases[k].threads);
	}
	return tap_end();
}
