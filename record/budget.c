/*
 * budget.c: holds the cost of recording below a share of the CPU time that a thread would have used without it.
 *
 * Every so many calls the thread's CPU time is read, and what recording has cost of it since the last look is added up from
 * numbers that were measured when the process started: records written and calls folded times what one of them costs; and
 * the time spent storing and sampling. While the sum is more than the share, the regions called most since the last look are
 * folded; when folding all of them would not be enough, some are dropped. The next look should then find AIM of the share.
 *
 * Calls of dropped functions still reach the hooks. Nothing can be done about them here, so they are charged with half of
 * the share at most, and told apart.
 */
#include "core.h"

#define LOOK_CALLS 1024 /* calls between two looks, at least */
#define AIM	   0.7
#define FEW	   (LOOK_CALLS / 64) /* a region called less often is let be */

struct budget {
	uint64_t calls;		 /* since the last look */
	uint64_t cpu, stored_ns; /* ns, at the last look */
	uint64_t records, folded, sampling; /* of the stream, at the last look; sampling: ticks */
	uint64_t out;		 /* of the thread, at the last look */
	double spent, out_spent, own; /* ns, of all looks: recording, calls of dropped functions, the rest */
};

/* What one call costs, in ns. */
struct price {
	double written, folded, out;
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

static double calls_of(const struct rich_region *w)
{
	return (double)(w->calls - w->looked);
}

static double cost_of(const struct rich_region *w, const struct price *p)
{
	double folded = (double)(w->folded - w->looked_folded);

	return folded * p->folded + (calls_of(w) - folded) * p->written;
}

/* The least that it can cost without being dropped. */
static double floor_of(const struct rich_region *w, const struct price *p)
{
	double folded = calls_of(w) * p->folded, now = cost_of(w, p);

	return w->flags & RICH_FOLDED || folded > now ? now : folded;
}

static double gain_of(const struct rich_region *w, const struct price *p)
{
	return cost_of(w, p) - floor_of(w, p);
}

/* The region of which `value` is most, of those called so often that it matters; UINT32_MAX: none. */
static uint32_t most(const struct stream *s, const struct price *p,
		     double (*value)(const struct rich_region *, const struct price *))
{
	uint32_t best = UINT32_MAX;
	double v, at = 0;

	for (uint32_t i = 0; i < s->region_n && i < s->what_cap; i++) {
		const struct rich_region *w = &s->what[i];

		if (w->flags & (RICH_DROPPED | RICH_START | RICH_STOP) || calls_of(w) < FEW)
			continue;
		v = value(w, p);
		if (v > at) {
			at = v;
			best = i;
		}
	}
	return best;
}

/* ---- what is done about it ---- */

/* Folds and drops until regions cost `excess` ns less, if that can be. */
static void reduce(struct stream *s, const struct price *p, double excess)
{
	double gain = 0;
	uint32_t i;

	for (i = 0; i < s->region_n && i < s->what_cap; i++)
		if (!(s->what[i].flags & RICH_DROPPED))
			gain += gain_of(&s->what[i], p);
	while (excess > gain && (i = most(s, p, floor_of)) != UINT32_MAX) {
		const struct rich_region *w = &s->what[i];

		gain -= gain_of(w, p);
		excess -= cost_of(w, p) - calls_of(w) * p->out;
		rich_limit(i, TAU_LIMIT_BUDGET);
	}
	while (excess > 0 && (i = most(s, p, gain_of)) != UINT32_MAX) {
		excess -= gain_of(&s->what[i], p);
		rich_limit(i, TAU_LIMIT_FOLD);
	}
}

static uint64_t folded_now(const struct stream *s)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < s->region_n && i < s->what_cap; i++)
		n += s->what[i].folded;
	return n;
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
	b->sampling = sample_ticks(s);
	b->folded = folded_now(s);
	b->out = self.out;
}

static struct price price_now(double stored, double records)
{
	return (struct price){
		.written = (double)process.cost.tiny_all / 1000 +
			   (records > 0 ? 2 * stored / records : 0),
		.folded = (double)process.cost.tiny_fold / 1000,
		.out = (double)process.cost.tiny_out / 1000,
	};
}

static double at_most(double v, double most)
{
	return v < most ? v : most;
}

/* act: something may be done about it. */
static void look(struct stream *s, struct budget *b, bool act)
{
	uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	double share = (double)control.budget_ppm / 1e6, all = (double)(cpu - b->cpu);
	double records = (double)(int64_t)(records_now(s) - b->records);	/* folding takes some back */
	struct price p = price_now((double)(s->stored_ns - b->stored_ns), records);
	double out = (double)(self.out - b->out) * p.out;
	double cost = records / 2 * p.written +
		      (double)(folded_now(s) - b->folded) * p.folded +
		      ns_of(sample_ticks(s) - b->sampling);
	double own = all - cost - out;

	if (own < all / 100)
		own = all / 100;	/* what was measured is not so exact */
	b->spent += cost;
	b->out_spent += out;
	b->own += own;
	if (act && b->spent + at_most(b->out_spent, b->own * share / 2) > b->own * share) {
		cost += at_most(out, own * share / 2) - own * share * AIM;
		if (cost > 0)
			reduce(s, &p, cost);
	}
	looked(s, b, cpu);
}

void budget_called(struct stream *s)
{
	struct budget *b = s->budget;

	if (unlikely(!b || b->out > self.out)) {	/* the first call of this thread */
		if (!b)
			b = s->budget = map_alloc(sizeof(*b));
		if (b)
			looked(s, b, clock_ns(CLOCK_THREAD_CPUTIME_ID));
		return;
	}
	if (unlikely(++b->calls >= LOOK_CALLS && b->calls >= s->region_n))
		look(s, b, true);
}

void budget_end(struct stream *s)
{
	struct budget *b = s->budget;

	if (!b)
		return;
	if (b->out <= self.out)
		look(s, b, false);
	b->out = UINT64_MAX;
}

/* Records that are no calls, at the last look: nothing is done about them. */
static uint64_t others_of(const struct stream *s)
{
	uint64_t calls = 0;

	for (uint32_t i = 0; i < s->region_n && i < s->what_cap; i++)
		calls += s->what[i].looked - s->what[i].looked_folded;
	return s->budget->records > 2 * calls ? s->budget->records - 2 * calls : 0;
}

void budget_meta(void)
{
	uint64_t others = 0, records = 0;
	double spent = 0, own = 0, out = 0;
	sigset_t saved;

	if (!control.budget_ppm)
		return;
	lock_take(&saved);
	for (const struct stream *s = process.streams; s; s = s->next) {
		if (!s->budget)
			continue;
		spent += s->budget->spent;
		own += s->budget->own;
		out += s->budget->out_spent;
		records += s->budget->records;
		others += others_of(s);
	}
	lock_drop(&saved);
	meta_number("TAU Budget (ppm)", control.budget_ppm);
	meta_number("TAU Budget Own Time (ns)", (uint64_t)own);
	meta_number("TAU Budget Spent (ns)", (uint64_t)spent);
	meta_number("TAU Budget Spent On Dropped (ns)", (uint64_t)out);
	meta_number("TAU Budget Records", records);
	meta_number("TAU Budget Records Never Dropped", others);
}
