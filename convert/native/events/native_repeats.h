/*
 * native_repeats.h: records that repeat an earlier one of their batch byte by byte, as most messages and transfers do: their
 * events share its arguments.
 */
#ifndef NATIVE_REPEATS_H
#define NATIVE_REPEATS_H

#include <stdint.h>
#include <string.h>

#include "analyze/trace/event_kinds.h"
#include "convert/io/bytes.h"
#include "convert/native/file/native_columns.h"

#define NATIVE_REPEAT_BITS 8
#define NATIVE_REPEAT_MOST 7 /* bytes of fields; longer records are not compared */
_Static_assert(NATIVE_REPEAT_MOST < NATIVE_PAD, "a record and its length are read at once");

struct native_repeat {
	uint64_t record; /* its bytes, with its length before them */
	uint32_t kind;	 /* enum tau_record_kind; 0: none */
	uint32_t ref;	 /* its arguments */
};

struct native_repeats {
	struct native_repeat v[1 << NATIVE_REPEAT_BITS];
	int any;
};

/* Records of these kinds are compared. */
static inline int native_repeats_kind(uint32_t kind)
{
	const uint32_t kinds = 1 << TAU_REC_SEND | 1 << TAU_REC_RECV | 1 << TAU_REC_RMA;

	return kind < 32 && (kinds >> kind & 1);
}

/* The record at the begin of a column; 0: it is too long. */
static inline uint64_t native_repeats_record(const unsigned char *at)
{
	uint64_t record;

	if (*at > NATIVE_REPEAT_MOST)
		return 0;
	memcpy(&record, at, sizeof(record));
	return record & UINT64_MAX >> 8 * (NATIVE_REPEAT_MOST - *at);
}

/* Where a record is. */
static inline struct native_repeat *native_repeats_at(struct native_repeats *r, uint64_t record,
						      uint32_t kind)
{
	return &r->v[(record + kind) * 0x9e3779b97f4a7c15u >> (64 - NATIVE_REPEAT_BITS)];
}

/* A batch begins. */
static inline void native_repeats_clear(struct native_repeats *r)
{
	if (r->any)
		memset(r, 0, sizeof(*r));
}

/* The record was decoded, from its bytes alone. */
static inline void native_repeats_add(struct native_repeats *r, const unsigned char *at,
				      uint32_t kind, uint32_t ref)
{
	uint64_t record = native_repeats_record(at);

	if (!record)
		return;
	*native_repeats_at(r, record, kind) = (struct native_repeat){record, kind, ref};
	r->any = 1;
}

/* Skips the next record, if it repeats an earlier one: 1 and its arguments. */
static inline int native_repeats_read(struct native_repeats *r, struct bytes *args, uint32_t kind,
				      uint32_t *ref)
{
	const struct native_repeat *known;
	uint64_t record;

	if (!bytes_left(args) || *args->p >= bytes_left(args))
		return 0;
	record = native_repeats_record(args->p);
	known = native_repeats_at(r, record, kind);
	if (known->kind != kind || known->record != record)
		return 0;
	args->p += 1 + *args->p;
	*ref = known->ref;
	return 1;
}

#endif
