/*
 * snapshot.c: writes the state at the begin of a chunk to the front of its column ARGS (format.h): the call stack, live
 * bytes, values of metrics, the time that storing the chunk before took and the cost of a call.
 */
#include "record/encode/snapshot.h"
#include "record/base/calls_up.h"
#include "record/base/frame.h"
#include "record/base/process.h"
#include "record/base/registry.h"
#include "record/base/stream.h"
#include "record/encode/live_bytes.h"
#include "record/encode/varint.h"
#include "record/format.h"

/* Upper bound of the snapshot's size. */
size_t snapshot_bound(const struct stream *s, const struct frame *top)
{
	size_t levels = s->level_cap < process.registry[REG_MEMTYPE].n + 1
				? s->level_cap
				: process.registry[REG_MEMTYPE].n + 1;

	return 80 + (size_t)(top - s->frames) * 15 + levels * 25 +
	       ((size_t)(top - s->frames) + 2) * process.metrics * 10;
}

/* varint tag, varint length (in two bytes' worth of fixed width, since it is known only
 * afterwards), bytes. */
static uint8_t *section_end(uint8_t *length_at, uint8_t *end)
{
	uint32_t n = (uint32_t)(end - length_at - 4);

	for (int i = 0; i < 4; i++)
		length_at[i] = (uint8_t)((n >> 7 * i & 0x7f) | (i < 3 ? 0x80 : 0));
	return end;
}

static uint8_t *snapshot_stack(uint8_t *p, const struct stream *s, const struct frame *top,
			       uint64_t now)
{
	uint8_t *length_at;
	uint64_t depth = s->off_tick != 0;

	for (const struct frame *f = s->frames; f < top; f++)
		depth += frame_recorded(s, f);

	*p++ = TAU_SNAP_STACK;
	length_at = p;
	p = put_varint(p + 4, depth);
	for (const struct frame *f = s->frames; f < top; f++) {
		if (!frame_recorded(s, f))
			continue;
		p = put_varint(p, frame_region(s, f->key));
		p = put_varint(p, now > f->time ? now - f->time : 0);
	}
	if (s->off_tick) {
		p = put_varint(p, s->off_region);
		p = put_varint(p, now > s->off_tick ? now - s->off_tick : 0);
	}
	return section_end(length_at, p);
}

static uint8_t *snapshot_memory(uint8_t *p, const struct stream *s)
{
	uint8_t *length_at;
	uint32_t n = 0;

	for (size_t i = 0; i < s->level_cap; i++)
		n += s->level[i].bytes || s->level[i].blocks;
	*p++ = TAU_SNAP_MEMORY;
	length_at = p;
	p = put_varint(p + 4, n);
	for (size_t i = 0; i < s->level_cap; i++) {
		if (!s->level[i].bytes && !s->level[i].blocks)
			continue;
		p = put_varint(p, i);
		p = put_zigzag(p, s->level[i].bytes);
		p = put_zigzag(p, s->level[i].blocks);
	}
	return section_end(length_at, p);
}

/* The share of a call's current cost between its enter and leave is that measured when the process started. */
static uint8_t *snapshot_cost(uint8_t *p, uint64_t call_ps)
{
	uint64_t inside = process.cost.all ? call_ps * process.cost.inside / process.cost.all : 0;

	*p++ = TAU_SNAP_COST;
	p = put_varint(p, varint_size(inside) + varint_size(call_ps - inside));
	p = put_varint(p, inside);
	return put_varint(p, call_ps - inside);
}

void snapshot_write(struct stream *s, const struct frame *top, uint64_t now)
{
	uint8_t *p = (uint8_t *)s->live->base[TAU_ARGS];

	p = put_varint(p, 2 + (s->tid != 0) + (s->live->metrics != 0) + (s->seal_tick != 0) +
				  (s->call_ps != 0));
	p = snapshot_stack(p, s, top, now);
	p = snapshot_memory(p, s);
	if (s->live->metrics) {
		uint8_t *length_at = p + 1;

		*p = TAU_SNAP_METRICS;
		p = section_end(length_at, calls_up.metric_snapshot(length_at + 4, s, top));
	}
	if (s->seal_tick) {
		uint64_t took = now > s->seal_tick ? now - s->seal_tick : 0;

		*p++ = TAU_SNAP_SEAL;
		p = put_varint(p, varint_size(took));
		p = put_varint(p, took);
		s->seal_tick = 0;
	}
	if (s->call_ps)
		p = snapshot_cost(p, s->call_ps);
	if (s->tid) {
		*p++ = TAU_SNAP_THREAD;
		p = put_varint(p, varint_size(s->tid));
		p = put_varint(p, s->tid);
	}
	s->live->cur[TAU_ARGS] = (uint64_t)p;
}
