/* overhead.c: adds up the cost of recording a run, from samples of the processes and their measured cost per event. */
#include "cmd/record/summary/overhead.h"
#include "record/metadata.h"

#include <math.h>
#include <string.h>
#include <sys/utsname.h>

enum { SAMPLES_LEAST = 25 };	/* fewer show nothing */
enum { SAMPLES_RANGE = 50 };	/* fewer give no useful interval */

/*
 * How far an estimate may be off, measured by bench/overhead.sh. In costs of empty hooks: the
 * program's own work that samples do not show, or show too much of.
 * As parts: how much slower its code is beside a recorder that takes as long as the program, in
 * most programs, and how much faster. How many times slower it is at most, with its empty hooks.
 * The part of the cost of empty hooks that a program pays at least: they are several jumps each,
 * and a processor does no more jumps at a time, whatever else it executes.
 * The difference of two runs of one program, as part of their time.
 * Without samples: the factors by which the cost of events is too small or too large.
 */
#define OVERLAP_LESS 1.2
#define OVERLAP_MORE 1.5
#define SLOWER_MOST 2.5
#define SLOWER 0.3
#define HOOKS_LEAST 0.8
#define FASTER 0.1
#define NOISE 0.015
#define EVENTS_LESS 4
#define EVENTS_MORE 2.5
/*
 * What a program pays when other work has taken its processor: it reads its caches again, 1 to 2 MB of the second level. Two runs
 * of a program differ by this.
 */
#define PREEMPTED_NS 1e5
/*
 * The least time for which the kernel leaves a processor to a thread that computes, when others want it. A rank that waits gives
 * its own back far more often (sched_yield()), which counts as preemption, too, and costs its program nothing.
 */
#define SLICE_NS 7.5e5
#define SHORT_NS 1e8 /* a run without samples that is shorter is too short for an estimate */

/* The most that CPU time can have been used by the recorder: what is left must remain a base. */
#define MOST 0.99
#define METER_MOST 0.5	/* the same for samples */
#define METER_LESS 0.6	/* by which part the price of a sample may be too high, and too low: a program pays more */
#define METER_MORE 1.2
#define METER_LEAST 100	/* fewer samples have no price */
#define METER_LONG_NS 5e9
#define METER_ROUGH 0.02 /* up to this share of samples a rough price is good enough: it is some 0.3 points off */

/* Of one process; or of several, added up. CPU time in ns. */
struct cost {
	double estimate;	/* of all that was added */
	double writing;		/* within storing: in the kernel */
	double hidden;		/* the program's own work that samples show as the recorder's */
	double full;		/* what estimate would be, storing apart, had every call been written */
	double storing;
	double cpu, user;	/* all, and outside the kernel */
};

double meta_number(const struct trace_process *p, const char *name)
{
	double number = trace_process_meta_number(p, name);

	return isnan(number) ? 0 : number;
}

static double above(double v, double less)
{
	return v > less ? v - less : 0;
}

/* Cost of the calls in the hooks: as recorded, and if all were written. */
static void cost_calls(const struct trace *t, const struct trace_process *p, struct cost *c)
{
	double event = meta_number(p, TAU_META_EVENT_COST_PS),
	       empty = meta_number(p, TAU_META_EMPTY_HOOKS_COST_PS),
	       fold = meta_number(p, TAU_META_FOLDED_CALL_COST_PS),
	       folded = meta_number(p, TAU_META_FOLDED_CALLS),
	       out = meta_number(p, TAU_META_CALLS_KEPT_OUT),
	       out_each = meta_number(p, TAU_META_KEPT_OUT_CALL_COST_PS),
	       silent = meta_number(p, TAU_META_CALLS_NOT_WRITTEN),
	       written = -meta_number(p, TAU_META_FOLD_RECORDS), call = above(2 * event, empty);

	for (size_t s = 0; s < p->stream_n; s++)
		written += (double)t->stream[p->stream[s]].records;
	written = above(written, 0);
	c->hidden = (written / 2 + folded + out + silent) *
		    meta_number(p, TAU_META_EMPTY_HOOKS_BARE_COST_PS) / 1000;
	c->full = (written / 2 + folded) * call / 1000;
	c->estimate = ((written / 2 + silent) * call + out * above(out_each, empty) +
		       folded * (fold ? above(fold, empty) : call)) / 1000;
}

/*
 * Where memory and blocks have prices of their own, under a budget, its sums are better. Prices are estimates: recording has not
 * used more than there was.
 */
static struct cost cost_of(const struct trace *t, const struct trace_process *p)
{
	struct cost c = {0};

	cost_calls(t, p, &c);
	c.storing = meta_number(p, TAU_META_STORING_TIME_NS);
	c.writing = meta_number(p, TAU_META_WRITING_TIME_NS);
	c.estimate += c.storing + meta_number(p, TAU_META_SAMPLING_COST_NS) +
		      meta_number(p, TAU_META_MEMORY_CENSUS_US) * 1000;
	if (meta_number(p, TAU_META_BUDGET_PPM))
		c.estimate = meta_number(p, TAU_META_BUDGET_SPENT_NS) +
			     meta_number(p, TAU_META_BUDGET_SPENT_ON_DROPPED_NS);
	c.estimate += meta_number(p, TAU_META_STARTING_TIME_NS);
	c.full += meta_number(p, TAU_META_STARTING_TIME_NS) +
		  meta_number(p, TAU_META_SAMPLING_COST_NS) +
		  meta_number(p, TAU_META_MEMORY_CENSUS_US) * 1000;
	c.user = meta_number(p, TAU_META_USER_TIME_US) * 1000;
	c.cpu = c.user + meta_number(p, TAU_META_SYSTEM_TIME_US) * 1000;
	/* A process that was killed recorded no CPU time; only its run time is known. */
	if (!c.cpu)
		c.cpu = c.user = (double)(p->end - p->start);
	return c;
}

/* ---- processes and samples ---- */

/* A process, with all the programs that it has been. */
struct overhead_process {
	const struct trace_process *p;
	const struct cpu_sampled *sampled;	/* NULL: it was not */
	struct cost cost;
};

static const struct cpu_sampled *sampled_find(const struct cpu_samples *samples, uint32_t pid)
{
	size_t n, low = 0;
	const struct cpu_sampled *v = cpu_samples_get(samples, &n);

	while (low < n) {
		size_t middle = (low + n) / 2;

		if (v[middle].pid < pid)
			low = middle + 1;
		else
			n = middle;
	}
	cpu_samples_get(samples, &n);
	return low < n && v[low].pid == pid ? &v[low] : NULL;
}

static int same(const struct trace_process *a, const struct trace_process *b)
{
	return a->pid == b->pid && !strcmp(a->host ? a->host : "", b->host ? b->host : "");
}

static void cost_join(struct cost *to, const struct cost *x)
{
	to->estimate += x->estimate;
	to->writing += x->writing;
	to->hidden += x->hidden;
	to->full += x->full;
	to->storing += x->storing;
	/* The kernel counts on when a process becomes another program. */
	to->cpu = x->cpu > to->cpu ? x->cpu : to->cpu;
	to->user = x->user > to->user ? x->user : to->user;
}

static struct overhead_process *members(const struct trace *t, const struct cpu_samples *samples,
					size_t *n)
{
	struct overhead_process *v = mem_alloc((t->process_n + 1) * sizeof(*v));
	struct utsname here;
	size_t k;

	*n = 0;
	if (uname(&here) < 0)
		*here.nodename = 0;
	for (size_t i = 0; i < t->process_n; i++) {
		const struct trace_process *p = &t->process[i];
		struct cost c = cost_of(t, p);

		/* One that another program became comes soon after it. */
		for (k = *n; k > 0 && *n - k < 64; k--)
			if (same(v[k - 1].p, p))
				break;
		if (k > 0 && *n - k < 64) {
			cost_join(&v[k - 1].cost, &c);
			continue;
		}
		v[*n] = (struct overhead_process){.p = p, .cost = c};
		if (!p->host || !strcmp(p->host, here.nodename))
			v[*n].sampled = sampled_find(samples, (uint32_t)p->pid);
		(*n)++;
	}
	return v;
}

/*
 * What a process spent on the recorder, if that is this share of its samples, and the samples took
 * `sampler` of its CPU time.
 *
 * The program has hooks without a recorder, too, but then they are empty; and the processor
 * finishes the work before a call while it executes the recorder. Samples show both as the
 * recorder's. Where functions do nothing, empty hooks are all of it; where they work, the part of
 * the work that samples do not show was found to be about as long (bench/overhead.sh; AMD EPYC).
 */
static double sampled_cost(const struct overhead_process *m, double share, double sampler)
{
	const struct cost *c = &m->cost;
	double own = 1 - sampler;

	return m->sampled->kernel ? above(c->cpu * own * share, c->hidden)
				  : above(c->user * own * share, c->hidden) + c->writing;
}

/*
 * The share of the CPU time of the sampled processes that the samples took. A few take less than
 * measuring their cost, and less than the error of their number; to measure it well takes a part
 * of long programs only.
 */
static double meter_share(const struct overhead_process *v, size_t n)
{
	double taken = 0, cpu = 0, share;

	for (size_t i = 0; i < n; i++)
		if (v[i].sampled) {
			taken += (double)v[i].sampled->taken;
			cpu += v[i].cost.cpu;
		}
	if (taken < METER_LEAST || cpu <= 0)
		return 0;
	share = taken * cpu_samples_cost(0) / cpu;
	if (cpu > METER_LONG_NS && (share <= 0 || share > METER_ROUGH))
		share = taken * cpu_samples_cost(1) / cpu;
	return share < METER_MOST ? share : METER_MOST;
}

/* The share of the sampled processes' time that went to the recorder; -1: there are too few samples. */
static double sampled_share(const struct overhead_process *v, size_t n)
{
	uint64_t recorder = 0, all = 0, samples = 0;

	for (size_t i = 0; i < n; i++)
		if (v[i].sampled) {
			recorder += v[i].sampled->recorder;
			all += v[i].sampled->all;
			samples += v[i].sampled->samples;
		}
	return samples < SAMPLES_LEAST ? -1 : (double)recorder / (double)all;
}

/* What samples show that was added, over what was estimated. */
static double estimates_scale(const struct overhead_process *v, size_t n, double share,
			      double sampler)
{
	double shown = 0, estimated = 0;

	for (size_t i = 0; i < n && share >= 0; i++)
		if (v[i].sampled) {
			shown += sampled_cost(&v[i], share, sampler);
			estimated += v[i].cost.estimate;
		}
	return share >= 0 && estimated > 0 ? shown / estimated : 1;
}

/* The share of the sampled ranks' time that went to libraries of messages, where they poll. 0: there is one rank. */
static double messages_share(const struct overhead_process *v, size_t n)
{
	uint64_t messages = 0, all = 0;
	size_t ranks = 0;

	for (size_t i = 0; i < n; i++)
		if (v[i].sampled) {
			messages += v[i].sampled->messages;
			all += v[i].sampled->all;
			ranks += v[i].sampled->messages > 0;
		}
	return ranks > 1 ? (double)messages / (double)all : 0;
}

/* What the interval follows from. CPU time in ns, of all processes. */
struct range_causes {
	double cpu;
	double share;		/* of samples in the recorder */
	double samples;		/* -1: nothing could be sampled */
	double hidden;
	double polled;		/* at most, by other ranks for what one records */
	double preempted;	/* number, while it computed */
};

/* Sets the interval. */
static void range_set(struct overhead *o, const struct range_causes *r)
{
	double own = above(o->alone, r->hidden), error, least, most, beside;
	double cpu = r->cpu, share = r->share, samples = r->samples, hidden = r->hidden;

	if (samples < 0 ? cpu < SHORT_NS : samples < SAMPLES_RANGE)
		return;
	if (samples < 0) {
		o->least = o->added / EVENTS_MORE;
		o->most = fmin(o->added * EVENTS_LESS, MOST * cpu);
		return;
	}
	/* Of one sample more, too, so that a share of 0 or 1 is not certain. */
	share = fmin(fmax(share, 1 / samples), 1 - 1 / samples);
	error = (2 * sqrt(share * (1 - share) / samples) + NOISE) * cpu +
		r->preempted * PREEMPTED_NS;
	beside = fmin(share / (1 - share), 1);
	least = above(own, OVERLAP_LESS * hidden + error + METER_MORE * o->sampling) /
		(1 + SLOWER * beside);
	least = fmax(least, fmax((own + hidden) / SLOWER_MOST, HOOKS_LEAST * hidden));
	most = (own + OVERLAP_MORE * hidden + error + METER_LESS * o->sampling) *
	       (1 + FASTER * beside);
	o->least = above(cpu, most);
	o->most = above(cpu, least);
	o->most = fmin(o->most + fmin(r->polled, o->most), MOST * cpu);
}

struct overhead overhead_of(const struct trace *t, const struct cpu_samples *samples)
{
	size_t n;
	struct overhead_process *v = members(t, samples, &n);
	double share = sampled_share(v, n), sampler = meter_share(v, n),
	       scale = estimates_scale(v, n, share, sampler), cpu = 0, samples_n = 0, hidden = 0,
	       messages = messages_share(v, n), added;
	struct overhead o = {0};
	int sampled = 0;

	for (size_t i = 0; i < n; i++) {
		const struct cost *c = &v[i].cost;

		added = c->estimate * scale + c->cpu * sampler;
		o.added += added < MOST * c->cpu ? added : MOST * c->cpu;
		o.full += c->full * scale + c->cpu * sampler;
		o.sampling += c->cpu * sampler;
		o.storing += c->storing;
		cpu += c->cpu;
		hidden += c->hidden;
		samples_n += v[i].sampled ? (double)v[i].sampled->samples : 0;
		sampled = sampled || v[i].sampled;
	}
	o.alone = cpu - o.added;
	range_set(&o, &(struct range_causes){
			      .cpu = cpu,
			      .share = share,
			      .samples = sampled ? samples_n : -1,
			      .hidden = hidden,
			      .polled = cpu * messages,
			      .preempted = fmin(cpu_samples_preempted(samples),
						(cpu - cpu * messages) / SLICE_NS),
		      });
	free(v);
	return o;
}
