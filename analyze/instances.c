/* instances.c: notes where regions begin and end on their way through a stream, and what calls what
 * above the depth of loops. */
#include "instances.h"

#include <string.h>

#include "instances_skip.h"
#include "loop.h"
#include "machine.h"

#define LOOP_DEPTH 16         /* frames in which loops are looked for */
#define CALLS_MAX  (1u << 20) /* calls of one frame that are looked at */
#define LOOP_SHARE 0.3        /* of its process's time: what a loop takes whose head is not named */
#define LOOP_OUTER 0.75       /* of what a loop takes: what one around it takes at least */
#define INDEX_RECORDS 4000000 /* that a stream has at least to have an index made unasked */

/* What these take is no time in which a program iterates. */
static const char *const setup[] = {
	"MPI_Init",          "MPI_Init_thread", "MPI_Finalize",   "shmem_init",
	"shmem_init_thread", "start_pes",       "shmem_finalize",
};

/* A region that is open above the depth of loops. */
struct open {
	uint32_t region;
	int64_t begin;
	struct loop_call *call;
	size_t call_n, call_cap;
};

struct scan {
	const struct trace *trace;
	const struct instances_wanted *wanted;
	struct instances *out;
	uint32_t *slot_of; /* by region; TRACE_NONE: none */
	char *watched;     /* by region */
	uint32_t *active;  /* by slot: activations that are open */
	char *counted;     /* by slot: what begins now has been counted */
	char *full;        /* by slot: there are enough, or those of a lower thread */
	char *setup;       /* by region: takes time in which no program iterates */
	int loops;         /* loops are looked for in this stream */
	int64_t span;      /* ns of the process */
	void (*tick)(void *to);
	void *tick_to;
	struct open open[LOOP_DEPTH];
	struct {
		size_t depth, calls; /* of what was found so far: where, and of a named head how
					often it was called */
		double share;
	} * best; /* by loop */
};

/* ---- instances ---- */

static int enough(const struct scan *s, size_t slot)
{
	uint64_t most = s->wanted->slot[slot].most;

	return s->full[slot] || (most && s->out->slot[slot].v_n >= most);
}

/* Are those that are wanted over? Another one that is open is of no matter. */
static int over(const struct scan *s, size_t slot)
{
	uint64_t most = s->wanted->slot[slot].most;
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

static void loop_take(struct scan *s, size_t i, const struct open *o, uint32_t head,
		      struct window_spans *found)
{
	struct instances_iterations *to = &s->out->loop[i];

	free(to->span.v);
	*to = (struct instances_iterations){.head = head, .inside = o->region, .span = *found};
	memset(found, 0, sizeof(*found));
}

static int holds(const struct regions *r, uint32_t region)
{
	for (size_t i = 0; r && i < r->v_n; i++)
		if (r->v[i] == region)
			return 1;
	return 0;
}

/* The frame that calls a named head most often holds its loop; of two, the one outside. */
static void loop_named(struct scan *s, size_t i, size_t depth, const struct regions *name)
{
	struct open *o = &s->open[depth];
	struct window_spans found = {0};
	uint32_t head = TRACE_NONE;
	size_t calls = 0;

	for (size_t k = 0; k < o->call_n; k++)
		if (holds(name, o->call[k].region)) {
			head = o->call[k].region;
			calls++;
		}
	if (!calls || calls < s->best[i].calls ||
	    (calls == s->best[i].calls && depth >= s->best[i].depth))
		return;
	if (loop_find(o->call, o->call_n, head, &head, &found)) {
		s->best[i].calls = calls;
		s->best[i].depth = depth;
		loop_take(s, i, o, head, &found);
	}
	free(found.v);
}

/* Is a loop more of an outer loop than the one found before? Inner frames end, and are looked at,
 * first. */
static int loop_better(const struct scan *s, size_t i, size_t depth, double share)
{
	if (share < LOOP_SHARE)
		return 0;
	if (depth < s->best[i].depth)
		return share >= LOOP_OUTER * s->best[i].share;
	return LOOP_OUTER * share > s->best[i].share;
}

/* The outermost loop that takes much of the time. */
static void loop_any(struct scan *s, size_t i, size_t depth, int64_t end)
{
	struct open *o = &s->open[depth];
	const struct regions *rather = s->wanted->loop[i].rather;
	struct window_spans found = {0};
	uint32_t head = TRACE_NONE;
	double share, all = s->span > 0 ? (double)s->span : 1;

	if (o->call_n < LOOP_LEAST || !loop_better(s, i, depth, (double)(end - o->begin) / all))
		return;
	for (size_t k = 0; rather && k < rather->v_n && !found.v_n; k++)
		loop_find(o->call, o->call_n, rather->v[k], &head, &found);
	if (found.v_n < LOOP_LEAST) {
		found.v_n = 0;
		loop_find(o->call, o->call_n, LOOP_ANY, &head, &found);
	}
	share = found.v_n ? (double)(found.v[found.v_n - 1].end - found.v[0].begin) / all : 0;
	if (loop_better(s, i, depth, share)) {
		s->best[i].share = share;
		s->best[i].depth = depth;
		loop_take(s, i, o, head, &found);
	}
	free(found.v);
}

static void frame_begin(struct scan *s, uint32_t region, size_t depth, int64_t time)
{
	s->open[depth].region = region;
	s->open[depth].begin = time;
	s->open[depth].call_n = 0;
}

static void frame_end(struct scan *s, size_t depth, int64_t time)
{
	struct open *o = &s->open[depth];

	for (size_t i = 0; i < s->wanted->loop_n; i++) {
		size_t slot = s->wanted->loop[i].slot;

		if (slot == SIZE_MAX)
			loop_any(s, i, depth, time);
		else
			loop_named(s, i, depth, &s->wanted->slot[slot].region);
	}
	if (s->setup[o->region])
		s->span -= time - o->begin;
	if (!depth)
		return;
	if (o[-1].call_n == CALLS_MAX)
		s->out->cut = 1;
	else
		*array_add(&o[-1], call) = (struct loop_call){o->region, o->begin, time};
}

/* ---- the way through a stream ---- */

static void on_begin(void *to, uint32_t region, size_t depth, int64_t time)
{
	struct scan *s = to;

	if (s->slot_of[region] != TRACE_NONE)
		slot_begin(s, s->slot_of[region], time);
	if (s->loops && depth < LOOP_DEPTH)
		frame_begin(s, region, depth, time);
}

static void on_end(void *to, uint32_t region, size_t depth, int64_t time)
{
	struct scan *s = to;

	if (s->slot_of[region] != TRACE_NONE)
		slot_end(s, s->slot_of[region], time);
	if (s->loops && depth < LOOP_DEPTH)
		frame_end(s, depth, time);
}

static int finished(const struct scan *s)
{
	for (size_t i = 0; i < s->wanted->slot_n; i++)
		if (!over(s, i))
			return 0;
	return !s->loops;
}

static void note_fold(struct scan *s, const struct event_batch *b, const struct event_args *a)
{
	if (s->slot_of[b->regions[a->first + a->n - 1]] != TRACE_NONE)
		s->out->folded = 1;
}

static int scan_batch(struct scan *s, struct machine *m, const struct event_batch *b)
{
	if (b->state)
		machine_state(m, b->state, b->state->time, 0);
	memset(s->counted, 0, s->wanted->slot_n);
	for (size_t i = 0; i < b->n; i++) {
		i += machine_run(m, &b->event[i], b->n - i);
		if (i == b->n)
			break;
		machine_other(m, b, &b->event[i]);
		if (b->event[i].kind == EVENT_FOLD)
			note_fold(s, b, &b->args[b->event[i].ref]);
	}
	return finished(s);
}

/* ---- what need not be read ---- */

/* Leaves out what comes next and is of no matter. */
static void scan_pass(struct scan *s, struct trace *t, struct trace_cursor *c,
		      struct instances_skip *skip)
{
	for (size_t i = 0; i < s->wanted->slot_n; i++)
		skip->slot[i] = (struct skip_slot){.have = s->out->slot[i].v_n,
						   .active = s->active[i] > 0,
						   .done = over(s, i)};
	if (!t->ops->pass(c, &(struct trace_judge){instances_skip_over, skip}))
		return;
	for (size_t i = 0; i < s->wanted->slot_n; i++) {
		struct window_spans *x = &s->out->slot[i];

		s->counted[i] = (char)skip->slot[i].counted;
		while (x->v_n < skip->slot[i].have)
			*array_add(x, v) = (struct window_span){INT64_MIN, INT64_MAX};
	}
}

/* Is it worth while to know what the chunks of a stream add up to? Where only some are wanted the search may end soon. */
static int index_wanted(const struct scan *s, const struct trace_stream *x)
{
	for (size_t i = 0; i < s->wanted->slot_n; i++)
		if (!s->wanted->slot[i].most && !s->full[i] && x->records >= INDEX_RECORDS)
			return s->wanted->index;
	return s->wanted->index > 1;
}

/* Can anything be left out? Whoever looks for loops looks at all calls. */
static int skip_open(struct scan *s, struct trace *t, uint32_t stream, struct instances_skip *skip,
		     struct error *e)
{
	int code = 0;

	if (s->loops || !s->wanted->skip || !t->ops->pass)
		return 0;
	if (index_wanted(s, &t->stream[stream]) && t->ops->index)
		code = t->ops->index(t, stream, s->tick, s->tick_to, e);
	if (code < 0)
		return code;
	instances_skip_init(skip, t, s->wanted, s->slot_of);
	return 1;
}

static int scan_stream(struct scan *s, struct trace *t, uint32_t stream, struct error *e)
{
	const struct machine_watch watch = {.wanted = s->watched,
					    .depth = s->loops ? LOOP_DEPTH : 0,
					    .begin = on_begin,
					    .end = on_end,
					    .to = s};
	const struct trace_stream *x = &t->stream[stream];
	struct machine_paths paths;
	struct trace_cursor *cursor;
	struct event_batch *b;
	struct instances_skip skip = {0};
	struct machine m;
	int skips = skip_open(s, t, stream, &skip, e), code = skips;
	int64_t end = x->damaged ? x->last : t->process[x->process].end;

	if (code >= 0)
		code = t->ops->open(t, stream, INT64_MIN, &cursor, e);
	if (code < 0) {
		instances_skip_release(&skip);
		return code;
	}
	machine_paths_init(&paths, 0);
	machine_init(&m, (uint32_t)t->region_n, &paths);
	m.watch = &watch;
	for (;;) {
		if (skips)
			scan_pass(s, t, cursor, &skip);
		code = t->ops->next(cursor, &b, e);
		if (code <= 0)
			break;
		if (s->tick)
			s->tick(s->tick_to);
		if (scan_batch(s, &m, b))
			break;
	}
	machine_finish(&m, end > m.last ? end : m.last);
	t->ops->close(cursor);
	instances_skip_release(&skip);
	machine_release(&m);
	machine_paths_release(&paths);
	return code < 0 ? code : 0;
}

/* What a stream has entered is not looked for in the next. Returns whether anything is left to look
 * for. */
static int next_stream(struct scan *s)
{
	int left = 0;

	for (size_t i = 0; i < s->wanted->slot_n; i++) {
		s->active[i] = 0;
		s->full[i] = s->out->slot[i].v_n > 0;
		left |= !s->full[i];
		for (size_t k = 0; k < s->wanted->slot[i].region.v_n && s->full[i]; k++)
			s->watched[s->wanted->slot[i].region.v[k]] = 0;
	}
	s->loops = 0;
	return left;
}

static void scan_init(struct scan *s, const struct trace *t, uint32_t process,
		      const struct instances_wanted *w, struct instances *out)
{
	const struct trace_process *p = &t->process[process];

	*s = (struct scan){.trace = t, .wanted = w, .out = out, .loops = w->loop_n > 0};
	s->slot_of = mem_alloc((t->region_n + 1) * sizeof(*s->slot_of));
	memset(s->slot_of, 0xff, (t->region_n + 1) * sizeof(*s->slot_of));
	s->watched = mem_alloc(t->region_n + 1);
	s->active = mem_alloc((w->slot_n + 1) * sizeof(*s->active));
	s->counted = mem_alloc(w->slot_n + 1);
	s->full = mem_alloc(w->slot_n + 1);
	s->best = mem_alloc((w->loop_n + 1) * sizeof(*s->best));
	s->span = p->end - p->start;
	s->setup = mem_alloc(t->region_n + 1);
	for (size_t i = 0; i < sizeof(setup) / sizeof(*setup); i++) {
		struct error none = {0};
		struct regions r;

		region_find(t, setup[i], &r, "", &none);
		for (size_t k = 0; k < r.v_n; k++)
			s->setup[r.v[k]] = 1;
		free(r.v);
	}
	for (size_t i = 0; i < w->slot_n; i++)
		for (size_t k = 0; k < w->slot[i].region.v_n; k++) {
			s->slot_of[w->slot[i].region.v[k]] = (uint32_t)i;
			s->watched[w->slot[i].region.v[k]] = 1;
		}
	for (size_t i = 0; i < w->loop_n; i++) {
		s->best[i].depth = SIZE_MAX;
		out->loop[i].head = out->loop[i].inside = TRACE_NONE;
	}
}

static void scan_release(struct scan *s)
{
	for (size_t i = 0; i < LOOP_DEPTH; i++)
		free(s->open[i].call);
	free(s->slot_of);
	free(s->watched);
	free(s->setup);
	free(s->active);
	free(s->counted);
	free(s->full);
	free(s->best);
}

int instances_find(struct trace *t, uint32_t process, const struct instances_wanted *w,
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
	scan_release(&s);
	if (code)
		instances_release(out, w);
	return code;
}

void instances_release(struct instances *x, const struct instances_wanted *w)
{
	for (size_t i = 0; x->slot && i < w->slot_n; i++)
		free(x->slot[i].v);
	for (size_t i = 0; x->loop && i < w->loop_n; i++)
		free(x->loop[i].span.v);
	free(x->slot);
	free(x->loop);
	memset(x, 0, sizeof(*x));
}
