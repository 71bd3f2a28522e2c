/*
 * on_off.c: the records of a thread when recording goes off and on again, and frames that end unrecorded.
 */
#include "record/enter/on_off.h"
#include "record/api.h"
#include "record/base/clock.h"
#include "record/base/compiler.h"
#include "record/base/control.h"
#include "record/base/frame.h"
#include "record/base/memory_map.h"
#include "record/base/process.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/define/define.h"
#include "record/encode/chunk.h"
#include "record/encode/record.h"
#include "record/encode/varint.h"
#include "record/enter/fold.h"
#include "record/enter/sums.h"
#include "record/format.h"
#include "record/metadata.h"
#include "record/metric/extended.h"
#include "record/metric/metric.h"

/* A frame ends, for any reason. */
void filtered_popped(const struct filtered_frame *r)
{
	if (unlikely(r->starts))
		control_left();
}

/*
 * Enters the region to which the time until recording resumes belongs. It has no frame: the program cannot leave it, the next ON
 * record ends it, and until then snapshots contain it.
 */
static void off_enter(uint64_t now)
{
	uint32_t region = tau_region(TAU_REGION_OFF, "TAU_UTILITY", NULL, 0);
	struct local *l = region ? region_local(region) : NULL;

	if (!l || (process.metrics && !metric_read()))
		return;
	if (l->token == TAU_TOKEN_FAR)
		region_far(l->region);
	if (process.metrics) {
		metric_write();
		metric_off();
	}
	self.stream->off_region = l->region;
	self.stream->off_tick = now;
	record_put(now, l->token);
}

/* Writes OFF once, with the time when recording went off; from then on only the call stack is kept. */
void record_off(void)
{
	uint64_t now = ticks(self.shift);
	uint64_t off = __atomic_load_n(&control.off_tick, __ATOMIC_RELAXED);

	self.ready = READY_BUSY;
	fold_write_all();
	if (off && off < now)
		now = off > self.live->last_tick ? off : self.live->last_tick;
	if (control.sums)
		sums_off(now);
	off_enter(now);
	record_extended_at(TAU_REC_OFF, NULL, 0, now);
	self.ready = READY_OFF;
}

/* Bytes that the regions of an ON record take when `depth` frames are open. */
static size_t on_size(size_t depth)
{
	return 10 + depth * 5;
}

bool record_on_room(size_t depth)
{
	return chunk_room(0, on_size(depth) + 10 * TAU_METRICS + 4 * MARGIN_ARGS);
}

/* Writes the fields of an ON record: the frames up to `top`. Defines regions that are new to the file, which may seal the chunk. */
static uint8_t *on_fields(uint8_t *p, struct frame *top)
{
	struct stream *s = self.stream;
	uint64_t now = ticks(self.shift), depth = 0;

	for (struct frame *f = s->frames; f < top; f++)
		depth += frame_recorded(s, f);
	p = put_varint(p, depth);
	for (struct frame *f = s->frames; f < top; f++) {
		if (!frame_recorded(s, f))
			continue;
		if (KEY_IS_REGION(f->key))
			region_local((uint32_t)f->key);
		else
			address_slot(f->key);
		p = put_varint(p, frame_region(s, f->key));
		if (s->filtered)
			s->filtered[f - s->frames].region = frame_region(s, f->key);
		if (f->time > now)
			f->time = now;
	}
	return p;
}

void record_on(struct frame *seen)
{
	struct frame *top = self.top;
	size_t depth = (size_t)(top - self.stream->frames), room = on_size(depth);
	uint8_t small[256], *bytes = small, *p;

	self.ready = READY_BUSY;
	if (room > sizeof(small))
		bytes = map_alloc(room);
	self.stream->off_tick = 0;
	if (bytes) {
		self.top = seen;
		p = on_fields(bytes, top);
		if (record_on_room(depth)) {
			self.top = top;
			record_extended(TAU_REC_ON, bytes, (size_t)(p - bytes));
		}
		self.top = top;
		if (bytes != small)
			map_free(bytes, room);
	}
	if (control.sums)
		sums_on(ticks(self.shift));
	self.ready = READY_OPEN;
}

void frames_drop(size_t n)
{
	struct stream *s = self.stream;

	while (n--) {
		self.top--;
		if (s->filtered)
			filtered_popped(&s->filtered[self.top - s->frames]);
	}
}
