/*
 * extended.c: writes records with fields, and with the values of metrics where their kind has them.
 */
#include "record/metric/extended.h"
#include "record/base/clock.h"
#include "record/base/compiler.h"
#include "record/base/process.h"
#include "record/base/thread.h"
#include "record/encode/chunk.h"
#include "record/encode/record.h"
#include "record/encode/varint.h"
#include "record/format.h"
#include "record/metric/metric.h"

#include <string.h>

void record_extended_at(enum tau_record_kind kind, const uint8_t *fields, size_t length,
			uint64_t now)
{
	uint8_t values[10 * TAU_METRICS], *p;
	size_t n = 0;

	if (unlikely((uint8_t *)self.live->cur[TAU_ARGS] + length + sizeof(values) + 10 >
		     self.args_end) &&
	    !chunk_room(0, length + sizeof(values) + 2 * MARGIN_ARGS))
		return;
	if (process.metrics && TAU_KIND_HAS_METRICS(kind)) {
		if (!metric_read())
			return;
		n = (size_t)(metric_put(values) - values);
	}
	p = put_varint((uint8_t *)self.live->cur[TAU_ARGS], n + length);
	memcpy(p, values, n);
	p += n;
	if (length)
		memcpy(p, fields, length);
	barrier();
	self.live->cur[TAU_ARGS] = (uint64_t)(p + length);
	record_put(now, kind);
}

void record_extended(enum tau_record_kind kind, const uint8_t *fields, size_t length)
{
	record_extended_at(kind, fields, length, ticks(self.shift));
}
