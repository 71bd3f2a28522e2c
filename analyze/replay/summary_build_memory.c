/* summary_build_memory.c: what the memory of a process did between moments, as sums that add up. */
#include <string.h>

#include "analyze/replay/summary_build.h"
#include "analyze/replay/player.h"

#define TRAFFIC_LIMIT (UINT64_C(1) << 60) /* bytes and blocks altogether, so that no level wraps */

struct live_memory_build {
	const struct summary_sink *sink;
	struct summary stretch;
	struct live_memory levels;
	struct level *base; /* by row: when the stretch began */
	int64_t last;       /* time of the change before */
	uint64_t traffic;
	size_t states, first; /* states met so far, and up to where the stretch began */
	int begun, code;
};

static void magnitude(uint64_t *sum, int64_t v)
{
	uint64_t m = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	*sum = m > TRAFFIC_LIMIT - *sum ? TRAFFIC_LIMIT : *sum + m;
}

/* The stretch ends at a time, and the next begins there. */
static void cut(struct live_memory_build *d, int64_t time)
{
	struct live_memory *l = &d->levels;
	struct summary *x = &d->stretch;

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
	d->code = d->sink->take(d->sink->to, x, d->first, d->states);
	summary_clear(x);
	x->begin = time;
	d->first = d->states;
}

/* A stretch ends between two moments, never inside one: then a window that begins there knows its level. */
static void change(void *to, const struct level_change *c)
{
	struct live_memory_build *d = to;

	magnitude(&d->traffic, c->bytes);
	magnitude(&d->traffic, c->blocks);
	if (!d->begun) {
		d->begun = 1;
		d->stretch.begin = c->time;
	} else if (!d->code && c->time > d->last && d->traffic < TRAFFIC_LIMIT &&
		   d->sink->wants(d->sink->to, d->states - d->first)) {
		cut(d, c->time);
	}
	d->last = c->time;
}

static void boundary(void *to, struct player *p, const struct event_state *s, int seam)
{
	(void)p;
	(void)s;
	(void)seam;
	((struct live_memory_build *)to)->states++;
}

/* Plays the streams. 1: the levels follow from what they say; 0: their states say something else than their events. */
static int play(struct live_memory_build *d, struct trace *t, uint32_t process,
		const struct segments *segments, struct player_shared *shared, struct error *e)
{
	const struct trace_process *q = &t->process[process];
	struct player *p = mem_alloc((q->stream_n + 1) * sizeof(*p));
	size_t n = 0;
	int code = 0, whole = 1;

	for (size_t i = 0; i < q->stream_n && code >= 0; i++)
		if (t->stream[q->stream[i]].has_memory)
			code = player_open(&p[n++], shared, segments, &d->levels, q->stream[i],
					   q->end, e);
	if (code >= 0)
		code = players_advance(p, n, &d->levels, &d->code, e);
	for (size_t i = 0; i < n; i++) {
		whole &= !p[i].level_seams && !t->stream[p[i].stream].damaged;
		player_close(&p[i]);
	}
	free(p);
	return code < 0 ? code : whole && d->traffic < TRAFFIC_LIMIT && !d->code;
}

int summary_build_memory(struct trace *t, uint32_t process, const struct summary_sink *sink,
			 struct error *e)
{
	struct window_span all = {0, INT64_MAX};
	struct window_spans spans = {.v = &all, .v_n = 1};
	struct window window = {.of = &spans, .of_n = 1};
	struct windows whole = {.v = &window, .v_n = 1};
	struct live_memory_build d = {.sink = sink};
	struct player_shared shared = {.trace = t,
				       .ops = sink->ops,
				       .window_n = 1,
				       .end = t->end,
				       .memory_only = 1,
				       .boundary = boundary,
				       .boundary_to = &d,
				       .tick = sink->tick,
				       .tick_to = sink->tick_to};
	struct segments segments, none = {0};
	struct summary_names names;
	int code;

	summary_init(&d.stretch, t->metric_n);
	summary_names_init(&names);
	segments_make(&segments, &whole, 0);
	callstack_paths_init(&shared.paths, 0);
	stack_tree_init(&shared.tree);
	counters_init(&shared.counters, t, 0);
	live_memory_init(&d.levels, &shared.counters, &none, 0, INT64_MAX);
	d.levels.watch = change;
	d.levels.command_file_to = &d;
	d.base = mem_alloc(d.levels.row_n * sizeof(*d.base));
	code = play(&d, t, process, &segments, &shared, e);
	if (code > 0)
		code = sink->finish(sink->to, &names, d.states, NULL);
	else if (!code)
		code = 1;
	live_memory_release(&d.levels);
	counters_release(&shared.counters);
	callstack_paths_release(&shared.paths);
	stack_tree_release(&shared.tree);
	segments_release(&segments);
	summary_names_release(&names);
	summary_release(&d.stretch);
	free(d.base);
	return code;
}
