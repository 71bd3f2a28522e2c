/*
 * budget.c: holds the cost of recording below a share of the CPU time that a thread would have used without it.
 *
 * Every LOOK_CALLS calls, and when a chunk was stored, the recorder reads the thread's CPU time and adds up the cost of recording
 * since the last look. It uses prices that were measured with the hooks themselves: calls written and folded, records of messages,
 * files and events, blocks of memory; and the time spent storing and sampling. While the sum is more than the share, the recorder
 * folds the regions called most since the last look; when folding all of them would not be enough, it drops some. Functions that a
 * wrapper wraps are dropped with all their records. The memory wrapper records no new blocks, see wrap/memory/budget.c. The next
 * look should then find AIM of the share.
 *
 * Calls of dropped functions and blocks that are not recorded still reach us. Nothing can be done about them here, so at most
 * half of the share is charged for them, and they are reported separately.
 */
#include "record/enter/budget.h"
#include "record/api.h"
#include "record/base/calls_up.h"
#include "record/base/clock.h"
#include "record/base/compiler.h"
#include "record/base/control.h"
#include "record/base/frame.h"
#include "record/base/lock.h"
#include "record/base/memory_map.h"
#include "record/base/process.h"
#include "record/base/registry.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/encode/define_write.h"
#include "record/enter/limit.h"
#include "record/format.h"
#include "record/metadata.h"

#include <stdio.h>
#include <string.h>

#define LOOK_CALLS 1024 /* calls between two looks, at least */
#define AIM	   0.7
#define FEW	   (LOOK_CALLS / 64) /* a region called less often is not limited */
#define CREDIT	   15000000 /* ns above the share: only then does recording of memory stop, for good */

/* Numbers of records by cost class. */
struct kinds {
	uint64_t memory;	/* of blocks */
	uint64_t blocks;	/* allocated or freed in the records `memory` */
	uint64_t messages;		/* of messages, files and events */
};

struct budget {
	uint64_t calls;		 /* since the last look */
	uint64_t cpu, stored_ns; /* ns, at the last look */
	uint64_t records, folded, sampling; /* of the stream, at the last look; sampling: ticks */
	uint64_t out, passed;	 /* of the thread, at the last look */
	uint64_t slow_n, slow_ns; /* the same, of blocks that took the slow path */
	struct kinds now, looked; /* since the stream began; at the last look */
	bool looking;
	uint32_t seq;		 /* the chunk of which records are counted in `now` up to `counted` */
	size_t counted;		 /* bytes of column TIMES */
	double spent, out_spent, own; /* ns, of all looks: recording, dropped calls, the program itself */
	double on_memory, on_messages; /* parts of `spent` */
};

/* Cost of one call or record in ns: a message's record also as its share per call of a wrapped function (by_call). */
struct price {
	double written, folded, out, messages, by_call;
};

/* Cost of recording since the last look by cause, in ns. */
struct bill {
	double calls, messages, memory, sampling, out;
};

static uint64_t records_now(const struct stream *s)
{
	return s->records + s->flown + (s->live->cur[TAU_TIMES] - s->live->base[TAU_TIMES]) / 4;
}

static double ns_of(uint64_t ticks)
{
	return process.ticks_hz ? (double)ticks * 1e9 / (double)process.ticks_hz : 0;
}

/* ---- what a region costs, since the last look ---- */

static double calls_of(const struct filtered_region *w)
{
	return (double)(w->calls - w->looked);
}

static double cost_of(const struct filtered_region *w, const struct price *p)
{
	double folded = (double)(w->folded - w->looked_folded);
	double messages = KEY_IS_REGION(w->key) ? calls_of(w) * p->by_call : 0;

	return folded * p->folded + (calls_of(w) - folded) * p->written + messages;
}

/* The least cost of a region that is not dropped: with all its calls folded. */
static double floor_of(const struct filtered_region *w, const struct price *p)
{
	double messages = KEY_IS_REGION(w->key) ? calls_of(w) * p->by_call : 0;
	double folded = calls_of(w) * p->folded + messages, now = cost_of(w, p);

	return w->flags & FILTERED_FOLDED || folded > now ? now : folded;
}

static double gain_of(const struct filtered_region *w, const struct price *p)
{
	return cost_of(w, p) - floor_of(w, p);
}

/* The region with the highest `value`, of those called at least FEW times; UINT32_MAX: none. */
static uint32_t most(const struct stream *s, const struct price *p,
		     double (*value)(const struct filtered_region *, const struct price *))
{
	uint32_t best = UINT32_MAX;
	double v, at = 0;

	for (uint32_t i = 0; i < s->region_n && i < s->what_cap; i++) {
		const struct filtered_region *w = &s->what[i];

		if (w->flags & (FILTERED_DROPPED | FILTERED_START | FILTERED_STOP) ||
		    calls_of(w) < FEW)
			continue;
		v = value(w, p);
		if (v > at) {
			at = v;
			best = i;
		}
	}
	return best;
}

/* ---- limiting ---- */

/* The memory wrapper records no new blocks from now on, in any thread. */
static void memory_stop(void)
{
	if (__atomic_exchange_n(&process.memory_stopped, true, __ATOMIC_ACQ_REL))
		return;
	process.teller->track(0, TAU_MEMORY_BUDGET);
	meta_number(TAU_META_MEMORY_STOPPED_US,
		    (uint64_t)(ns_of(ticks(process.shift) - process.start_tick) / 1000));
}

static bool memory_stoppable(const struct budget *b)
{
	double allowed = b->own * (double)control.budget_ppm / 1e6;

	return process.teller && !process.memory_stopped &&
	       (b->spent - allowed >= CREDIT || process.cost.given);
}

/* Folds and drops regions to save `excess` ns; returns the ns saved. */
static double regions_reduce(struct stream *s, const struct price *p, double excess)
{
	double gain = 0, before = excess;
	uint32_t i;

	for (i = 0; i < s->region_n && i < s->what_cap; i++)
		if (!(s->what[i].flags & FILTERED_DROPPED))
			gain += gain_of(&s->what[i], p);
	while (excess > gain && (i = most(s, p, floor_of)) != UINT32_MAX) {
		const struct filtered_region *w = &s->what[i];

		gain -= gain_of(w, p);
		excess -= cost_of(w, p) - calls_of(w) * p->out;
		filtered_limit(i, TAU_LIMIT_BUDGET);
	}
	while (excess > 0 && (i = most(s, p, gain_of)) != UINT32_MAX) {
		excess -= gain_of(&s->what[i], p);
		filtered_limit(i, TAU_LIMIT_FOLD);
	}
	return before - excess;
}

/* Folds and drops regions and stops memory until recording costs `excess` ns less, if possible: the most expensive first. */
static void reduce(struct stream *s, const struct price *p, const struct bill *bill, double excess)
{
	uint32_t worst = most(s, p, cost_of);
	double region = worst == UINT32_MAX ? 0 : cost_of(&s->what[worst], p);
	bool stoppable = bill->memory > 0 && memory_stoppable(s->budget);

	if (stoppable && bill->memory > region) {
		memory_stop();
		stoppable = false;
	}
	/* The cost of memory has ended, or is accepted: regions are not limited because of it. */
	if (!stoppable && process.teller)
		excess -= bill->memory;
	if (excess > 0)
		excess -= regions_reduce(s, p, excess);
	if (excess > 0 && stoppable)
		memory_stop();
}

static uint64_t folded_now(const struct stream *s)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < s->region_n && i < s->what_cap; i++)
		n += s->what[i].folded;
	return n;
}

/* ---- cost since the last look ---- */

/* Blocks of this thread that the wrapper did not record. */
static uint64_t passed_now(void)
{
	uint64_t bytes;

	return process.teller ? process.teller->passed(false, &bytes) : 0;
}

void budget_count(struct stream *s)
{
	static const uint64_t memory = 1ull << TAU_REC_ALLOC | 1ull << TAU_REC_FREE |
				       1ull << TAU_REC_RETYPE | 1ull << TAU_REC_BRIEF;
	/* All that the program or a wrapper has recorded, other than memory and leaves; of all kinds that there will be. */
	static const uint64_t messages =
		~(1ull << TAU_TOKEN_LEAVE | 1ull << TAU_REC_ALLOC | 1ull << TAU_REC_FREE |
		  1ull << TAU_REC_RETYPE | 1ull << TAU_REC_BRIEF | 1ull << TAU_REC_UNWIND |
		  1ull << TAU_REC_THREAD_BEGIN | 1ull << TAU_REC_THREAD_END | 1ull << TAU_REC_OFF |
		  1ull << TAU_REC_ON | 1ull << TAU_REC_METRICS | 1ull << TAU_REC_FOLD |
		  1ull << TAU_REC_SAMPLE);
	const uint8_t *p = (uint8_t *)s->live->base[TAU_TIMES],
		      *end = (uint8_t *)s->live->cur[TAU_TIMES];
	struct budget *b = s->budget;
	uint16_t token;

	if (!b)
		return;
	if (b->seq == s->seq)
		/* folding removes records */
		p = b->counted < (size_t)(end - p) ? p + b->counted : end;
	for (; p < end; p += 4) {
		memcpy(&token, p + 2, 2);
		if (token >= TAU_TOKEN_BLOCK && token != TAU_TOKEN_FAR) {
			b->now.memory++;
			b->now.blocks += 1 + ((token - TAU_TOKEN_BLOCK) % TAU_BLOCK_OPS ==
					      TAU_BLOCK_BRIEF);
		} else if (token < TAU_TOKEN_REGION) {
			b->now.memory += memory >> token & 1;
			b->now.blocks += memory >> token & 1;
			b->now.messages += messages >> token & 1;
		}
	}
	b->seq = s->seq;
	b->counted = (size_t)(s->live->cur[TAU_TIMES] - s->live->base[TAU_TIMES]);
}

static void looked(struct stream *s, struct budget *b, uint64_t cpu)
{
	for (uint32_t i = 0; i < s->region_n && i < s->what_cap; i++) {
		s->what[i].looked = s->what[i].calls;
		s->what[i].looked_folded = s->what[i].folded;
	}
	b->calls = 0;
	b->cpu = cpu;
	b->records = records_now(s);
	b->stored_ns = s->stored_ns;
	b->sampling = s->sampled;
	b->folded = folded_now(s);
	b->out = self.out;
	b->passed = passed_now();
	if (process.teller)
		b->slow_ns = process.teller->slow(&b->slow_n);
	b->looked = b->now;
}

/* Calls of functions that wrappers wrap, since the last look. */
static double wrapped_calls(const struct stream *s)
{
	double n = 0;

	for (uint32_t i = 0; i < s->region_n && i < s->what_cap; i++)
		if (KEY_IS_REGION(s->what[i].key))
			n += calls_of(&s->what[i]);
	return n;
}

/* stored: ns for storing a record; the last argument: number of records of messages, files and events. */
static struct price price_now(const struct stream *s, double stored, double messages)
{
	double calls = wrapped_calls(s);
	struct price p = {
		.written = (double)process.cost.tiny_all / 1000 + 2 * stored,
		.folded = (double)process.cost.tiny_fold / 1000,
		.out = (double)process.cost.tiny_out / 1000,
		.messages = (double)process.cost.message / 1000 + stored,
	};

	p.by_call = calls > 0 ? p.messages * messages / calls : 0;
	return p;
}

/* Blocks on the slow path have been timed; the others are charged the measured price of the short path. */
static double memory_cost(const struct budget *b, double stored)
{
	uint64_t slow_n = 0, slow_ns = process.teller ? process.teller->slow(&slow_n) : 0;
	double blocks = (double)(b->now.blocks - b->looked.blocks);
	double records = (double)(b->now.memory - b->looked.memory);
	double quick = blocks - (double)(slow_n - b->slow_n);

	if (!process.teller)
		return blocks * (double)process.cost.message / 1000 + records * stored;
	return (quick > 0 ? quick * (double)calls_up.cost_block() / 1000 : 0) +
	       (double)(slow_ns - b->slow_ns) + records * stored;
}

static double at_most(double v, double most)
{
	return v < most ? v : most;
}

/* act: regions and memory may be limited. */
static void look(struct stream *s, struct budget *b, bool act)
{
	uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	double share = (double)control.budget_ppm / 1e6, all = (double)(cpu - b->cpu), own, cost;
	double records, messages, stored;
	struct price p;
	struct bill bill;

	budget_count(s);
	records = (double)(int64_t)(records_now(s) - b->records);	/* folding removes records */
	messages = (double)(b->now.messages - b->looked.messages);
	stored = records > 0 ? (double)(s->stored_ns - b->stored_ns) / records : 0;
	p = price_now(s, stored, messages);
	bill = (struct bill){
		.calls = (records - messages - (double)(b->now.memory - b->looked.memory)) / 2 *
				 p.written +
			 (double)(folded_now(s) - b->folded) * p.folded,
		.messages = messages * p.messages,
		.memory = memory_cost(b, stored),
		.sampling = ns_of(s->sampled - b->sampling),
		.out = (double)(self.out - b->out) * p.out +
		       (double)(passed_now() - b->passed) * (double)process.cost.passed / 1000,
	};
	cost = bill.calls + bill.messages + bill.memory + bill.sampling;
	own = all - cost - bill.out;
	if (own < all / 100)
		own = all / 100;	/* the measured cost is not exact enough for less */
	b->spent += cost;
	b->on_memory += bill.memory;
	b->on_messages += bill.messages;
	b->out_spent += bill.out;
	b->own += own;
	if (act && b->spent + at_most(b->out_spent, b->own * share / 2) > b->own * share) {
		cost += at_most(bill.out, own * share / 2) - own * share * AIM;
		if (cost > 0)
			reduce(s, &p, &bill, cost);
	}
	looked(s, b, cpu);
}

/* Limiting a region may store a chunk. */
void budget_stored(struct stream *s)
{
	if (s->budget && !s->budget->looking) {
		s->budget->looking = true;
		look(s, s->budget, true);
		s->budget->looking = false;
	}
}

void budget_begin(struct stream *s)
{
	if (!control.budget_ppm)
		return;
	if (!s->budget)
		s->budget = map_alloc(sizeof(*s->budget));
	if (s->budget)
		looked(s, s->budget, clock_ns(CLOCK_THREAD_CPUTIME_ID));
}

void budget_called(struct stream *s)
{
	struct budget *b = s->budget;

	if (unlikely(b && ++b->calls >= LOOK_CALLS && b->calls >= s->region_n))
		budget_stored(s);
}

void budget_end(struct stream *s)
{
	if (s->budget)
		look(s, s->budget, false);
}

/* Records that can only be dropped with the regions that write them, if any do. */
static uint64_t others_of(const struct budget *b)
{
	return b->now.messages + (process.teller ? 0 : b->now.memory);
}

/* Name of a region: string name comes first. */
static void meta_passed(uint32_t region, uint64_t calls)
{
	const uint8_t *p = definition_get(REG_REGION, region)->bytes;
	char name[1100];
	size_t n = 0;

	for (int shift = 0; shift < 28; shift += 7) {
		n |= (size_t)(*p & 0x7f) << shift;
		if (!(*p++ & 0x80))
			break;
	}
	snprintf(name, sizeof(name), TAU_META_CALLS_NOT_RECORDED "%.*s", n < 1024 ? (int)n : 1024,
		 (const char *)p);
	meta_number(name, calls);
}

/* Exact numbers of the calls that were not recorded. */
static void meta_left_out(void)
{
	for (uint32_t region = 1; region <= process.registry[REG_REGION].n; region++) {
		uint64_t calls = 0;

		for (const struct stream *s = process.streams; s; s = s->next)
			calls += region < s->local_cap ? s->local[region].passed : 0;
		if (calls)
			meta_passed(region, calls);
	}
}

/* The same for blocks that a budget or a command excluded. */
static void meta_blocks_left_out(void)
{
	uint64_t blocks, bytes = 0;

	if (!process.teller || !(process.memory_stopped || process.memory_was_off))
		return;
	blocks = process.teller->passed(true, &bytes);
	meta_number(TAU_META_MEMORY_BLOCKS_NOT_RECORDED, blocks);
	meta_number(TAU_META_MEMORY_BYTES_NOT_RECORDED, bytes);
}

void budget_meta(void)
{
	uint64_t others = 0, records = 0;
	double spent = 0, own = 0, out = 0, on_memory = 0, on_messages = 0;
	sigset_t saved;

	meta_blocks_left_out();
	if (!control.budget_ppm)
		return;
	lock_acquire(&saved);
	for (const struct stream *s = process.streams; s; s = s->next) {
		if (!s->budget)
			continue;
		spent += s->budget->spent;
		own += s->budget->own;
		on_memory += s->budget->on_memory;
		on_messages += s->budget->on_messages;
		out += s->budget->out_spent;
		records += s->budget->records;
		others += others_of(s->budget);
	}
	lock_release(&saved);
	meta_number(TAU_META_BUDGET_PPM, control.budget_ppm);
	meta_number(TAU_META_BUDGET_OWN_TIME_NS, (uint64_t)own);
	meta_number(TAU_META_BUDGET_SPENT_NS, (uint64_t)spent);
	meta_number(TAU_META_BUDGET_SPENT_ON_MEMORY_NS, (uint64_t)on_memory);
	meta_number(TAU_META_BUDGET_SPENT_ON_MESSAGES_NS, (uint64_t)on_messages);
	meta_number(TAU_META_BUDGET_SPENT_ON_DROPPED_NS, (uint64_t)out);
	meta_number(TAU_META_BUDGET_RECORDS, records);
	meta_number(TAU_META_BUDGET_RECORDS_NEVER_DROPPED, others);
	meta_left_out();
}
