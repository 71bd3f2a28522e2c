/*
 * unrecorded.c: calls that are not recorded, because recording is off or their group is disabled: their frames stay on the stack,
 * or they are counted. Also the slow path of a leave, which ends frames without a leave.
 */
#include "record/enter/unrecorded.h"
#include "record/base/calls_up.h"
#include "record/base/clock.h"
#include "record/base/compiler.h"
#include "record/base/control.h"
#include "record/base/frame.h"
#include "record/base/function_table.h"
#include "record/base/gate.h"
#include "record/base/process.h"
#include "record/base/registry.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/define/define.h"
#include "record/encode/record.h"
#include "record/enter/frames_room.h"
#include "record/enter/on_off.h"
#include "record/enter/repair.h"
#include "record/enter/sums.h"
#include "record/format.h"
#include "record/metric/metric.h"

/* Is the region excluded by name? Such a region never has a frame on the stack. */
static bool key_excluded(uint64_t key)
{
	const uint64_t *slot;

	if (KEY_IS_REGION(key))
		return process.groups_touched && region_skipped((uint32_t)key);
	slot = address_slot(key);
	return slot && !SLOT_TOKEN(*slot);
}

bool enter_off(uint64_t key, uint64_t sp)
{
	struct stream *s = self.stream;

	if (control_wakes(key)) {
		if (!enter_slow())
			return true;
		if (tau_gate.value != GATE_FILTERED)
			return false;
		calls_up.filtered_enter(key, sp);
		return true;
	}
	self.silent++;
	if (self.ready == READY_OPEN)
		record_off();
	self.ready = READY_BUSY;
	self.sp = sp;
	if (!key_excluded(key) && (self.top != self.frames_end || frames_grow(sp))) {
		if (s->filtered)
			calls_up.filtered_push_off(key);
		*self.top++ = (struct frame){ key, ticks(self.shift), sp };
	}
	self.ready = READY_OFF;
	return true;
}

bool leave_off(uint64_t key)
{
	if (control_wakes(0)) {
		if (!enter_slow())
			return true;
		if (tau_gate.value != GATE_FILTERED)
			return false;
		calls_up.filtered_leave(key);
		return true;
	}
	if (self.ready == READY_OPEN)
		record_off();
	if (!KEY_IS_REGION(key) || !process.groups_touched || !leave_skipped((uint32_t)key))
		frames_drop(frames_to(key));
	return true;
}

/*
 * Leaves a region that is not the innermost one: frames inside it ended without a leave (longjmp, an exception, a
 * lost hook), or it was never entered. Inside record_begin/record_end.
 */
out_of_line void leave_key(uint64_t key)
{
	size_t n = frames_to(key);
	bool recorded;

	/* If the function was excluded when it was entered and is not any more, the program made no mistake. */
	if (!n) {
		if (KEY_IS_REGION(key) || !control.selects)
			__atomic_add_fetch(&process.unmatched, 1, __ATOMIC_RELAXED);
		return;
	}
	frames_lost(n - 1);
	if (process.metrics && !metric_read())
		return;
	recorded = frame_recorded(self.stream, self.top - 1);
	frames_drop(1);
	if (!recorded)
		return;
	if (process.metrics)
		metric_write();
	record_put(ticks(self.shift), TAU_TOKEN_LEAVE);
	if (control.sums)
		sums_follow(self.live->last_tick);
}

out_of_line bool skipped_first(uint32_t region)
{
	const struct definition *d = definition_get(REG_REGION, region);
	struct local *l = d && d->off ? region_local(region) : NULL;

	if (l)
		l->skipped++;
	return d && d->off;
}

/* Regions of disabled groups: entries are counted per region and thread, so that their leaves can be identified. */
bool region_skipped(uint32_t region)
{
	return region_is_known(region) ? skipped_known(region) : skipped_first(region);
}
