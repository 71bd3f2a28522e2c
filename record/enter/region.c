/*
 * region.c: enters and leaves regions that a program or a wrapper names.
 */
#include "record/enter/region.h"
#include "record/api.h"
#include "record/base/calls_up.h"
#include "record/base/clock.h"
#include "record/base/compiler.h"
#include "record/base/control.h"
#include "record/base/frame.h"
#include "record/base/gate.h"
#include "record/base/process.h"
#include "record/base/registry.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/define/define.h"
#include "record/encode/begin.h"
#include "record/encode/chunk.h"
#include "record/encode/record.h"
#include "record/enter/enter_filtered.h"
#include "record/enter/frames_room.h"
#include "record/enter/unrecorded.h"
#include "record/format.h"

#include <string.h>

/* ---- regions ---- */

static void enter_again(uint32_t region, uint64_t sp)
{
	if (sp == SP_NONE)
		region_begin(region);
	else
		region_enter(region, sp);
}

static __attribute__((noinline)) void enter_rare(uint32_t region, uint64_t sp)
{
	if (likely(tau_gate.value == GATE_FILTERED && self.ready == READY_OPEN)) {
		filtered_enter(REGION_KEY(region), sp);
		return;
	}
	if (!enter_slow())
		return;
	if (tau_gate.value == GATE_OFF &&
	    (!definition_get(REG_REGION, region) || enter_off(REGION_KEY(region), sp)))
		return;
	if (tau_gate.value == GATE_FILTERED)
		filtered_enter(REGION_KEY(region), sp);
	else if (GATE_PLAIN(tau_gate.value) && self.ready == READY_OPEN)
		enter_again(region, sp);
}

/* The gate is plain and the thread ready: all cases but the most common one. */
static __attribute__((noinline)) void enter_any(uint32_t region, uint64_t sp)
{
	struct local *l = NULL;
	uint32_t token;
	uint64_t now;

	self.ready = READY_BUSY;
	barrier();
	self.sp = sp == SP_NONE ? sp_of_caller() : sp;
	if (unlikely(commands_come(ticks_plain()))) {
		self.ready = READY_OPEN;
		enter_again(region, sp);
		return;
	}
	if (likely(region_is_known(region)))
		l = &self.local[region];
	else if (likely(!process.groups_touched || !skipped_first(region)))
		l = region_local(region);
	if (likely(l) && (likely(self.top != self.frames_end) || frames_grow(sp))) {
		struct frame *top = self.top;

		token = l->token;
		if (unlikely(token == TAU_TOKEN_FAR))
			region_far(l->region);
		now = ticks_plain();
		*top = (struct frame){REGION_KEY(region), now, sp};
		self.top = top + 1;
		record_put(now, token);
	}
	record_end();
}

/* Tested before the thread is busy, so that a skipped region costs little. */
static __attribute__((noinline)) void enter_unless_skipped(uint32_t region, uint64_t sp)
{
	if (!process.groups_touched || !region_is_known(region) || !skipped_known(region)) {
		enter_any(region, sp);
	} else if (unlikely(!(++self.unseen % LOOK_RECORDS))) {
		self.ready = READY_BUSY;
		barrier();
		self.sp = sp == SP_NONE ? sp_of_caller() : sp;
		calls_up.look();
		record_end();
	}
}

static __attribute__((noinline)) void reached(void)
{
	chunk_reached();
	record_end();
}

/*
 * The same on the quick path: the file defines the region, a frame is free, and the time fits 16 bits. No rare function is
 * called within it, so that no register need be saved. sp: of the frame, SP_NONE if its function returns before the region ends;
 * caller: the stack pointer of the caller.
 */
static inline __attribute__((always_inline)) void enter_plain(uint32_t region, uint64_t sp,
							      uint64_t caller)
{
	struct tau_live_header *live = self.live;
	uint32_t token = region < self.local_cap ? self.local[region].token : 0;
	struct frame *top;
	uint64_t now, delta;

	if (unlikely(token - 1 >= TAU_TOKEN_FAR - 1 || self.top == self.frames_end ||
		     process.groups_touched)) {
		enter_unless_skipped(region, sp);
		return;
	}
	self.ready = READY_BUSY;
	barrier();
	self.sp = caller;
	top = self.top;	/* until now a signal handler may have moved it */
	now = ticks_plain();
	delta = now - live->last_tick;
	if (unlikely(delta >= TAU_TIME_LONG)) {
		enter_any(region, sp);
		return;
	}
	*top = (struct frame){REGION_KEY(region), now, sp};
	self.top = top + 1;
	live->last_tick = now;
	if (unlikely(record_publish(&self, live, (uint32_t)delta | token << 16)))
		reached();
	else
		record_end();
}

void region_enter(uint32_t region, uint64_t sp)
{
	if (unlikely(!GATE_PLAIN(tau_gate.value) || self.ready != READY_OPEN)) {
		if (region)
			enter_rare(region, sp);
		return;
	}
	enter_plain(region, sp, sp);
}

void region_begin(uint32_t region)
{
	if (unlikely(!GATE_PLAIN(tau_gate.value) || self.ready != READY_OPEN)) {
		if (region)
			enter_rare(region, SP_NONE);
		return;
	}
	enter_plain(region, SP_NONE, sp_of_caller());
}

void tau_enter(uint32_t region)
{
	region_enter(region, sp_of_caller());
}

void tau_begin(uint32_t region)
{
	if (region)
		region_begin(region);
}

static __attribute__((noinline)) int call_checked(uint32_t region, uint64_t sp)
{
	if (!tau_active() || tau_inside())
		return 0;
	if (region)
		enter_rare(region, sp);
	return 1;
}

static __attribute__((noinline)) int call_rare(uint32_t region, uint64_t sp)
{
	if (tau_gate.value == GATE_STRANGER)
		return 0;
	if (control.budget_ppm && likely(region < self.local_cap) && self.local[region].out) {
		self.local[region].passed++;
		self.out++;
		return 0;
	}
	return call_checked(region, sp);
}

static inline int call_at(uint32_t region, uint64_t sp)
{
	if (unlikely(!GATE_PLAIN(tau_gate.value) || self.ready != READY_OPEN))
		return call_rare(region, sp);
	enter_plain(region, sp, sp);
	return 1;
}

int tau_call(uint32_t region)
{
	return call_at(region, sp_of_caller());
}

int region_call(uint32_t region, uint64_t sp)
{
	return call_at(region, sp);
}

static __attribute__((noinline)) void leave_rare(uint32_t region)
{
	if (likely(tau_gate.value == GATE_FILTERED && self.ready == READY_OPEN)) {
		filtered_leave(REGION_KEY(region));
		return;
	}
	if (!enter_slow())
		return;
	if (tau_gate.value == GATE_OFF && leave_off(REGION_KEY(region)))
		return;
	if (tau_gate.value == GATE_FILTERED)
		filtered_leave(REGION_KEY(region));
	else if (GATE_PLAIN(tau_gate.value) && self.ready == READY_OPEN)
		tau_leave(region);
}

/* Leaves after a pause, or a region that is not the innermost one. The thread is busy. */
static __attribute__((noinline)) void leave_late(uint32_t region, uint64_t now)
{
	if (unlikely(commands_come(now))) {
		self.ready = READY_OPEN;
		tau_leave(region);
		return;
	}
	if (self.top[-1].key == REGION_KEY(region)) {
		self.top--;
		record_put(now, TAU_TOKEN_LEAVE);
	} else {
		leave_key(REGION_KEY(region));
	}
	record_end();
}

void tau_leave(uint32_t region)
{
	struct tau_live_header *live;
	uint64_t now, delta;

	if (unlikely(!region))
		return;
	if (unlikely(!GATE_PLAIN(tau_gate.value) || self.ready != READY_OPEN)) {
		leave_rare(region);
		return;
	}
	if (unlikely(process.groups_touched) && leave_skipped(region))
		return;
	self.ready = READY_BUSY;
	barrier();
	self.sp = sp_of_caller();
	now = ticks_plain();
	live = self.live;
	delta = now - live->last_tick;
	/* The first frame follows one whose key is not that of a region. */
	if (unlikely(delta >= TAU_TIME_LONG || self.top[-1].key != REGION_KEY(region))) {
		leave_late(region, now);
		return;
	}
	self.top--;
	live->last_tick = now;
	if (unlikely(record_publish(&self, live, (uint32_t)delta)))
		reached();
	else
		record_end();
}
