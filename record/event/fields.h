/*
 * fields.h: writes a record's fields at their final place in the live chunk.
 *
 * There is room for MARGIN_ARGS bytes; fields take less than 128, so that their length is one byte.
 */
#ifndef FIELDS_H
#define FIELDS_H

#include "record/base/compiler.h"
#include "record/base/thread.h"
#include "record/encode/chunk.h"
#include "record/encode/record.h"

#include <stdint.h>

/* Where the fields begin; NULL: no new chunk could be begun. The thread is busy (begin.h). */
static inline uint8_t *fields_begin(void)
{
	if (unlikely((uint8_t *)self.live->cur[TAU_ARGS] > self.args_end) &&
	    !chunk_room(0, 2 * MARGIN_ARGS))
		return NULL;
	return (uint8_t *)self.live->cur[TAU_ARGS] + 1;
}

/* Writes the record, whose fields end at `end`. */
static inline void fields_end(uint8_t *end, enum tau_record_kind kind, uint64_t now)
{
	uint8_t *begin = (uint8_t *)self.live->cur[TAU_ARGS];

	*begin = (uint8_t)(end - begin - 1);
	barrier();
	self.live->cur[TAU_ARGS] = (uint64_t)end;
	record_put(now, kind);
}

#endif
