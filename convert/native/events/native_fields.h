/* native_fields.h: decodes the fields of a record, one function for each type of field; used by native_decode.c only. */
#ifndef NATIVE_FIELDS_H
#define NATIVE_FIELDS_H

#include "convert/native/define/native_code.h"
#include "convert/native/events/native_cursor.h"
#include "convert/native/native_run.h"

/* A record that is decoded. */
struct record {
	struct trace_cursor *cursor;
	const struct native_stream *stream;
	struct bytes f; /* its fields */
	struct event *event;
	uint64_t kind; /* enum tau_record_kind */
	int differs;   /* its arguments do not follow from its bytes alone */
	int unknown;   /* a later version recorded something that this program does not know */
};

/* One function for each type of field (EVENT_TYPES). All return nonzero if the field cannot be. */
static inline int get_REF(struct record *r, void *to __attribute__((unused)))
{
	uint64_t n = bytes_varint(&r->f);

	r->event->ref = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
	return 0;
}

static inline int get_SIGNED(struct record *r, int64_t *to)
{
	*to = bytes_zigzag(&r->f);
	return 0;
}

static inline int get_SIZE(struct record *r, uint64_t *to)
{
	*to = bytes_varint(&r->f);
	return 0;
}

static inline int get_AMOUNT(struct record *r, uint64_t *to)
{
	*to = bytes_varint(&r->f);
	return *to >> 61 != 0;
}

static inline int get_COUNT(struct record *r, int64_t *to)
{
	*to = (int64_t)bytes_varint(&r->f);
	return *to >> 61 != 0;
}

static inline int get_DEPTH(struct record *r, int64_t *to)
{
	uint64_t n = bytes_varint(&r->f);

	*to = n < UINT32_MAX ? (int64_t)n : UINT32_MAX;
	return 0;
}

static inline int get_DURATION(struct record *r, int64_t *to)
{
	uint64_t ticks = bytes_varint(&r->f);

	*to = native_duration(r->cursor->clock, ticks);
	return ticks >> 62 || *to < 0;
}

/* Recorders before this field, and transfers at no known offset, have none. */
static inline int get_OFFSET(struct record *r, int64_t *to)
{
	*to = bytes_left(&r->f) ? (int64_t)bytes_varint(&r->f) : -1;
	return *to < -1;
}

static inline int get_NUMBER(struct record *r, double *to)
{
	*to = r->kind == TAU_REC_VALUE_F64 ? bytes_f64(&r->f) : (double)bytes_zigzag(&r->f);
	return 0;
}

static inline int get_FEW(struct record *r, uint32_t *to)
{
	uint64_t n = bytes_varint(&r->f);

	*to = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
	return 0;
}

static inline int get_THREAD(struct record *r, uint32_t *to)
{
	*to = (uint32_t)bytes_varint(&r->f);
	return 0;
}

/* Recorders before this field, and messages without a request, have none. */
static inline int get_REQUEST(struct record *r, uint32_t *to)
{
	*to = 0;
	if (!bytes_left(&r->f))
		return 0;
	*to = r->cursor->request += (uint32_t)bytes_zigzag(&r->f);
	r->differs = 1;
	return 0;
}

/* Only for blocks that contain others which are counted. */
static inline int get_INNER(struct record *r, uint64_t *to)
{
	*to = bytes_left(&r->f) ? bytes_varint(&r->f) : 0;
	return *to >> 61 != 0;
}

static inline int get_EVENT(struct record *r, uint32_t *to)
{
	*to = native_id(&r->stream->event, bytes_varint(&r->f));
	return *to == TRACE_NONE;
}

/* Communicator 0 is the world and needs no definition. */
static inline int get_COMM(struct record *r, uint32_t *to)
{
	uint64_t comm = bytes_varint(&r->f);

	*to = native_id(&r->stream->comm, comm);
	return comm && *to == TRACE_NONE;
}

static inline int get_MEMTYPE(struct record *r, uint32_t *to)
{
	*to = native_id(&r->stream->memtype, bytes_varint(&r->f));
	return *to == TRACE_NONE;
}

/* Operations that this program does not know are of the kind that holds all others. */
static inline int get_op(struct record *r, uint32_t *to, uint32_t n, uint32_t other)
{
	uint64_t op = bytes_varint(&r->f);

	*to = op < n ? (uint32_t)op : other;
	return 0;
}

static int regions_read(struct record *r, struct event_list *to)
{
	struct event_batch *b = &r->cursor->batch;
	uint64_t n = bytes_varint(&r->f);

	to->first = (uint32_t)b->regions_n;
	if (n > bytes_left(&r->f))
		return -1;
	for (uint64_t i = 0; i < n; i++) {
		uint32_t region = native_id(&r->stream->region, bytes_varint(&r->f));

		if (region == TRACE_NONE)
			return -1;
		*array_add(b, regions) = region;
	}
	to->n = (uint32_t)n;
	return 0;
}

/* With a copy, so that only records with lists are kept in memory, not in registers. */
static inline int get_REGIONS(struct record *r, struct event_list *to)
{
	struct record copy = *r;
	int bad = regions_read(&copy, to);

	r->f = copy.f;
	return bad;
}

static inline int get_PATH(struct record *r, struct event_list *to)
{
	return get_REGIONS(r, to) || !to->n;
}

static inline int get_CODE(struct record *r, struct event_list *to)
{
	struct trace_cursor *c = r->cursor;
	struct bytes f = r->f;
	int bad = native_code_list(c->trace, c->stream, c->next - 1, &f, &c->batch, to);

	r->f = f;
	return bad;
}

/* A value that no other one can replace: a record with an unknown one means nothing. */
static inline int get_known(struct record *r, uint32_t *to, uint64_t values)
{
	uint64_t op = bytes_varint(&r->f);

	r->unknown |= op >= values;
	*to = op < values ? (uint32_t)op : 0;
	return 0;
}

#define get_RANK get_SIGNED
#define get_COLL_OP(r, to) get_op(r, to, COLLS, COLL_OTHER)
#define get_RMA_OP(r, to)  get_op(r, to, RMAS, RMA_ATOMIC)
#define get_SYNC_OP(r, to) get_known(r, to, SYNCS)
#define get_IO_OP(r, to)   get_known(r, to, IO_OPS)
#define get_WAIT_KIND(r, to) get_op(r, to, EVENT_WAIT_KINDS, EVENT_WAIT_UNKNOWN)
#define get_FILE_WAIT(r, to) get_op(r, to, EVENT_FILE_WAITS, EVENT_FILE_CALL)
#define get_MARK_KIND(r, to) get_op(r, to, MARK_SNAPSHOT + 1, MARK_COMMAND)

#endif
