/* otf2_stack.c: what is open in a location: enters and leaves, tasks, calling contexts, recording
 * on and off. */
#include "otf2_cursor.h"

#define CONTEXT_DEPTH 1024 /* a calling context that is deeper is a circle, or damage */
#define TASKS_MOST    1024 /* that wait with regions open; of more the oldest is forgotten */
#define INLINES       256  /* functions inlined into each other, likewise */
#define LEAVE_DEPTH   4096 /* a leave ends at most so many regions inside; otherwise it is of none */

static uint32_t region_of(const struct trace_cursor *c, uint32_t region)
{
	const struct otf2_ids *t = c->location->ids;

	if (__builtin_expect(region < c->direct_n, 1))
		return c->direct[region];
	return otf2_region(c->run, t ? otf2_global(&t[OTF2_OF_REGION], region) : region);
}

/* Roots stand on the stack under a reference that no region has, so that the quick way of
 * otf2_leave() is not theirs. */
static uint32_t open_region(const struct trace_cursor *c, size_t i)
{
	return c->open[i] == OTF2_UNDEFINED32 ? OTF2_REGION_ROOT : region_of(c, c->open[i]);
}

/* Recording goes on with what is in c->open now. */
static void push_open(struct trace_cursor *c)
{
	struct event_args *a = otf2_push_args(c, EVENT_ON);

	a->first = (uint32_t)c->batch.regions_n;
	for (size_t i = 0; i < c->open_n; i++) {
		uint32_t region = open_region(c, i);

		if (region != OTF2_REGION_ROOT)
			*array_add(&c->batch, regions) = region;
	}
	a->n = (uint32_t)(c->batch.regions_n - a->first);
	c->fresh = 0;
}

/* ---- regions ---- */

static inline void open_push(struct trace_cursor *c, uint32_t region)
{
	if (__builtin_expect(c->open_n == c->open_cap, 0))
		c->open = array_grow(c->open, &c->open_cap, sizeof(*c->open));
	c->open[c->open_n++] = region;
}

static void enter_root(struct trace_cursor *c)
{
	if (!c->open_n)
		otf2_push_args(c, EVENT_THREAD_BEGIN);
	open_push(c, OTF2_UNDEFINED32);
}

void otf2_enter(struct trace_cursor *c, uint32_t region)
{
	uint32_t at = region_of(c, region);

	c->fresh = 0;
	if (__builtin_expect(at == OTF2_REGION_ROOT || region == OTF2_UNDEFINED32, 0)) {
		if (at == OTF2_REGION_ROOT) {
			enter_root(c);
			return;
		}
		region--;
	}
	otf2_push_quick(c, EVENT_ENTER, at);
	open_push(c, region);
}

/* The thread was there before. Later on that cannot be told. */
static void reopen_root(struct trace_cursor *c)
{
	if (c->batch.state && !c->batch.n && !c->open_n) {
		c->last = otf2_now(c);
		c->state.time = c->last;
		c->state.in_use = c->state.cut = 1;
		if (c->fresh) {
			c->state.metric = mem_copy(c->metric, c->trace->metric_n,
						   sizeof(*c->metric));
			c->fresh = 0;
		}
		open_push(c, OTF2_UNDEFINED32);
	} else {
		enter_root(c);
	}
}

/* One that follows another joins it. */
void otf2_reopen(struct trace_cursor *c, uint32_t region)
{
	const struct event *last = c->batch.n ? &c->batch.event[c->batch.n - 1] : NULL;
	uint32_t at = region_of(c, region);

	c->attribute[3] = 0;
	if (at == OTF2_REGION_ROOT) {
		reopen_root(c);
		return;
	}
	open_push(c, region == OTF2_UNDEFINED32 ? region - 1 : region);
	if (!last || last->kind != EVENT_ON || last->time != otf2_now(c)) {
		push_open(c);
		return;
	}
	*array_add(&c->batch, regions) = at;
	c->batch.args[last->ref].n++;
	c->fresh = 0;
}

/* A leave of something else than the innermost region: what lies inside has ended without a leave.
 */
static void leave_other(struct trace_cursor *c, uint32_t region)
{
	uint32_t want = region_of(c, region), inside = 0;
	size_t n = c->open_n, least = n > LEAVE_DEPTH ? n - LEAVE_DEPTH : 0;

	while (n > least && open_region(c, n - 1) != want) {
		inside += open_region(c, n - 1) != OTF2_REGION_ROOT;
		n--;
	}
	if (n == least) {
		/* It was entered before recording began: the stack machine counts that as a repair
		 * if nothing is open. */
		if (!c->open_n && want != OTF2_REGION_ROOT)
			otf2_push(c, EVENT_LEAVE, 0);
		return;
	}
	if (inside)
		otf2_push(c, EVENT_UNWIND, inside);
	c->open_n = n - 1;
	if (want != OTF2_REGION_ROOT)
		otf2_push(c, EVENT_LEAVE, 0);
	else if (!c->open_n)
		otf2_push_args(c, EVENT_THREAD_END);
}

void otf2_leave(struct trace_cursor *c, uint32_t region)
{
	c->fresh = 0;
	if (__builtin_expect(c->open_n && c->open[c->open_n - 1] == region, 1)) {
		c->open_n--;
		otf2_push_quick(c, EVENT_LEAVE, 0);
	} else {
		leave_other(c, region);
	}
}

/* The time in which the writer emptied its buffer belongs to no region of the program. */
static void take_flush(struct trace_cursor *c, uint64_t stop)
{
	otf2_push(c, EVENT_ENTER, c->run->flush_region);
	if (c->location->clock_n)
		stop = otf2_corrected(c->location, stop);
	if (stop > c->time && stop < c->limit)
		c->time = stop;
	otf2_push(c, EVENT_LEAVE, 0);
}

static void take_mode(struct trace_cursor *c, uint64_t mode)
{
	if (mode == OTF2_OFF) {
		otf2_push_args(c, EVENT_OFF);
		c->fresh = 0;
	} else {
		push_open(c);
	}
}

/* ---- tasks: each has a stack of its own above what its thread had open ---- */

/* The regions of the task that runs wait with it; a task without any is not worth keeping. */
static void task_put(struct trace_cursor *c)
{
	size_t base = c->task_base < c->open_n ? c->task_base : c->open_n;
	struct task *t;

	if (base == c->open_n)
		return;
	if (c->task_n == TASKS_MOST) {
		free(c->task[0].region);
		memmove(c->task, c->task + 1, --c->task_n * sizeof(*c->task));
	}
	t = array_add(c, task);
	t->id = c->task_now;
	for (size_t i = base; i < c->open_n; i++)
		*array_add(t, region) = c->open[i];
	c->open_n = base;
}

/* They come back. 0: it had none. */
static int task_take(struct trace_cursor *c, uint64_t id)
{
	for (size_t i = c->task_n; id && i-- > 0;) {
		struct task *t = &c->task[i];

		if (t->id != id)
			continue;
		for (size_t k = 0; k < t->region_n; k++)
			open_push(c, t->region[k]);
		free(t->region);
		memmove(t, t + 1, (--c->task_n - i) * sizeof(*t));
		return 1;
	}
	return 0;
}

static void task_switch(struct trace_cursor *c, uint64_t id)
{
	size_t before = c->open_n;

	if (id == c->task_now)
		return;
	if (c->task_now)
		task_put(c);
	else
		c->task_base = c->open_n;
	c->task_now = id;
	if (c->open_n != before)
		before = SIZE_MAX;
	if (task_take(c, id) || before == SIZE_MAX)
		push_open(c);
}

/* ---- calling contexts: paths found by unwinding ---- */

/* Makes the open regions those of a context, without its innermost one when it is about to be
 * entered. */
static void context_open(struct trace_cursor *c, uint32_t at)
{
	struct event_args *a = otf2_push_args(c, EVENT_ON);
	size_t first = c->batch.regions_n, n = 0;

	for (size_t depth = 0; at != TRACE_NONE && depth < CONTEXT_DEPTH; depth++) {
		const struct otf2_context *x = &c->run->context[at];

		if (x->region != OTF2_REGION_ROOT)
			*array_add(&c->batch, regions) = x->region;
		at = x->parent;
	}
	n = c->batch.regions_n - first;
	for (size_t i = 0; i < n / 2; i++) {
		uint32_t x = c->batch.regions[first + i];

		c->batch.regions[first + i] = c->batch.regions[first + n - 1 - i];
		c->batch.regions[first + n - 1 - i] = x;
	}
	a->first = (uint32_t)first;
	a->n = (uint32_t)n;
}

static void take_context(struct trace_cursor *c, unsigned kind, uint64_t context)
{
	uint32_t at = map_get(&c->run->context_of, context);

	if (at == MAP_NONE)
		return;
	context_open(c, kind == OTF2_CONTEXT_ENTER ? c->run->context[at].parent : at);
	if (c->run->context[at].region == OTF2_REGION_ROOT)
		return;
	if (kind == OTF2_CONTEXT_ENTER)
		otf2_push(c, EVENT_ENTER, c->run->context[at].region);
	else if (kind == OTF2_CONTEXT_LEAVE)
		otf2_push(c, EVENT_LEAVE, 0);
}

/* A sample of an archive of ours: its code from the innermost function outwards. */
static void take_sample(struct trace_cursor *c, uint64_t context)
{
	const struct otf2_run *run = c->run;
	struct event_args *a = otf2_push_args(c, EVENT_SAMPLE);
	uint32_t i = map_get(&run->context_of, context);

	a->bytes = c->attribute[0] >> 61 ? 0 : c->attribute[0];
	a->received = c->attribute[1] >> 61 ? 0 : c->attribute[1];
	a->peer = c->attribute[2] >> 61 ? 0 : (int64_t)c->attribute[2];
	a->first = (uint32_t)c->batch.code_n;
	for (size_t depth = 0; i != MAP_NONE && depth < CONTEXT_DEPTH; depth++) {
		*array_add(&c->batch, code) = i;
		for (int n = 0; run->code[i].inlined && n < INLINES; n++) {
			if (run->code[i].parent == MAP_NONE)
				break;
			i = run->code[i].parent;
		}
		i = run->code[i].parent;
	}
	a->n = (uint32_t)(c->batch.code_n - a->first);
}

int otf2_take_stack(struct trace_cursor *c, unsigned kind, const struct otf2_fields *f)
{
	switch (kind) {
	case OTF2_FLUSH:
		take_flush(c, f->v[0]);
		return 1;
	case OTF2_ON_OFF:
		take_mode(c, f->v[0]);
		return 1;
	case OTF2_TASK_SWITCH:
		/* Generation 0 is the implicit task, which is the thread itself. */
		task_switch(c, f->v[2] ? f->v[1] << 32 | f->v[2] : 0);
		return 1;
	case OTF2_OMP_TASK_SWITCH:
		task_switch(c, f->v[0]);
		return 1;
	case OTF2_CONTEXT_ENTER:
	case OTF2_CONTEXT_LEAVE:
	case OTF2_CONTEXT_SAMPLE:
		if (c->run->ours && kind == OTF2_CONTEXT_SAMPLE)
			take_sample(c, f->v[0]);
		else if (!c->run->ours)
			take_context(c, kind, f->v[0]);
		return 1;
	default:
		return 0;
	}
}
