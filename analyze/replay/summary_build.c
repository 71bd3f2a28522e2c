/* summary_build.c: plays streams once and returns summaries of their chunks. */
#include "analyze/replay/summary_build.h"

#include <string.h>

#include "analyze/replay/player.h"
#include "analyze/replay/summary_build_memory.h"
#include "analyze/stream/callstack.h"
#include "analyze/stream/counters.h"
#include "analyze/stream/size_sums.h"
#include "analyze/trace/segments.h"

/* A stream that is being played. */
struct stream_build {
	struct summary_job *job;
	struct memory_build *memory; /* of its process; NULL: not built, or the stream has no
				      * memory */
	struct player_shared shared;
	struct player *player;
	size_t metric_n;
	struct summary open;
	size_t first, chunks;   /* first: the chunk with which it began; chunks: chunks so far */
	uint64_t repaired, resumed, folded; /* when it began */
	struct frames_keeper *keeper; /* NULL: only memory is needed */
	uint64_t *calls;	      /* by region */
};

static int row_empty(const struct player *p, size_t path)
{
	const struct metrics *m = &p->metrics;

	if (p->callstack.node[path].calls || p->callstack.node[path].excl)
		return 0;
	for (size_t k = 0; k < m->n; k++)
		if (path < m->callstack[k].node_n && m->callstack[k].node[path].excl)
			return 0;
	return 1;
}

/* Takes the values by path from the call stacks, and clears them. */
static void move_rows(struct stream_build *d, struct player *p)
{
	struct callstack *m = &p->callstack;
	size_t n = p->shared->paths.v_n;

	callstack_add(m, (uint32_t)n - 1, 0, 0);
	for (size_t i = 1; i < n; i++) {
		struct summary_row *r;

		if (row_empty(p, i))
			continue;
		r = summary_row_add(&d->open, (uint32_t)i, d->metric_n);
		r->calls = m->node[i].calls;
		d->calls[p->shared->paths.v[i].region] += r->calls;
		r->excl = m->node[i].excl;
		m->node[i].calls = 0;
		m->node[i].excl = 0;
		for (size_t k = 0; k < d->metric_n; k++) {
			struct callstack *x = &p->metrics.callstack[k];

			callstack_add(x, (uint32_t)i, 0, 0);
			d->open.metric[(d->open.row_n - 1) * d->metric_n + k] = x->node[i].excl;
			x->node[i].excl = 0;
		}
	}
}

/* Ends the summaries of a stream, if code is not 0: then only its memory is played. */
static void ends(struct stream_build *d, int code)
{
	d->job->code = code;
	d->shared.memory_only |= code != 0;
}

/* The open summary ends at a state that has been applied, and the next begins there. */
static void cut(struct stream_build *d, struct player *p, const struct event_state *s)
{
	struct summary *x = &d->open;

	callstack_charge(&p->callstack, s->time);
	for (size_t k = 0; k < d->metric_n; k++) {
		callstack_charge(&p->metrics.callstack[k], p->metrics.value[k]);
		x->then[k] = p->metrics.value[k];
	}
	move_rows(d, p);
	x->end = s->time;
	x->repaired = p->callstack.repaired - d->repaired;
	x->resumed = p->callstack.resumed - d->resumed;
	x->folded = p->callstack.folded - d->folded;
	counters_add_sizes(&p->shared->counters, &p->samples, &p->sizes);
	x->samples = p->samples;
	x->stacks = p->stacks;
	memset(&p->samples, 0, sizeof(p->samples));
	memset(&p->stacks, 0, sizeof(p->stacks));
	ends(d, d->job->sink->receive(d->job->sink->to, x, d->first, d->chunks));
	summary_clear(x);
	d->first = d->chunks;
	d->repaired = p->callstack.repaired;
	d->resumed = p->callstack.resumed;
	d->folded = p->callstack.folded;
	x->begin = x->end;
	memcpy(x->value, x->then, d->metric_n * sizeof(*x->value));
}

static int is_too_much(const struct player *p)
{
	return p->shared->paths.v_n > DIGEST_MOST || p->shared->tree.v_n > DIGEST_MOST ||
	       p->samples.v_n + size_sums_rows(&p->sizes) > DIGEST_MOST;
}

static void boundary(void *to, struct player *p, const struct event_state *s, int seam)
{
	struct stream_build *d = to;

	if (d->memory)
		d->memory->states++;
	if (d->shared.memory_only)
		return;
	frames_keeper_state(d->keeper, s);
	if (is_too_much(p)) {
		ends(d, DIGEST_TOO_MUCH);
	} else if (!d->chunks) {
		d->open.begin = s->time;
		for (size_t k = 0; k < d->metric_n; k++)
			d->open.value[k] = p->metrics.value[k];
	} else if (!seam && !p->callstack.off &&
		   d->job->sink->wants(d->job->sink->to, d->chunks)) {
		cut(d, p, s);
	}
	d->chunks++;
}

static void plays(void *to, const struct event_batch *b)
{
	struct stream_build *d = to;

	if (!d->shared.memory_only)
		frames_keeper_play(d->keeper, b);
}

static int stream_open(struct stream_build *d, struct trace *t, const struct segments *all,
		       const struct summary_jobs *jobs, struct error *e)
{
	const struct trace_process *process =
		&t->process[t->stream[d->job->stream].process];
	const struct summary_sink *sink = d->job->sink;

	d->metric_n = t->metric_n;
	player_shared_init(&d->shared, t, CALLSTACK_WHOLE, COUNTERS_SITES_NAMED);
	d->shared.ops = jobs->ops;
	d->shared.window_n = 1;
	d->shared.context_depth = UINT32_MAX;
	d->shared.memory_only = !sink;
	d->shared.boundary = boundary;
	d->shared.boundary_to = d;
	d->shared.plays = plays;
	d->shared.plays_to = d;
	d->shared.tick = jobs->tick;
	d->shared.tick_to = jobs->tick_to;
	d->calls = mem_alloc((t->region_n + 1) * sizeof(*d->calls));
	if (sink)
		d->keeper = frames_keeper_new(t, d->job->stream, sink->keep, sink->to);
	summary_init(&d->open, t->metric_n);
	return player_open(d->player, &d->shared, all, d->memory ? &d->memory->levels : NULL,
			   d->job->stream, process->end, e);
}

/* Finishes a stream that was played to its end. */
static void stream_finish(struct stream_build *d, uint32_t region_n)
{
	const struct summary_names names = {d->shared.paths, d->shared.counters.names,
					    d->shared.tree};
	const struct summary_sink *sink = d->job->sink;

	if (!sink || d->job->code)
		return;
	/* The part after the last summary is in the account that was closed at the end. */
	for (size_t r = 0; r <= region_n; r++)
		d->calls[r] += d->player->callstack.row[r].calls;
	d->job->code = sink->finish(sink->to, &names, d->chunks,
				    frames_keeper_finish(d->keeper, d->calls));
}

static void stream_release(struct stream_build *d)
{
	player_close(d->player);
	player_shared_release(&d->shared);
	summary_release(&d->open);
	if (d->keeper)
		frames_keeper_free(d->keeper);
	free(d->calls);
}

/*
 * Do the levels follow from the events? They do not if states disagree with the events before them.
 */
static int levels_hold(const struct trace *t, const struct stream_build *v, size_t n)
{
	int whole = 1;

	for (size_t i = 0; i < n; i++)
		if (v[i].memory)
			whole &= !v[i].player->level_seams && !t->stream[v[i].job->stream].damaged;
	return whole;
}

int summary_build_all(struct trace *t, uint32_t process, const struct summary_jobs *jobs,
		      struct error *e)
{
	struct window_span whole = {INT64_MIN, INT64_MAX};
	struct window_spans spans = {.v = &whole, .v_n = 1};
	struct window window = {.of = &spans, .of_n = 1};
	struct windows windows = {.v = &window, .v_n = 1};
	struct stream_build *v = mem_alloc((jobs->n + 1) * sizeof(*v));
	struct player *p = mem_alloc((jobs->n + 1) * sizeof(*p));
	struct memory_build memory;
	struct segments all;
	size_t n = 0;
	int code = 0;

	segments_make(&all, &windows, process);
	if (jobs->memory)
		memory_build_init(&memory, t, jobs->memory);
	while (n < jobs->n && code >= 0) {
		struct summary_job *job = &jobs->v[n];

		v[n].job = job;
		v[n].player = &p[n];
		if (jobs->memory && t->stream[job->stream].has_memory)
			v[n].memory = &memory;
		code = stream_open(&v[n++], t, &all, jobs, e);
	}
	if (code >= 0)
		code = players_advance(p, n, jobs->memory ? &memory.levels : NULL, e);
	for (size_t i = 0; i < n && code >= 0; i++)
		stream_finish(&v[i], (uint32_t)t->region_n);
	if (jobs->memory && code >= 0)
		memory_build_finish(&memory, levels_hold(t, v, n));
	if (jobs->memory)
		memory_build_release(&memory);
	for (size_t i = 0; i < n; i++)
		stream_release(&v[i]);
	segments_release(&all);
	free(p);
	free(v);
	return code < 0 ? code : 0;
}
