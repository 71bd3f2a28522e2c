/*
 * message.c: messages and one-sided transfers, alone, or in one step with the enter of the call before or the leave after them.
 *
 * A call that transfers data writes two records with one time. Both are written together if the thread is on the plain path and
 * its file defines the region and the communicator: one check of the thread's state, one read of the clock, one store that
 * publishes both. In all other cases they are written by two calls.
 */
#include "record/api.h"
#include "record/base/clock.h"
#include "record/base/compiler.h"
#include "record/base/frame.h"
#include "record/base/gate.h"
#include "record/base/process.h"
#include "record/base/registry.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/define/define.h"
#include "record/encode/begin.h"
#include "record/encode/chunk.h"
#include "record/encode/record.h"
#include "record/encode/varint.h"
#include "record/enter/region.h"
#include "record/event/request.h"
#include "record/format.h"
#include "record/metric/extended.h"

#include <string.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Completes fields in ARGS: the byte before them is their length, which is less than 128. */
static inline uint8_t *fields_end(uint8_t *begin, uint8_t *end)
{
	*begin = (uint8_t)(end - begin - 1);
	return end;
}

/* Peer, tag and communicator usually take one byte each; with the length they are one word. */
static inline bool message_small(int peer, int tag, uint32_t comm)
{
	return !((((uint32_t)peer | (uint32_t)tag) & ~63u) | (comm & ~127u));
}

/* Both functions write the fields and return their end. */
static ALWAYS_INLINE uint8_t *message_fields_small(uint8_t *begin, int peer, int tag, uint32_t comm,
						   uint64_t bytes)
{
	uint8_t *p = put_varint(begin + 4, bytes);
	uint32_t word = (uint32_t)(p - begin - 1) | (uint32_t)peer << 9 | (uint32_t)tag << 17 |
			comm << 24;

	memcpy(begin, &word, 4);
	return p;
}

static inline uint8_t *message_fields(uint8_t *begin, int peer, int tag, uint32_t comm,
				      uint64_t bytes)
{
	uint8_t *p = put_varint(put_zigzag(put_zigzag(begin + 1, peer), tag), comm);

	return fields_end(begin, put_varint(p, bytes));
}

static inline uint8_t *transfer_fields(uint8_t *begin, unsigned rma, int target, uint64_t bytes)
{
	uint8_t *p = put_zigzag(put_varint(begin + 1, rma), target);

	return fields_end(begin, put_varint(p, bytes));
}

/* Can arguments be written on the quick path? */
static ALWAYS_INLINE bool args_quick(void)
{
	return likely(GATE_PLAIN(tau_gate.value) && self.ready == READY_OPEN) &&
	       likely((uint8_t *)self.live->cur[TAU_ARGS] <= self.args_end);
}

static ALWAYS_INLINE bool comm_known(uint32_t comm)
{
	const struct stream *s = self.stream;

	return !comm || (likely(comm < s->known_cap[REG_COMM]) && likely(s->known[REG_COMM][comm]));
}

static inline uint8_t *args_at(void)
{
	return (uint8_t *)self.live->cur[TAU_ARGS];
}

/* ---- alone ---- */

/* All cases but the quick path. */
static __attribute__((noinline)) void message_any(enum tau_record_kind kind, int peer, int tag,
						  uint32_t comm, uint64_t bytes)
{
	uint8_t fields[64], *end = message_fields(fields, peer, tag, comm, bytes);

	if (!record_begin())
		return;
	if (!comm || define_here(REG_COMM, comm))
		record_extended_at(kind, fields + 1, (size_t)(end - fields - 1),
				   kind == TAU_REC_SEND ? ticks_entered() : ticks(self.shift));
	record_end();
}

static ALWAYS_INLINE void message(enum tau_record_kind kind, int peer, int tag, uint32_t comm,
				  uint64_t bytes)
{
	uint64_t now;
	uint8_t *end;

	if (unlikely(!args_quick() || !comm_known(comm) || !message_small(peer, tag, comm))) {
		message_any(kind, peer, tag, comm, bytes);
		return;
	}
	self.ready = READY_BUSY;
	barrier();
	self.sp = sp_of_caller();
	end = message_fields_small(args_at(), peer, tag, comm, bytes);
	now = kind == TAU_REC_SEND && self.top[-1].time == self.live->last_tick
		      ? self.live->last_tick
		      : ticks_plain();
	barrier();
	self.live->cur[TAU_ARGS] = (uint64_t)end;
	record_put(now, kind);
	record_end();
}

void tau_send(int peer, int tag, uint32_t comm, uint64_t bytes)
{
	message(TAU_REC_SEND, peer, tag, comm, bytes);
}

void tau_recv(int peer, int tag, uint32_t comm, uint64_t bytes)
{
	message(TAU_REC_RECV, peer, tag, comm, bytes);
}

void tau_rma(unsigned rma, int target, uint64_t bytes)
{
	uint8_t fields[64], *end = transfer_fields(fields, rma, target, bytes);

	if (!record_begin())
		return;
	record_extended_at(TAU_REC_RMA, fields + 1, (size_t)(end - fields - 1), ticks_entered());
	record_end();
}

/*
 * ---- two in one step ----
 *
 * Rare cases are handled by functions called in tail position, so that no register need be saved for them. The first of the two
 * records has the time.
 */

static __attribute__((noinline)) int reached_two(void)
{
	chunk_reached();
	record_end();
	return 1;
}

/* Writes and publishes both records, whose arguments end at `end`. */
static ALWAYS_INLINE int two_publish(uint64_t time, uint32_t first, uint32_t second, uint8_t *end)
{
	struct tau_live_header *live = self.live;
	uint64_t records = time | (uint64_t)first << 16 | (uint64_t)second << 48;
	uint8_t *p = (uint8_t *)live->cur[TAU_TIMES];

	barrier();
	live->cur[TAU_ARGS] = (uint64_t)end;
	memcpy(p, &records, 8);
	__atomic_store_n(&live->cur[TAU_TIMES], (uint64_t)(p + 8), __ATOMIC_RELEASE);
	barrier();
	if (unlikely(p + 4 >= self.end))
		return reached_two();
	record_end();
	return 1;
}

/* The time is too long for the record, or the clock went back: it is written to ARGS before the second record's arguments. */
static __attribute__((noinline)) int enter_long(uint64_t delta, uint32_t token,
						enum tau_record_kind kind, uint8_t *end)
{
	uint8_t *begin = args_at();
	size_t moved = (int64_t)delta < 0 ? 0 : varint_size(delta);

	memmove(begin + moved, begin, (size_t)(end - begin));
	delta = record_long(delta);
	self.top[-1].time = self.live->last_tick;
	return two_publish(delta, token, kind, end + moved);
}

/* The same for a leave: the time follows the arguments of the first record. */
static __attribute__((noinline)) int leave_long(uint64_t delta, enum tau_record_kind kind,
						uint8_t *end)
{
	self.live->cur[TAU_ARGS] = (uint64_t)end;
	delta = record_long(delta);
	return two_publish(delta, kind, TAU_TOKEN_LEAVE, args_at());
}

/* The token of a region that can be entered on the quick path, with arguments; 0: it cannot. */
static ALWAYS_INLINE uint32_t token_quick(uint32_t region)
{
	uint32_t token;

	if (unlikely(!args_quick() || region >= self.local_cap || self.top == self.frames_end ||
		     process.groups_touched))
		return 0;
	token = self.local[region].token;
	return likely(token != TAU_TOKEN_FAR) ? token : 0;
}

/* The thread is busy. Enters the region and records the event whose fields in ARGS end at `end`, with one time. */
static ALWAYS_INLINE int enter_with(uint32_t region, uint32_t token, uint64_t sp,
				    enum tau_record_kind kind, uint8_t *end)
{
	struct tau_live_header *live = self.live;
	struct frame *top = self.top;
	uint64_t now = ticks_plain(), delta = now - live->last_tick;

	*top = (struct frame){REGION_KEY(region), now, sp};
	self.top = top + 1;
	live->last_tick = now;
	if (unlikely(delta >= TAU_TIME_LONG))
		return enter_long(delta, token, kind, end);
	return two_publish(delta, token, kind, end);
}

static ALWAYS_INLINE void busy_at(uint64_t sp)
{
	self.ready = READY_BUSY;
	barrier();
	self.sp = sp;
}

/* If column ARGS is full, seals the chunk, so that both records go into the next one. */
static void args_turn(uint64_t sp)
{
	if (!GATE_PLAIN(tau_gate.value) || self.ready != READY_OPEN || args_at() <= self.args_end)
		return;
	busy_at(sp);
	chunk_room(0, 2 * MARGIN_ARGS);
	record_end();
}

static __attribute__((noinline)) int call_send_any(uint32_t region, int peer, int tag,
						   uint32_t comm, uint64_t bytes, uint64_t sp)
{
	uint32_t token;
	int on;

	args_turn(sp);
	token = token_quick(region);
	if (token && comm_known(comm)) {
		busy_at(sp);
		return enter_with(region, token, sp, TAU_REC_SEND,
				  message_fields(args_at(), peer, tag, comm, bytes));
	}
	on = region_call(region, sp);
	if (on)
		tau_send(peer, tag, comm, bytes);
	return on;
}

int tau_call_send(uint32_t region, int peer, int tag, uint32_t comm, uint64_t bytes)
{
	uint32_t token = token_quick(region);

	if (unlikely(!token || !comm_known(comm) || !message_small(peer, tag, comm)))
		return call_send_any(region, peer, tag, comm, bytes, sp_of_caller());
	busy_at(sp_of_caller());
	return enter_with(region, token, sp_of_caller(), TAU_REC_SEND,
			  message_fields_small(args_at(), peer, tag, comm, bytes));
}

/* The same with the number of a request, which all other cases write on their own. */
int tau_call_isend(uint32_t region, int peer, int tag, uint32_t comm, uint64_t bytes,
		   uint32_t *request)
{
	uint32_t token = token_quick(region);
	uint8_t *begin, *end;
	int on;

	if (unlikely(!token || !comm_known(comm) || !message_small(peer, tag, comm))) {
		on = region_call(region, sp_of_caller());
		*request = on ? tau_isend(peer, tag, comm, bytes) : 0;
		return on;
	}
	busy_at(sp_of_caller());
	*request = request_number();
	begin = args_at();
	end = message_fields_small(begin, peer, tag, comm, bytes);
	end = fields_end(begin, put_request(end, *request));
	return enter_with(region, token, sp_of_caller(), TAU_REC_SEND, end);
}

static __attribute__((noinline)) int call_rma_any(uint32_t region, unsigned rma, int target,
						  uint64_t bytes, uint64_t sp)
{
	int on = region_call(region, sp);

	if (on)
		tau_rma(rma, target, bytes);
	return on;
}

int tau_call_rma(uint32_t region, unsigned rma, int target, uint64_t bytes)
{
	uint32_t token = token_quick(region);

	if (unlikely(!token))
		return call_rma_any(region, rma, target, bytes, sp_of_caller());
	busy_at(sp_of_caller());
	return enter_with(region, token, sp_of_caller(), TAU_REC_RMA,
			  transfer_fields(args_at(), rma, target, bytes));
}

/* Can the region be left on the quick path, with arguments? */
static ALWAYS_INLINE bool leave_quick(uint32_t region)
{
	return args_quick() &&
	       likely(self.top[-1].key == REGION_KEY(region) && !process.groups_touched);
}

/* The thread is busy. Records the event whose fields in ARGS end at `end`, and leaves the innermost region, with one time. */
static ALWAYS_INLINE int leave_with(enum tau_record_kind kind, uint8_t *end)
{
	struct tau_live_header *live = self.live;
	uint64_t now = ticks_plain(), delta = now - live->last_tick;

	self.top--;
	live->last_tick = now;
	if (unlikely(delta >= TAU_TIME_LONG))
		return leave_long(delta, kind, end);
	return two_publish(delta, kind, TAU_TOKEN_LEAVE, end);
}

static __attribute__((noinline)) void recv_leave_any(uint32_t region, int peer, int tag,
						     uint32_t comm, uint64_t bytes)
{
	args_turn(sp_of_caller());
	if (leave_quick(region) && comm_known(comm)) {
		busy_at(sp_of_caller());
		leave_with(TAU_REC_RECV, message_fields(args_at(), peer, tag, comm, bytes));
		return;
	}
	tau_recv(peer, tag, comm, bytes);
	tau_leave(region);
}

void tau_recv_leave(uint32_t region, int peer, int tag, uint32_t comm, uint64_t bytes)
{
	if (unlikely(!leave_quick(region) || !comm_known(comm) ||
		     !message_small(peer, tag, comm))) {
		recv_leave_any(region, peer, tag, comm, bytes);
		return;
	}
	busy_at(sp_of_caller());
	leave_with(TAU_REC_RECV, message_fields_small(args_at(), peer, tag, comm, bytes));
}
