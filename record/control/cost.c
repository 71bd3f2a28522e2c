/*
 * cost.c: measures the cost of recording a call on this machine, with the hooks themselves: when the process starts, and now and
 * then when a chunk has been stored, because processors change their speed and share it.
 *
 * The hooks run with the thread's hot state set to a scratch chunk, which is never read, and to a table of one function. Rounds are
 * so short that few of them are interrupted; rounds with and without hooks alternate, and the result is the median of their
 * differences: neither an interruption nor a change of speed between two rounds changes it.
 */
#include "record/control/cost.h"
#include "record/api.h"
#include "record/base/clock.h"
#include "record/base/control.h"
#include "record/base/frame.h"
#include "record/base/function_table.h"
#include "record/base/gate.h"
#include "record/base/lock.h"
#include "record/base/own_stack.h"
#include "record/base/process.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/define/define.h"
#include "record/encode/chunk.h"
#include "record/enter/fold.h"
#include "record/format.h"
#include "record/metric/metric.h"

#include <stdlib.h>
#include <string.h>
#include <sys/single_threaded.h>

extern void __cyg_profile_func_enter(void *, void *);
extern void __cyg_profile_func_exit(void *, void *);

enum { CALLS = 50, ROUNDS = 32, ROUNDS_AGAIN = 4, MANY_STEPS = 25, FEW_STEPS = 3 };
enum { CHAIN_STEPS = 100, SUM_STEPS = 30, CHASE_STEPS = 200, CHASE_CALLS = 20 };
enum { ROUNDS_LIMIT = 4 };

/* What a call does: steps of some_work(), some_sum(), some_chase(). */
enum work_kind { WORK_CHAIN, WORK_SUM, WORK_CHASE };
struct cost_work {
	enum work_kind kind;
	int steps;
};
static const struct cost_work few_steps = {WORK_CHAIN, FEW_STEPS}, nothing = {WORK_CHAIN, 0};

/* A scratch chunk: it is written but never read. */
struct scratch {
	struct tau_live_header live;
	uint8_t records[4 * 2 * CALLS + MARGIN_RECORDS];
	uint8_t args[2 * CALLS * 10 + 2 * MARGIN_ARGS];
	uint64_t slot_mask, slot;	/* a table of one function */
	uint32_t slot_region;
	int64_t net[2];		/* by block: number 1 is defined */
};

/*
 * The work of an instrumented function. Intel's processors hide part of the cost of hooks that follow each other directly; AMD's
 * execute hooks in parallel with a chain of dependent multiplications, which is rare in real programs. So two amounts of work are
 * measured, and the one that shows the higher cost is used.
 */
static __attribute__((noinline)) uint64_t some_work(uint64_t x, int steps)
{
	for (int i = 0; i < steps; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

/*
 * A short loop without a chain, whose end the processor foresees only if no hooks are called before it: with hooks it
 * pays for a wrong forecast, too, as loops of real programs do.
 */
static __attribute__((noinline)) uint64_t some_sum(uint64_t x, int steps)
{
	static const uint8_t table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};

	for (int i = 0; i < steps; i++) {
		x += table[i & 15] ^ (unsigned)i;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

/*
 * Loads that wait for the one before. No call waits for another: without hooks a processor begins the next ones
 * while the loads of the first ones are on their way, with hooks it begins fewer, and the calls take as much longer.
 */
static __attribute__((noinline)) uint64_t some_chase(uint64_t x, int steps)
{
	static const uint8_t next[16] = {5, 9, 12, 6,  13, 8,  11, 0,
					 2, 4, 7,  3, 15, 10, 1,  14};

	for (int i = 0; i < steps; i++) {
		x = next[x];
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

static inline uint64_t work_do(uint64_t x, int call, struct cost_work work)
{
	switch (work.kind) {
	case WORK_SUM: return some_sum(0, work.steps);
	case WORK_CHASE: return some_chase((uint64_t)call & 15, work.steps);
	default: return some_work(x, work.steps);
	}
}

static __attribute__((noinline)) void hook_empty(void *function __attribute__((unused)),
						 void *call_site __attribute__((unused)))
{
	__asm__ volatile("");
}

/* A hook of another library, which a program reaches through a table of the linker. */
static __attribute__((noinline)) void hook_linked(void *function, void *call_site)
{
	static void (*volatile linked)(void *, void *) = hook_empty;

	linked(function, call_site);
}

static __attribute__((noinline)) uint64_t work_hooked(uint64_t x, int call, struct cost_work work,
						      void *function,
						      void (*volatile *hook)(void *, void *))
{
	hook[0](function, __builtin_return_address(0));
	x = work_do(x, call, work);
	hook[1](function, __builtin_return_address(0));
	return x;
}

static __attribute__((noinline)) uint64_t nothing_hooked(uint64_t x, void *function)
{
	hook_linked(function, __builtin_return_address(0));
	x = some_work(x, 0);
	hook_linked(function, __builtin_return_address(0));
	return x;
}

static __attribute__((noinline)) uint64_t work_plain(uint64_t x, int call, struct cost_work work)
{
	return work_do(x, call, work);
}

/* The chunk is empty. */
static void scratch_clear(struct scratch *c)
{
	c->live.cur[TAU_ARGS] = (uint64_t)c->args;
	c->live.cur[TAU_TIMES] = (uint64_t)c->records;
	c->live.last_tick = ticks(self.shift);
	self.ready = READY_OPEN;
}

/* Which hooks the calls of a round have; LINKED: empty ones as a program calls them, without work. */
enum hooks { HOOKS_NONE, HOOKS_EMPTY, HOOKS_LINKED, HOOKS_OURS };

/* Time of a round of calls in ps each. */
static int64_t round_time(struct scratch *c, struct cost_work work, enum hooks hooks)
{
	void (*volatile hook[2])(void *, void *) = {__cyg_profile_func_enter,
						    __cyg_profile_func_exit};
	volatile uint64_t sink;
	uint64_t begin, x = 1;
	int calls = work.kind == WORK_CHASE ? CHASE_CALLS : CALLS;

	if (hooks == HOOKS_OURS)
		scratch_clear(c);
	else
		hook[0] = hook[1] = hook_empty;
	begin = clock_ns(CLOCK_MONOTONIC);
	for (int i = 0; i < calls; i++)
		x = hooks == HOOKS_LINKED ? nothing_hooked(x, (void *)SLOT_ADDRESS(c->slot))
		    : hooks ? work_hooked(x, i, work, (void *)SLOT_ADDRESS(c->slot), hook)
			    : work_plain(x, i, work);
	begin = clock_ns(CLOCK_MONOTONIC) - begin;
	self.ready = READY_BUSY;
	sink = x;
	(void)sink;
	return (int64_t)(begin * 1000 / (uint64_t)calls);
}

/* The time that hooks add to a call, in ps: n differences of neighbouring rounds, ascending. */
static void rounds(struct scratch *c, struct cost_work work, enum hooks hooks, int n,
		   int64_t *added)
{
	round_time(c, work, hooks);	/* warms the caches */
	for (int k = 0; k < n; k++) {
		int64_t plain = round_time(c, work, HOOKS_NONE),
			more = round_time(c, work, hooks) - plain;
		int at = k;

		for (; at > 0 && added[at - 1] > more; at--)
			added[at] = added[at - 1];
		added[at] = more;
	}
}

static uint64_t middle(const int64_t *sorted, int n)
{
	int64_t v = sorted[(n - 1) / 2];

	return v > 0 ? (uint64_t)v : 0;
}

static uint64_t above(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* The share of a round between the times of enter and leave, in millionths. */
static uint64_t round_inside(const struct scratch *c)
{
	uint64_t sum[2] = {0, 0};
	uint32_t record;

	/* The first enter does not follow a leave. */
	for (int i = 1; i < 2 * CALLS; i++) {
		memcpy(&record, c->records + 4 * i, 4);
		sum[i & 1] += record & 0xffff;
	}
	return sum[0] + sum[1] ? 1000000 * sum[1] / (sum[0] + sum[1]) : 500000;
}

/*
 * The share of the cost between the two clock reads is visible only in calls without work, because the
 * processor reads the clock while it still executes earlier instructions.
 */
static uint64_t share_inside(struct scratch *c)
{
	int64_t least = INT64_MAX, took;
	uint64_t share = 0;

	for (int i = 0; i < ROUNDS / 4; i++) {
		took = round_time(c, nothing, HOOKS_OURS);
		if (took < least) {
			least = took;
			share = round_inside(c);
		}
	}
	return share;
}

/* What hooks add to a call with this work in the `which` of n rounds, in order of their cost, and of it the part inside. */
static int64_t work_adds(struct scratch *c, struct cost_work work, int n, int which,
			 int64_t *inside)
{
	int64_t added[ROUNDS], share = 0;

	rounds(c, work, HOOKS_OURS, n, added);
	for (int k = 0; k < n; k++) {
		int64_t plain = round_time(c, work, HOOKS_NONE),
			all = round_time(c, work, HOOKS_OURS),
			within = all * (int64_t)round_inside(c) / 1000000 - plain;

		share = k && (which ? within < share : within > share) ? share : within;
	}
	*inside = share;
	return added[which];
}

static struct cost_parts parts(int64_t all, int64_t inside)
{
	struct cost_parts p;

	all = all > 0 ? all : 0;
	p.inside = inside <= 0 ? 0 : (uint64_t)(inside < all ? inside : all);
	p.outside = (uint64_t)all - p.inside;
	return p;
}

/*
 * The limits of what programs pay (bench/compensate.sh). A processor executes most of the hooks beside a long chain of dependent
 * instructions, and more of them beside branches that it does not foresee: those cost down to a quarter of it. They cost most in a
 * function with a short loop; and in a program up to 4 times as much as here, because it, the recorder and other processes evict
 * each other from the processor's branch predictors and caches, and new chunks are new memory. Long calls that do not wait for
 * each other pay for what the processor no longer executes at the same time, between enter and leave or outside, up to 1.2 times
 * as much as here. Each part has its own most. A round may have been interrupted: the second of the longest counts.
 */
enum { LEAST_OF = 4, MOST_TIMES = 4 };

static uint64_t longest(int64_t a, uint64_t b)
{
	return a > (int64_t)b ? (uint64_t)a : b;
}

static void limits_measure(struct scratch *c, struct call_cost *out)
{
	int64_t inside, all, chase[ROUNDS_LIMIT];
	struct cost_parts most;

	all = work_adds(c, (struct cost_work){WORK_CHAIN, CHAIN_STEPS}, ROUNDS_LIMIT, 0, &inside);
	out->least = parts(all / LEAST_OF, inside / LEAST_OF);
	all = work_adds(c, (struct cost_work){WORK_SUM, SUM_STEPS}, 2 * ROUNDS_LIMIT,
			2 * ROUNDS_LIMIT * 3 / 4, &inside);
	most = parts((int64_t)longest(all, out->all), inside);
	rounds(c, (struct cost_work){WORK_CHASE, CHASE_STEPS}, HOOKS_OURS, ROUNDS_LIMIT, chase);
	all = 3 * chase[ROUNDS_LIMIT - 2] / 2;
	out->most.inside = longest((int64_t)most.inside, out->inside);
	out->most.inside = longest(all, MOST_TIMES * out->most.inside);
	out->most.outside = longest((int64_t)most.outside, out->all - out->inside);
	out->most.outside = longest(all, MOST_TIMES * out->most.outside);
}

/* Uses the number of steps that shows the higher cost. */
static void calls_measure(struct scratch *c, struct call_cost *out)
{
	int64_t few[ROUNDS], many[ROUNDS], *more = many;

	rounds(c, few_steps, HOOKS_OURS, ROUNDS, few);
	rounds(c, (struct cost_work){WORK_CHAIN, MANY_STEPS}, HOOKS_OURS, ROUNDS, many);
	out->steps = MANY_STEPS;
	if (middle(few, ROUNDS) > middle(many, ROUNDS)) {
		out->steps = FEW_STEPS;
		more = few;
	}
	out->all = middle(more, ROUNDS);
	out->inside = out->all * share_inside(c) / 1000000;
	limits_measure(c, out);
}

/* The cost of a call with the current options, in ps. */
static uint64_t call_adds(struct scratch *c, struct cost_work work)
{
	int64_t added[ROUNDS];

	rounds(c, work, HOOKS_OURS, ROUNDS, added);
	return middle(added, ROUNDS);
}

/*
 * In a program of many functions a call costs more than in a loop, because the program and the recorder evict each other from the
 * processor's branch predictors and caches: on sqlite's benchmark by about a seventh of a recorded call. Tests of the budget set
 * the costs of recorded, folded and dropped calls themselves, in ps.
 */
static void costs_finish(struct call_cost *out)
{
	uint64_t *const price[] = {&out->tiny_all, &out->tiny_fold, &out->tiny_out,
				   &out->message,     &out->block[0],  &out->passed};
	const char *text = getenv("TAU_RECORD_CALL_COST");
	uint64_t more = out->tiny_all / 7;
	char *end;

	/* The hooks belong to the program, and have a cost without a recorder. */
	for (int i = 0; i < 3; i++)
		*price[i] = above(*price[i] + more, out->empty);
	out->message += out->message / 7;
	for (size_t i = 0; text && *text && i < sizeof(price) / sizeof(*price); i++) {
		*price[i] = strtoull(text, &end, 10);
		text = *end ? end + 1 : end;
		out->given = true;
	}
	if (out->given)
		out->block[1] = out->block[0];
}

/* The cost of recording a message, in ps. */
static uint64_t message_time(struct scratch *c)
{
	uint64_t begin, least = UINT64_MAX;

	for (int k = 0; k < ROUNDS / 4; k++) {
		scratch_clear(c);
		begin = clock_ns(CLOCK_MONOTONIC);
		for (int i = 0; i < CALLS; i++)
			tau_send(1, 1, 0, 64);
		begin = clock_ns(CLOCK_MONOTONIC) - begin;
		self.ready = READY_BUSY;
		if (begin < least)
			least = begin;
	}
	return least * 1000 / CALLS;
}

/* The cost of folded calls, and the further costs that a budget needs. */
static void folding_measure(struct scratch *c, struct call_cost *out)
{
	struct stream *s = self.stream;
	struct fold *fold = s->fold;
	struct filtered_frame *r = &s->filtered[self.top - s->frames];

	s->fold = fold_scratch();
	if (s->fold) {
		control.fold_ticks = UINT64_MAX;
		out->fold = call_adds(c, (struct cost_work){WORK_CHAIN, out->steps});
		out->tiny_fold = control.accounts ? call_adds(c, few_steps) : 0;
		control.fold_ticks = 0;
		fold_forget(s);
	}
	s->fold = fold;
	r[-1].child = r->node = 0;
	if (control.accounts) {
		out->tiny_all = call_adds(c, few_steps);
		out->message = message_time(c);
	}
}

/* Sets the calling thread's hot state to the scratch chunk. */
static void scratch_use(struct scratch *c)
{
	static const uint64_t function = 16; /* no address of a function */

	c->slot_mask = 0;
	c->slot = function << 16 | TAU_TOKEN_REGION;
	self.live = &c->live;
	self.full = self.end = c->records + sizeof(c->records);
	self.args_end = c->args + sizeof(c->args) - MARGIN_ARGS;
	self.slots = self.stream->slots = &c->slot;
}

/*
 * The cost of an allocation and a free that use the tables of the memory wrapper (block 0: a pair that is not recorded), in ps: the
 * median of some rounds.
 */
static uint64_t pair_time(struct scratch *c, uint32_t block)
{
	int64_t took[ROUNDS / 4];
	int n = 0, at;

	for (int k = 0; k < ROUNDS / 4; k++) {
		int64_t v;

		scratch_clear(c);
		v = (int64_t)process.teller->run(block, CALLS) * 1000 / CALLS;
		self.ready = READY_BUSY;
		for (at = n; at > 0 && took[at - 1] > v; at--)
			took[at] = took[at - 1];
		took[at] = v;
		n += v > 0;
	}
	return middle(took, n);
}

/* As with calls, a block costs more in a program than in a loop. */
static bool blocks_measure(void *argument)
{
	uint64_t *price = argument;
	struct scratch c = {0};
	struct thread was = self;
	struct stream *s = self.stream;
	uint64_t *slots = s->slots;

	scratch_use(&c);
	self.net = c.net;
	self.net_cap = 2;
	*price = pair_time(&c, 1) * 8 / 7 / 2;
	process.cost.passed = pair_time(&c, 0) * 8 / 7;
	s->slots = slots;
	self = was;
	return true;
}

uint64_t cost_block(void)
{
	uint64_t *price = &process.cost.block[!__libc_single_threaded];

	if (!*price && process.teller && GATE_RECORDS(tau_gate.value))
		own_stack_run(self.stream, blocks_measure, price);
	return *price;
}

/* Measures without the options that could drop or fold a call, and with signals blocked. */
void cost_measure(struct call_cost *out)
{
	struct scratch c = {0};
	struct control options = control;
	struct thread was = self;
	struct filtered_region what;
	struct stream *s = self.stream;
	uint64_t *slots = s->slots;
	int64_t empty[ROUNDS / 4];
	uint32_t metrics = process.metrics;
	int gate = tau_gate.value;
	sigset_t saved;

	*out = (struct call_cost){0};
	if (process.filtered && s->what_cap == 0 && !filtered_define(s, 0, 0, 0))
		return;
	signals_mask(NULL, &saved);
	control.depth = UINT32_MAX;
	control.throttle_calls = control.switch_tick = UINT64_MAX;
	control.fold_ticks = 0;
	process.metrics = 0;
	control.budget_ppm = 0;
	control.careful = control.sums = false;
	if (process.filtered)
		what = s->what[0];
	/* --estimate estimates the cost of the plain path. */
	tau_gate.value =
		control.estimate && process.shift != SHIFT_MONOTONIC ? GATE_OPEN : gate_open();
	scratch_use(&c);
	calls_measure(&c, out);
	rounds(&c, few_steps, HOOKS_EMPTY, ROUNDS / 4, empty);
	out->empty = middle(empty, ROUNDS / 4);
	rounds(&c, nothing, HOOKS_LINKED, ROUNDS / 4, empty);
	out->empty_bare = middle(empty, ROUNDS / 4);
	if (options.fold_ticks || options.budget_ppm)
		folding_measure(&c, out);
	if (process.picks || process.filtered) {
		c.slot = c.slot >> 16 << 16;
		out->out = out->tiny_out = call_adds(&c, few_steps);
	}
	if (out->tiny_all)
		costs_finish(out);
	if (process.filtered)
		s->what[0] = what;
	s->slots = slots;
	self = was;
	tau_gate.value = gate;
	process.metrics = metrics;
	control.depth = options.depth;
	control.throttle_calls = options.throttle_calls;
	control.switch_tick = options.switch_tick;
	control.fold_ticks = options.fold_ticks;
	control.budget_ppm = options.budget_ppm;
	control.careful = options.careful;
	control.sums = options.sums;
	out->inside += metric_cost_ps();
	out->all += 2 * metric_cost_ps();
	signals_mask(&saved, NULL);
}

static void parts_scale(struct cost_parts *p, uint64_t times, uint64_t by)
{
	p->inside = p->inside * times / by;
	p->outside = p->outside * times / by;
}

/*
 * Only on the plain path, where the gate is all that a call reads of what threads share. If the gate closes meanwhile, the hooks
 * take another path, which writes to the scratch chunk too, and the result is not used. The frame above the top may still be
 * needed (record_on), so it is kept.
 */
static int64_t again(int steps, int which)
{
	struct scratch c = {0};
	struct thread was = self;
	struct stream *s = self.stream;
	uint64_t *slots = s->slots;
	int64_t added[ROUNDS_AGAIN];
	int gate = tau_gate.value;
	struct frame above;

	if (self.top == self.frames_end || !GATE_PLAIN(gate))
		return -1;
	above = *self.top;
	scratch_use(&c);
	rounds(&c, (struct cost_work){WORK_CHAIN, steps}, HOOKS_OURS, ROUNDS_AGAIN, added);
	s->slots = slots;
	*was.top = above;
	self = was;
	return tau_gate.value == gate ? added[which] : -1;
}

uint64_t cost_again(void)
{
	int64_t now = again(process.cost.steps, (ROUNDS_AGAIN - 1) / 2);

	return now > 0 ? (uint64_t)now : 0;
}

/* A short run ends before the cost is measured again: the limits move with a last measurement. */
void cost_limits(uint64_t last, struct cost_parts *least, struct cost_parts *most)
{
	uint64_t now, was = process.cost.least.inside + process.cost.least.outside;
	int64_t chain;
	sigset_t saved;

	signals_mask(NULL, &saved);
	now = cost_again();
	chain = again(CHAIN_STEPS, 0);
	signals_mask(&saved, NULL);
	*least = process.cost.least;
	*most = process.cost.most;
	if (now > last && last)
		parts_scale(most, now, last);
	if (chain >= 0 && (uint64_t)chain / LEAST_OF < was)
		parts_scale(least, (uint64_t)chain / LEAST_OF, was);
}
