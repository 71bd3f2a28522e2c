/*
 * hooks.c: the functions that code compiled with -finstrument-functions calls: the hottest path of all.
 *
 * A function is known by its address; names are found offline. The clock is read first and used last, so that
 * its latency overlaps with the look-up.
 */
#include "core.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void __cyg_profile_func_enter(void *function, void *call_site);
EXPORT void __cyg_profile_func_exit(void *function, void *call_site);

static out_of_line void enter_rare(void *function, void *call_site)
{
	if (!enter_slow())
		return;
	if (tau_gate.value == GATE_OFF)
		enter_off((uint64_t)function);
	else if (self.ready == READY_OPEN)
		__cyg_profile_func_enter(function, call_site);
}

static out_of_line void leave_rare(void *function, void *call_site)
{
	if (!enter_slow())
		return;
	if (tau_gate.value == GATE_OFF)
		leave_off((uint64_t)function);
	else if (self.ready == READY_OPEN)
		__cyg_profile_func_exit(function, call_site);
}

/* The rare ends of the two hooks are calls in tail position, so that the hot path saves no register. */

/* A function seen for the first time in this stream, or a stack that must grow. */
static out_of_line void enter_found(uint64_t function, uint64_t now)
{
	struct slot *slot = address_slot(function);

	if (slot && slot->token && (self.top != self.frames_end || frames_grow())) {
		*self.top++ = (struct frame){ function, now };
		now = now < self.last ? self.last : now;
		if (slot->token == TAU_TOKEN_FAR)
			region_far(slot->region);
		record_put(now, slot->token);
	}
	record_end();
}

static out_of_line void leave_repaired(uint64_t function)
{
	leave_key(function);
	record_end();
}

static out_of_line void seal(void)
{
	chunk_seal();
	record_end();
}

void __cyg_profile_func_enter(void *function, void *call_site)
{
	struct thread *t = &self;
	uint64_t key = (uint64_t)function, now;
	struct frame *top;
	struct slot *slot;
	size_t i;

	if (unlikely(tau_gate.value != GATE_OPEN || t->ready != READY_OPEN)) {
		enter_rare(function, call_site);
		return;
	}
	t->ready = READY_BUSY;
	barrier();
	now = ticks(t->shift);
	i = address_hash(key);
	slot = &t->slots[i & t->slot_mask];
	while (unlikely(slot->address != key) && slot->address)
		slot = &t->slots[++i & t->slot_mask];
	top = t->top;
	if (unlikely(!slot->address || top == t->frames_end || slot->token == TAU_TOKEN_FAR)) {
		enter_found(key, now);
		return;
	}
	top->key = key;
	top->time = now;
	t->top = top + 1;
	if (unlikely(record_write(now, slot->token))) {
		seal();
		return;
	}
	t->ready = READY_OPEN;
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
	struct thread *t = &self;
	uint64_t key = (uint64_t)function, now;
	struct frame *top;

	if (unlikely(tau_gate.value != GATE_OPEN || t->ready != READY_OPEN)) {
		leave_rare(function, call_site);
		return;
	}
	t->ready = READY_BUSY;
	barrier();
	now = ticks(t->shift);
	top = t->top - 1;
	/* Below the first frame stands one whose key, 0, is no function's. */
	if (unlikely(top->key != key)) {
		leave_repaired(key);
		return;
	}
	t->top = top;
	if (unlikely(record_write(now, TAU_TOKEN_LEAVE))) {
		seal();
		return;
	}
	t->ready = READY_OPEN;
}
