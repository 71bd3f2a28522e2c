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

/* A function seen for the first time in this stream, or a stack that must grow. */
static out_of_line void enter_found(uint64_t function, uint64_t now)
{
	struct slot *slot = address_slot(function);

	if (!slot || !slot->token.length || (self.top == self.frames_end && !frames_grow()))
		return;
	self.top->key = function;
	self.top->time = now;
	self.top++;
	record_put(now < self.live->last_tick ? self.live->last_tick : now, slot->token);
}

void __cyg_profile_func_enter(void *function, void *call_site)
{
	uint64_t now = ticks(self.shift), key = (uint64_t)function;
	struct slot *slot;
	size_t i;

	if (unlikely(tau_gate.value != GATE_OPEN || self.ready != READY_OPEN)) {
		enter_rare(function, call_site);
		return;
	}
	self.ready = READY_BUSY;
	barrier();
	i = address_hash(key);
	slot = &self.slots[i & self.slot_mask];
	while (unlikely(slot->address != key) && slot->address)
		slot = &self.slots[++i & self.slot_mask];
	if (likely(slot->address && self.top != self.frames_end)) {
		self.top->key = key;
		self.top->time = now;
		self.top++;
		record_put(now, slot->token);
	} else {
		enter_found(key, now);
	}
	barrier();
	self.ready = READY_OPEN;
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
	uint64_t now = ticks(self.shift), key = (uint64_t)function;

	if (unlikely(tau_gate.value != GATE_OPEN || self.ready != READY_OPEN)) {
		leave_rare(function, call_site);
		return;
	}
	self.ready = READY_BUSY;
	barrier();
	/* The frame below the first is never a function: its key is 0. */
	if (likely(self.top[-1].key == key)) {
		self.top--;
		record_put(now, (struct token){ 0, 1 });
	} else {
		leave_key(key);
	}
	barrier();
	self.ready = READY_OPEN;
}
