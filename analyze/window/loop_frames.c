/*
 * loop_frames.c: lists the calls of frames near the root, and selects the frames that are worth
 * keeping.
 */
#include "analyze/window/loop_frames.h"

#include <string.h>

#include "analyze/trace/region_work.h"

#define CLOSE_SHARE 4 /* fraction of the shortest kept time: a group of events that takes less is
		       * read fast */
#define KEPT_SHARE 0.25 /* share of the time of its process that a kept frame takes */

void frames_init(struct frames *f, const struct trace *t,
		 void (*ended)(void *to, const struct loop_frame *f), void *to)
{
	*f = (struct frames){.trace = t, .ended = ended, .to = to};
	f->is_setup = mem_alloc(t->region_n + 1);
	/* The program does not iterate in the time of these regions. */
	for (size_t i = 0; i < t->region_n; i++) {
		f->is_setup[i] = (char)region_sets_up(t->region[i].name);
		f->any_setup |= f->is_setup[i];
	}
}

void frames_release(struct frames *f)
{
	for (size_t i = 0; i < FRAMES_DEPTH; i++)
		free(f->open[i].call);
	free(f->is_setup);
}

void frames_begin(struct frames *f, uint32_t region, size_t depth, int64_t time)
{
	struct loop_frame *o = &f->open[depth];

	o->region = region;
	o->depth = depth;
	o->begin = time;
	o->call_n = 0;
}

void frames_end(struct frames *f, size_t depth, int64_t time)
{
	struct loop_frame *o = &f->open[depth];

	o->end = time;
	o->setup = f->setup;
	f->ended(f->to, o);
	if (f->is_setup[o->region])
		f->setup += time - o->begin;
	if (!depth)
		return;
	if (o[-1].call_n == FRAMES_CALLS)
		f->cut = 1;
	else
		*array_add(&o[-1], call) = (struct loop_call){o->region, o->begin, time};
}

void frames_kept_release(struct frames_kept *k)
{
	for (size_t i = 0; i < k->v_n; i++)
		free(k->v[i].call);
	free(k->v);
	free(k->most);
	*k = (struct frames_kept){0};
}

/* ---- what is kept ---- */

struct frames_keeper {
	struct frames frames;
	struct callstack callstack;
	struct callstack_paths paths;
	struct callstack_watch watch;
	struct frames_kept rest;
	uint64_t *count;	/* by region: calls from frames that are kept */
	uint64_t roots;		/* frames that were open before and do not belong to a region */
	int64_t span;		/* of the process */
	int64_t limit;		/* the shortest time of a kept frame */
	int64_t longest;	/* longest frame that was not kept since the last change of limit */
	void (*keep)(void *to, const struct loop_frame *f);
	void *to;
};

/*
 * Computes the shortest time of a process, rounded up, for which no frame that was not kept takes
 * FRAMES_SHARE.
 */
static void need_add(struct frames_keeper *k)
{
	double need = (double)k->longest / FRAMES_SHARE * (1 + 1e-9) +
		      (double)k->frames.setup * (1 + 1e-9) + 2;
	int64_t whole = need < (double)INT64_MAX / 2 ? (int64_t)need : INT64_MAX;

	if (whole > k->rest.need)
		k->rest.need = whole;
	k->longest = 0;
}

static void limit_set(struct frames_keeper *k)
{
	double share = KEPT_SHARE * ((double)k->span - (double)k->frames.setup);

	k->limit = share > 0 ? (int64_t)share : 0;
}

static void on_ended(void *to, const struct loop_frame *f)
{
	struct frames_keeper *k = to;
	int64_t time = f->end - f->begin;

	if (time < k->limit) {
		k->longest = time > k->longest ? time : k->longest;
		return;
	}
	for (size_t i = 0; i < f->call_n; i++)
		k->count[f->call[i].region]++;
	k->keep(k->to, f);
}

static void on_begin(void *to, uint32_t region, size_t depth, int64_t time)
{
	struct frames_keeper *k = to;

	frames_begin(&k->frames, region, depth, time);
}

static void on_end(void *to, uint32_t region, size_t depth, int64_t time)
{
	struct frames_keeper *k = to;

	frames_end(&k->frames, depth, time);
	if (k->frames.is_setup[region]) {
		need_add(k);
		limit_set(k);
	}
}

/* A call that is short and not part of the setup. */
static inline void short_call(struct frames_keeper *k, struct loop_frame *in, uint32_t region,
			      int64_t begin, int64_t end)
{
	if (end - begin > k->longest)
		k->longest = end - begin;
	if (in->call_n == FRAMES_CALLS)
		k->frames.cut = 1;
	else
		*array_add(in, call) = (struct loop_call){region, begin, end};
}

static inline int is_short(const struct frames_keeper *k, uint32_t region, int64_t begin,
			   int64_t end)
{
	return end - begin < k->limit && !k->frames.is_setup[region];
}

/* Like callstack_run_watched(): most events are of leaf calls. */
static size_t keeper_run(struct frames_keeper *k, const struct event *event, size_t n)
{
	struct callstack *m = &k->callstack;
	struct callstack_frame *frame = m->frame, *top = frame + m->frame_n - 1;
	const struct callstack_frame *limit = frame + m->frame_cap - 1;
	struct loop_frame *open = k->frames.open;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct event *ev = &event[i];
		size_t depth = (size_t)(top - frame);

		if (ev->kind == EVENT_ENTER) {
			if (top == limit)
				break;
			if (i + 1 < n && ev[1].kind == EVENT_LEAVE && depth + 1 < FRAMES_DEPTH &&
			    is_short(k, ev->ref, ev->time, ev[1].time)) {
				short_call(k, &open[depth], ev->ref, ev->time, ev[1].time);
				i++;
				continue;
			}
			top++;
			top->region = ev->ref;
			if (depth + 1 < FRAMES_DEPTH)
				frames_begin(&k->frames, ev->ref, depth + 1, ev->time);
		} else if (ev->kind == EVENT_LEAVE) {
			if (top == frame)
				break;
			if (depth >= FRAMES_DEPTH)
				;
			else if (is_short(k, top->region, open[depth].begin, ev->time))
				short_call(k, &open[depth - 1], top->region, open[depth].begin,
					   ev->time);
			else
				on_end(k, top->region, depth, ev->time);
			top--;
		} else {
			break;
		}
	}
	if (i)
		m->last = event[i - 1].time;
	m->frame_n = (size_t)(top - frame) + 1;
	return i;
}

/* Adds calls that a frame made directly, from events that open and close nothing else. */
static void calls_add(struct frames_keeper *k, struct loop_frame *in, const struct event *event,
		      size_t n)
{
	size_t depth = 0, begin = 0;

	for (size_t i = 0; i < n; i++) {
		const struct event *ev = &event[i];
		size_t was = depth;

		begin = was ? begin : i;
		depth += ev->kind == EVENT_ENTER;
		depth -= ev->kind == EVENT_LEAVE;
		if (was && !depth)
			short_call(k, in, event[begin].ref, event[begin].time, ev->time);
	}
}

/* A frame ends that was open before these events. */
static void old_leave(struct frames_keeper *k, uint32_t region, size_t depth, int64_t time)
{
	struct loop_frame *open = k->frames.open;

	if (depth >= FRAMES_DEPTH)
		return;
	if (is_short(k, region, open[depth].begin, time))
		short_call(k, &open[depth - 1], region, open[depth].begin, time);
	else
		on_end(k, region, depth, time);
}

/* Marks kinds of events that change the open frames in another way than enter and leave. */
#define CHANGING (-(INT64_C(1) << 40))

/* By how much an event of each kind changes the number of open frames. */
static const int64_t open_more[EVENT_KINDS] = {
	[EVENT_LEAVE] = -1,
	[EVENT_ENTER] = 1,
	[EVENT_UNWIND] = CHANGING,
	[EVENT_THREAD_BEGIN] = CHANGING,
	[EVENT_THREAD_END] = CHANGING,
	[EVENT_OFF] = CHANGING,
	[EVENT_ON] = CHANGING,
	[EVENT_FOLD] = CHANGING,
};

/*
 * Adds the frames that these events opened and that stay open; `path` is the number of the event.
 */
static void keeper_open(struct frames_keeper *k, const struct event *event, size_t n, size_t low,
			size_t depth)
{
	struct callstack_frame *frame = k->callstack.frame;
	struct loop_frame *open = k->frames.open;

	for (size_t d = low + 1; d <= depth; d++) {
		size_t first = frame[d].path + 1, end = d < depth ? frame[d + 1].path : n;

		frame[d].region = event[first - 1].ref;
		if (d >= FRAMES_DEPTH)
			continue;
		frames_begin(&k->frames, frame[d].region, d, event[first - 1].time);
		calls_add(k, &open[d], event + first, end - first);
	}
}

#define BLOCK 8 /* events between two tests for their end */

/* A run over a group of events that is read fast. */
struct close_run {
	const struct event *event;
	size_t i, n;	/* events so far, and all */
	size_t low;	/* the innermost frame that was open before and still is */
	size_t begin;	/* the event that opened the frame above it */
	int64_t above;	/* number of frames that are open above it */
};

/* The frame `low` is left. -1: keeper_run() must handle the event. */
static int low_leave(struct frames_keeper *k, struct close_run *r)
{
	uint32_t region = k->callstack.frame[r->low].region;

	if (!r->low) {
		k->callstack.repaired++;
		return 0;
	}
	if (k->frames.is_setup[region])
		return -1;
	old_leave(k, region, r->low--, r->event[r->i].time);
	return 0;
}

/* Handles an event while no frame is open above `low`. -1: the run ends before it. */
static int low_event(struct frames_keeper *k, struct close_run *r)
{
	const struct event *ev = &r->event[r->i];

	if (open_more[ev->kind] == CHANGING ||
	    (ev->kind == EVENT_ENTER && k->frames.is_setup[ev->ref]))
		return -1;
	if (ev->kind == EVENT_LEAVE && low_leave(k, r))
		return -1;
	if (ev->kind == EVENT_ENTER) {
		r->begin = r->i;
		r->above = 1;
	}
	r->i++;
	return 0;
}

/* Handles leaf calls of the frame `low`, which are most calls of many programs. */
static void leaf_calls(struct frames_keeper *k, struct close_run *r)
{
	struct loop_frame *in = r->low + 1 < FRAMES_DEPTH ? &k->frames.open[r->low] : NULL;

	for (; r->i + 1 < r->n; r->i += 2) {
		const struct event *ev = &r->event[r->i];

		if (ev[0].kind != EVENT_ENTER || ev[1].kind != EVENT_LEAVE ||
		    k->frames.is_setup[ev->ref])
			return;
		if (in)
			short_call(k, in, ev->ref, ev[0].time, ev[1].time);
	}
}

/*
 * Returns the event that leaves the frame above `low`, or one that begins setup, or `end`. *above:
 * number of open frames above `low`, after the event if it leaves. A processor can hardly predict
 * the kind of an event, so no branch depends only on that.
 */
static inline __attribute__((always_inline)) const struct event *
above_walk(const struct event *ev, const struct event *end, int64_t *above, const char *is_setup)
{
	int64_t n = *above;

	while (!is_setup && end - ev >= BLOCK) {
#pragma GCC unroll 8
		for (size_t i = 0; i < BLOCK; i++) {
			n += open_more[ev[i].kind];
			if (n <= 0) {
				*above = n;
				return ev + i;
			}
		}
		ev += BLOCK;
	}
	for (; ev < end; ev++) {
		if (is_setup && ev->kind == EVENT_ENTER && is_setup[ev->ref])
			break;
		n += open_more[ev->kind];
		if (n <= 0)
			break;
	}
	*above = n;
	return ev;
}

/* Compiled separately for each case, because a larger function would have too few registers. */
static __attribute__((noinline)) const struct event *
above_plain(const struct event *ev, const struct event *end, int64_t *above)
{
	return above_walk(ev, end, above, NULL);
}

static __attribute__((noinline)) const struct event *
above_setup(const struct event *ev, const struct event *end, int64_t *above, const char *is_setup)
{
	return above_walk(ev, end, above, is_setup);
}

/* Handles events while frames are open above `low`. -1: the run ends before the next one. */
static int above_events(struct frames_keeper *k, struct close_run *r)
{
	const struct event *begin = &r->event[r->begin], *ev = &r->event[r->i],
			   *end = r->event + r->n;

	ev = k->frames.any_setup ? above_setup(ev, end, &r->above, k->frames.is_setup)
				 : above_plain(ev, end, &r->above);
	r->i = (size_t)(ev - r->event);
	if (ev == end)
		return 0;
	if (r->above) {
		r->above -= r->above < 0 ? CHANGING : 0;
		return -1;
	}
	if (r->low + 1 < FRAMES_DEPTH)
		short_call(k, &k->frames.open[r->low], begin->ref, begin->time, ev->time);
	r->i++;
	return 0;
}

/*
 * Finds the events that opened the open frames: the last ones after which the same number of frames
 * was open.
 */
static void above_find(struct close_run *r, struct callstack_frame *frame)
{
	int64_t wanted = r->above, now = r->above;

	for (size_t i = r->i; wanted > 1;) {
		const uint32_t kind = r->event[--i].kind;

		if (kind == EVENT_ENTER && now == wanted)
			frame[r->low + (size_t)wanted--].path = (uint32_t)i;
		now -= open_more[kind];
	}
	if (r->above)
		frame[r->low + 1].path = (uint32_t)r->begin;
}

/*
 * Like keeper_run(), for groups of events that are so short that no frame inside is ever kept: then
 * only the calls of frames count that were open before or stay open. Meanwhile the `path` of a
 * frame is the number of the event that opened it. The times of the other frames are not read: they
 * are at most that of the whole group.
 */
static size_t keeper_run_close(struct frames_keeper *k, const struct event *event, size_t n)
{
	struct callstack *m = &k->callstack;
	struct close_run r = {.event = event, .n = n, .low = m->frame_n - 1};
	int end = 0;

	while (m->frame_cap <= m->frame_n + n)
		m->frame = array_grow(m->frame, &m->frame_cap, sizeof(*m->frame));
	while (r.i < n && !end) {
		if (!r.above)
			leaf_calls(k, &r);
		if (r.i < n)
			end = r.above ? above_events(k, &r) : low_event(k, &r);
	}
	above_find(&r, m->frame);
	keeper_open(k, event, r.i, r.low, r.low + (size_t)r.above);
	if (r.i)
		m->last = event[r.i - 1].time;
	m->frame_n = r.low + (size_t)r.above + 1;
	return r.i;
}

/* Is the group of events so short? Then each short call took at most its time. */
static int is_close(struct frames_keeper *k, const struct event *event, size_t n)
{
	int64_t time = event[n - 1].time - event[0].time;

	if (time >= k->limit / CLOSE_SHARE)
		return 0;
	k->longest = time > k->longest ? time : k->longest;
	return 1;
}

struct frames_keeper *frames_keeper_new(const struct trace *t, uint32_t stream,
					void (*keep)(void *to, const struct loop_frame *f),
					void *to)
{
	struct frames_keeper *k = mem_alloc(sizeof(*k));
	const struct trace_process *p = &t->process[t->stream[stream].process];

	frames_init(&k->frames, t, on_ended, k);
	callstack_paths_init(&k->paths, 0);
	callstack_init(&k->callstack, (uint32_t)t->region_n, &k->paths);
	k->watch = (struct callstack_watch){.always = mem_alloc(t->region_n + 1),
					    .depth = FRAMES_DEPTH,
					    .begin = on_begin,
					    .end = on_end,
					    .to = k};
	k->callstack.watch = &k->watch;
	k->rest.most = mem_alloc((t->region_n + 1) * sizeof(*k->rest.most));
	k->count = mem_alloc((t->region_n + 1) * sizeof(*k->count));
	k->rest.end = p->end;
	k->span = p->end - p->start;
	limit_set(k);
	k->keep = keep;
	k->to = to;
	return k;
}

void frames_keeper_state(struct frames_keeper *k, const struct event_state *s)
{
	k->roots += !k->callstack.frame_n && s->in_use;
	callstack_state(&k->callstack, s, s->time, 0);
}

void frames_keeper_play(struct frames_keeper *k, const struct event_batch *b)
{
	struct callstack *m = &k->callstack;

	for (size_t i = 0, end = b->n; i < end; i++) {
		if (m->frame_n && m->frame_n + 1 >= m->frame_cap)
			m->frame = array_grow(m->frame, &m->frame_cap, sizeof(*m->frame));
		if (m->frame_n && is_close(k, &b->event[i], end - i))
			i += keeper_run_close(k, &b->event[i], end - i);
		if (m->frame_n && i < end)
			i += keeper_run(k, &b->event[i], end - i);
		if (i < end)
			callstack_other(m, b, &b->event[i]);
	}
}

const struct frames_kept *frames_keeper_finish(struct frames_keeper *k, const uint64_t *calls)
{
	const struct trace *t = k->frames.trace;
	struct callstack *m = &k->callstack;
	uint64_t found;

	callstack_finish(m, k->rest.end > m->last ? k->rest.end : m->last);
	need_add(k);
	k->rest.cut = k->frames.cut;
	k->rest.folded = m->folded;
	/* frames called the regions that were found open, but did not enter them */
	found = m->repaired + m->resumed - k->roots;
	for (size_t r = 0; r < t->region_n; r++)
		if (calls[r] + found > k->count[r])
			k->rest.most[r] = calls[r] + found - k->count[r];
	return &k->rest;
}

void frames_keeper_free(struct frames_keeper *k)
{
	frames_release(&k->frames);
	callstack_release(&k->callstack);
	callstack_paths_release(&k->paths);
	frames_kept_release(&k->rest);
	free((char *)k->watch.always);
	free(k->count);
	free(k);
}
