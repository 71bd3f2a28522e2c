/*
 * function.c: enters and leaves functions whose code was patched (record/wrap/patch.c).
 *
 * The function is interrupted at its begin and after its return, so all registers belong to the program. The common path
 * uses general registers only, which the caller saves; any other path runs after all vector registers were saved.
 */
#include "record/api.h"
#include "record/base/clock.h"
#include "record/base/compiler.h"
#include "record/base/frame.h"
#include "record/base/function_table.h"
#include "record/base/gate.h"
#include "record/base/thread.h"
#include "record/define/select.h"
#include "record/encode/record.h"
#include "record/enter/function_slow.h"
#include "record/format.h"

/* Enters if token and time fit into a record, and a frame is free. The thread is busy. */
static inline bool enter_plain(struct thread *t, uint64_t function, uint64_t slot)
{
	uint64_t now = ticks_plain(), token = slot_first(t->slots, function);
	struct tau_live_header *live = t->live;
	uint64_t delta = now - live->last_tick;
	struct frame *top = t->top;

	if (unlikely(token - 1 >= TAU_TIME_LONG - 1 || delta >= TAU_TIME_LONG ||
		     top == t->frames_end || top[-1].sp == slot))
		return false;
	*top = (struct frame){function, now, slot};
	t->top = top + 1;
	live->last_tick = now;
	if (unlikely(record_publish(t, live, (uint32_t)delta | (uint32_t)token << 16)))
		saving_registers(function_reached, 0, 0);
	return true;
}

int tau_function_enter(uintptr_t function, uintptr_t slot)
{
	struct thread *t = &self;

	if (likely(GATE_PLAIN(gate_now())) && likely(t->ready == READY_OPEN)) {
		t->ready = READY_BUSY;
		barrier();
		t->sp = slot;
		if (likely(enter_plain(t, function, slot))) {
			barrier();
			t->ready = READY_OPEN;
			return 1;
		}
		barrier();
		t->ready = READY_OPEN;
	}
	return saving_registers(function_enter_slow, function, slot);
}

static inline bool leave_plain(struct thread *t, uint64_t slot)
{
	struct frame *top = t->top - 1;
	uint64_t now, delta;
	struct tau_live_header *live;

	/* The first frame follows one whose stack pointer is 0. Functions that called each other in
	 * tail position share one slot. */
	if (unlikely(top->sp != slot || KEY_IS_REGION(top->key) || top[-1].sp == slot))
		return false;
	now = ticks_plain();
	live = t->live;
	delta = now - live->last_tick;
	if (unlikely(delta >= TAU_TIME_LONG))
		return false;
	t->top = top;
	live->last_tick = now;
	if (unlikely(record_publish(t, live, (uint32_t)delta)))
		saving_registers(function_reached, 0, 0);
	return true;
}

void tau_function_leave(uintptr_t slot)
{
	struct thread *t = &self;

	if (likely(GATE_PLAIN(gate_now())) && likely(t->ready == READY_OPEN)) {
		t->ready = READY_BUSY;
		barrier();
		t->sp = slot;
		if (likely(leave_plain(t, slot))) {
			barrier();
			t->ready = READY_OPEN;
			return;
		}
		barrier();
		t->ready = READY_OPEN;
	}
	saving_registers(function_leave_slow, slot, 0);
}

static int patched(uint64_t function, uint64_t b __attribute__((unused)))
{
	return select_patches(function);
}

int tau_function_patched(uintptr_t function)
{
	return saving_registers(patched, function, 0);
}
