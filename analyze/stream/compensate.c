/* compensate.c: plays the clock of the cost of recording. */
#include "analyze/stream/compensate.h"

#include <string.h>

#include "analyze/trace/trace.h"
#include "record/metadata.h"

#define CLOCK_MOST (INT64_MAX / 4) /* ps: 26 days of recording alone; more is damage */

static int64_t cost(const struct trace_process *p, const char *name)
{
	double v = trace_process_meta_number(p, name);

	return v > 0 && v < (double)EVENT_COST_MOST ? (int64_t)v : 0;
}

void compensator_init(struct compensator *c, const struct trace_process *p, uint32_t region_n,
		      struct callstack_paths *paths)
{
	memset(c, 0, sizeof(*c));
	c->inside = cost(p, TAU_META_CALL_COST_INSIDE_PS);
	c->outside = cost(p, TAU_META_CALL_COST_OUTSIDE_PS);
	c->spread = cost(p, TAU_META_CALL_COST_SPREAD_PS);
	c->folded = cost(p, TAU_META_FOLDED_CALL_COST_PS);
	if (c->folded < c->inside)
		c->folded = c->inside + c->outside;
	c->on = c->inside + c->outside > 0;
	if (c->on)
		callstack_init(&c->callstack, region_n, paths);
}

void compensator_release(struct compensator *c)
{
	if (c->on)
		callstack_release(&c->callstack);
}

void compensator_state(struct compensator *c, const struct event_state *s)
{
	if (!c->on)
		return;
	if (s->cost_inside + s->cost_outside > 0) {
		c->inside = s->cost_inside;
		c->outside = s->cost_outside;
	}
	callstack_state(&c->callstack, s, c->now, 1);
}

/* Advances the clock by `times` times ps, at most to its end. Returns by how much. */
static int64_t advance(struct compensator *c, uint64_t times, int64_t ps)
{
	int64_t left = CLOCK_MOST - c->now, by;

	if (__builtin_mul_overflow(times, ps, &by) || by > left)
		by = left;
	c->now += by;
	return by;
}

void compensator_pass(struct compensator *c, int64_t ns)
{
	if (c->on && ns > 0 && ns < INT64_MAX / 2000)
		advance(c, (uint64_t)ns, 1000);
}

/* The part of the cost inside of folded calls is subtracted where their time is added. */
static void play_fold(struct compensator *c, const struct event_batch *b, uint32_t ref)
{
	struct event_batch copy = *b;
	struct event_args a = b->args[ref];
	struct event ev = { .kind = EVENT_FOLD };
	int64_t by = advance(c, a.fold.calls, c->folded);

	if (__builtin_mul_overflow(a.fold.calls, c->inside, &a.fold.ns) || a.fold.ns > by)
		a.fold.ns = by;
	copy.args = &a;
	ev.time = c->now;
	callstack_other(&c->callstack, &copy, &ev);
}

void compensator_play(struct compensator *c, const struct event_batch *b, size_t at, size_t n)
{
	if (!c->on)
		return;
	for (size_t i = at; i < at + n; i++) {
		struct event ev = b->event[i];

		if (ev.kind == EVENT_ENTER)
			advance(c, 1, c->outside);
		ev.time = c->now;
		if (ev.kind == EVENT_FOLD)
			play_fold(c, b, ev.ref);
		else if (!callstack_run(&c->callstack, &ev, 1))
			callstack_other(&c->callstack, b, &ev);
		if (ev.kind == EVENT_ENTER)
			advance(c, 1, c->inside);
	}
}

void compensator_begin(struct compensator *c)
{
	if (c->on)
		callstack_begin(&c->callstack, c->now);
}

void compensator_end(struct compensator *c)
{
	if (c->on)
		callstack_end(&c->callstack, c->now);
}

void compensator_finish(struct compensator *c)
{
	if (c->on)
		callstack_finish(&c->callstack, c->now);
}
