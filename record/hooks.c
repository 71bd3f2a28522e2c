/*
 * hooks.c: the functions that code compiled with -finstrument-functions calls: the hottest path of all.
 *
 * A function is known by its address; names are found offline. Its slot is looked up before the clock is read, so
 * that a function that is kept out (token 0) costs the look-up only.
 */
#include "core.h"


EXPORT void __cyg_profile_func_enter(void *function, void *call_site);
EXPORT void __cyg_profile_func_exit(void *function, void *call_site);

static __attribute__((noinline)) void enter_rare(void *function, void *call_site)
{
	if (likely(tau_gate.value == GATE_RICH && self.ready == READY_OPEN)) {
		rich_enter((uint64_t)function, sp_of_caller());
		return;
	}
	if (!enter_slow())
		return;
	if (tau_gate.value == GATE_OFF)
		enter_off((uint64_t)function, sp_of_caller());
	else if (tau_gate.value == GATE_RICH)
		rich_enter((uint64_t)function, sp_of_caller());
	else if (self.ready == READY_OPEN)
		__cyg_profile_func_enter(function, call_site);
}

static __attribute__((noinline)) void leave_rare(void *function, void *call_site)
{
	if (likely(tau_gate.value == GATE_RICH && self.ready == READY_OPEN)) {
		rich_leave((uint64_t)function);
		return;
	}
	if (!enter_slow())
		return;
	if (tau_gate.value == GATE_OFF)
		leave_off((uint64_t)function);
	else if (tau_gate.value == GATE_RICH)
		rich_leave((uint64_t)function);
	else if (self.ready == READY_OPEN)
		__cyg_profile_func_exit(function, call_site);
}

/* The rare ends of the two hooks are calls in tail position, so that the hot path saves no register. */

/* A function seen for the first time in this stream. Its slot says from then on whether it is kept out. */
static out_of_line void enter_found(void *function, void *call_site)
{
	struct slot *slot;

	self.ready = READY_BUSY;
	barrier();
	self.sp = sp_of_caller();
	slot = address_slot((uint64_t)function);
	record_end();
	if (slot && slot->token)
		__cyg_profile_func_enter(function, call_site);
}

/* A stack that must grow, a region that does not fit the token, or a time that does not fit its 16 bits. */
static __attribute__((noinline)) void enter_large(uint64_t function, uint64_t now)
{
	struct slot *slot = address_slot(function);

	if (slot && (self.top != self.frames_end || frames_grow(self.top->sp))) {
		if (slot->token == TAU_TOKEN_FAR)
			region_far(slot->region);
		self.top->key = function;
		self.top->time = now;
		self.top++;
		record_put(now < self.last ? self.last : now, slot->token);
	}
	record_end();
}

static __attribute__((noinline)) void leave_large(uint64_t now)
{
	self.top--;
	record_put(now, TAU_TOKEN_LEAVE);
	record_end();
}

/* The innermost region is another one: a function that is kept out, or a leave got lost. */
static __attribute__((noinline)) void leave_other(uint64_t function)
{
	size_t i = address_hash(function);
	struct slot *slot = &self.slots[i & self.slot_mask];

	while (unlikely(slot->address != function) && slot->address)
		slot = &self.slots[++i & self.slot_mask];
	if (likely(slot->address && !slot->token))
		return;
	self.ready = READY_BUSY;
	barrier();
	self.sp = sp_of_caller();
	leave_key(function);
	record_end();
}

static out_of_line void seal(void)
{
	chunk_seal();
	record_end();
}

/*
 * The slot is looked up before the thread is busy: a signal handler that comes between may grow the table, which leaves
 * the old one standing.
 */
void __cyg_profile_func_enter(void *function, void *call_site)
{
	struct thread *t = &self;
	uint64_t key = (uint64_t)function, now, delta;
	struct frame *top;
	struct slot *slot;
	uint32_t token;
	size_t i;

	if (unlikely(tau_gate.value != GATE_OPEN || t->ready != READY_OPEN)) {
		enter_rare(function, call_site);
		return;
	}
	i = address_hash(key);
	slot = &t->slots[i & t->slot_mask];
	while (unlikely(slot->address != key) && slot->address)
		slot = &t->slots[++i & t->slot_mask];
	if (unlikely(!slot->token)) {
		if (unlikely(!slot->address))
			enter_found(function, call_site);
		return;
	}
	t->ready = READY_BUSY;
	barrier();
	top = t->top;
	t->sp = top->sp = sp_of_caller();
	now = ticks_plain(t->shift);
	delta = now - t->last;
	token = slot->token;
	if (unlikely(delta >= TAU_TIME_LONG || top == t->frames_end || token == TAU_TOKEN_FAR)) {
		enter_large(key, now);
		return;
	}
	top->key = key;
	top->time = now;
	t->top = top + 1;
	t->last = now;
	if (unlikely(record_publish(t, (uint32_t)delta | token << 16))) {
		seal();
		return;
	}
	t->ready = READY_OPEN;
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
	struct thread *t = &self;
	uint64_t key = (uint64_t)function, now, delta;

	if (unlikely(tau_gate.value != GATE_OPEN || t->ready != READY_OPEN)) {
		leave_rare(function, call_site);
		return;
	}
	/* Below the first frame stands one whose key, 0, is no function's. */
	if (unlikely(t->top[-1].key != key)) {
		leave_other(key);
		return;
	}
	t->ready = READY_BUSY;
	barrier();
	t->sp = sp_of_caller();
	now = ticks_plain(t->shift);
	delta = now - t->last;
	if (unlikely(delta >= TAU_TIME_LONG)) {
		leave_large(now);
		return;
	}
	t->top--;
	t->last = now;
	if (unlikely(record_publish(t, (uint32_t)delta))) {
		seal();
		return;
	}
	t->ready = READY_OPEN;
}
