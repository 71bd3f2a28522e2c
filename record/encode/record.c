/*
 * record.c: writes records into the live chunk: long times and wide regions.
 */
#include "record/encode/record.h"
#include "record/base/compiler.h"
#include "record/base/control.h"
#include "record/base/thread.h"
#include "record/encode/chunk.h"
#include "record/encode/varint.h"
#include "record/format.h"

/* A time that does not fit 16 bits goes to ARGS. If the clock went back (no invariant TSC), the time before it is used. */
uint32_t record_long(uint64_t delta)
{
	uint8_t *p;

	if ((int64_t)delta < 0) {
		self.live->last_tick -= delta;
		return 0;
	}
	p = put_varint((uint8_t *)self.live->cur[TAU_ARGS], delta);
	barrier();
	self.live->cur[TAU_ARGS] = (uint64_t)p;
	if (p > self.args_end)
		self.full = self.end = (uint8_t *)self.live->cur[TAU_TIMES];	/* full: seal after this record */
	else if (commands_due(self.live->last_tick))
		self.end = (uint8_t *)self.live->cur[TAU_TIMES];
	return TAU_TIME_LONG;
}

/* The argument of an ENTER whose region does not fit the token. */
void region_far(uint32_t region)
{
	if ((uint8_t *)self.live->cur[TAU_ARGS] > self.args_end && !chunk_room(0, 2 * MARGIN_ARGS))
		return;
	self.live->cur[TAU_ARGS] =
		(uint64_t)put_varint((uint8_t *)self.live->cur[TAU_ARGS], region);
}
