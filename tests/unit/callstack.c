/* callstack.c: the loops over many events count the same as the machine does event by event, whatever the paths. */
#include <stdlib.h>
#include <string.h>

#include "analyze/stream/callstack.h"
#include "seed.h"
#include "tap.h"

#define REGIONS 300
#define EVENTS  1000000
#define BATCH   2048

static uint64_t seed;

static uint32_t roll(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)((seed >> 16) % n);
}

static void events_make(struct event *v, uint32_t regions)
{
	int64_t time = 0;
	uint32_t depth = 0;

	for (size_t i = 0; i < EVENTS; i++) {
		int enter = roll(20) < (depth < 12 ? 11u : 8u);

		/* Now and then one leave too many. */
		depth = enter ? depth + 1 : depth ? depth - 1 : 0;
		v[i] = (struct event){time += roll(50), enter ? EVENT_ENTER : EVENT_LEAVE,
				      enter ? roll(regions) : 0};
	}
}

/* Plays the events; at once: in batches, as a player does. */
static void play(struct callstack *m, const struct event *v, int at_once)
{
	const struct event_batch none = {0};

	callstack_begin(m, 0);
	for (size_t i = 0; i < EVENTS;) {
		size_t left = BATCH - i % BATCH, n = left < EVENTS - i ? left : EVENTS - i;
		size_t ran = at_once ? callstack_run(m, &v[i], n) : 0;

		i += ran;
		if (ran < n)
			callstack_other(m, &none, &v[i++]);
	}
	callstack_finish(m, v[EVENTS - 1].time);
	callstack_end(m, v[EVENTS - 1].time);
}

static int rows_equal(const struct callstack_row *a, const struct callstack_row *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i].excl != b[i].excl || a[i].incl != b[i].incl || a[i].calls != b[i].calls ||
		    a[i].subrs != b[i].subrs)
			return 0;
	return 1;
}

static void compare(struct event *v, uint32_t regions, uint32_t depth)
{
	struct callstack_paths paths[2];
	struct callstack m[2];
	size_t n;

	events_make(v, regions);
	for (int i = 0; i < 2; i++) {
		callstack_paths_init(&paths[i], depth);
		callstack_init(&m[i], REGIONS, &paths[i]);
		play(&m[i], v, i);
	}
	n = m[0].path_row_n < m[1].path_row_n ? m[0].path_row_n : m[1].path_row_n;
	ok(paths[0].v_n == paths[1].v_n && n >= (depth ? paths[0].v_n : 0) &&
		   m[0].repaired == m[1].repaired &&
		   rows_equal(m[0].row, m[1].row, REGIONS + 1) &&
		   rows_equal(m[0].path_row, m[1].path_row, n),
	   "%u regions, paths of at most %u: %zu paths, and the same rows at once and event by event",
	   regions, depth, paths[0].v_n - 1);
	for (int i = 0; i < 2; i++) {
		callstack_release(&m[i]);
		callstack_paths_release(&paths[i]);
	}
}

int main(void)
{
	struct event *v = malloc(EVENTS * sizeof(*v));

	seed = test_seed(11);
	compare(v, 8, 0);
	compare(v, 8, CALLSTACK_WHOLE);
	compare(v, 8, 3);
	compare(v, REGIONS, 2);
	compare(v, 100, 3);
	compare(v, 3, 5);
	free(v);
	return tap_end();
}
