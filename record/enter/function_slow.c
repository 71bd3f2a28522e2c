/*
 * function_slow.c: entering and leaving a patched function by any path.
 */
#include "record/enter/function_slow.h"
#include "record/base/frame.h"
#include "record/base/gate.h"
#include "record/base/thread.h"
#include "record/encode/chunk.h"
#include "record/enter/hooks.h"

int function_reached(uint64_t a __attribute__((unused)), uint64_t b __attribute__((unused)))
{
	chunk_reached();
	return 0;
}

/*
 * A function that another calls in tail position has the other's slot. Both are recorded as caller and callee; a function
 * that calls itself so replaces its own frame, so that a loop of such calls needs no frame for each.
 */
static void replaced_end(uint64_t function, uint64_t slot)
{
	const struct frame *f;

	for (f = self.top - 1; f >= self.stream->frames && f->sp == slot; f--)
		if (f->key == function)
			break;
	if (f < self.stream->frames || f->sp != slot)
		return;
	for (size_t n = (size_t)(self.top - f); n && self.top[-1].sp == slot; n--)
		hooks_leave(self.top[-1].key, slot);
}

int function_enter_slow(uint64_t function, uint64_t slot)
{
	if (tau_gate.value == GATE_STRANGER || tau_gate.value == GATE_DEAD)
		return 0;
	if (self.live && self.ready != READY_BUSY && self.top > self.stream->frames &&
	    self.top[-1].sp == slot)
		replaced_end(function, slot);
	hooks_enter(function, slot);
	return self.live && self.top > self.stream->frames && self.top[-1].key == function &&
	       self.top[-1].sp == slot;
}

int function_leave_slow(uint64_t slot, uint64_t b __attribute__((unused)))
{
	if (tau_gate.value == GATE_STRANGER || tau_gate.value == GATE_DEAD || !self.live ||
	    self.ready == READY_BUSY)
		return 0;
	for (;;) {
		const struct frame *f = self.top - 1, *top = self.top;

		while (f >= self.stream->frames && f->sp != slot)
			f--;
		if (f < self.stream->frames)
			return 0;
		hooks_leave(f->key, slot);
		if (self.top >= top)
			return 0;
	}
}
