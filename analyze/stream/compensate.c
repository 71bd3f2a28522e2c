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

/* ps, when the cost of a call is no longer `first`, but `now`. */
static int64_t scale(int64_t ps, int64_t now, int64_t first)
{
	double v = (double)ps * (double)now / (double)first;

	return v < (double)EVENT_COST_MOST ? (int64_t)v : EVENT_COST_MOST;
}

/* An older run contains the cost of a call and its uncertainty. */
static void limits_of_spread(struct compensator *c, const struct trace_process *p, int64_t inside)
{
	int64_t spread = cost(p, TAU_META_CALL_COST_SPREAD_PS),
		least = spread < c->first ? c->first - spread : 0;

	for (int k = 0; k < COMPENSATOR_LIMITS; k++) {
		int64_t all = k == COMPENSATOR_LEAST ? least : c->first + spread;

		c->limit[k].inside = scale(inside, all, c->first);
		c->limit[k].outside = all - c->limit[k].inside;
	}
}

static void clock_init(struct cost_clock *k, int64_t folded, int64_t first, uint32_t region_n,
		       struct callstack_paths *paths)
{
	int64_t all = k->inside + k->outside;

	k->inside_first = k->inside;
	k->outside_first = k->outside;
	k->folded = scale(folded, all, first);
	if (k->folded < k->inside)
		k->folded = all;
	k->folded_first = k->folded;
	callstack_init(&k->callstack, region_n, paths);
}

void compensator_init(struct compensator *c, const struct trace_process *p, uint32_t region_n,
		      struct callstack_paths *paths)
{
	struct cost_clock *least = &c->limit[COMPENSATOR_LEAST],
			  *most = &c->limit[COMPENSATOR_MOST];
	int64_t inside = cost(p, TAU_META_CALL_COST_INSIDE_PS);

	memset(c, 0, sizeof(*c));
	c->first = inside + cost(p, TAU_META_CALL_COST_OUTSIDE_PS);
	c->on = c->first > 0;
	if (!c->on)
		return;
	least->inside = cost(p, TAU_META_CALL_COST_LEAST_INSIDE_PS);
	least->outside = cost(p, TAU_META_CALL_COST_LEAST_OUTSIDE_PS);
	most->inside = cost(p, TAU_META_CALL_COST_MOST_INSIDE_PS);
	most->outside = cost(p, TAU_META_CALL_COST_MOST_OUTSIDE_PS);
	if (most->inside + most->outside == 0)
		limits_of_spread(c, p, inside);
	for (int k = 0; k < COMPENSATOR_LIMITS; k++)
		clock_init(&c->limit[k], cost(p, TAU_META_FOLDED_CALL_COST_PS), c->first, region_n,
			   paths);
}

void compensator_release(struct compensator *c)
{
	for (int k = 0; c->on && k < COMPENSATOR_LIMITS; k++)
		callstack_release(&c->limit[k].callstack);
}

void compensator_state(struct compensator *c, const struct event_state *s)
{
	int64_t now = s->cost_inside + s->cost_outside;

	for (int k = 0; c->on && k < COMPENSATOR_LIMITS; k++) {
		struct cost_clock *x = &c->limit[k];

		if (now > 0) {
			x->inside = scale(x->inside_first, now, c->first);
			x->outside = scale(x->outside_first, now, c->first);
			x->folded = scale(x->folded_first, now, c->first);
		}
		callstack_state(&x->callstack, s, x->now, 1);
	}
}

/* Advances the clock by `times` times ps, at most to its end. Returns by how much. */
static int64_t advance(struct cost_clock *c, uint64_t times, int64_t ps)
{
	int64_t left = CLOCK_MOST - c->now, by;

	if (__builtin_mul_overflow(times, ps, &by) || by > left)
		by = left;
	c->now += by;
	return by;
}

void compensator_pass(struct compensator *c, int64_t ns)
{
	for (int k = 0; c->on && k < COMPENSATOR_LIMITS; k++)
		if (ns > 0 && ns < INT64_MAX / 2000)
			advance(&c->limit[k], (uint64_t)ns, 1000);
}

/*
 * The part of the cost inside of folded calls is subtracted where their time is added. All of it is part of the folded
 * calls around them, which have got no part of the clock, because it advances in the region that is open.
 */
static void play_fold(struct cost_clock *c, const struct event_batch *b, uint32_t ref)
{
	struct event_batch copy = *b;
	struct event_args around = b->args[ref], a = around;
	struct event ev = { .kind = EVENT_FOLD };
	int64_t by = advance(c, a.fold.calls, c->folded);

	if (__builtin_mul_overflow(a.fold.calls, c->inside, &a.fold.ns) || a.fold.ns > by)
		a.fold.ns = by;
	ev.time = c->now;
	around.fold.calls = 0;
	around.fold.ns = by;
	copy.args = &around;
	for (around.fold.path.n = 1; around.fold.path.n < a.fold.path.n; around.fold.path.n++)
		callstack_other(&c->callstack, &copy, &ev);
	copy.args = &a;
	callstack_other(&c->callstack, &copy, &ev);
}

static void play(struct cost_clock *c, const struct event_batch *b, size_t at, size_t n)
{
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

void compensator_play(struct compensator *c, const struct event_batch *b, size_t at, size_t n)
{
	for (int k = 0; c->on && k < COMPENSATOR_LIMITS; k++)
		play(&c->limit[k], b, at, n);
}

void compensator_begin(struct compensator *c)
{
	for (int k = 0; c->on && k < COMPENSATOR_LIMITS; k++)
		callstack_begin(&c->limit[k].callstack, c->limit[k].now);
}

void compensator_end(struct compensator *c)
{
	for (int k = 0; c->on && k < COMPENSATOR_LIMITS; k++)
		callstack_end(&c->limit[k].callstack, c->limit[k].now);
}

void compensator_finish(struct compensator *c)
{
	for (int k = 0; c->on && k < COMPENSATOR_LIMITS; k++)
		callstack_finish(&c->limit[k].callstack, c->limit[k].now);
}
