/* stack.c: what is open in a location: enters and leaves, tasks, calling contexts, recording
 * on and off. */
#include "convert/otf2/location.h"
#include "convert/otf2/record.h"

#define CONTEXT_DEPTH 1024 /* a calling context that is deeper is a circle, or damage */
#define TASKS_MOST    1024 /* that wait with regions open; of more the oldest is forgotten */
#define INLINES       256  /* functions inlined into each other, likewise */
#define LEAVE_DEPTH                                                                                \
	4096 /* a leave ends at most this number of regions inside; otherwise none                 \
	      */

/* Recording goes on with what is in c->open now. */
static void push_open(struct trace_cursor *c)
{
	struct event_args *a = archive_push_args(c, EVENT_ON);

	a->on.open.first = (uint32_t)c->batch.regions_n;
	for (size_t i = 0; i < c->open_n; i++) {
		if (c->open[i] != ARCHIVE_REGION_ROOT)
			*array_add(&c->batch, regions) = c->open[i];
	}
	a->on.open.n = (uint32_t)(c->batch.regions_n - a->on.open.first);
	c->fresh = 0;
	archive_off(c, 0);
	c->on_base = c->open_n;
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
		archive_push_args(c, EVENT_THREAD_BEGIN);
	open_push(c, ARCHIVE_REGION_ROOT);
}

static inline void enter(struct trace_cursor *c, uint32_t region)
{
	c->fresh = 0;
	if (__builtin_expect(region == ARCHIVE_REGION_ROOT, 0)) {
		enter_root(c);
		return;
	}
	archive_push_quick(c, EVENT_ENTER, region);
	open_push(c, region);
}

/* The thread existed before. Later than at the first event this cannot be stored. */
static void reopen_root(struct trace_cursor *c)
{
	if (c->batch.state && !c->batch.n && !c->open_n) {
		c->last = archive_now(c);
		c->state.time = c->last;
		c->state.in_use = c->state.cut = 1;
		if (c->fresh) {
			c->state.metric =
				mem_copy(c->metric, c->trace->metric_n, sizeof(*c->metric));
			c->fresh = 0;
		}
		open_push(c, ARCHIVE_REGION_ROOT);
	} else {
		enter_root(c);
	}
}

/* A region that was open before, in an archive that we wrote. One that follows another joins it. */
static void reopen(struct trace_cursor *c, uint32_t region)
{
	const struct event *last = c->batch.n ? &c->batch.event[c->batch.n - 1] : NULL;

	if (region == ARCHIVE_REGION_ROOT) {
		reopen_root(c);
		return;
	}
	open_push(c, region);
	if (!last || last->kind != EVENT_ON || last->time != archive_now(c)) {
		push_open(c);
		return;
	}
	*array_add(&c->batch, regions) = region;
	c->batch.args[last->ref].on.open.n++;
	c->fresh = 0;
}

/* ---- leaves ---- */

/* Attributes that both have: are they the same, and are there any? */
static int tags_agree(const struct archive_tags *a, const struct archive_tags *b)
{
	unsigned same = 0;

	for (unsigned i = 0; i < a->n; i++)
		for (unsigned k = 0; k < b->n; k++) {
			if (a->ref[i] != b->ref[k])
				continue;
			if (a->value[i] != b->value[k])
				return 0;
			same++;
		}
	return same > 0;
}

static void tags_cut(struct trace_cursor *c)
{
	while (c->tag_n && c->tag[c->tag_n - 1].frame >= c->open_n)
		c->tag_n--;
}

/* The number of open regions up to the one that was entered with these attributes; 0: none was. */
static size_t find_tagged(const struct trace_cursor *c, size_t least)
{
	for (size_t i = c->tag_n; i-- > 0 && c->tag[i].frame >= least;)
		if (tags_agree(&c->tag[i].given, &c->given))
			return c->tag[i].frame + 1;
	return 0;
}

/* The same of the innermost open one of that name. */
static size_t find_named(const struct trace_cursor *c, uint32_t want, size_t least)
{
	for (size_t n = c->open_n; n > least; n--)
		if (c->open[n - 1] == want)
			return n;
	return 0;
}

/*
 * The leave of a region that is not open. Properly nested, one that was entered before recording
 * went on is left when all that was entered since is closed. So while something of that is open
 * this is its end, under another name: runtimes give a task its name after its start. Regions that
 * nothing defines end nothing.
 */
static size_t find_placed(const struct trace_cursor *c, uint32_t want)
{
	size_t base = c->task_now && c->task_base > c->on_base ? c->task_base : c->on_base;

	return c->open_n > base && want != c->run->unknown && want != ARCHIVE_REGION_ROOT
		       ? c->open_n
		       : 0;
}

/* Which open region ends? 0: none. */
static size_t find_left(struct trace_cursor *c, uint32_t want)
{
	size_t least = c->open_n > LEAVE_DEPTH ? c->open_n - LEAVE_DEPTH : 0, n;

	n = find_tagged(c, least);
	if (n) {
		c->by_attribute += c->open[n - 1] != want;
		return n;
	}
	n = find_named(c, want, least);
	if (!n && (n = find_placed(c, want)))
		c->by_place++;
	return n;
}

/*
 * A leave of another region than the innermost: the regions inside that one have ended without a
 * leave.
 */
static void leave_other(struct trace_cursor *c, uint32_t want)
{
	uint32_t inside = 0;
	size_t n = find_left(c, want);

	if (!n) {
		/* It was entered before recording began: the stack machine counts that as a repair
		 * if nothing is open. */
		if (!c->open_n && want != ARCHIVE_REGION_ROOT)
			archive_push(c, EVENT_LEAVE, 0);
		return;
	}
	for (size_t i = n; i < c->open_n; i++)
		inside += c->open[i] != ARCHIVE_REGION_ROOT;
	if (inside)
		archive_push(c, EVENT_UNWIND, inside);
	want = c->open[n - 1];
	c->open_n = n - 1;
	if (want != ARCHIVE_REGION_ROOT)
		archive_push(c, EVENT_LEAVE, 0);
	else if (!c->open_n)
		archive_push_args(c, EVENT_THREAD_END);
}

static inline void leave(struct trace_cursor *c, uint32_t region)
{
	c->fresh = 0;
	if (__builtin_expect(c->open_n && c->open[c->open_n - 1] == region &&
				     region != ARCHIVE_REGION_ROOT,
			     1)) {
		c->open_n--;
		archive_push_quick(c, EVENT_LEAVE, 0);
	} else {
		leave_other(c, region);
	}
}

static void enter_rare(struct trace_cursor *c, uint32_t region)
{
	if (c->off)
		push_open(c);
	if (c->run->ours && archive_attribute(c, ARCHIVE_ATTRIBUTE_OPEN)) {
		reopen(c, region);
		return;
	}
	tags_cut(c);
	if (c->given.n)
		*array_add(c, tag) = (struct tag){c->open_n, c->given};
	enter(c, region);
}

static void leave_rare(struct trace_cursor *c, uint32_t region)
{
	if (c->off)
		push_open(c);
	leave(c, region);
	tags_cut(c);
}

typedef void region_function(struct trace_cursor *c, uint32_t region);

static __attribute__((noinline)) OTF2_CallbackCode
on_rare(struct trace_cursor *c, OTF2_TimeStamp time, const OTF2_AttributeList *attributes,
	OTF2_RegionRef region, region_function *receive)
{
	if (!archive_begin(c, time, attributes))
		return OTF2_CALLBACK_INTERRUPT;
	receive(c, archive_region(c->run, region));
	return archive_end(c);
}

/* Nearly all records are these two, and nearly all of them are nothing but a region and a time that
 * does not fall. */
static inline int quick(struct trace_cursor *c, OTF2_TimeStamp time)
{
	if (__builtin_expect(time < c->stamp || time >= c->limit || c->slow, 0))
		return 0;
	c->stamp = c->time = time;
	c->read++;
	return 1;
}

static OTF2_CallbackCode on_enter(ARCHIVE_EVENT, OTF2_RegionRef region)
{
	struct trace_cursor *c = to;

	(void)location, (void)at;
	if (!quick(c, time))
		return on_rare(c, time, attributes, region, enter_rare);
	enter(c, archive_region(c->run, region));
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(ARCHIVE_EVENT, OTF2_RegionRef region)
{
	struct trace_cursor *c = to;

	(void)location, (void)at;
	if (!quick(c, time))
		return on_rare(c, time, attributes, region, leave_rare);
	leave(c, archive_region(c->run, region));
	return OTF2_CALLBACK_SUCCESS;
}

/* The time in which the writer emptied its buffer belongs to no region of the program. */
static OTF2_CallbackCode on_flush(ARCHIVE_EVENT, OTF2_TimeStamp stop)
{
	struct trace_cursor *c = to;

	(void)location, (void)at;
	if (!archive_begin(c, time, attributes))
		return OTF2_CALLBACK_INTERRUPT;
	archive_push(c, EVENT_ENTER, c->run->flush_region);
	if (stop > c->time && stop < c->limit)
		c->time = stop;
	archive_push(c, EVENT_LEAVE, 0);
	return archive_end(c);
}

/* What we write enters and leaves the region of that time itself. */
static void read_mode(struct trace_cursor *c, OTF2_MeasurementMode mode)
{
	if (mode != OTF2_MEASUREMENT_OFF) {
		push_open(c);
		return;
	}
	if (c->off)
		return;
	if (!c->run->ours) {
		archive_push(c, EVENT_ENTER, c->run->off_region);
		archive_off(c, 1);
	}
	archive_push_args(c, EVENT_OFF);
	c->fresh = 0;
}

/* ---- tasks: each has a stack of its own above what its thread had open ---- */

/* The regions of the task that runs wait with it; a task without any is not worth keeping. */
static void task_put(struct trace_cursor *c)
{
	size_t base = c->task_base < c->open_n ? c->task_base : c->open_n;
	struct otf2_task *t;

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
static int task_restore(struct trace_cursor *c, uint64_t id)
{
	for (size_t i = c->task_n; id && i-- > 0;) {
		struct otf2_task *t = &c->task[i];

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
	if (task_restore(c, id) || before == SIZE_MAX)
		push_open(c);
}

/* ---- calling contexts: paths found by unwinding ---- */

/* Makes the open regions those of a context, without its innermost one when it is about to be
 * entered. */
static void context_open(struct trace_cursor *c, uint32_t at)
{
	struct event_args *a = archive_push_args(c, EVENT_ON);
	size_t first = c->batch.regions_n, n = 0;

	archive_off(c, 0);
	for (size_t depth = 0; at != TRACE_NONE && depth < CONTEXT_DEPTH; depth++) {
		const struct archive_context *x = &c->run->context[at];

		if (x->region != ARCHIVE_REGION_ROOT)
			*array_add(&c->batch, regions) = x->region;
		at = x->parent;
	}
	n = c->batch.regions_n - first;
	for (size_t i = 0; i < n / 2; i++) {
		uint32_t x = c->batch.regions[first + i];

		c->batch.regions[first + i] = c->batch.regions[first + n - 1 - i];
		c->batch.regions[first + n - 1 - i] = x;
	}
	a->on.open.first = (uint32_t)first;
	a->on.open.n = (uint32_t)n;
}

static uint32_t context_at(const struct trace_cursor *c, OTF2_CallingContextRef context)
{
	return c->run->ours ? MAP_NONE : map_get(&c->run->context_of, context);
}

static OTF2_CallbackCode on_context_enter(ARCHIVE_EVENT, OTF2_CallingContextRef context,
					  uint32_t distance)
{
	struct trace_cursor *c = to;
	uint32_t i = context_at(c, context);

	(void)location, (void)at, (void)distance;
	if (!archive_begin(c, time, attributes))
		return OTF2_CALLBACK_INTERRUPT;
	if (i != MAP_NONE) {
		context_open(c, c->run->context[i].parent);
		if (c->run->context[i].region != ARCHIVE_REGION_ROOT)
			archive_push(c, EVENT_ENTER, c->run->context[i].region);
	}
	return archive_end(c);
}

static OTF2_CallbackCode on_context_leave(ARCHIVE_EVENT, OTF2_CallingContextRef context)
{
	struct trace_cursor *c = to;
	uint32_t i = context_at(c, context);

	(void)location, (void)at;
	if (!archive_begin(c, time, attributes))
		return OTF2_CALLBACK_INTERRUPT;
	if (i != MAP_NONE) {
		context_open(c, i);
		if (c->run->context[i].region != ARCHIVE_REGION_ROOT)
			archive_push(c, EVENT_LEAVE, 0);
	}
	return archive_end(c);
}

static uint64_t sample_attribute(const struct trace_cursor *c, uint32_t ref)
{
	uint64_t v = archive_attribute(c, ref);

	return v >> 61 ? 0 : v;
}

/* A sample of an archive of ours: its code from the innermost function outwards. */
static void read_sample(struct trace_cursor *c, uint64_t context)
{
	const struct archive *run = c->run;
	struct event_args *a = archive_push_args(c, EVENT_SAMPLE);
	uint32_t i = map_get(&run->context_of, context);

	a->sample.ns = sample_attribute(c, ARCHIVE_ATTRIBUTE_NS);
	a->sample.inside = sample_attribute(c, ARCHIVE_ATTRIBUTE_INSIDE);
	a->sample.missed = (int64_t)sample_attribute(c, ARCHIVE_ATTRIBUTE_MISSED);
	a->sample.stack.first = (uint32_t)c->batch.code_n;
	for (size_t depth = 0; i != MAP_NONE && depth < CONTEXT_DEPTH; depth++) {
		*array_add(&c->batch, code) = i;
		for (int n = 0; run->code[i].inlined && n < INLINES; n++) {
			if (run->code[i].parent == MAP_NONE)
				break;
			i = run->code[i].parent;
		}
		i = run->code[i].parent;
	}
	a->sample.stack.n = (uint32_t)(c->batch.code_n - a->sample.stack.first);
}

static OTF2_CallbackCode on_sample(ARCHIVE_EVENT, OTF2_CallingContextRef context, uint32_t distance,
				   OTF2_InterruptGeneratorRef generator)
{
	struct trace_cursor *c = to;
	uint32_t i = context_at(c, context);

	(void)location, (void)at, (void)distance, (void)generator;
	if (!archive_begin(c, time, attributes))
		return OTF2_CALLBACK_INTERRUPT;
	if (c->run->ours)
		read_sample(c, context);
	else if (i != MAP_NONE)
		context_open(c, i);
	return archive_end(c);
}

static OTF2_CallbackCode on_mode(ARCHIVE_EVENT, OTF2_MeasurementMode mode)
{
	struct trace_cursor *c = to;

	(void)location, (void)at;
	if (!archive_begin(c, time, attributes))
		return OTF2_CALLBACK_INTERRUPT;
	read_mode(c, mode);
	return archive_end(c);
}

/* Generation 0 is the implicit task, which is the thread itself. */
static OTF2_CallbackCode on_switch(ARCHIVE_EVENT, OTF2_CommRef team, uint32_t creator,
				   uint32_t generation)
{
	struct trace_cursor *c = to;

	(void)location, (void)at, (void)team;
	if (!archive_begin(c, time, attributes))
		return OTF2_CALLBACK_INTERRUPT;
	task_switch(c, generation ? (uint64_t)creator << 32 | generation : 0);
	return archive_end(c);
}

static OTF2_CallbackCode on_omp_switch(ARCHIVE_EVENT, uint64_t task)
{
	struct trace_cursor *c = to;

	(void)location, (void)at;
	if (!archive_begin(c, time, attributes))
		return OTF2_CALLBACK_INTERRUPT;
	task_switch(c, task);
	return archive_end(c);
}

void archive_on_stack(OTF2_EvtReaderCallbacks *to)
{
	OTF2_EvtReaderCallbacks_SetEnterCallback(to, on_enter);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(to, on_leave);
	OTF2_EvtReaderCallbacks_SetBufferFlushCallback(to, on_flush);
	OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(to, on_mode);
	OTF2_EvtReaderCallbacks_SetThreadTaskSwitchCallback(to, on_switch);
	OTF2_EvtReaderCallbacks_SetOmpTaskSwitchCallback(to, on_omp_switch);
	OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(to, on_context_enter);
	OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(to, on_context_leave);
	OTF2_EvtReaderCallbacks_SetCallingContextSampleCallback(to, on_sample);
}
