/*
 * block.c: records allocations and frees as one token each: no arguments, no look-up.
 *
 * A program allocates blocks of few sizes at few places. A wrapper registers each (memtype, size) that occurs repeatedly here,
 * as definition BLOCK, and then passes only its number. When a small block is freed and the newest record is the allocation of
 * a block with the same number, that record becomes BRIEF: blocks have no identity in a trace, so which of the two blocks it was
 * does not matter, and the clock need not be read.
 *
 * Reading the clock costs as much as everything else. So while a process has one thread, and its memory records follow each
 * other within BURST_NS, up to BURST of them share one time, and these times are rounded down to GRANULE_NS; other records keep
 * their exact times, and the order is kept. The error at the end of a burst is at most BURST small blocks, and nothing else. With
 * several threads the order of blocks that one thread passes to another matters: then each record has its own time.
 *
 * Live bytes: a stream counts by block, and adds the counts to the memtypes when a chunk begins.
 */
#include "record/event/block.h"
#include "record/api.h"
#include "record/base/clock.h"
#include "record/base/compiler.h"
#include "record/base/frame.h"
#include "record/base/gate.h"
#include "record/base/memory_map.h"
#include "record/base/process.h"
#include "record/base/registry.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/define/define.h"
#include "record/encode/begin.h"
#include "record/encode/chunk.h"
#include "record/encode/live_bytes.h"
#include "record/encode/record.h"
#include "record/encode/varint.h"
#include "record/format.h"

#include <sys/single_threaded.h>

#define BURST 31
#define BURST_NS 2000 /* between two records of one burst */
#define GRANULE_NS 32000
#define LITTLE 4096u /* bytes; larger blocks have times of their own */

static inline uint32_t token_of(uint32_t block, enum tau_block_op op)
{
	return TAU_TOKEN_BLOCK + TAU_BLOCK_OPS * block + op;
}

static bool table_make(void)
{
	struct mem_block *table, *none = NULL;

	if (__atomic_load_n(&process.mem_block, __ATOMIC_ACQUIRE))
		return true;
	table = map_alloc((TAU_BLOCK_MAX + 1) * sizeof(*table));
	if (!table)
		return false;
	process.burst_ticks =
		process.ticks_hz ? BURST_NS * process.ticks_hz / 1000000000 : BURST_NS / 8;
	process.burst_granule = 1;
	while (process.burst_granule * 2 <= process.burst_ticks * (GRANULE_NS / BURST_NS))
		process.burst_granule *= 2;
	process.burst_granule--;
	if (!__atomic_compare_exchange_n(&process.mem_block, &none, table, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE))
		map_free(table, (TAU_BLOCK_MAX + 1) * sizeof(*table));
	return true;
}

uint32_t tau_block(uint32_t memtype, size_t bytes)
{
	struct registry *r = &process.registry[REG_BLOCK];
	uint8_t definition[20], *p;
	uint32_t id;

	if (!memtype || tau_gate.value == GATE_DEAD || !table_make() ||
	    __atomic_load_n(&r->n, __ATOMIC_RELAXED) >= TAU_BLOCK_MAX)
		return 0;
	p = put_varint(definition, memtype);
	p = put_varint(p, bytes);
	id = define(REG_BLOCK, definition, (size_t)(p - definition));
	if (id > TAU_BLOCK_MAX)
		return 0;
	if (id)
		process.mem_block[id] = (struct mem_block){ bytes, memtype };
	return id;
}

/* Makes the calling thread's file define the block. False: that failed, or the block is too large for the short path. */
static bool known(uint32_t block)
{
	struct stream *s = self.stream;
	size_t had = s->net_cap;
	int64_t *p;

	if (!define_here(REG_BLOCK, block))
		return false;
	if (block >= s->net_cap) {
		p = map_grow(s->net, &s->net_cap, sizeof(*s->net), block + 1);
		if (!p)
			return false;
		s->net = p;
		for (size_t i = had; i < s->net_cap; i++)
			p[i] = UNKNOWN;
	}
	self.net = s->net;
	self.net_cap = s->net_cap;
	if (process.mem_block[block].bytes > LITTLE)
		return false;
	if (s->net[block] == UNKNOWN)
		s->net[block] = 0;
	return true;
}

/* A time in a burst. */
static inline uint64_t granular(const struct thread *t, uint64_t now)
{
	if (!t->memory_skip || !__libc_single_threaded)
		return now;
	now &= ~process.burst_granule;
	return now > t->live->last_tick ? now : t->live->last_tick;
}

/* Reads the clock for one record. The next records share its time, and their number grows while none of them is late. */
static uint64_t now_read(struct thread *t)
{
	uint64_t now = ticks(t->shift);
	uint32_t n = t->memory_skip;

	if (!__libc_single_threaded || now - t->live->last_tick > process.burst_ticks * (n + 1))
		n = 0;
	else
		n = n < BURST ? 2 * n + 1 : n;
	t->memory_skip = t->memory_rest = n;
	return granular(t, now);
}

uint64_t memory_ticks(void)
{
	return granular(&self, ticks(self.shift));
}

/* Every case but the short path. 0: this thread is inside the recorder. */
static __attribute__((noinline)) int rare(uint32_t block, enum tau_block_op op)
{
	const int64_t sign = op == TAU_BLOCK_ALLOC ? 1 : -1;
	const struct mem_block *b;
	bool little;
	int ready;

	if (tau_inside())
		return 0;
	ready = keep_begin();
	if (ready < 0)
		return 1;
	little = known(block);
	if (self.stream->known_cap[REG_BLOCK] > block && self.stream->known[REG_BLOCK][block]) {
		b = &process.mem_block[block];
		level_add(self.stream, b->memtype, sign * (int64_t)b->bytes, sign);
		record_put(little ? now_read(&self) : memory_ticks(), token_of(block, op));
	}
	keep_end(ready);
	return 1;
}

/* Records a defined block in a thread that is ready, and reads the clock. */
static __attribute__((noinline)) int timed(uint32_t block, enum tau_block_op op)
{
	struct thread *t = &self;

	t->ready = READY_BUSY;
	barrier();
	t->sp = sp_of_caller();
	t->net[block] += op == TAU_BLOCK_ALLOC ? 1 : -1;
	record_put(now_read(t), token_of(block, op));
	record_end();
	return 1;
}

static out_of_line int reached(void)
{
	chunk_reached();
	record_end();
	return 1;
}

/* Writes a record with the time of the record before it. */
static inline int written(struct thread *t, uint32_t block, enum tau_block_op op)
{
	uint32_t record = token_of(block, op) << 16;

	if (unlikely(record_publish(t, t->live, record)))
		return reached();
	t->ready = READY_OPEN;
	return 1;
}

static inline bool may_write(const struct thread *t, uint32_t block)
{
	return likely(GATE_RECORDS(tau_gate.value) && t->ready == READY_OPEN) &&
	       likely(block < t->net_cap) && likely(t->net[block] != UNKNOWN);
}

/* __libc_single_threaded changes in this thread before another thread begins. */
static inline bool in_burst(const struct thread *t)
{
	return likely(t->memory_rest) && likely(__libc_single_threaded);
}

/* net changes before the record is written: if writing it seals the chunk, the next snapshot must include the change. */
int tau_block_alloc(uint32_t block)
{
	struct thread *t = &self;

	if (unlikely(!may_write(t, block)))
		return rare(block, TAU_BLOCK_ALLOC);
	if (!in_burst(t))
		return timed(block, TAU_BLOCK_ALLOC);
	t->ready = READY_BUSY;
	barrier();
	t->sp = sp_of_caller();
	t->memory_rest--;
	t->net[block]++;
	return written(t, block, TAU_BLOCK_ALLOC);
}

int tau_block_free(uint32_t block)
{
	struct thread *t = &self;
	uint32_t record;
	uint8_t *end;

	if (unlikely(!may_write(t, block)))
		return rare(block, TAU_BLOCK_FREE);
	t->ready = READY_BUSY;
	barrier();
	t->sp = sp_of_caller();
	end = (uint8_t *)t->live->cur[TAU_TIMES];
	__builtin_memcpy(&record, end - 4, 4);
	if (record >> 16 == token_of(block, TAU_BLOCK_ALLOC) &&
	    likely(end != (uint8_t *)t->live->base[TAU_TIMES])) {
		/* Both become one record, by one store. */
		t->net[block]--;
		record += (uint32_t)(TAU_BLOCK_BRIEF - TAU_BLOCK_ALLOC) << 16;
		__builtin_memcpy(end - 4, &record, 4);
		barrier();
		t->ready = READY_OPEN;
		return 1;
	}
	if (!in_burst(t))
		return timed(block, TAU_BLOCK_FREE);
	t->memory_rest--;
	t->net[block]--;
	return written(t, block, TAU_BLOCK_FREE);
}
