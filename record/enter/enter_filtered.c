/*
 * enter_filtered.c: enters and leaves regions if an option needs more than two records: each frame
 * has a filtered_frame, with whether it is recorded and the place of its ENTER; each region of the
 * file has a filtered_region, which counts its calls.
 *
 * The gate is GATE_FILTERED and the thread ready when filtered_enter and filtered_leave are called.
 */
#include "record/enter/enter_filtered.h"
#include "record/base/calls_up.h"
#include "record/base/clock.h"
#include "record/base/compiler.h"
#include "record/base/control.h"
#include "record/base/frame.h"
#include "record/base/function_table.h"
#include "record/base/gate.h"
#include "record/base/process.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/define/define.h"
#include "record/encode/begin.h"
#include "record/encode/chunk.h"
#include "record/encode/record.h"
#include "record/enter/budget.h"
#include "record/enter/fold.h"
#include "record/enter/frames_room.h"
#include "record/enter/limit.h"
#include "record/enter/sums.h"
#include "record/enter/unrecorded.h"
#include "record/format.h"
#include "record/metric/metric.h"

/* The entry of a region of this file, and in *region and *token its number and token. NULL: it is
 * excluded, or could not be defined. */
static struct filtered_region *key_region(uint64_t key, uint32_t *region, uint32_t *token)
{
	const struct stream *s = self.stream;

	*token = 0;
	if (KEY_IS_REGION(key)) {
		const struct local *l = region_local((uint32_t)key);

		*region = l ? l->region : 0;
		*token = l ? l->token : 0;
	} else {
		const uint64_t *slot = address_slot(key);

		*region = slot ? *slot_region(self.slots, slot) : 0;
		*token = slot ? SLOT_TOKEN(*slot) : 0;
	}
	return *token && *region < s->what_cap ? &s->what[*region] : NULL;
}

static inline struct filtered_frame *filtered_top(const struct stream *s)
{
	return &s->filtered[self.top - s->frames];
}

/* The current number of recorded frames. */
static inline uint32_t depth_now(const struct stream *s)
{
	return filtered_top(s)[-1].depth;
}

/* Sets the filtered_frame of a frame that is entered while recording is off. Inside the recorder. */
void filtered_push_off(uint64_t key)
{
	struct stream *s = self.stream;
	struct filtered_frame *r = &s->filtered[self.top - s->frames];
	uint32_t depth = depth_now(s), region, token;
	struct filtered_region *what = key_region(key, &region, &token);

	*r = (struct filtered_frame){.region = region, .depth = depth};
	r->recorded = what && !(what->flags & FILTERED_DROPPED) && depth < control.depth;
	r->depth += r->recorded;
	if (process.metrics)
		metric_entered((size_t)(self.top - s->frames));
}

/* Is this the region that switches recording on? Inside the recorder. */
bool filtered_starts(uint64_t key)
{
	uint32_t region, token;
	struct filtered_region *what = control.starting ? key_region(key, &region, &token) : NULL;

	return what && what->flags & FILTERED_START;
}

/* Pushes a frame that is not recorded. */
static void push_silent(uint64_t key, uint64_t sp)
{
	struct stream *s = self.stream;

	if (unlikely(!(++self.silent % LOOK_RECORDS)))
		calls_up.look();
	*filtered_top(s) = (struct filtered_frame){.depth = depth_now(s)};
	*self.top++ = (struct frame){key, 0, sp};
	record_end();
}

/* Enters a frame that is not recorded because of its region, its depth, or the group of functions. */
static void enter_silent(const struct filtered_region *what, uint64_t key, uint64_t sp)
{
	if (what->flags & FILTERED_DROPPED && !frames_to(key))
		keep_out(key);
	push_silent(key, sp);
}

/* Pushes the frame of a recorded call, whose ENTER comes next. */
static inline struct filtered_frame *push_recorded(struct thread *t, struct stream *s,
						   struct frame *top, uint32_t region)
{
	struct filtered_frame *r = &s->filtered[top - s->frames];

	r->recorded = true;
	r->starts = r->far = false;
	r->height = 0;
	r->depth = r[-1].depth + 1;
	r->region = region;
	r->node = r->child = 0;
	r->pending = fold_pending(s);
	r->seq = s->seq;
	r->at = (uint8_t *)t->live->cur[TAU_TIMES];
	r->args = t->live->cur[TAU_ARGS];
	r->last = t->live->last_tick;
	t->top = top + 1;
	return r;
}

/* Enters after a command that came before this call. The thread is ready. */
static void enter_again(uint64_t key, uint64_t sp)
{
	if (tau_gate.value == GATE_OFF)
		enter_off(key, sp);
	else if (tau_gate.value == GATE_FILTERED)
		filtered_enter(key, sp);
}

/* Enters any region, with any options. The thread is busy. */
static __attribute__((noinline)) void enter_any(uint64_t key, uint64_t sp)
{
	struct thread *t = &self;
	struct stream *s = t->stream;
	struct filtered_region *what;
	struct filtered_frame *r;
	uint32_t token, region;
	uint64_t now;

	if (process.groups_touched && KEY_IS_REGION(key) && region_skipped((uint32_t)key)) {
		if (unlikely(!(++t->unseen % LOOK_RECORDS)))
			calls_up.look();
		record_end();
		return;
	}
	what = key_region(key, &region, &token);
	if (!what || (t->top == t->frames_end && !frames_grow(sp))) {
		record_end();
		return;
	}
	if (depth_now(s) >= control.depth || what->flags & FILTERED_DROPPED ||
	    (process.functions_off && !KEY_IS_REGION(key))) {
		enter_silent(what, key, sp);
		return;
	}
	if (process.metrics && !metric_read()) {
		record_end();
		return;
	}
	now = ticks(t->shift);
	if (unlikely(commands_come(now))) {
		t->ready = READY_OPEN;
		enter_again(key, sp);
		return;
	}
	if (now >= control_next() && !control_time(now)) {
		t->ready = READY_OPEN;
		enter_off(key, sp);
		return;
	}
	*t->top = (struct frame){key, now, sp};
	r = push_recorded(t, s, t->top, region);
	r->starts = what->flags & FILTERED_START;
	if (r->starts)
		control_entered();
	r->far = token == TAU_TOKEN_FAR;
	if (r->far)
		region_far(region);
	if (process.metrics) {
		metric_write();
		metric_entered((size_t)(r - s->filtered));
	}
	record_put(now, token);
	if (control.sums)
		sums_follow(now);
	record_end();
}

/*
 * The fast case: a function that is defined, in a recording that only folds or counts. It needs few of the steps above.
 */
static __attribute__((noinline)) void enter_function(uint64_t key, uint64_t sp, uint32_t token)
{
	struct thread *t = &self;
	struct stream *s = t->stream;
	struct frame *top;
	uint32_t region = token - TAU_TOKEN_REGION;
	uint64_t now;

	t->ready = READY_BUSY;
	barrier();
	t->sp = sp;
	top = t->top;
	if (unlikely(control.careful || process.functions_off || top == t->frames_end ||
		     token - 1 >= TAU_TOKEN_FAR - 1 || region >= s->what_cap ||
		     s->what[region].flags & FILTERED_DROPPED ||
		     s->filtered[top - s->frames - 1].depth >= control.depth)) {
		enter_any(key, sp);
		return;
	}
	now = ticks(t->shift);
	if (unlikely(commands_come(now))) {
		t->ready = READY_OPEN;
		enter_again(key, sp);
		return;
	}
	top->key = key;
	top->time = now;
	top->sp = sp;
	push_recorded(t, s, top, region);
	record_put(now, token);
	t->ready = READY_OPEN;
}

static __attribute__((noinline)) void enter_region(uint64_t key, uint64_t sp)
{
	self.ready = READY_BUSY;
	barrier();
	self.sp = sp == SP_NONE ? sp_of_caller() : sp;
	enter_any(key, sp);
}

/* Calls of excluded functions, too, look for commands from outside. */
static out_of_line void out_look(uint64_t sp)
{
	self.ready = READY_BUSY;
	barrier();
	self.sp = sp;
	calls_up.look();
	record_end();
}

/* Returns at once for an excluded function. The slot is found before the thread is busy, see hooks.c. */
void filtered_enter(uint64_t key, uint64_t sp)
{
	uint64_t slot;

	if (unlikely(KEY_IS_REGION(key))) {
		enter_region(key, sp);
		return;
	}
	slot = *slot_find(self.slots, key);
	if (SLOT_TOKEN(slot) || !slot)
		enter_function(key, sp, SLOT_TOKEN(slot));
	else if (unlikely(!(++self.out % LOOK_RECORDS)))
		out_look(sp);
}

/* TAU's rule for throttling: many calls, each of them short. */
static inline bool throttled(const struct filtered_region *what)
{
	return what->calls > control.throttle_calls &&
	       what->ticks / what->calls < control.throttle_ticks;
}

/* A call shorter than this is folded. */
static inline uint64_t fold_limit(const struct stream *s, const struct filtered_frame *r)
{
	if (control.budget_ppm && s->what[r->region].flags & FILTERED_FOLDED)
		return UINT64_MAX;
	return control.estimate && s->seq ? UINT64_MAX : control.fold_ticks;
}

static void leave_accounted(struct stream *s, uint32_t region, uint64_t took, bool folded)
{
	struct filtered_region *what = &s->what[region];

	what->calls++;
	what->folded += folded;
	what->ticks += took;
	if (unlikely(throttled(what)) && !(what->flags & FILTERED_DROPPED))
		filtered_limit(region, TAU_LIMIT_THROTTLE);
	if (control.budget_ppm)
		budget_called(s);
	if (control.sums)
		sums_follow(self.top->time + took);
	if (unlikely(what->flags & FILTERED_STOP))
		control_off(OFF_START);
}

static void leave_written(struct filtered_frame *r, uint64_t took, uint64_t now)
{
	struct thread *t = &self;

	fold_write(r, took, now);
	if (process.metrics && !metric_read())
		return;
	t->top--;
	if (process.metrics)
		metric_write();
	record_put(now < t->live->last_tick ? t->live->last_tick : now, TAU_TOKEN_LEAVE);
}

static inline void leave_recorded(struct thread *t, struct stream *s, struct filtered_frame *r)
{
	bool defined = s->defined_seq == s->seq, folded = false;
	uint64_t now = ticks(t->shift), took = now - t->top[-1].time;

	if (unlikely((int64_t)took < 0))
		took = 0;
	if (took < fold_limit(s, r) && r->seq == s->seq &&
	    (uint8_t *)t->live->cur[TAU_TIMES] == r->at + 4)
		folded = fold_leave(t, r, took);
	if (folded) {
		t->top--;
		if (unlikely(!(++t->unseen % LOOK_RECORDS)))
			calls_up.look();
	} else {
		leave_written(r, took, now);
	}
	if (unlikely(r->starts))
		control_left();
	if (unlikely(!defined)) {
		s->defined_seq = s->seq;
		fold_write_all();
	}
	if (control.accounts)
		leave_accounted(s, r->region, took, folded);
}

/* Leaves the innermost region. */
static inline void leave_top(struct thread *t, struct stream *s)
{
	struct filtered_frame *r = filtered_top(s) - 1;

	if (likely(r->recorded))
		leave_recorded(t, s, r);
	else
		t->top--;
	record_end();
}

/* Leaves a region that may not be the innermost one, or whose entry may have been skipped with its group. */
static __attribute__((noinline)) void leave_checked(uint64_t key)
{
	uint32_t region, token;

	if (KEY_IS_REGION(key) && process.groups_touched && leave_skipped((uint32_t)key)) {
		record_end();
	} else if (self.top[-1].key == key) {
		leave_top(&self, self.stream);
	} else {
		if (key_region(key, &region, &token))
			leave_key(key);
		record_end();
	}
}

static __attribute__((noinline)) void leave(uint64_t key)
{
	struct thread *t = &self;

	t->ready = READY_BUSY;
	barrier();
	t->sp = sp_of_caller();
	if (unlikely(t->top[-1].key != key || (process.groups_touched && KEY_IS_REGION(key))))
		leave_checked(key);
	else
		leave_top(t, t->stream);
}

void filtered_leave(uint64_t key)
{
	uint64_t slot;

	if (self.top[-1].key != key && !KEY_IS_REGION(key)) {
		slot = *slot_find(self.slots, key);
		if (slot && !SLOT_TOKEN(slot))
			return;
	}
	leave(key);
}
