/* player.c: plays one stream through the segments of its process. */
#include "analyze/replay/player.h"

#include <string.h>

#include "analyze/profile/counter_stats.h"
#include "analyze/stream/size_sums.h"
#include "analyze/stream/squares.h"

void player_shared_init(struct player_shared *s, struct trace *t, uint32_t path_depth,
			enum counters_sites sites)
{
	*s = (struct player_shared){.trace = t, .ops = t->ops, .end = t->end};
	callstack_paths_init(&s->paths, path_depth);
	stack_tree_init(&s->tree);
	counters_init(&s->counters, t, sites);
}

void player_shared_release(struct player_shared *s)
{
	counters_release(&s->counters);
	callstack_paths_release(&s->paths);
	stack_tree_release(&s->tree);
}

static void row_add(struct callstack_row *to, const struct callstack_row *r)
{
	to->excl += r->excl;
	to->incl += r->incl;
	to->calls += r->calls;
	to->subrs += r->subrs;
}

static void rows_add(struct callstack_row **to, size_t *n, const struct callstack_row *from,
		     size_t from_n)
{
	if (*n < from_n) {
		*to = mem_resize(*to, from_n, sizeof(**to));
		memset(*to + *n, 0, (from_n - *n) * sizeof(**to));
		*n = from_n;
	}
	for (size_t r = 0; r < from_n; r++)
		row_add(&(*to)[r], &from[r]);
}

/* The cost of recording is kept exactly, in ps, so that parts add up to the whole. */
static void tally_pay(struct cost_rows *t, const struct callstack *m)
{
	if (!t->row)
		t->row = mem_alloc(((size_t)m->region_n + 1) * sizeof(*t->row));
	for (size_t r = 0; r <= m->region_n; r++)
		row_add(&t->row[r], &m->row[r]);
	rows_add(&t->path_row, &t->path_row_n, m->path_row, callstack_path_rows(m));
}

/* Adds the skipped chunks of the segment. */
static void tally_gather(struct player *p, struct tally *t, struct metrics_tally *metric)
{
	struct player_shared *s = p->shared;
	struct summary_build *g = &p->gather;

	summary_build_rows(g, &g->callstack, &s->paths, t->row, &t->path_row, &t->path_row_n);
	for (size_t k = 0; k < g->metric_n; k++)
		summary_build_rows(g, &g->metric[k], &s->paths, metric[k].row, &metric[k].path_row,
				   &metric[k].path_row_n);
	summary_build_samples(g, &s->counters, &s->paths, s->context_depth, &t->samples);
	summary_build_stacks(g, &s->tree, &s->paths, &t->stacks);
}

/* Adds the account of the segment that ends to all of its windows. */
static void tally_add(struct player *p, const struct segment *s)
{
	const struct callstack *m = &p->callstack;

	if (p->gather.any)
		summary_build_end(&p->gather);
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t w = p->where.of->member[s->first + i];
		struct tally *t = &p->tally[w];

		for (size_t r = 0; r <= m->region_n; r++)
			row_add(&t->row[r], &m->row[r]);
		rows_add(&t->path_row, &t->path_row_n, m->path_row, callstack_path_rows(m));
		for (int k = 0; p->cost.on && k < COMPENSATOR_LIMITS; k++)
			tally_pay(&t->cost[k], &p->cost.limit[k].callstack);
		if (p->gather.any)
			tally_gather(p, t, &p->metrics.tally[w * p->metrics.n]);
		t->repaired += m->repaired - p->repaired_before;
		counter_stats_merge(&t->samples, &p->samples);
		stacks_merge(&t->stacks, &p->stacks);
	}
}

static void segment_begin(struct player *p, const struct segment *s)
{
	callstack_begin(&p->callstack, s->begin);
	if (p->callstack.squares)
		squares_begin(&p->squares, s);
	p->repaired_before = p->callstack.repaired;
	compensator_begin(&p->cost);
	counter_stats_clear(&p->samples);
	stacks_clear(&p->stacks);
	summary_build_clear(&p->gather);
}

static void segment_end(struct player *p, const struct segment *s)
{
	callstack_end(&p->callstack, s->end);
	if (p->callstack.squares)
		squares_end(&p->squares);
	p->repaired += p->callstack.repaired - p->repaired_before;
	counters_add_sizes(&p->shared->counters, &p->samples, &p->sizes);
	compensator_end(&p->cost);
	tally_add(p, s);
}

/* Opens and closes segments up to a time, which belongs to the segment that begins there. 1: a segment was closed. */
static int cross(struct player *p, int64_t time)
{
	const struct segment *s;
	int closed = 0;

	while ((s = segment_cross(&p->where, time))) {
		if (p->where.open)
			segment_begin(p, s);
		else
			segment_end(p, s);
		closed |= !p->where.open;
	}
	return closed;
}

/* ---- memory ---- */

static inline void memory_change(struct player *p, int64_t time, uint32_t type, int64_t bytes,
				 int64_t blocks)
{
	struct level *own = &p->own[type];

	if (p->shared->trace->memtype[type].leak)
		return;
	own->bytes = (int64_t)((uint64_t)own->bytes + (uint64_t)bytes);
	own->blocks = (int64_t)((uint64_t)own->blocks + (uint64_t)blocks);
	live_memory_note(p->levels,
			 (struct level_change){time, type, p->stream, bytes, blocks});
}

static void memory_event(struct player *p, const struct event *ev, const struct event_args *a)
{
	int64_t sign = ev->kind == EVENT_ALLOC ? 1 : -1, bytes = (int64_t)a->block.bytes;

	bytes -= ev->kind == EVENT_ALLOC ? (int64_t)a->block.inner : 0;
	memory_change(p, ev->time, a->block.type, sign * bytes, sign);
	if (ev->kind == EVENT_RETYPE)
		memory_change(p, ev->time, a->block.to, bytes, 1);
}

/* Sets the stream's memory from a state: adds the difference to the changes that were played. */
static void memory_state(struct player *p, const struct event_state *s, int64_t time)
{
	size_t n = p->shared->trace->memtype_n;
	struct level *want = mem_alloc(n * sizeof(*want));

	/* several ids of a stream can be the same type */
	for (size_t i = 0; i < s->memory_n; i++) {
		struct level *w = &want[s->memory[i].type];

		w->bytes = (int64_t)((uint64_t)w->bytes + (uint64_t)s->memory[i].bytes);
		w->blocks = (int64_t)((uint64_t)w->blocks + (uint64_t)s->memory[i].blocks);
	}
	for (size_t i = 0; i < n; i++) {
		int64_t bytes = (int64_t)((uint64_t)want[i].bytes - (uint64_t)p->own[i].bytes);
		int64_t blocks = (int64_t)((uint64_t)want[i].blocks - (uint64_t)p->own[i].blocks);

		p->level_seams += (bytes || blocks) && !p->sought;
		if (bytes || blocks)
			memory_change(p, time, (uint32_t)i, bytes, blocks);
	}
	free(want);
}

/* ---- playing ---- */

/* The recorder stored a chunk from `from` to `to`: each segment pays for its part of this time. */
static void pay_sealed(struct player *p, int64_t from, int64_t to)
{
	while (segment_edge(&p->where) < to) {
		int64_t at = segment_edge(&p->where);

		if (at > from) {
			compensator_pass(&p->cost, at - from);
			from = at;
		}
		cross(p, at);
	}
	compensator_pass(&p->cost, to - from);
}

/* Applies a state. It is valid from the target of a jump on, at the beginning of a stream from its own time on. */
static void apply_state(struct player *p, const struct event_state *s)
{
	int64_t time = s->time, sealed = time - s->sealed;
	int jumped = p->sought && !s->first && time > p->target;
	uint64_t repaired;

	if (jumped)
		time = p->target;
	/* memory at the beginning of a stream that is read from its beginning was allocated before the run */
	if (p->levels) {
		int64_t before = (p->target > 0 ? p->target : 0) - 1;

		memory_state(p, s, p->sought && time >= p->target ? before : time);
	}
	if (p->cost.on && !p->sought)
		pay_sealed(p, sealed, time);
	for (size_t w = 0; w < p->shared->window_n && s->cut; w++)
		p->tally[w].cut = 1;
	cross(p, time);
	metrics_state(&p->metrics, s, p->sought);
	repaired = p->callstack.repaired;
	if (!p->shared->memory_only)
		callstack_state(&p->callstack, s, time, p->sought);
	heap_at_regions_state(&p->entries, p->shared->trace, &p->callstack, s, p->sought);
	compensator_state(&p->cost, s);
	if (p->cost.on && jumped)
		pay_sealed(p, sealed > time ? sealed : time, s->time);
	p->sought = p->skipped = 0;
	p->last = s->frame_n ? s->frame[s->frame_n - 1].enter : s->time;
	if (p->shared->boundary)
		p->shared->boundary(p->shared->boundary_to, p, s,
				    p->callstack.repaired != repaired);
}

/*
 * The stream has ended: closes its open regions and the remaining segments. Regions that are open in a process that is
 * still running, or that has exited, do not count as repaired, because they end later, or ended with the exit.
 */
static void finish(struct player *p)
{
	const struct trace_stream *s = &p->shared->trace->stream[p->stream];
	const struct trace_process *process = &p->shared->trace->process[s->process];
	int64_t end = s->damaged ? s->last : p->end;
	uint64_t repaired = p->callstack.repaired;

	if (end < p->callstack.last)
		end = p->callstack.last;
	cross(p, end);
	if (p->shared->ends && !p->shared->memory_only && !p->skipped)
		p->shared->ends(p->shared->ends_to, p->stream, &p->callstack, p->last);
	callstack_finish(&p->callstack, end);
	if ((process->running || process->ended == TRACE_END_EXITED) && !s->damaged)
		p->callstack.repaired = repaired;
	compensator_finish(&p->cost);
	cross(p, INT64_MAX);
	metrics_finish(&p->metrics);
	p->done = 1;
}

/*
 * Skips the following chunks as far as their summary is known and inside the open segment, or inside the one that begins
 * next. Open regions stay as they are until the next state.
 */
static int skip(struct player *p, struct error *e)
{
	const struct player_shared *s = p->shared;
	struct trace_skip known = {.kind = TRACE_SKIP_KNOWN};
	int code;

	if (!s->skip || !(s->ops->knows & TRACE_KNOWS_CHUNKS) || p->cost.on || p->levels ||
	    !segments_left(&p->where))
		return 0;
	known.from = p->where.of->v[p->where.at].begin;
	known.to = p->where.of->v[p->where.at].end;
	for (;;) {
		const struct summary *sum;

		known.cold = p->sought && !p->skipped;
		code = s->ops->skip(p->cursor, &known, e);
		if (code <= 0)
			return code;
		sum = known.summary;
		cross(p, sum->begin);
		callstack_jump(&p->callstack, sum->begin, sum->end);
		metrics_jump(&p->metrics, sum->begin, sum->value, sum->end, sum->then);
		summary_build_add(&p->gather, known.names, sum);
		p->callstack.repaired += sum->repaired;
		p->sought = p->skipped = 1;
		p->target = sum->end;
	}
}

static int load(struct player *p, struct error *e)
{
	int code = skip(p, e);

	if (code >= 0)
		code = p->shared->ops->next(p->cursor, &p->batch, e);
	p->at = 0;
	if (p->shared->tick)
		p->shared->tick(p->shared->tick_to);
	if (code == 0) {
		p->batch = NULL;
		finish(p);
	}
	if (code <= 0)
		return code;
	if (p->batch->state)
		apply_state(p, p->batch->state);
	p->last = p->batch->n ? p->batch->event[p->batch->n - 1].time : p->last;
	if (p->shared->plays)
		p->shared->plays(p->shared->plays_to, p->batch);
	return 0;
}

int player_open(struct player *p, struct player_shared *shared, const struct segments *segments,
		struct live_memory *levels, uint32_t stream, int64_t end, struct error *e)
{
	struct trace *t = shared->trace;
	int code;

	memset(p, 0, sizeof(*p));
	p->shared = shared;
	p->where.of = segments;
	p->levels = levels;
	p->stream = stream;
	p->end = end;
	p->sought = 1;
	p->target = segments->v_n ? segments->v[0].begin : 0;
	callstack_init(&p->callstack, (uint32_t)t->region_n, &shared->paths);
	if (shared->compensate)
		compensator_init(&p->cost, &t->process[t->stream[stream].process],
				 (uint32_t)t->region_n, &shared->paths);
	if (shared->squares) {
		squares_init(&p->squares, segments, shared->window_n,
			     shared->carry ? &shared->carry[stream] : NULL);
		p->callstack.squares = &p->squares;
	}
	summary_build_init(&p->gather, t->metric_n, (uint32_t)t->region_n);
	if (!shared->memory_only) {
		heap_at_regions_init(&p->entries, t, shared->context_depth);
		metrics_init(&p->metrics, t, &shared->paths, segments, shared->window_n);
		if (shared->squares)
			metrics_square(&p->metrics);
	}
	p->own = mem_alloc(t->memtype_n * sizeof(*p->own));
	p->tally = mem_alloc((shared->window_n + 1) * sizeof(*p->tally));
	for (size_t w = 0; w < shared->window_n; w++) {
		p->tally[w].row = mem_alloc((t->region_n + 1) * sizeof(*p->tally[w].row));
		p->tally[w].squares = shared->squares ? &p->squares.window[w] : NULL;
	}
	if (!segments->v_n) {
		p->done = 1;
		return 0;
	}
	code = shared->ops->open(t, stream, p->target, &p->cursor, e);
	return code < 0 ? code : load(p, e);
}

void player_close(struct player *p)
{
	if (p->cursor)
		p->shared->ops->close(p->cursor);
	for (size_t w = 0; p->tally && w < p->shared->window_n; w++) {
		free(p->tally[w].row);
		free(p->tally[w].path_row);
		for (int k = 0; k < COMPENSATOR_LIMITS; k++) {
			free(p->tally[w].cost[k].row);
			free(p->tally[w].cost[k].path_row);
		}
		counter_stats_release(&p->tally[w].samples);
		stacks_release(&p->tally[w].stacks);
	}
	free(p->tally);
	free(p->own);
	counter_stats_release(&p->samples);
	size_sums_release(&p->sizes);
	stacks_release(&p->stacks);
	callstack_release(&p->callstack);
	if (p->shared->squares)
		squares_release(&p->squares);
	metrics_release(&p->metrics);
	heap_at_regions_release(&p->entries);
	compensator_release(&p->cost);
	summary_build_release(&p->gather);
}

int64_t player_head(const struct player *p)
{
	if (p->done)
		return INT64_MAX;
	return p->batch->n ? p->batch->event[p->batch->n - 1].time : INT64_MIN;
}

/* Number of events of v before a time. */
static size_t events_before(const struct event *v, size_t n, int64_t time)
{
	size_t low = 0;

	if (!n || v[n - 1].time < time)
		return n;
	while (low < n) {
		size_t middle = low + (n - low) / 2;

		if (v[middle].time < time)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

/* A sample is attributed to the innermost open region. */
static void sample_event(struct player *p, const struct event_batch *b, const struct event_args *a)
{
	const struct callstack *m = &p->callstack;
	const struct callstack_frame *top = &m->frame[m->frame_n - 1];
	uint32_t node =
		stack_tree_add(&p->shared->tree, event_code(b, a->sample.stack), a->sample.stack.n);

	if (node)
		stacks_add(&p->stacks, m->paths->depth ? top->path : top->region, node, 1,
			   (int64_t)a->sample.ns);
}

/* Plays the next event of a trace whose regions have values besides times. */
static void play_entries(struct player *p, const struct event_batch *b)
{
	const struct event *ev = &b->event[p->at];
	const int64_t *values = b->metric && event_has_metrics(ev->kind)
					? b->metric + p->at * p->shared->trace->metric_n
					: NULL;

	heap_at_regions_play(&p->entries, &p->callstack, &p->shared->counters,
			     p->where.open ? &p->samples : NULL, b, ev, values);
}

static inline int is_memory(const struct event *ev)
{
	return ev->kind >= EVENT_ALLOC && ev->kind <= EVENT_RETYPE;
}

static void play_memory(struct player *p, size_t n)
{
	const struct event_batch *b = p->batch;
	const struct event *ev = &b->event[p->at], *end = ev + n;

	p->at += n;
	for (; ev < end && p->levels; ev++)
		if (is_memory(ev))
			memory_event(p, ev, &b->args[ev->ref]);
}

/* For callstack_run_past(): handles memory events that only add to sums and levels. */
static int apply_memory(void *to, const struct event *ev, uint32_t path)
{
	struct player *p = to;
	const struct event_args *a = &p->batch->args[ev->ref];

	if (!is_memory(ev) ||
	    (p->where.open &&
	     !counters_count_size_at(p->shared->trace, &p->sizes, &p->callstack, path, ev, a)))
		return 0;
	if (p->levels)
		memory_event(p, ev, a);
	return 1;
}

/* Runs events up to one that requires more than the call stack. */
static size_t play_run(struct player *p, const struct event *ev, size_t n)
{
	if (p->entries.on)
		return 0;
	if (p->shared->context_depth != UINT32_MAX)
		return ev->kind > EVENT_ENTER ? 0 : callstack_run(&p->callstack, ev, n);
	return callstack_run_past(&p->callstack, ev, n, &(struct callstack_past){apply_memory, p});
}

static void play(struct player *p, size_t n)
{
	const struct event_batch *b = p->batch;
	struct callstack *m = &p->callstack;

	if (p->shared->memory_only) {
		play_memory(p, n);
		return;
	}
	metrics_play(&p->metrics, b, p->at, n);
	compensator_play(&p->cost, b, p->at, n);
	while (n) {
		const struct event *ev = &b->event[p->at];
		size_t ran = play_run(p, ev, n);

		p->at += ran;
		n -= ran;
		if (!n)
			break;
		ev += ran;
		if (p->entries.on)
			play_entries(p, b);
		else if (!callstack_ignores(m, ev))
			callstack_other(m, b, ev);
		if (ev->kind >= EVENT_VALUE && p->where.open &&
		    !counters_count_size(&p->shared->counters, p->shared->trace, &p->sizes, m,
					 p->shared->context_depth, ev, &b->args[ev->ref]))
			counters_add(&p->shared->counters, p->shared->trace, &p->samples, m,
				     p->shared->context_depth, ev, &b->args[ev->ref]);
		if (ev->kind == EVENT_SAMPLE && p->where.open)
			sample_event(p, b, &b->args[ev->ref]);
		if (p->levels && is_memory(ev))
			memory_event(p, ev, &b->args[ev->ref]);
		p->at++;
		n--;
	}
}

/* The next segment may be far away: lets the reader jump there, when the metrics are at the end of the last segment. */
static int skip_gap(struct player *p, struct error *e)
{
	int64_t to = p->where.of->v[p->where.at].begin;
	int code;

	if (metrics_need_events(&p->metrics, p->where.at))
		return 0;
	p->gap = 0;
	if (!p->shared->ops->skip)
		return 0;
	code = p->shared->ops->skip(p->cursor,
				    &(struct trace_skip){.kind = TRACE_SKIP_TO, .to = to}, e);
	if (code <= 0)
		return code;
	p->sought = 1;
	p->target = to;
	return load(p, e);
}

/* A boundary was reached: opens and closes the segments that begin and end there. */
static void reach(struct player *p, int64_t time)
{
	p->gap = (cross(p, time) || p->gap) && !p->where.open;
}

int player_advance(struct player *p, int64_t before, struct error *e)
{
	while (!p->done) {
		size_t left = p->batch->n - p->at, n;
		const struct event *ev;
		int64_t stop = before;
		int code = 0;

		if (!left) {
			code = load(p, e);
			if (code < 0)
				return code;
			continue;
		}
		ev = &p->batch->event[p->at];
		if (ev->time >= before)
			return 0;
		if (segment_edge(&p->where) < stop)
			stop = segment_edge(&p->where);
		n = events_before(ev, left, stop);
		play(p, n);
		if (n < left && stop != before)
			reach(p, ev[n].time);
		if (!segments_left(&p->where))
			p->done = !metrics_need_events(&p->metrics, p->where.at);
		else if (p->gap)
			code = skip_gap(p, e);
		if (code < 0)
			return code;
	}
	return 0;
}

int players_advance(struct player *p, size_t n, struct live_memory *levels, struct error *e)
{
	int64_t before = 0;
	int code = 0;

	while (code >= 0 && before != INT64_MAX) {
		before = INT64_MAX;
		for (size_t i = 0; i < n && levels; i++)
			if (player_head(&p[i]) < before)
				before = player_head(&p[i]);
		/* Plays the whole current batch of the slowest stream; earlier changes of memory cannot follow any more. */
		before += before != INT64_MAX;
		for (size_t i = 0; i < n && code >= 0; i++)
			code = player_advance(&p[i], before, e);
		if (levels)
			live_memory_advance(levels, before);
	}
	return code;
}
