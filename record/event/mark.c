/* mark.c: records marks: named moments in the trace. */
#include "record/event/mark.h"
#include "record/api.h"
#include "record/base/clock.h"
#include "record/base/gate.h"
#include "record/base/registry.h"
#include "record/base/thread.h"
#include "record/define/define.h"
#include "record/encode/begin.h"
#include "record/encode/varint.h"
#include "record/metric/extended.h"

void mark_record(enum tau_mark kind, const char *name, int64_t number)
{
	uint32_t event = tau_event(name, TAU_EVENT_NAME);
	uint8_t fields[40], *end;

	if (!event || !record_begin())
		return;
	end = put_zigzag(put_varint(put_varint(fields, kind), event), number);
	if (define_here(REG_EVENT, event))
		record_extended_at(TAU_REC_MARK, fields, (size_t)(end - fields),
				   ticks(self.shift));
	record_end();
}

/* The thread is inside the recorder and has not begun its record yet, so it can write a mark first. */
void mark(const char *name, uint32_t number)
{
	uint64_t sp = self.sp;
	int ready = self.ready;

	if (!GATE_RECORDS(tau_gate.value) || !self.live)
		return;
	self.ready = READY_OPEN;
	mark_record(TAU_MARK_COMMAND, name, number);
	self.ready = ready;
	self.sp = sp;
}
