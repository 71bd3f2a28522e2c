/*
 * device.c: streams of devices: any thread writes their records, later than the events, with the times of the events.
 *
 * The writing thread replaces its own state by the device's, with all signals blocked. Each region is written as a whole, so
 * that none is open when a chunk ends.
 */
#include "record/api.h"
#include "record/base/clock.h"
#include "record/base/frame.h"
#include "record/base/function_table.h"
#include "record/base/gate.h"
#include "record/base/lock.h"
#include "record/base/memory_map.h"
#include "record/base/process.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/define/define.h"
#include "record/encode/chunk.h"
#include "record/encode/define_write.h"
#include "record/encode/record.h"
#include "record/encode/varint.h"
#include "record/format.h"
#include "record/life/threads.h"

#include <errno.h>
#include <string.h>

#define NAME 128

struct tau_device {
	uint32_t generation;	/* of the process that writes it; 0: none so far */
	uint64_t tick, ns;	/* the time of this call by both clocks */
	struct thread thread;	/* replaces the caller's while it writes */
	char name[NAME];
};

struct tau_device *tau_device(const char *name)
{
	struct tau_device *d = tau_gate.value == GATE_DEAD ? NULL : map_alloc(sizeof(*d));
	size_t n = strlen(name);

	if (!d)
		return NULL;
	memcpy(d->name, name, n < NAME ? n : NAME - 1);
	return d;
}

size_t tau_callers(uint64_t *callers, size_t n)
{
	size_t open = 0;

	if (tau_gate.value == GATE_STRANGER || !self.live)
		return 0;
	open = (size_t)(self.top - self.stream->frames);
	if (n > open)
		n = open;
	for (size_t i = 0; i < n; i++)
		callers[i] = self.top[(ptrdiff_t)i - (ptrdiff_t)n].key;
	return n;
}

/* The tick of a device's time, from the comparison of the clocks when the process began and the latest one. */
static uint64_t tick_of(const struct tau_device *d, uint64_t ns)
{
	__int128 since = (int64_t)(ns - process.start_ns);
	int64_t ticks = (int64_t)(d->tick - process.start_tick);
	int64_t all = (int64_t)(d->ns - process.start_ns);

	if (process.shift == SHIFT_MONOTONIC || all <= 0)
		return ns;
	return process.start_tick + (uint64_t)(int64_t)(since * ticks / all);
}

/* ---- in the state of the device ---- */

static bool device_begin(struct tau_device *d, uint64_t tick)
{
	uint8_t bytes[NAME + 20], *p;

	if (d->generation == process.generation)
		return self.live && self.stream->live;	/* the stream is closed when the process ends */
	d->generation = process.generation;
	memset(&self, 0, sizeof(self));
	if (!stream_attach_device(tick))
		return false;
	p = put_varint(bytes, 0);
	p = put_string(p, d->name, strlen(d->name));
	p = put_varint(p, TAU_THREAD_DEVICE);
	return define_raw(TAU_DEF_THREAD, bytes, (size_t)(p - bytes));
}

struct token {
	uint32_t token, region;
};

/* The region of an open frame of any thread, in the file of the device; token 0: it is not recorded. */
static struct token token_of_key(uint64_t key)
{
	const struct local *l;
	const uint64_t *slot;

	if (KEY_IS_REGION(key)) {
		l = region_local((uint32_t)key);
		return l ? (struct token){l->token, l->region} : (struct token){0};
	}
	slot = key ? address_slot(key) : NULL;
	return slot ? (struct token){SLOT_TOKEN(*slot), *slot_region(self.slots, slot)}
		    : (struct token){0};
}

static void put_enter(struct token t, uint64_t tick)
{
	if (!t.token)
		return;
	if (t.token == TAU_TOKEN_FAR)
		region_far(t.region);
	record_write(tick, t.token);
}

static void put_value(uint32_t event, double value, uint64_t tick)
{
	uint8_t *length = (uint8_t *)self.live->cur[TAU_ARGS], *p = put_varint(length + 1, event);

	memcpy(p, &value, 8);
	*length = (uint8_t)(p + 8 - length - 1);
	self.live->cur[TAU_ARGS] = (uint64_t)(p + 8);
	record_write(tick, TAU_REC_VALUE_F64);
}

/*
 * Room for this number of records, and their arguments: no region is open, so the chunk can be sealed. A full one still has
 * room for 16 records.
 */
static bool records_room(size_t records)
{
	const struct tau_live_header *live = self.live;

	if (live->cur[TAU_TIMES] + records * 4 > live->base[TAU_TIMES] + live->cap[TAU_TIMES] &&
	    !chunk_seal())
		return false;
	return chunk_room(0, 2 * MARGIN_ARGS);
}

static bool put_region(struct tau_device *d, const struct tau_device_record *r)
{
	uint64_t begin = tick_of(d, r->begin), end = tick_of(d, r->end);
	struct token region, caller[TAU_DEVICE_CALLERS];
	uint32_t n = 0;

	if (!device_begin(d, begin))
		return false;
	if (begin < self.live->last_tick)
		begin = self.live->last_tick;	/* a new comparison of the clocks may move times back */
	if (end < begin)
		end = begin;
	self.stream->device_tick = begin;
	region = token_of_key(REGION_KEY(r->region));
	for (uint32_t i = 0; i < r->caller_n; i++) {
		caller[n] = token_of_key(r->caller[i]);
		n += caller[n].token != 0;
	}
	for (uint32_t i = 0; i < r->value_n; i++)
		if (!define_here(REG_EVENT, r->value[i].event))
			return false;
	if (!region.token || !records_room(2 * n + 2 + r->value_n))
		return false;
	for (uint32_t i = 0; i < n; i++)
		put_enter(caller[i], begin);
	put_enter(region, begin);
	for (uint32_t i = 0; i < r->value_n; i++)
		put_value(r->value[i].event, r->value[i].value, end);
	self.stream->device_tick = end;
	for (uint32_t i = 0; i < n; i++)
		record_write(end, TAU_TOKEN_LEAVE);
	record_put(end, TAU_TOKEN_LEAVE);
	return true;
}

size_t tau_device_put(struct tau_device *d, const struct tau_device_record *record, size_t n)
{
	struct thread caller;
	sigset_t saved;
	uint64_t real;
	size_t done = 0;
	int error = errno;

	if (!d || (!GATE_RECORDS(tau_gate.value) && tau_gate.value != GATE_OFF))
		return 0;
	if (self.live && !self.ready)
		return 0;
	signals_mask(NULL, &saved);
	streams_of_devices_lock();
	clocks_read(process.shift, &d->tick, &d->ns, &real);
	caller = self;
	self = d->thread;
	self.ready = READY_BUSY;
	while (done < n && record[done].value_n <= 4 &&
	       record[done].caller_n <= TAU_DEVICE_CALLERS && put_region(d, &record[done]))
		done++;
	d->thread = self;
	self = caller;
	streams_of_devices_unlock();
	signals_mask(&saved, NULL);
	errno = error;
	return done;
}
