/* summary_build.c: what the chunks of a stream add up to. */
#include "analyze/replay/summary_build.h"

#include <string.h>

#include "analyze/replay/player.h"

struct summary_read {
	const struct summary_sink *sink;
	size_t metric_n;
	struct summary stretch; /* the one that is open */
	size_t first, chunks;   /* where it began; chunks so far */
	uint64_t repaired, resumed, folded; /* up to where it began */
	int code;               /* of the sink */
	struct frames_keeper *keeper;
	uint64_t *calls;        /* by region */
};

static int row_empty(const struct player *p, size_t path)
{
	const struct metrics *m = &p->meter;

	if (p->callstack.node[path].calls || p->callstack.node[path].excl)
		return 0;
	for (size_t k = 0; k < m->n; k++)
		if (path < m->callstack[k].node_n && m->callstack[k].node[path].excl)
			return 0;
	return 1;
}

/* Takes what the machines have counted by path, and leaves them empty. */
static void take_rows(struct summary_read *d, struct player *p)
{
	struct callstack *m = &p->callstack;
	size_t n = p->shared->paths.v_n;

	callstack_add(m, (uint32_t)n - 1, 0, 0);
	for (size_t i = 1; i < n; i++) {
		struct summary_row *r;

		if (row_empty(p, i))
			continue;
		r = summary_row_add(&d->stretch, (uint32_t)i, d->metric_n);
		r->calls = m->node[i].calls;
		d->calls[p->shared->paths.v[i].region] += r->calls;
		r->excl = m->node[i].excl;
		m->node[i].calls = 0;
		m->node[i].excl = 0;
		for (size_t k = 0; k < d->metric_n; k++) {
			struct callstack *x = &p->meter.callstack[k];

			callstack_add(x, (uint32_t)i, 0, 0);
			d->stretch.metric[(d->stretch.row_n - 1) * d->metric_n + k] =
				x->node[i].excl;
			x->node[i].excl = 0;
		}
	}
}

/* The stretch ends at a state that has been applied, and the next begins there. */
static void cut(struct summary_read *d, struct player *p, const struct event_state *s)
{
	struct summary *x = &d->stretch;

	callstack_charge(&p->callstack, s->time);
	for (size_t k = 0; k < d->metric_n; k++) {
		callstack_charge(&p->meter.callstack[k], p->meter.value[k]);
		x->then[k] = p->meter.value[k];
	}
	take_rows(d, p);
	x->end = s->time;
	x->repaired = p->callstack.repaired - d->repaired;
	x->resumed = p->callstack.resumed - d->resumed;
	x->folded = p->callstack.folded - d->folded;
	counters_add_heap(&p->shared->counters, &p->samples, &p->heap);
	x->samples = p->samples;
	x->stacks = p->stacks;
	memset(&p->samples, 0, sizeof(p->samples));
	memset(&p->stacks, 0, sizeof(p->stacks));
	d->code = d->sink->take(d->sink->to, x, d->first, d->chunks);
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
	       p->samples.v_n + p->heap.context_n > DIGEST_MOST;
}

static void boundary(void *to, struct player *p, const struct event_state *s, int seam)
{
	struct summary_read *d = to;

	frames_keeper_state(d->keeper, s);
	if (is_too_much(p)) {
		d->code = DIGEST_TOO_MUCH;
	} else if (!d->chunks) {
		d->stretch.begin = s->time;
		for (size_t k = 0; k < d->metric_n; k++)
			d->stretch.value[k] = p->meter.value[k];
	} else if (!d->code && !seam && !p->callstack.off &&
		   d->sink->wants(d->sink->to, d->chunks)) {
		cut(d, p, s);
	}
	d->chunks++;
}

static void plays(void *to, const struct event_batch *b, size_t from, size_t n)
{
	struct summary_read *d = to;

	frames_keeper_play(d->keeper, b, from, n);
}

int summary_build_stream(struct trace *t, uint32_t stream, const struct summary_sink *sink,
			 struct error *e)
{
	struct window_span all = {INT64_MIN, INT64_MAX};
	struct window_spans spans = {.v = &all, .v_n = 1};
	struct window window = {.of = &spans, .of_n = 1};
	struct windows whole = {.v = &window, .v_n = 1};
	struct summary_read d = {.sink = sink, .metric_n = t->metric_n};
	struct player_shared shared = {.trace = t,
				       .ops = sink->ops,
				       .window_n = 1,
				       .end = t->end,
				       .context_depth = UINT32_MAX,
				       .boundary = boundary,
				       .boundary_to = &d,
				       .plays = plays,
				       .plays_to = &d,
				       .tick = sink->tick,
				       .tick_to = sink->tick_to};
	const struct trace_process *process = &t->process[t->stream[stream].process];
	struct segments segments;
	struct player p;
	int code;

	d.calls = mem_alloc((t->region_n + 1) * sizeof(*d.calls));
	d.keeper = frames_keeper_new(t, stream, sink->keep, sink->to);
	summary_init(&d.stretch, t->metric_n);
	segments_make(&segments, &whole, 0);
	callstack_paths_init(&shared.paths, MACHINE_WHOLE);
	stack_tree_init(&shared.tree);
	counters_init(&shared.counters, t, 0);
	code = player_open(&p, &shared, &segments, NULL, stream, process->end, e);
	while (code >= 0 && !p.done && !d.code)
		code = player_advance(&p, INT64_MAX, e);
	/* What is behind the last stretch is in the account that was closed at the end. */
	for (size_t r = 0; r <= t->region_n && code >= 0; r++)
		d.calls[r] += p.callstack.row[r].calls;
	if (code >= 0 && !d.code)
		d.code = sink->finish(
			sink->to,
			&(struct summary_names){shared.paths, shared.counters.names, shared.tree},
			d.chunks, frames_keeper_finish(d.keeper, d.calls));
	player_close(&p);
	counters_release(&shared.counters);
	callstack_paths_release(&shared.paths);
	stack_tree_release(&shared.tree);
	segments_release(&segments);
	summary_release(&d.stretch);
	frames_keeper_free(d.keeper);
	free(d.calls);
	return code < 0 ? code : d.code;
}
