/*
 * instances.c: finds where regions begin and end in a stream, and the calls of frames in which
 * loops are searched.
 */
#include "analyze/window/instances.h"

#include <string.h>

#include "analyze/stream/callstack.h"
#include "analyze/window/loop.h"
#include "analyze/window/loop_frames.h"
#include "analyze/window/instances_skip.h"

#define LOOP_OUTER 0.75       /* share of the time of a loop that an outer loop must take at
			       * least */

struct scan {
	const struct trace *trace;
	const struct instances_selected *selected;
	struct instances *out;
	uint32_t *slot_of; /* by region; TRACE_NONE: none */
	char *watched;     /* by region */
	uint32_t *active;  /* by slot: number of open activations */
	char *counted;     /* by slot: the instance that begins now has been counted */
	char *full;        /* by slot: there are enough instances, or a lower thread has them */
	int loops;         /* loops are searched in this stream */
	int64_t span;      /* ns of the process */
	struct frames frames;
	void (*tick)(void *to);
	void *tick_to;
	struct {
		size_t depth, calls; /* of the best loop so far: its depth and, for a named head,
				      * how often it was called */
		double share;
	} * best; /* by loop */
};

/* ---- instances ---- */

static int enough(const struct scan *s, size_t slot)
{
	uint64_t most = s->selected->slot[slot].most;

	return s->full[slot] || (most && s->out->slot[slot].v_n >= most);
}

/* Has the slot all required instances? Another open instance does not matter. */
static int over(const struct scan *s, size_t slot)
{
	uint64_t most = s->selected->slot[slot].most;
	const struct window_spans *x = &s->out->slot[slot];

	return s->full[slot] || (most && x->v_n >= most && x->v[most - 1].end != INT64_MAX);
}

static void slot_begin(struct scan *s, uint32_t slot, int64_t time)
{
	struct window_spans *x = &s->out->slot[slot];

	if (s->active[slot]++ || enough(s, slot) || s->counted[slot])
		return;
	*array_add(x, v) = (struct window_span){time, INT64_MAX};
}

static void slot_end(struct scan *s, uint32_t slot, int64_t time)
{
	struct window_spans *x = &s->out->slot[slot];

	if (--s->active[slot] || s->full[slot] || !x->v_n)
		return;
	if (x->v[x->v_n - 1].end == INT64_MAX)
		x->v[x->v_n - 1].end = time;
}

/* ---- loops ---- */

static void loop_set(struct scan *s, size_t i, const struct loop_frame *f, uint32_t head,
		      struct window_spans *found)
{
	struct instances_iterations *to = &s->out->loop[i];

	free(to->span.v);
	*to = (struct instances_iterations){.head = head, .inside = f->region, .span = *found};
	memset(found, 0, sizeof(*found));
}

static int holds(const struct regions *r, uint32_t region)
{
	for (size_t i = 0; r && i < r->v_n; i++)
		if (r->v[i] == region)
			return 1;
	return 0;
}

/*
 * The frame that calls a named head most often contains its loop; of two equal ones, the outer one.
 */
static void loop_named(struct scan *s, size_t i, const struct loop_frame *f,
		       const struct regions *name)
{
	struct window_spans found = {0};
	uint32_t head = TRACE_NONE;
	size_t calls = 0;

	for (size_t k = 0; k < f->call_n; k++)
		if (holds(name, f->call[k].region)) {
			head = f->call[k].region;
			calls++;
		}
	if (!calls || calls < s->best[i].calls ||
	    (calls == s->best[i].calls && f->depth >= s->best[i].depth))
		return;
	if (loop_find(f->call, f->call_n, head, &head, &found)) {
		s->best[i].calls = calls;
		s->best[i].depth = f->depth;
		loop_set(s, i, f, head, &found);
	}
	free(found.v);
}

/* Is a loop the outer one of the best loop so far? Inner frames end, and are checked, first. */
static int loop_better(const struct scan *s, size_t i, size_t depth, double share)
{
	if (share < FRAMES_SHARE)
		return 0;
	if (depth < s->best[i].depth)
		return share >= LOOP_OUTER * s->best[i].share;
	return LOOP_OUTER * share > s->best[i].share;
}

/* Finds the outermost loop that takes much of the time. */
static void loop_any(struct scan *s, size_t i, const struct loop_frame *f)
{
	const struct regions *rather = s->selected->loop[i].rather;
	struct window_spans found = {0};
	uint32_t head = TRACE_NONE;
	int64_t span = s->span - f->setup;
	double share, all = span > 0 ? (double)span : 1;

	if (f->call_n < LOOP_LEAST ||
	    !loop_better(s, i, f->depth, (double)(f->end - f->begin) / all))
		return;
	for (size_t k = 0; rather && k < rather->v_n && !found.v_n; k++)
		loop_find(f->call, f->call_n, rather->v[k], &head, &found);
	if (found.v_n < LOOP_LEAST) {
		found.v_n = 0;
		loop_find(f->call, f->call_n, LOOP_ANY, &head, &found);
	}
	share = found.v_n ? (double)(found.v[found.v_n - 1].end - found.v[0].begin) / all : 0;
	if (loop_better(s, i, f->depth, share)) {
		s->best[i].share = share;
		s->best[i].depth = f->depth;
		loop_set(s, i, f, head, &found);
	}
	free(found.v);
}

static void on_frame(void *to, const struct loop_frame *f)
{
	struct scan *s = to;

	for (size_t i = 0; i < s->selected->loop_n; i++) {
		size_t slot = s->selected->loop[i].slot;

		if (slot == SIZE_MAX)
			loop_any(s, i, f);
		else
			loop_named(s, i, f, &s->selected->slot[slot].region);
	}
}

static void loops_reset(struct scan *s)
{
	for (size_t i = 0; i < s->selected->loop_n; i++) {
		struct instances_iterations *to = &s->out->loop[i];

		free(to->span.v);
		*to = (struct instances_iterations){.head = TRACE_NONE, .inside = TRACE_NONE};
		memset(&s->best[i], 0, sizeof(s->best[i]));
		s->best[i].depth = SIZE_MAX;
	}
}

/* May a frame that was not kept call the head as often? */
static int others_matter(const struct scan *s, size_t i, const struct frames_kept *k)
{
	const struct regions *r;
	uint64_t most = 0;

	if (s->selected->loop[i].slot == SIZE_MAX)
		return 0;
	r = &s->selected->slot[s->selected->loop[i].slot].region;
	for (size_t n = 0; n < r->v_n; n++)
		most += k->most[r->v[n]];
	return most && most >= s->best[i].calls;
}

/* Finds the loops in the frames that were kept. 1: found; 0: these frames are not sufficient. */
static int loops_kept(struct scan *s, const struct frames_kept *k, int64_t end)
{
	if (k->end != end || k->need >= s->span || (k->folded && s->selected->slot_n))
		return 0;
	for (size_t i = 0; i < k->v_n; i++)
		on_frame(s, &k->v[i]);
	for (size_t i = 0; i < s->selected->loop_n; i++)
		if (others_matter(s, i, k)) {
			loops_reset(s);
			return 0;
		}
	s->out->cut |= k->cut;
	return 1;
}

/* ---- reading a stream ---- */

static void on_begin(void *to, uint32_t region, size_t depth, int64_t time)
{
	struct scan *s = to;

	if (s->slot_of[region] != TRACE_NONE)
		slot_begin(s, s->slot_of[region], time);
	if (s->loops && depth < FRAMES_DEPTH)
		frames_begin(&s->frames, region, depth, time);
}

static void on_end(void *to, uint32_t region, size_t depth, int64_t time)
{
	struct scan *s = to;

	if (s->slot_of[region] != TRACE_NONE)
		slot_end(s, s->slot_of[region], time);
	if (s->loops && depth < FRAMES_DEPTH)
		frames_end(&s->frames, depth, time);
}

static int finished(const struct scan *s)
{
	for (size_t i = 0; i < s->selected->slot_n; i++)
		if (!over(s, i))
			return 0;
	return !s->loops;
}

static void note_fold(struct scan *s, const struct event_batch *b, const struct event_args *a)
{
	if (s->slot_of[b->regions[a->fold.path.first + a->fold.path.n - 1]] != TRACE_NONE)
		s->out->folded = 1;
}

static int scan_batch(struct scan *s, struct callstack *m, const struct event_batch *b)
{
	if (b->state)
		callstack_state(m, b->state, b->state->time, 0);
	memset(s->counted, 0, s->selected->slot_n);
	for (size_t i = 0; i < b->n; i++) {
		i += callstack_run(m, &b->event[i], b->n - i);
		if (i == b->n)
			break;
		callstack_other(m, b, &b->event[i]);
		if (b->event[i].kind == EVENT_FOLD)
			note_fold(s, b, &b->args[b->event[i].ref]);
	}
	return finished(s);
}

/* ---- skipping ---- */

/* Skips the following events that do not matter. */
static int scan_skip(struct scan *s, struct trace *t, struct trace_cursor *c,
		     struct instances_skip *skip, struct error *e)
{
	const struct trace_judge judge = {instances_skip_over, skip};
	int code;

	for (size_t i = 0; i < s->selected->slot_n; i++)
		skip->slot[i] = (struct skip_slot){.have = s->out->slot[i].v_n,
						   .active = s->active[i] > 0,
						   .done = over(s, i)};
	code = t->ops->skip(c, &(struct trace_skip){.kind = TRACE_SKIP_JUDGED, .judge = &judge}, e);
	for (size_t i = 0; i < s->selected->slot_n && code > 0; i++) {
		struct window_spans *x = &s->out->slot[i];

		s->counted[i] = (char)skip->slot[i].counted;
		while (x->v_n < skip->slot[i].have)
			*array_add(x, v) = (struct window_span){INT64_MIN, INT64_MAX};
	}
	return code;
}

/*
 * The number of records of a stream that the search needs. With a limit of instances it may end
 * early.
 */
static uint64_t records_needed(const struct scan *s, const struct trace_stream *x)
{
	int all = s->loops;

	for (size_t i = 0; i < s->selected->slot_n; i++)
		all |= !s->selected->slot[i].most && !s->full[i];
	return all ? x->records : 0;
}

/* Can chunks be skipped? A search for loops needs all calls, unless the frames are known. */
static int skip_open(struct scan *s, struct trace *t, uint32_t stream, struct instances_skip *skip,
		     struct error *e)
{
	const struct trace_stream *x = &t->stream[stream];
	struct frames_kept kept = {0};
	struct trace_index index = {.kind = TRACE_INDEX_MAKE,
				    .process = x->process,
				    .stream = &stream,
				    .n = 1,
				    .frames = &kept,
				    .tick = s->tick,
				    .tick_to = s->tick_to};
	enum index_action action =
		index_action(s->selected->index, x->records, records_needed(s, x));
	int code = 0;

	if (action == INDEX_IGNORED || !(t->ops->knows & TRACE_KNOWS_CALLS))
		return 0;
	if (action == INDEX_MADE)
		code = t->ops->index(t, &index, e);
	index.kind = TRACE_INDEX_FRAMES;
	if (code >= 0 && s->loops)
		code = t->ops->index(t, &index, e);
	if (code > 0 && s->loops)
		s->loops = !loops_kept(s, &kept, t->process[x->process].end);
	frames_kept_release(&kept);
	if (code < 0)
		return code;
	if (s->loops)
		return 0;
	instances_skip_init(skip, t, s->selected, s->slot_of);
	return 1;
}

/* Opens a stream where the first of the regions can begin: a search for loops needs all calls. */
static int scan_open(struct scan *s, struct trace *t, uint32_t stream, struct trace_cursor **out,
		     struct error *e)
{
	struct trace_skip before = {.kind = TRACE_SKIP_UNDEFINED, .regions = s->watched};
	int code = t->ops->open(t, stream, INT64_MIN, out, e);

	if (code < 0 || s->loops || !(t->ops->knows & TRACE_KNOWS_REGIONS))
		return code;
	code = t->ops->skip(*out, &before, e);
	return code < 0 ? code : 0;
}

static int scan_stream(struct scan *s, struct trace *t, uint32_t stream, struct error *e)
{
	const struct trace_stream *x = &t->stream[stream];
	struct callstack_paths paths;
	struct trace_cursor *cursor = NULL;
	struct event_batch *b;
	struct instances_skip skip = {0};
	struct callstack m;
	int skips = skip_open(s, t, stream, &skip, e), code = skips;
	const struct callstack_watch watch = {.always = s->watched,
					      .depth = s->loops ? FRAMES_DEPTH : 0,
					      .begin = on_begin,
					      .end = on_end,
					      .to = s};
	int64_t end = x->damaged ? x->last : t->process[x->process].end;

	if (code >= 0 && !finished(s))
		code = scan_open(s, t, stream, &cursor, e);
	if (code < 0 || !cursor) {
		instances_skip_release(&skip);
		return code < 0 ? code : 0;
	}
	callstack_paths_init(&paths, 0);
	callstack_init(&m, (uint32_t)t->region_n, &paths);
	m.watch = &watch;
	for (;;) {
		code = skips ? scan_skip(s, t, cursor, &skip, e) : 0;
		if (code >= 0)
			code = t->ops->next(cursor, &b, e);
		if (code <= 0)
			break;
		if (s->tick)
			s->tick(s->tick_to);
		if (scan_batch(s, &m, b))
			break;
	}
	callstack_finish(&m, end > m.last ? end : m.last);
	t->ops->close(cursor);
	instances_skip_release(&skip);
	callstack_release(&m);
	callstack_paths_release(&paths);
	return code < 0 ? code : 0;
}

/*
 * A region that a stream has entered is not searched in the next stream. Returns whether there is
 * anything left to search for.
 */
static int next_stream(struct scan *s)
{
	int left = 0;

	for (size_t i = 0; i < s->selected->slot_n; i++) {
		s->active[i] = 0;
		s->full[i] = s->out->slot[i].v_n > 0;
		left |= !s->full[i];
		for (size_t k = 0; k < s->selected->slot[i].region.v_n && s->full[i]; k++)
			s->watched[s->selected->slot[i].region.v[k]] = 0;
	}
	s->loops = 0;
	return left;
}

static void scan_init(struct scan *s, const struct trace *t, uint32_t process,
		      const struct instances_selected *w, struct instances *out)
{
	const struct trace_process *p = &t->process[process];

	*s = (struct scan){.trace = t, .selected = w, .out = out, .loops = w->loop_n > 0};
	s->slot_of = mem_alloc((t->region_n + 1) * sizeof(*s->slot_of));
	memset(s->slot_of, 0xff, (t->region_n + 1) * sizeof(*s->slot_of));
	s->watched = mem_alloc(t->region_n + 1);
	s->active = mem_alloc((w->slot_n + 1) * sizeof(*s->active));
	s->counted = mem_alloc(w->slot_n + 1);
	s->full = mem_alloc(w->slot_n + 1);
	s->best = mem_alloc((w->loop_n + 1) * sizeof(*s->best));
	s->span = p->end - p->start;
	frames_init(&s->frames, t, on_frame, s);
	for (size_t i = 0; i < w->slot_n; i++)
		for (size_t k = 0; k < w->slot[i].region.v_n; k++) {
			s->slot_of[w->slot[i].region.v[k]] = (uint32_t)i;
			s->watched[w->slot[i].region.v[k]] = 1;
		}
	loops_reset(s);
}

static void scan_release(struct scan *s)
{
	free(s->slot_of);
	free(s->watched);
	frames_release(&s->frames);
	free(s->active);
	free(s->counted);
	free(s->full);
	free(s->best);
}

int instances_find(struct trace *t, uint32_t process, const struct instances_selected *w,
		   void (*tick)(void *to), void *to, struct instances *out, struct error *e)
{
	const struct trace_process *p = &t->process[process];
	struct scan s;
	int code = 0;

	memset(out, 0, sizeof(*out));
	out->slot = mem_alloc((w->slot_n + 1) * sizeof(*out->slot));
	out->loop = mem_alloc((w->loop_n + 1) * sizeof(*out->loop));
	scan_init(&s, t, process, w, out);
	s.tick = tick;
	s.tick_to = to;
	for (size_t i = 0; i < p->stream_n && !code; i++) {
		code = scan_stream(&s, t, p->stream[i], e);
		if (!next_stream(&s))
			break;
	}
	out->cut |= s.frames.cut;
	scan_release(&s);
	if (code)
		instances_release(out, w);
	return code;
}

void instances_release(struct instances *x, const struct instances_selected *w)
{
	for (size_t i = 0; x->slot && i < w->slot_n; i++)
		free(x->slot[i].v);
	for (size_t i = 0; x->loop && i < w->loop_n; i++)
		free(x->loop[i].span.v);
	free(x->slot);
	free(x->loop);
	memset(x, 0, sizeof(*x));
}
