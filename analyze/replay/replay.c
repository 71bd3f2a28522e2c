/*
 * replay.c: plays all streams of a trace through the windows and fills the profiles.
 *
 * Work is divided into units: a stream, or the streams of a process whose memory must be merged.
 * Units share no data. Consecutive units form batches, which threads play in parallel, each into
 * profiles of its own; these are joined in order.
 */
#include "analyze/replay/replay.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "analyze/replay/live_memory_play.h"
#include "analyze/replay/player.h"
#include "analyze/replay/profile_fill.h"
#include "analyze/base/thread_pool.h"
#include "analyze/stream/callstack.h"
#include "analyze/summary/live_memory.h"
#include "analyze/trace/filter.h"
#include "analyze/trace/segments.h"

#define CONTEXT_DEPTH      2 /* length of the paths of context events, as in TAU, unless call
			      * paths are longer */
#define BATCHES_PER_THREAD 16      /* so that all threads end at about the same time */

/* ---- the division of work ---- */

struct unit {
	uint32_t process;
	const uint32_t *stream;
	size_t n;
	int memory;
	uint64_t weight; /* estimated records to read */
	uint64_t of_all; /* the same for the windows of all groups; 0 if there is one share */
};

/* Units [from, to), and their results. */
struct batch {
	size_t from, to;
	uint64_t weight;	  /* sum over its units */
	struct profile **profile; /* by window; NULL: not made so far, or already joined */
	uint64_t repaired;
	struct error error;
};

struct replay {
	struct trace *trace;
	const struct replay_options *options;
	size_t window_n;
	const struct windows *windows;
	uint32_t *stream; /* of all units */
	struct unit *unit;
	size_t unit_n, unit_cap;
	struct batch *batch;
	size_t batch_n, batch_cap;
	size_t *order; /* of batches: the order in which they begin */
	struct replay_whole *whole; /* this replay, or the one of which it is a part */
	uint64_t expected;    /* estimated number of events for its windows */
	uint64_t of_all;      /* estimated number of events for the windows of all groups */
	pthread_mutex_t lock; /* of the following fields, and of the batches' results */
	size_t joined;        /* number of batches in `result` */
	struct replay_part *result;
};

/* The part of a stream's records that its windows probably need. */
static uint64_t records_in(const struct trace_stream *s, const struct segments *g)
{
	double length = (double)s->last - (double)s->first + 1, inside = 0;

	for (size_t i = 0; i < g->v_n; i++) {
		int64_t begin = g->v[i].begin > s->first ? g->v[i].begin : s->first;
		int64_t end = g->v[i].end < s->last ? g->v[i].end : s->last + 1;

		if (end > begin)
			inside += (double)end - (double)begin;
	}
	inside = length > 0 ? (double)s->records * inside / length : 0;
	/* The number of records may be wrong in a damaged file. */
	return inside < 1e18 ? (uint64_t)inside + 1 : (uint64_t)1e18;
}

/* The spans of a process that the windows use: those of this group, and those of all groups. */
struct touched {
	struct segments some, all;
};

static void unit_add(struct replay *r, uint32_t process, const uint32_t *stream, size_t n,
		     int memory, const struct touched *g)
{
	struct unit *u = array_add(r, unit);

	*u = (struct unit){.process = process, .stream = stream, .n = n, .memory = memory};
	for (size_t i = 0; i < n; i++) {
		u->weight += records_in(&r->trace->stream[stream[i]], &g->some);
		u->of_all += records_in(&r->trace->stream[stream[i]], &g->all);
	}
	r->expected += u->weight;
	r->of_all += u->of_all;
}

/* Is a stream with memory selected, or the thread that has the levels of the process? */
static int memory_meant(const struct replay *r, const uint32_t *stream, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (filter_stream(r->options->only, r->trace, stream[i]))
			return 1;
	return filter_thread(r->options->only, 0);
}

/* The streams of a process with memory are one unit, after the other units. */
static void units_make(struct replay *r)
{
	const struct trace *t = r->trace;
	uint32_t *at = r->stream = mem_alloc((t->stream_n + 1) * sizeof(*at));

	for (uint32_t p = 0; p < t->process_n; p++) {
		const struct trace_process *q = &t->process[p];
		struct touched g = {0};
		uint32_t *with;

		if (!filter_process(r->options->only, q))
			continue;
		segments_make(&g.some, r->windows, p);
		if (r->options->shares)
			segments_make(&g.all, r->whole->windows, p);
		for (size_t i = 0; i < q->stream_n; i++)
			if (!t->stream[q->stream[i]].has_memory &&
			    filter_stream(r->options->only, t, q->stream[i])) {
				*at = q->stream[i];
				unit_add(r, p, at++, 1, 0, &g);
			}
		with = at;
		for (size_t i = 0; i < q->stream_n; i++)
			if (t->stream[q->stream[i]].has_memory)
				*at++ = q->stream[i];
		if (at > with && memory_meant(r, with, (size_t)(at - with)))
			unit_add(r, p, with, (size_t)(at - with), 1, &g);
		segments_release(&g.some);
		segments_release(&g.all);
	}
}

/* Divides the units of this share into batches of about the same weight. */
static void batches_make(struct replay *r)
{
	const struct replay_options *o = r->options;
	size_t shares = o->shares ? o->shares : 1;
	uint64_t most = o->threads > 1 ? r->expected / shares / o->threads / BATCHES_PER_THREAD
				       : UINT64_MAX;
	uint64_t weight = 0;
	struct batch *b = NULL;

	for (size_t i = 0; i < r->unit_n; i++) {
		size_t share = (size_t)((unsigned __int128)weight * shares / (r->of_all + 1));

		weight += r->unit[i].of_all;
		if (share != o->share)
			continue;
		if (!b || b->weight >= most) {
			b = array_add(r, batch);
			b->from = i;
		}
		b->to = i + 1;
		b->weight += r->unit[i].weight;
	}
}

static int heavier(const void *va, const void *vb, void *to)
{
	const struct batch *batch = ((struct replay *)to)->batch;
	size_t a = *(const size_t *)va, b = *(const size_t *)vb;

	if (batch[a].weight != batch[b].weight)
		return batch[a].weight > batch[b].weight ? -1 : 1;
	return a < b ? -1 : a > b;
}

/*
 * The heaviest batch begins first: as the last one it would keep one thread busy after the others
 * have ended.
 */
static void batches_order(struct replay *r)
{
	r->order = mem_alloc((r->batch_n + 1) * sizeof(*r->order));
	for (size_t i = 0; i < r->batch_n; i++)
		r->order[i] = i;
	if (r->batch_n > 1)
		qsort_r(r->order, r->batch_n, sizeof(*r->order), heavier, r);
}

/* ---- playing ---- */

/* The state of a thread for one batch. */
struct worker_part {
	struct player_shared shared;
	struct stack_places places;
	const struct filter *only;
	struct profile_fill *fill; /* by window */
	struct segments segments; /* of the current process */
	uint32_t process;         /* TRACE_NONE: none so far */
	uint64_t repaired;
};

static void tick(void *to)
{
	struct replay *r = to;
	struct trace *t = r->trace;
	uint64_t known = __atomic_load_n(&t->code_n, __ATOMIC_RELAXED),
		 named = __atomic_load_n(&t->code_named, __ATOMIC_RELAXED),
		 done = __atomic_load_n(&t->events, __ATOMIC_RELAXED) - r->whole->before;

	if (named)
		r->options->progress(r->options->progress_to, REPLAY_NAMING, named, known);
	else
		r->options->progress(r->options->progress_to, REPLAY_READING, done,
				     r->whole->expected);
}

uint32_t replay_path_depth(const struct replay_options *o)
{
	return o->recorder_paths && !o->callpath_depth ? REPLAY_UNLIMITED : o->callpath_depth;
}

static void part_open(struct worker_part *x, struct replay *r, unsigned worker)
{
	const struct replay_options *o = r->options;

	*x = (struct worker_part){.only = o->only, .process = TRACE_NONE};
	player_shared_init(&x->shared, r->trace, replay_path_depth(o),
			   o->paths       ? COUNTERS_SITES_PATHS
			   : o->no_memory ? COUNTERS_SITES_PLAIN
					  : COUNTERS_SITES_NAMED);
	x->shared.window_n = r->window_n;
	x->shared.end = r->whole->end;
	x->shared.ends = o->ends;
	x->shared.ends_to = o->ends_to;
	if (o->progress && worker == 0) {
		x->shared.tick = tick;
		x->shared.tick_to = r;
	}
	x->places = (struct stack_places){
		.trace = r->trace, .resolution = o->resolution, .tick = x->shared.tick, .to = r};
	x->shared.all_threads = o->all_threads;
	x->shared.flat = !o->callpath_depth;
	x->shared.compensate = o->compensate;
	x->shared.squares = o->squares && !o->compensate;
	x->shared.carry = o->carry;
	x->shared.counters.sizes = o->sizes;
	x->shared.skip = !o->compensate && !o->paths && !o->squares && !o->sizes &&
			 index_action(o->index, 0, 0) != INDEX_IGNORED;
	x->shared.context_depth =
		o->callpath_depth > CONTEXT_DEPTH ? o->callpath_depth : CONTEXT_DEPTH;
	x->fill = mem_alloc(r->window_n * sizeof(*x->fill));
	for (size_t w = 0; w < r->window_n; w++)
		profile_fill_open(&x->fill[w], &x->shared, &x->places, &r->windows->v[w], o->only);
}

static void part_close(struct worker_part *x, struct batch *b)
{
	b->profile = mem_alloc(x->shared.window_n * sizeof(*b->profile));
	for (size_t w = 0; w < x->shared.window_n; w++) {
		b->profile[w] = x->fill[w].profile;
		profile_fill_release(&x->fill[w]);
	}
	b->repaired = x->repaired;
	free(x->fill);
	segments_release(&x->segments);
	player_shared_release(&x->shared);
}

/*
 * Plays the streams of a unit, in order of time if their memory requires it, and fills their rows.
 */
static int play_streams(struct worker_part *x, const struct unit *u, struct live_memory *levels,
			struct error *e)
{
	struct player *p = mem_alloc(u->n * sizeof(*p));
	int64_t end = x->shared.trace->process[u->process].end;
	size_t opened = 0;
	int code = 0;

	while (opened < u->n && code >= 0) {
		code = player_open(&p[opened], &x->shared, &x->segments, levels, u->stream[opened],
				   end, e);
		opened++;
	}
	if (code >= 0)
		code = players_advance(p, u->n, levels, e);
	for (size_t i = 0; i < opened; i++) {
		int meant = filter_stream(x->only, x->shared.trace, u->stream[i]);

		for (size_t w = 0; w < x->shared.window_n && code >= 0 && meant; w++) {
			profile_fill_stream(&x->fill[w], u->stream[i], &p[i].tally[w],
					    &p[i].metrics.tally[w * p[i].metrics.n]);
			x->fill[w].profile->repaired += p[i].tally[w].repaired;
		}
		x->repaired += meant ? p[i].repaired : 0;
		player_close(&p[i]);
	}
	free(p);
	return code < 0 ? code : 0;
}

/* Each unit numbers its paths from 0, so that its rows do not depend on the units before. */
static void unit_begin(struct worker_part *x, const struct replay *r, const struct unit *u)
{
	callstack_paths_clear(&x->shared.paths);
	if (x->process == u->process)
		return;
	segments_release(&x->segments);
	segments_make(&x->segments, r->windows, u->process);
	x->process = u->process;
}

/*
 * Makes the index of streams of which many records are needed, so that they are read as a whole
 * only once.
 */
static int make_indexes(struct worker_part *x, const struct replay *r, const struct unit *u,
			struct error *e)
{
	const struct trace_ops *ops = r->trace->ops;
	struct trace_index index = {.kind = TRACE_INDEX_MAKE,
				    .process = u->process,
				    .memory = u->memory,
				    .tick = x->shared.tick,
				    .tick_to = x->shared.tick_to};
	struct segments all;
	uint32_t *stream;
	int code = 0;

	if (!ops->knows || !x->shared.skip)
		return 0;
	index.stream = stream = mem_alloc(u->n * sizeof(*stream));
	/* for the windows of all groups */
	segments_make(&all, r->whole->windows, u->process);
	for (size_t i = 0; i < u->n; i++) {
		const struct trace_stream *s = &r->trace->stream[u->stream[i]];

		if (index_action(r->options->index, s->records, records_in(s, &all)) == INDEX_MADE)
			stream[index.n++] = u->stream[i];
	}
	segments_release(&all);
	if (index.n)
		code = ops->index(r->trace, &index, e);
	free(stream);
	return code < 0 ? code : 0;
}

/*
 * Plays the memory of a process separately from its other events if a part of its memory is known,
 * so that both can skip the known parts.
 */
static int play_memory(struct worker_part *x, const struct replay *r, const struct unit *u,
		       struct error *e)
{
	const struct trace_process *process = &r->trace->process[u->process];
	int64_t end = process->end;
	struct live_memory_known known = {0};
	struct live_memory levels;
	int apart = x->shared.skip &&
		    live_memory_known_make(&known, r->trace, u->process, &x->segments);
	int code;

	live_memory_init(&levels, &x->shared.counters, apart ? &known.segments : &x->segments,
			 x->shared.window_n, end);
	if (r->options->freed && !process->running && !process->elsewhere &&
	    end + 1 < x->shared.end)
		levels.gone = end + 1;
	code = play_streams(x, u, apart ? NULL : &levels, e);
	if (apart && !code)
		code = live_memory_play(&x->shared, &known, u->stream, u->n, end, &levels, e);
	for (size_t w = 0; w < x->shared.window_n && !code; w++)
		if (levels.window_seen[w] && filter_thread(x->only, 0))
			profile_fill_levels(&x->fill[w], w, u->process, &levels);
	live_memory_release(&levels);
	live_memory_known_release(&known);
	return code;
}

static int play_unit(struct worker_part *x, const struct replay *r, const struct unit *u,
		     struct error *e)
{
	int code;

	unit_begin(x, r, u);
	code = make_indexes(x, r, u, e);
	if (code)
		return code;
	if (!u->memory || r->options->no_memory)
		return play_streams(x, u, NULL, e);
	return play_memory(x, r, u, e);
}

/* Joins the results of batches in order, as soon as those before are complete. */
static void join(struct replay *r)
{
	for (; r->joined < r->batch_n && r->batch[r->joined].profile; r->joined++) {
		struct batch *b = &r->batch[r->joined];

		replay_join(r->result, &(struct replay_part){b->profile, r->window_n, b->repaired});
		b->profile = NULL;
	}
}

static int play_batch(void *to, unsigned worker, size_t i)
{
	struct replay *r = to;
	struct batch *b = &r->batch[r->order[i]];
	struct batch done = {0};
	struct worker_part x;
	int code = 0;

	part_open(&x, r, worker);
	for (size_t u = b->from; u < b->to && !code; u++)
		code = play_unit(&x, r, &r->unit[u], &b->error);
	part_close(&x, &done);
	pthread_mutex_lock(&r->lock);
	b->profile = done.profile;
	b->repaired = done.repaired;
	join(r);
	pthread_mutex_unlock(&r->lock);
	return code;
}

/* ---- the replay ---- */

/* Makes the whole run a window without a name. */
static void whole_make(struct windows *w)
{
	struct window *all = array_add(w, v);

	all->of_n = 1;
	all->of = mem_alloc(sizeof(*all->of));
	*array_add(&all->of[0], v) = (struct window_span){0, INT64_MAX};
}

/* Makes empty profiles, for a share without streams. */
static void part_empty(struct replay *r)
{
	struct batch none = {0};
	struct worker_part x;

	part_open(&x, r, 1);
	part_close(&x, &none);
	*r->result = (struct replay_part){none.profile, r->window_n, 0};
}

void replay_whole_begin(struct replay_whole *x, const struct trace *t, const struct windows *w)
{
	*x = (struct replay_whole){.windows = w, .before = t->events, .end = t->end};
}

int replay_part(struct trace *t, const struct replay_options *o, struct replay_part *out,
		struct error *e)
{
	struct windows everything = {0};
	struct replay_whole alone = {0};
	struct replay r = {.trace = t, .options = o, .result = out};
	int code;

	*out = (struct replay_part){0};
	whole_make(&everything);
	r.windows = o->windows ? o->windows : &everything;
	r.window_n = r.windows->v_n;
	r.whole = o->whole ? o->whole : &alone;
	if (!o->whole)
		replay_whole_begin(&alone, t, r.windows);
	units_make(&r);
	batches_make(&r);
	batches_order(&r);
	if (!r.whole->expected)
		r.whole->expected = r.expected * (1 + r.whole->windows->v_n / (r.window_n + 1));
	pthread_mutex_init(&r.lock, NULL);
	code = thread_pool_run(&(struct thread_pool){play_batch, o->progress ? tick : NULL, &r},
			       o->threads, r.batch_n);
	for (size_t i = 0; i < r.batch_n && code; i++)
		if (r.batch[r.order[i]].error.code == code) {
			*e = r.batch[r.order[i]].error;
			break;
		}
	for (; r.joined < r.batch_n; r.joined++) {
		struct batch *b = &r.batch[r.joined];

		replay_part_release(
			&(struct replay_part){b->profile, b->profile ? r.window_n : 0, 0});
	}
	if (code)
		replay_part_release(out);
	else if (!out->profile)
		part_empty(&r);
	pthread_mutex_destroy(&r.lock);
	windows_release(&everything);
	free(r.stream);
	free(r.unit);
	free(r.batch);
	free(r.order);
	return code;
}

void replay_join(struct replay_part *into, struct replay_part *from)
{
	if (!into->profile) {
		*into = *from;
	} else {
		for (size_t w = 0; w < into->n; w++)
			profile_join(into->profile[w], from->profile[w]);
		into->repaired += from->repaired;
		replay_part_release(from);
	}
	*from = (struct replay_part){0};
}

void replay_part_release(struct replay_part *p)
{
	for (size_t w = 0; w < p->n; w++)
		profile_free(p->profile[w]);
	free(p->profile);
	*p = (struct replay_part){0};
}
