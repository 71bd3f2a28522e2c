/*
 * event.c: the API for records other than calls and messages: events, collectives, files, memory, metadata; and for the control of
 * recording.
 */
#include "record/api.h"
#include "record/base/calls_up.h"
#include "record/base/clock.h"
#include "record/base/control.h"
#include "record/base/frame.h"
#include "record/base/gate.h"
#include "record/base/lock.h"
#include "record/base/memory_map.h"
#include "record/base/process.h"
#include "record/base/registry.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/define/define.h"
#include "record/encode/begin.h"
#include "record/encode/chunk.h"
#include "record/encode/define_write.h"
#include "record/encode/live_bytes.h"
#include "record/encode/varint.h"
#include "record/enter/on_off.h"
#include "record/enter/sums.h"
#include "record/event/block.h"
#include "record/event/fields.h"
#include "record/format.h"
#include "record/metric/extended.h"
#include "record/own/own.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- events ---- */

uint32_t tau_event(const char *name, unsigned flags)
{
	uint8_t bytes[1100], *p;
	size_t n = strlen(name);

	if (tau_gate.value == GATE_DEAD)
		return 0;
	p = put_varint(bytes, flags);
	p = put_string(p, name, n < 1024 ? n : 1024);
	return define(REG_EVENT, bytes, (size_t)(p - bytes));
}

uint32_t tau_lock(const char *kind, const void *lock, const void *place)
{
	uint64_t address[2] = {(uint64_t)(uintptr_t)lock, (uint64_t)(uintptr_t)place};
	uint8_t bytes[256], *p;
	size_t n = strlen(kind);

	if (tau_gate.value == GATE_DEAD)
		return 0;
	p = put_varint(bytes, TAU_EVENT_LOCK);
	p = put_string(p, kind, n < 200 ? n : 200);
	memcpy(p, address, sizeof(address));
	return define(REG_EVENT, bytes, (size_t)(p - bytes) + sizeof(address));
}

/* Streams are never removed; new ones are added at the front. */
int tau_stream_of(int tid)
{
	const struct stream *s;

	if (!tid)
		return self.stream ? (int)self.stream->number : -1;
	s = __atomic_load_n(&process.streams, __ATOMIC_ACQUIRE);
	while (s && __atomic_load_n(&s->tid, __ATOMIC_RELAXED) != (uint32_t)tid)
		s = s->next;
	return s && tid > 0 ? (int)s->number : -1;
}

/* A later event of the old name is another one: without its hash (0) a definition is not found. */
static void definition_rename(struct definition *d, uint32_t renamed)
{
	static uint32_t renames;
	sigset_t saved;

	lock_acquire(&saved);
	d->renamed_n = ++renames;
	__atomic_store_n(&d->renamed, renamed, __ATOMIC_RELEASE);
	__atomic_store_n(&d->hash, 0, __ATOMIC_RELAXED);
	lock_release(&saved);
}

void tau_event_rename(uint32_t event, const char *name)
{
	struct definition *d = definition_get(REG_EVENT, event);
	uint32_t renamed = d && d->bytes[0] < TAU_EVENT_LOCK ? tau_event(name, d->bytes[0]) : 0;
	struct stream *s = self.stream;

	if (!renamed || renamed == event || renamed == d->renamed)
		return;
	definition_rename(d, renamed);
	if (s && event < s->known_cap[REG_EVENT])
		s->known[REG_EVENT][event] = 0;
	if (record_begin()) {
		define_here(REG_EVENT, event);
		record_end();
	}
}

static inline __attribute__((always_inline)) void trigger(uint32_t event, double value)
{
	enum tau_record_kind kind = TAU_REC_VALUE;
	uint8_t *p;

	p = define_here(REG_EVENT, event) ? fields_begin() : NULL;
	if (p) {
		p = put_varint(p, event);
		if (value == (double)(int64_t)value && fabs(value) < 9007199254740992.0 &&
		    !(value == 0 && signbit(value))) {
			p = put_zigzag(p, (int64_t)value);
		} else {
			kind = TAU_REC_VALUE_F64;
			memcpy(p, &value, 8);
			p += 8;
		}
		fields_end(p, kind, ticks(self.shift));
	}
	record_end();
}

static __attribute__((noinline)) void trigger_summed(uint32_t event, double value)
{
	if (!event || !control.sums || !record_begin())
		return;
	if (definition_get(REG_EVENT, event))
		sums_event(event, value);
	trigger(event, value);
}

void tau_trigger(uint32_t event, double value)
{
	if (!event || !record_begin_unsummed())
		trigger_summed(event, value);
	else
		trigger(event, value);
}

/* ---- collectives ---- */

static inline uint8_t *comm_begin(uint32_t comm)
{
	return !comm || define_here(REG_COMM, comm) ? fields_begin() : NULL;
}

void tau_coll(unsigned coll, uint32_t comm, int root, uint64_t bytes_sent, uint64_t bytes_received)
{
	uint8_t *p;

	if (!record_begin())
		return;
	p = comm_begin(comm);
	if (p) {
		p = put_varint(p, coll);
		p = put_varint(p, comm);
		p = put_zigzag(p, root);
		p = put_varint(p, bytes_sent);
		p = put_varint(p, bytes_received);
		fields_end(p, TAU_REC_COLL, ticks_entered());
	}
	record_end();
}

void tau_sync(unsigned sync, uint32_t comm, int peer)
{
	uint8_t *p;

	if (!record_begin())
		return;
	p = comm_begin(comm);
	if (p) {
		p = put_varint(p, sync);
		p = put_varint(p, comm);
		p = put_zigzag(p, peer);
		fields_end(p, TAU_REC_SYNC, ticks_entered());
	}
	record_end();
}

void tau_poll_found(void)
{
	if (!record_begin())
		return;
	record_extended_at(TAU_REC_FOUND, NULL, 0, ticks(self.shift));
	record_end();
}

/* ---- files ---- */

/* The offset where the last `bytes` before the position of fd are; -1: not known. */
static int64_t offset_before(int fd, uint64_t bytes)
{
	int saved = errno;
	int64_t at = system_call(SYS_lseek, fd, 0L, SEEK_CUR);

	errno = saved;
	return at >= 0 && (uint64_t)at >= bytes ? at - (int64_t)bytes : -1;
}

static void put_io(uint32_t region, unsigned io, uint32_t file, uint64_t bytes, int64_t offset,
		   int fd)
{
	uint64_t now;
	uint8_t *p;

	if (!file || !record_begin())
		return;
	p = define_here(REG_EVENT, file) ? fields_begin() : NULL;
	if (p) {
		now = ticks(self.shift);
		p = put_varint(p, io);
		p = put_varint(p, file);
		p = put_varint(p, bytes);
		p = put_varint(p, self.top[-1].key == REGION_KEY(region) && now > self.top[-1].time
					  ? now - self.top[-1].time
					  : 0);
		if (offset < 0 && fd >= 0)
			offset = offset_before(fd, bytes);
		if (offset >= 0)
			p = put_varint(p, (uint64_t)offset);
		fields_end(p, TAU_REC_IO, now);
	}
	record_end();
}

void tau_io(uint32_t region, unsigned io, uint32_t file, uint64_t bytes)
{
	put_io(region, io, file, bytes, -1, -1);
}

void tau_io_at(uint32_t region, unsigned io, uint32_t file, uint64_t bytes, int64_t offset, int fd)
{
	put_io(region, io, file, bytes, offset, fd);
}

uint32_t tau_comm(const char *name, const uint32_t *world_ranks, uint32_t n)
{
	return tau_comm_between(name, world_ranks, n, 0);
}

uint32_t tau_comm_between(const char *name, const uint32_t *world_ranks, uint32_t n, uint32_t first)
{
	return tau_comm_known(name, world_ranks, n, first, 0);
}

uint32_t tau_comm_known(const char *name, const uint32_t *world_ranks, uint32_t n, uint32_t first,
			uint64_t number)
{
	size_t length = name ? strlen(name) : 0, room = length + 40 + (size_t)n * 5;
	uint8_t *bytes = map_alloc(room), *p;
	uint32_t id;

	if (!bytes || tau_gate.value == GATE_DEAD)
		return 0;
	p = put_string(bytes, name, length);
	p = put_varint(p, n);
	for (uint32_t i = 0; i < n; i++)
		p = put_varint(p, world_ranks[i]);
	if (first || number)
		p = put_varint(p, first);
	if (number)
		p = put_varint(p, number);
	id = define(REG_COMM, bytes, (size_t)(p - bytes));
	map_free(bytes, room);
	return id;
}

/* ---- memory ---- */

/*
 * *now: the time, if that is not before the last record; otherwise, it is read.
 *
 * The level changes before the record is written: if the write seals the chunk, the next snapshot must include the
 * change. If making room sealed the chunk after the change, its snapshot would include it too early; so room is made first.
 */
static void memory_at(enum tau_record_kind kind, uint32_t from, uint32_t to, size_t bytes,
		      size_t inner, uint64_t *now)
{
	uint8_t *p = NULL;
	int ready;

	if (!from && !to)
		return;
	ready = keep_begin();
	if (ready < 0)
		return;
	if ((!from || define_here(REG_MEMTYPE, from)) && (!to || define_here(REG_MEMTYPE, to)))
		p = fields_begin();
	if (p) {
		if (from) {
			p = put_varint(p, from);
			level_add(self.stream, from, -(int64_t)bytes, -1);
		}
		if (to) {
			p = put_varint(p, to);
			level_add(self.stream, to, (int64_t)(bytes - inner), 1);
		}
		p = put_varint(p, bytes);
		if (inner)
			p = put_varint(p, inner);
		if (*now < self.live->last_tick)
			*now = memory_ticks();
		fields_end(p, kind, *now);
	}
	keep_end(ready);
}

static void memory(enum tau_record_kind kind, uint32_t from, uint32_t to, size_t bytes,
		   size_t inner)
{
	uint64_t now = 0;

	memory_at(kind, from, to, bytes, inner, &now);
}

void tau_mem_alloc(uint32_t memtype, size_t bytes)
{
	memory(TAU_REC_ALLOC, 0, memtype, bytes, 0);
}

void tau_mem_alloc_around(uint32_t memtype, size_t bytes, size_t inner)
{
	memory(TAU_REC_ALLOC, 0, memtype, bytes, inner);
}

void tau_mem_free(uint32_t memtype, size_t bytes)
{
	memory(TAU_REC_FREE, memtype, 0, bytes, 0);
}

void tau_mem_retype(uint32_t from, uint32_t to, size_t bytes)
{
	if (from && to && from != to)
		memory(TAU_REC_RETYPE, from, to, bytes, 0);
}

/* Reading the clock costs as much as the rest. If a chunk begins meanwhile, that is later. */
void tau_mem_retypes(uint32_t from, uint32_t to, size_t bytes, size_t n)
{
	uint64_t now = 0;

	for (; n && from && to && from != to; n--)
		memory_at(TAU_REC_RETYPE, from, to, bytes, 0, &now);
}

void tau_memory_teller(const struct tau_memory_teller *teller)
{
	__atomic_store_n(&process.teller, teller, __ATOMIC_RELEASE);
	if (process.memory_off)
		teller->track(0, TAU_MEMORY_COMMAND);
}

/* ---- metadata of the process ---- */

void tau_meta(const char *name, const char *value)
{
	int ready = keep_begin();

	if (ready < 0)
		return;
	define_meta(name, value);
	keep_end(ready);
}

void tau_rank(uint32_t rank, uint32_t size, unsigned source)
{
	uint8_t bytes[32], *p;
	int ready;

	if (process.rank_source && process.rank_source < TAU_RANK_USER && source == TAU_RANK_USER)
		return;
	ready = keep_begin();
	if (ready < 0)
		return;
	process.rank = (int)rank;
	process.rank_source = (int)source;
	p = put_varint(bytes, rank);
	p = put_varint(p, size);
	p = put_varint(p, source);
	define_raw(TAU_DEF_RANK, bytes, (size_t)(p - bytes));
	keep_end(ready);
}

void tau_thread_name(const char *name)
{
	uint8_t bytes[300], *p;
	size_t n = strlen(name);
	int ready = keep_begin();

	if (ready < 0)
		return;
	p = put_varint(bytes, self.stream->tid);
	p = put_string(p, name, n < 256 ? n : 256);
	define_raw(TAU_DEF_THREAD, bytes, (size_t)(p - bytes));
	keep_end(ready);
}

/* ---- control ---- */

void tau_attach(void)
{
	if (tau_gate.value != GATE_STRANGER && !self.live && !self.ready)
		enter_slow();
}

void tau_on_finalize(void (*function)(void))
{
	sigset_t saved;

	lock_acquire(&saved);
	if (process.on_finalize_n <
	    (int)(sizeof(process.on_finalize) / sizeof(*process.on_finalize)))
		process.on_finalize[process.on_finalize_n++] = function;
	lock_release(&saved);
}

void tau_finalizing(void)
{
	int n = __atomic_exchange_n(&process.on_finalize_n, 0, __ATOMIC_ACQ_REL);

	for (int i = 0; i < n; i++)
		process.on_finalize[i]();
	if (!record_begin())
		return;
	chunk_seal();
	record_end();
}

void Tau_enable_instrumentation(void)
{
	control_on(OFF_API);
}

void Tau_disable_instrumentation(void)
{
	if (tau_gate.value == GATE_FORKED)
		enter_slow();
	control_off(OFF_API);
	if (tau_gate.value == GATE_OFF && self.ready == READY_OPEN)
		record_off();
}
