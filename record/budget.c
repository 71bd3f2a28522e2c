/*
 * budget.c: holds the cost of recording below a share of the CPU time that a thread has had.
 *
 * Every so many recorded calls the thread's CPU time is read. What the calls so far have cost is
 * their number times the cost of one, as measured when the process started, and the time spent
 * storing chunks. While that is more than the share, the regions that were called most since the
 * last look are dropped, until what is left of them fits.
 */
#include "core.h"

#define LOOK_CALLS 4096 /* recorded calls between two looks */

struct budget {
	uint64_t calls;               /* recorded so far */
	uint64_t cpu_start, cpu_last; /* ns */
	uint64_t sealed;              /* ticks of storing, until the last look */
};

static uint64_t cost_ns(uint64_t calls, uint64_t sealed_ticks)
{
	return calls * process.cost.all / 1000 +
	       sealed_ticks * 1000 / (process.ticks_hz / 1000000 + 1);
}

/* The region that was called most since the last look, of those that are recorded. */
static struct rich_region *most_called(struct stream *s, uint32_t *region, uint64_t *calls)
{
	struct rich_region *most = NULL;

	*calls = *region = 0;
	for (uint32_t i = 0; i < s->region_n; i++) {
		struct rich_region *w = &s->what[i];
		uint64_t n = w->calls - w->looked;

		if (!(w->flags & (RICH_DROPPED | RICH_START | RICH_STOP)) && n > *calls) {
			most = w;
			*region = i;
			*calls = n;
		}
	}
	return most;
}

/* Drops regions until the calls of the rest since the last look, `calls`, would have cost less than
 * may be. */
static void drop_worst(struct stream *s, uint64_t calls, uint64_t allowed_ns)
{
	struct rich_region *w;
	uint32_t region;
	uint64_t n;

	while (cost_ns(calls, 0) > allowed_ns && (w = most_called(s, &region, &n)) &&
	       n > LOOK_CALLS / 64) {
		rich_drop(region, TAU_LIMIT_BUDGET);
		calls -= n < calls ? n : calls;
	}
}

static void look(struct stream *s, struct budget *b)
{
	uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID),
		 spent = cost_ns(b->calls, s->sealed_ticks);
	uint64_t allowed =
		(uint64_t)((unsigned __int128)(cpu - b->cpu_start) * control.budget_ppm / 1000000);

	if (spent > allowed)
		drop_worst(s, LOOK_CALLS,
			   (uint64_t)((unsigned __int128)(cpu - b->cpu_last) * control.budget_ppm /
				      1000000));
	for (uint32_t i = 0; i < s->region_n; i++)
		s->what[i].looked = s->what[i].calls;
	b->cpu_last = cpu;
}

void budget_called(struct stream *s)
{
	struct budget *b = s->budget;

	if (unlikely(!b)) {
		b = s->budget = map_alloc(sizeof(*b));
		if (!b)
			return;
		b->cpu_start = b->cpu_last = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	}
	if (unlikely(++b->calls % LOOK_CALLS == 0))
		look(s, b);
}
