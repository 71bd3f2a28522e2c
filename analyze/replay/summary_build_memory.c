/* summary_build_memory.c: makes summaries of the changes of a process's memory. */
#include "analyze/replay/summary_build_memory.h"

#include <string.h>

#include "analyze/stream/counters.h"
#include "analyze/summary/summary.h"

#define TRAFFIC_LIMIT (UINT64_C(1) << 60) /* limit of the total bytes and blocks, so that no
					   * level overflows */

static const struct segments no_segments;

/* A sum of at most TRAFFIC_LIMIT, and a number without its sign, up to the same limit. */
static inline uint64_t traffic_add(uint64_t sum, int64_t v)
{
	sum += v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	return sum < TRAFFIC_LIMIT ? sum : TRAFFIC_LIMIT;
}

/* The summary ends at a time, and the next one begins there. */
static void cut(struct memory_build *d, int64_t time)
{
	struct live_memory *l = &d->levels;
	struct summary *x = &d->summary;
	const struct summary_sink *sink = d->job->sink;

	for (size_t r = 0; r < l->row_n; r++) {
		const struct level *base = &d->base[r], *peak = &l->peak[r], *now = &l->now[r];
		struct level_sum s = {
			.row = (uint32_t)r,
			.peak = {peak->bytes - base->bytes, peak->blocks - base->blocks},
			.gain = {now->bytes - base->bytes, now->blocks - base->blocks}};

		if (s.peak.bytes || s.peak.blocks || s.gain.bytes || s.gain.blocks)
			*array_add(x, level) = s;
	}
	memcpy(d->base, l->now, l->row_n * sizeof(*d->base));
	memcpy(l->peak, l->now, l->row_n * sizeof(*l->peak));
	x->end = time;
	d->job->code = sink->receive(sink->to, x, d->first, d->states);
	summary_clear(x);
	x->begin = time;
	d->first = d->states;
	d->any_asked = 0;
}

/*
 * Should the summary end? The answer depends only on the number of states; changes are much more
 * frequent, so it is kept.
 */
static inline int is_wanted(struct memory_build *d)
{
	if (d->asked != d->states || !d->any_asked) {
		d->wanted = !d->job->code &&
			    d->job->sink->wants(d->job->sink->to, d->states - d->first);
		d->asked = d->states;
		d->any_asked = 1;
	}
	return d->wanted;
}

/*
 * A summary ends between two moments, never inside one: so the level is known for a window that
 * begins there.
 */
static void change(void *to, const struct level_change *c)
{
	struct memory_build *d = to;

	d->traffic = traffic_add(traffic_add(d->traffic, c->bytes), c->blocks);
	if (!d->begun) {
		d->begun = 1;
		d->summary.begin = c->time;
	} else if (c->time > d->last && d->traffic < TRAFFIC_LIMIT && is_wanted(d)) {
		cut(d, c->time);
	}
	d->last = c->time;
}

void memory_build_init(struct memory_build *d, struct trace *t, struct summary_job *job)
{
	*d = (struct memory_build){.job = job};
	summary_init(&d->summary, t->metric_n);
	counters_init(&d->counters, t, COUNTERS_SITES_NAMED);
	live_memory_init(&d->levels, &d->counters, &no_segments, 0, INT64_MAX);
	d->levels.watch = change;
	d->levels.watch_to = d;
	d->base = mem_alloc(d->levels.row_n * sizeof(*d->base));
}

void memory_build_finish(struct memory_build *d, int whole)
{
	const struct summary_sink *sink = d->job->sink;
	struct summary_names names;

	if (d->job->code)
		return;
	summary_names_init(&names);
	d->job->code = whole && d->traffic < TRAFFIC_LIMIT
			       ? sink->finish(sink->to, &names, d->states, NULL)
			       : 1;
	summary_names_release(&names);
}

void memory_build_release(struct memory_build *d)
{
	live_memory_release(&d->levels);
	counters_release(&d->counters);
	summary_release(&d->summary);
	free(d->base);
}
