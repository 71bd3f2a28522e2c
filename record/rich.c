/*
 * rich.c: entering and leaving where more is wanted than two records: each frame has a second half
 * that says whether it is recorded and where its ENTER stands, each region of the file an account
 * of its calls.
 *
 * The gate is GATE_RICH and the thread ready when rich_enter and rich_leave are called.
 */
#include "core.h"

/* What is known of a region of this file; its number is beside. NULL: it is kept out, or
 * undefinable. */
static inline struct rich_region *key_region(uint64_t key, uint32_t *region, uint32_t *token)
{
	struct thread *t = &self;
	const uint64_t *slot;

	if (KEY_IS_REGION(key)) {
		uint32_t id = (uint32_t)key;
		struct local *l = id < t->local_cap ? &t->local[id] : NULL;

		if (unlikely(!l || !l->token))
			l = region_local(id);
		*region = l ? l->region : 0;
		*token = l ? l->token : 0;
	} else {
		slot = slot_find(t->slots, key);
		if (unlikely(!*slot))
			slot = address_slot(key);
		*region = slot ? *slot_region(t->slots, slot) : 0;
		*token = slot ? SLOT_TOKEN(*slot) : 0;
	}
	return *token && *region < t->stream->what_cap ? &t->stream->what[*region] : NULL;
}

/* A region got its number in this stream's file. */
bool rich_define(struct stream *s, uint32_t region, uint64_t key, uint32_t flags)
{
	void *p;

	if (!process.rich)
		return true;
	if (region >= s->what_cap) {
		p = map_grow(s->what, &s->what_cap, sizeof(*s->what), region + 1);
		if (!p)
			return false;
		s->what = p;
	}
	s->what[region] = (struct rich_region){.flags = flags, .key = key};
	return true;
}

static inline uint32_t depth_now(const struct stream *s)
{
	size_t n = (size_t)(self.top - s->frames);

	return n ? s->rich[n - 1].depth : 0;
}

/* A frame goes, in whatever way. */
void rich_popped(const struct rich_frame *r)
{
	if (unlikely(r->starts))
		control_left();
}

/* The second half of a frame that is entered while recording is off. Inside the recorder. */
void rich_push_off(uint64_t key)
{
	struct stream *s = self.stream;
	struct rich_frame *r = &s->rich[self.top - s->frames];
	uint32_t depth = depth_now(s), region, token;
	struct rich_region *what = key_region(key, &region, &token);

	*r = (struct rich_frame){.region = region, .depth = depth};
	r->recorded = what && !(what->flags & RICH_DROPPED) && depth < control.depth;
	r->depth += r->recorded;
	if (process.metrics)
		metric_entered((size_t)(self.top - s->frames));
}

/* Is this the region that switches recording on? Inside the recorder. */
bool rich_starts(uint64_t key)
{
	uint32_t region, token;
	struct rich_region *what = control.starting ? key_region(key, &region, &token) : NULL;

	return what && what->flags & RICH_START;
}

static void keep_out(uint64_t key);

/* A frame that leaves no trace. */
static void push_silent(uint64_t key, uint64_t sp)
{
	struct stream *s = self.stream;

	s->rich[self.top - s->frames] = (struct rich_frame){.depth = depth_now(s)};
	*self.top++ = (struct frame){key, 0, sp};
	record_end();
}

void rich_enter(uint64_t key, uint64_t sp)
{
	struct thread *t = &self;
	struct stream *s = t->stream;
	struct rich_region *what;
	struct rich_frame *r;
	uint32_t token, region, depth;
	uint64_t now;

	t->ready = READY_BUSY;
	barrier();
	t->sp = sp == SP_NONE ? sp_of_caller() : sp;
	if (unlikely(control_changed()) && !control_poll()) {
		t->ready = READY_OPEN;
		enter_off(key, sp);
		return;
	}
	if (KEY_IS_REGION(key) && unlikely(process.groups_touched) &&
	    region_skipped((uint32_t)key)) {
		record_end();
		return;
	}
	what = key_region(key, &region, &token);
	if (!what || (unlikely(t->top == t->frames_end) && !frames_grow(sp))) {
		record_end();
		return;
	}
	depth = depth_now(s);
	if (unlikely(depth >= control.depth || what->flags & RICH_DROPPED ||
		     (process.functions_off && !KEY_IS_REGION(key)))) {
		if (what->flags & RICH_DROPPED && !frames_to(key))
			keep_out(key);
		push_silent(key, sp);
		return;
	}
	if (process.metrics && !metric_read()) {
		record_end();
		return;
	}
	now = ticks(t->shift);
	if (unlikely(now >= control_next()) && !control_time(now)) {
		t->ready = READY_OPEN;
		enter_off(key, sp);
		return;
	}
	r = &s->rich[t->top - s->frames];
	*r = (struct rich_frame){.recorded = true, .region = region, .depth = depth + 1};
	r->starts = what->flags & RICH_START;
	if (unlikely(r->starts))
		control_entered();
	fold_enter(r);
	r->args = t->live->cur[TAU_ARGS];
	r->far = token == TAU_TOKEN_FAR;
	if (unlikely(r->far))
		region_far(region);
	if (process.metrics)
		metric_write();
	r->seq = s->seq;
	r->at = (uint8_t *)t->live->cur[TAU_TIMES];
	r->last = t->live->last_tick;
	t->top->key = key;
	t->top->time = now;
	t->top->sp = sp;
	t->top++;
	if (process.metrics)
		metric_entered((size_t)(r - s->rich));
	record_put(now, token);
	record_end();
}

/* A dropped function that is open nowhere: from now on its slot alone says that it is kept out. */
static void keep_out(uint64_t key)
{
	uint64_t *slot;

	if (KEY_IS_REGION(key) || frames_to(key))
		return;
	slot = address_slot(key);
	if (slot)
		*slot &= ~(uint64_t)SLOT_TOKEN(~0u);
}

void rich_drop(uint32_t region, enum tau_limit why)
{
	struct rich_region *what = &self.stream->what[region];
	uint8_t bytes[40], *p;

	what->flags |= RICH_DROPPED;
	p = put_varint(bytes, region);
	p = put_varint(p, why);
	p = put_varint(p, what->calls);
	define_raw(TAU_DEF_LIMIT, bytes, (size_t)(p - bytes));
	keep_out(what->key);
}

/* TAU's rule: many calls, each of them short. */
static inline bool throttled(const struct rich_region *what)
{
	return what->calls > control.throttle_calls &&
	       what->ticks / what->calls < control.throttle_ticks;
}

static void leave_recorded(struct rich_frame *r)
{
	struct thread *t = &self;
	struct stream *s = t->stream;
	struct rich_region *what = &s->what[r->region];
	bool sealed = s->told_seq != s->seq;
	uint64_t now, took;

	now = ticks(t->shift);
	took = now - t->top[-1].time;
	if (unlikely((int64_t)took < 0))
		took = 0;
	what->calls++;
	what->ticks += took;
	if (took < (control.estimate && s->seq ? UINT64_MAX : control.fold_ticks) &&
	    r->seq == s->seq && r->at && (uint8_t *)t->live->cur[TAU_TIMES] == r->at + 4 &&
	    fold_leave(r, took)) {
		t->top--;
	} else {
		fold_tell(r, took, now);
		if (process.metrics && !metric_read())
			return;
		t->top--;
		if (process.metrics)
			metric_write();
		record_put(now < t->live->last_tick ? t->live->last_tick : now, TAU_TOKEN_LEAVE);
	}
	rich_popped(r);
	if (unlikely(sealed)) {
		s->told_seq = s->seq;
		fold_tell_all();
	}
	if (unlikely(throttled(what)) && !(what->flags & RICH_DROPPED))
		rich_drop(r->region, TAU_LIMIT_THROTTLE);
	if (control.budget_ppm)
		budget_called(s);
	if (unlikely(what->flags & RICH_STOP))
		control_off(OFF_START);
}

void rich_leave(uint64_t key)
{
	struct thread *t = &self;
	struct rich_frame *r;
	uint32_t region, token;

	t->ready = READY_BUSY;
	barrier();
	t->sp = sp_of_caller();
	if (unlikely(control_changed()) && !control_poll()) {
		t->ready = READY_OPEN;
		leave_off(key);
		return;
	}
	if (KEY_IS_REGION(key) && unlikely(process.groups_touched) &&
	    leave_skipped((uint32_t)key)) {
		record_end();
		return;
	}
	if (likely(t->top[-1].key == key)) {
		r = &t->stream->rich[t->top - t->stream->frames - 1];
		if (likely(r->recorded))
			leave_recorded(r);
		else
			t->top--;
	} else if (key_region(key, &region, &token)) {
		leave_key(key);
	}
	record_end();
}
