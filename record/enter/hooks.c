/*
 * hooks.c: the functions that code compiled with -finstrument-functions calls: the hottest path of all.
 *
 * A function is identified by its address; names are found offline.
 *
 * Reading the clock is two thirds of the cost of a hook, and the processor begins it only when earlier instructions are done:
 * loads that depend on each other, as in looking up a function, are cheaper after it. Only if functions may be excluded
 * (GATE_PICK) the look-up comes first, so that such a function costs nothing else.
 */
#include "record/enter/hooks.h"
#include "record/base/calls_up.h"
#include "record/base/clock.h"
#include "record/base/compiler.h"
#include "record/base/control.h"
#include "record/base/frame.h"
#include "record/base/function_table.h"
#include "record/base/gate.h"
#include "record/base/thread.h"
#include "record/define/define.h"
#include "record/encode/begin.h"
#include "record/encode/chunk.h"
#include "record/encode/record.h"
#include "record/enter/enter_filtered.h"
#include "record/enter/frames_room.h"
#include "record/enter/unrecorded.h"
#include "record/format.h"


EXPORT void __cyg_profile_func_enter(void *function, void *call_site);
EXPORT void __cyg_profile_func_exit(void *function, void *call_site);

/* The two hooks handle rare cases by calls in tail position, so that the hot path saves no register. */

static void enter_more(uint64_t key, uint64_t sp);
static void leave_more(uint64_t key, uint64_t sp);

/* A function that is new or not at the position of its hash, a stack that must grow, a region that does not fit the
 * token, or a time that does not fit 16 bits. */
static __attribute__((noinline)) void enter_large(uint64_t function, uint64_t now)
{
	uint64_t sp = self.sp;
	const uint64_t *slot;

	if (unlikely(commands_come(now))) {
		self.ready = READY_OPEN;
		enter_more(function, sp);
		return;
	}
	slot = address_slot(function);
	if (slot && SLOT_TOKEN(*slot) && (self.top != self.frames_end || frames_grow(sp))) {
		if (SLOT_TOKEN(*slot) == TAU_TOKEN_FAR)
			region_far(*slot_region(self.slots, slot));
		if (now < self.live->last_tick)
			now = self.live->last_tick;
		*self.top++ = (struct frame){function, now, sp};
		record_put(now, SLOT_TOKEN(*slot));
	}
	record_end();
}

/* The innermost region is another one, because the function is excluded or a leave was lost; or the time is long. */
static __attribute__((noinline)) void leave_large(uint64_t function, uint64_t now)
{
	uint64_t slot;

	if (unlikely(commands_come(now))) {
		self.ready = READY_OPEN;
		leave_more(function, self.sp);
		return;
	}
	slot = *slot_find(self.slots, function);
	if (self.top[-1].key == function) {
		self.top--;
		record_put(now, TAU_TOKEN_LEAVE);
	} else if (!slot || SLOT_TOKEN(slot)) {
		leave_key(function);
	}
	record_end();
}

static out_of_line void reached(void)
{
	chunk_reached();
	record_end();
}

static inline __attribute__((always_inline)) void enter(uint64_t function, uint64_t sp)
{
	struct thread *t = &self;
	struct tau_live_header *live;
	uint64_t now, delta, token;
	struct frame *top;

	t->ready = READY_BUSY;
	barrier();
	t->sp = sp;
	now = ticks_plain();
	token = slot_first(t->slots, function);
	live = t->live;
	delta = now - live->last_tick;
	top = t->top;
	/* True if either is large; also for some pairs of which neither is, which enter_large() handles, too. */
	if (unlikely((token | delta) >= TAU_TIME_LONG || top == t->frames_end)) {
		enter_large(function, now);
		return;
	}
	*top = (struct frame){function, now, sp};
	t->top = top + 1;
	live->last_tick = now;
	if (unlikely(record_publish(t, live, (uint32_t)delta | (uint32_t)token << 16))) {
		reached();
		return;
	}
	t->ready = READY_OPEN;
}

static inline __attribute__((always_inline)) void leave(uint64_t function, uint64_t sp)
{
	struct thread *t = &self;
	struct tau_live_header *live;
	uint64_t now, delta;

	t->ready = READY_BUSY;
	barrier();
	t->sp = sp;
	now = ticks_plain();
	live = t->live;
	delta = now - live->last_tick;
	/* The first frame follows one with key 0, which is not the address of a function. */
	if (unlikely(delta >= TAU_TIME_LONG || t->top[-1].key != function)) {
		leave_large(function, now);
		return;
	}
	t->top--;
	live->last_tick = now;
	if (unlikely(record_publish(t, live, (uint32_t)delta))) {
		reached();
		return;
	}
	t->ready = READY_OPEN;
}

/* Calls of excluded functions, too, look for commands from outside. */
static out_of_line void out_look(uint64_t sp)
{
	if (self.ready != READY_OPEN)
		return;
	self.ready = READY_BUSY;
	barrier();
	self.sp = sp;
	calls_up.look();
	record_end();
}

static inline void left_out(uint64_t sp)
{
	if (unlikely(!(++self.out % LOOK_RECORDS)))
		out_look(sp);
}

/* The thread is not ready, or not on the plain path, or the function is excluded and not at the position of its hash. */
static __attribute__((noinline)) void enter_more(uint64_t key, uint64_t sp)
{
	if ((!GATE_RECORDS(tau_gate.value) || self.ready != READY_OPEN) && !enter_slow())
		return;
	if (tau_gate.value == GATE_OFF && enter_off(key, sp))
		return;
	if (tau_gate.value == GATE_FILTERED)
		filtered_enter(key, sp);
	else if (GATE_PLAIN(tau_gate.value) && *slot_find(self.slots, key) != key << 16)
		enter(key, sp);
	else
		left_out(sp);
}

static __attribute__((noinline)) void leave_more(uint64_t key, uint64_t sp)
{
	if ((!GATE_RECORDS(tau_gate.value) || self.ready != READY_OPEN) && !enter_slow())
		return;
	if (tau_gate.value == GATE_OFF && leave_off(key))
		return;
	if (tau_gate.value == GATE_FILTERED)
		filtered_leave(key);
	else if (GATE_PLAIN(tau_gate.value))
		leave(key, sp);
}

void hooks_enter(uint64_t function, uint64_t sp)
{
	enter_more(function, sp);
}

void hooks_leave(uint64_t function, uint64_t sp)
{
	leave_more(function, sp);
}

/* Both hooks save no register on their common paths, so that an excluded function costs as little as possible. */
void __cyg_profile_func_enter(void *function, void *call_site __attribute__((unused)))
{
	uint64_t key = (uint64_t)function, token;
	int gate = gate_now();

	if (unlikely(self.ready != READY_OPEN)) {
		enter_more(key, sp_of_caller());
		return;
	}
	if (likely(gate == GATE_OPEN)) {
		enter(key, sp_of_caller());
		return;
	}
	token = gate == GATE_PICK ? slot_first(self.slots, key) : 1;
	if (token)
		enter_more(key, sp_of_caller());
	else
		left_out(sp_of_caller());
}

void __cyg_profile_func_exit(void *function, void *call_site __attribute__((unused)))
{
	uint64_t key = (uint64_t)function;
	int gate = gate_now();

	if (unlikely(self.ready != READY_OPEN)) {
		leave_more(key, sp_of_caller());
		return;
	}
	if (likely(gate == GATE_OPEN)) {
		leave(key, sp_of_caller());
		return;
	}
	if (gate != GATE_PICK || slot_first(self.slots, key))
		leave_more(key, sp_of_caller());
}
