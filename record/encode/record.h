/*
 * record.h: writes one record into the live chunk. The hot path of every event.
 */
#ifndef RECORD_H
#define RECORD_H

#include "record/base/compiler.h"
#include "record/base/thread.h"
#include "record/encode/chunk.h"
#include "record/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The rare half of record_write: writes a long time delta; returns the 16 bits of time. */
uint32_t record_long(uint64_t delta);

/* Writes the argument of an ENTER with TAU_TOKEN_FAR. */
void region_far(uint32_t region);

/* The second half of record_write. */
static inline bool record_publish(struct thread *t, struct tau_live_header *live, uint32_t record)
{
	uint8_t *p = (uint8_t *)live->cur[TAU_TIMES];

	__builtin_memcpy(p, &record, 4);
	__atomic_store_n(&live->cur[TAU_TIMES], (uint64_t)(p + 4), __ATOMIC_RELEASE);
	barrier();
	return p >= t->end;
}

/*
 * Writes and publishes one record; true: the caller must call chunk_reached(). The record's arguments are in
 * ARGS already. A process killed between any two stores leaves either the whole record or none (see format.h).
 */
static inline bool record_write(uint64_t now, uint32_t token)
{
	struct tau_live_header *live = self.live;
	uint64_t delta = now - live->last_tick;

	live->last_tick = now;
	if (unlikely(delta >= TAU_TIME_LONG)) {
		delta = record_long(delta);
		live = self.live;	/* the same value, but the plain path need not keep it over a call */
	}
	return record_publish(&self, live, (uint32_t)delta | token << 16);
}

static inline void record_put(uint64_t now, uint32_t token)
{
	if (unlikely(record_write(now, token)))
		chunk_reached();
}

#endif
