/* otf2_stack.c: what is open in a location: enters and leaves, tasks, calling contexts, recording
 * on and off. */
#include "otf2_cursor.h"

/* Roots stand on the stack under a reference that no region has, so that the quick way of
 * on_leave() is not theirs. */
static uint32_t open_region(const struct trace_cursor *c, size_t i)
{
	return c->open[i] == OTF2_UNDEFINED_REGION ? OTF2_REGION_ROOT
						   : otf2_region(c->run, c->open[i]);
}

/* Recording goes on with what is in c->open now. */
static void push_open(struct trace_cursor *c, OTF2_TimeStamp time)
{
	struct event_args *a = otf2_push_args(c, time, EVENT_ON);

	a->first = (uint32_t)c->batch.regions_n;
	for (size_t i = 0; i < c->open_n; i++) {
		uint32_t region = open_region(c, i);

		if (region != OTF2_REGION_ROOT)
			*array_add(&c->batch, regions) = region;
	}
	a->n = (uint32_t)(c->batch.regions_n - a->first);
}

/* ---- regions ---- */

static inline void open_push(struct trace_cursor *c, OTF2_RegionRef region)
{
	if (__builtin_expect(c->open_n == c->open_cap, 0))
		c->open = array_grow(c->open, &c->open_cap, sizeof(*c->open));
	c->open[c->open_n++] = region;
}

static void enter_root(struct trace_cursor *c, OTF2_TimeStamp time)
{
	if (!c->open_n)
		otf2_push_args(c, time, EVENT_THREAD_BEGIN);
	open_push(c, OTF2_UNDEFINED_REGION);
}

static OTF2_CallbackCode on_enter(OTF2_ARGS, OTF2_RegionRef region)
{
	struct trace_cursor *c = to;
	uint32_t at = otf2_region(c->run, region);

	OTF2_UNUSED;
	if (__builtin_expect(at == OTF2_REGION_ROOT || region == OTF2_UNDEFINED_REGION, 0)) {
		if (at == OTF2_REGION_ROOT) {
			enter_root(c, time);
			return OTF2_CALLBACK_SUCCESS;
		}
		region--;
	}
	otf2_push_quick(c, time, EVENT_ENTER, at);
	c->open[c->open_n++] = region;
	return OTF2_CALLBACK_SUCCESS;
}

/* A leave of something else than the innermost region: what lies inside has ended without a leave.
 */
static void leave_other(struct trace_cursor *c, OTF2_TimeStamp time, OTF2_RegionRef region)
{
	uint32_t want = otf2_region(c->run, region), inside = 0;
	size_t n = c->open_n;

	while (n && open_region(c, n - 1) != want) {
		inside += open_region(c, n - 1) != OTF2_REGION_ROOT;
		n--;
	}
	if (!n) {
		/* It was entered before recording began: the stack machine counts that as a repair
		 * if nothing is open. */
		if (!c->open_n && want != OTF2_REGION_ROOT)
			otf2_push(c, time, EVENT_LEAVE, 0);
		return;
	}
	if (inside)
		otf2_push(c, time, EVENT_UNWIND, inside);
	c->open_n = n - 1;
	if (want != OTF2_REGION_ROOT)
		otf2_push(c, time, EVENT_LEAVE, 0);
	else if (!c->open_n)
		otf2_push_args(c, time, EVENT_THREAD_END);
}

static OTF2_CallbackCode on_leave(OTF2_ARGS, OTF2_RegionRef region)
{
	struct trace_cursor *c = to;

	OTF2_UNUSED;
	if (__builtin_expect(c->open_n && c->open[c->open_n - 1] == region, 1)) {
		c->open_n--;
		otf2_push_quick(c, time, EVENT_LEAVE, 0);
	} else {
		leave_other(c, time, region);
	}
	return OTF2_CALLBACK_SUCCESS;
}

/* The time in which the writer emptied its buffer belongs to no region of the program. */
static OTF2_CallbackCode on_flush(OTF2_ARGS, OTF2_TimeStamp stop)
{
	struct trace_cursor *c = to;

	OTF2_UNUSED;
	otf2_push(c, time, EVENT_ENTER, c->run->flush_region);
	otf2_push(c, stop, EVENT_LEAVE, 0);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_mode(OTF2_ARGS, OTF2_MeasurementMode mode)
{
	struct trace_cursor *c = to;

	OTF2_UNUSED;
	if (mode == OTF2_MEASUREMENT_OFF)
		otf2_push_args(c, time, EVENT_OFF);
	else
		push_open(c, time);
	return OTF2_CALLBACK_SUCCESS;
}

/* ---- tasks: each has a stack of its own above what its thread had open ---- */

static struct task *task_get(struct trace_cursor *c, uint64_t id)
{
	for (size_t i = 0; i < c->task_n; i++)
		if (c->task[i].id == id)
			return &c->task[i];
	array_add(c, task)->id = id;
	return &c->task[c->task_n - 1];
}

static void task_switch(struct trace_cursor *c, OTF2_TimeStamp time, uint64_t id)
{
	struct task *t;
	size_t before = c->open_n;

	if (id == c->task_now)
		return;
	if (c->task_now) {
		size_t base = c->task_base < c->open_n ? c->task_base : c->open_n;

		t = task_get(c, c->task_now);
		t->region_n = 0;
		for (size_t i = base; i < c->open_n; i++)
			*array_add(t, region) = c->open[i];
		c->open_n = base;
	} else {
		c->task_base = c->open_n;
	}
	c->task_now = id;
	t = id ? task_get(c, id) : NULL;
	for (size_t i = 0; t && i < t->region_n; i++)
		open_push(c, t->region[i]);
	if (c->open_n != before || (t && t->region_n))
		push_open(c, time);
}

/* Generation 0 is the implicit task, which is the thread itself. */
static OTF2_CallbackCode on_task(OTF2_ARGS, OTF2_CommRef team, uint32_t creator,
				 uint32_t generation)
{
	OTF2_UNUSED;
	(void)team;
	task_switch(to, time, generation ? (uint64_t)creator << 32 | generation : 0);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_task_old(OTF2_ARGS, uint64_t id)
{
	OTF2_UNUSED;
	task_switch(to, time, id);
	return OTF2_CALLBACK_SUCCESS;
}

/* ---- calling contexts: paths found by unwinding ---- */

/* Makes the open regions those of a context, without its innermost one when it is about to be
 * entered. */
static void context_open(struct trace_cursor *c, OTF2_TimeStamp time, uint32_t at)
{
	struct event_args *a = otf2_push_args(c, time, EVENT_ON);
	size_t first = c->batch.regions_n, n = 0;

	for (uint32_t i = at; i != TRACE_NONE && n <= c->run->context_n;
	     i = c->run->context[i].parent, n++)
		*array_add(&c->batch, regions) = c->run->context[i].region;
	for (size_t i = 0; i < n / 2; i++) {
		uint32_t x = c->batch.regions[first + i];

		c->batch.regions[first + i] = c->batch.regions[first + n - 1 - i];
		c->batch.regions[first + n - 1 - i] = x;
	}
	a->first = (uint32_t)first;
	a->n = (uint32_t)n;
}

static OTF2_CallbackCode on_context_enter(OTF2_ARGS, OTF2_CallingContextRef context,
					  uint32_t distance)
{
	struct trace_cursor *c = to;
	uint32_t at = map_get(&c->run->context_of, context);

	OTF2_UNUSED;
	(void)distance;
	if (at == MAP_NONE)
		return OTF2_CALLBACK_SUCCESS;
	context_open(c, time, c->run->context[at].parent);
	otf2_push(c, time, EVENT_ENTER, c->run->context[at].region);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_context_leave(OTF2_ARGS, OTF2_CallingContextRef context)
{
	struct trace_cursor *c = to;
	uint32_t at = map_get(&c->run->context_of, context);

	OTF2_UNUSED;
	if (at == MAP_NONE)
		return OTF2_CALLBACK_SUCCESS;
	context_open(c, time, at);
	otf2_push(c, time, EVENT_LEAVE, 0);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_context_sample(OTF2_ARGS, OTF2_CallingContextRef context,
					   uint32_t distance, OTF2_InterruptGeneratorRef source)
{
	struct trace_cursor *c = to;
	uint32_t at = map_get(&c->run->context_of, context);

	OTF2_UNUSED;
	(void)distance;
	(void)source;
	if (at != MAP_NONE)
		context_open(c, time, at);
	return OTF2_CALLBACK_SUCCESS;
}

void otf2_stack_callbacks(OTF2_EvtReaderCallbacks *c)
{
	OTF2_EvtReaderCallbacks_SetEnterCallback(c, on_enter);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(c, on_leave);
	OTF2_EvtReaderCallbacks_SetBufferFlushCallback(c, on_flush);
	OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(c, on_mode);
	OTF2_EvtReaderCallbacks_SetThreadTaskSwitchCallback(c, on_task);
	OTF2_EvtReaderCallbacks_SetOmpTaskSwitchCallback(c, on_task_old);
	OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(c, on_context_enter);
	OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(c, on_context_leave);
	OTF2_EvtReaderCallbacks_SetCallingContextSampleCallback(c, on_context_sample);
}
