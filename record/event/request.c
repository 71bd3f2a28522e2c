/*
 * request.c: messages that several calls handle: what begins and what completes them has the number of a request.
 */
#include "record/event/request.h"
#include "record/api.h"
#include "record/base/clock.h"
#include "record/base/process.h"
#include "record/base/registry.h"
#include "record/define/define.h"
#include "record/encode/begin.h"
#include "record/event/fields.h"
#include "record/format.h"

enum { NUMBERS = 65536 }; /* of a thread, until it gets more */

void request_numbers(void)
{
	self.request = __atomic_fetch_add(&process.requests, NUMBERS, __ATOMIC_RELAXED);
	self.requests = NUMBERS;
}

static uint8_t *message_begin(int peer, int tag, uint32_t comm, uint64_t bytes)
{
	uint8_t *p = !comm || define_here(REG_COMM, comm) ? fields_begin() : NULL;

	return p ? put_varint(put_varint(put_zigzag(put_zigzag(p, peer), tag), comm), bytes) : NULL;
}

uint32_t tau_isend(int peer, int tag, uint32_t comm, uint64_t bytes)
{
	uint32_t request = 0;
	uint8_t *p;

	if (!record_begin())
		return 0;
	p = message_begin(peer, tag, comm, bytes);
	if (p) {
		request = request_number();
		fields_end(put_request(p, request), TAU_REC_SEND, ticks_entered());
	}
	record_end();
	return request;
}

uint32_t tau_ireceive(void)
{
	uint32_t request = 0;
	uint8_t *p;

	if (!record_begin())
		return 0;
	p = fields_begin();
	if (p) {
		request = request_number();
		fields_end(put_request(p, request), TAU_REC_POSTED, ticks_entered());
	}
	record_end();
	return request;
}

void tau_irecv(int peer, int tag, uint32_t comm, uint64_t bytes, uint32_t request)
{
	uint8_t *p;

	if (!record_begin())
		return;
	p = message_begin(peer, tag, comm, bytes);
	if (p)
		fields_end(request ? put_request(p, request) : p, TAU_REC_RECV, ticks(self.shift));
	record_end();
}

void tau_sent(uint32_t request)
{
	uint8_t *p;

	if (!request || !record_begin())
		return;
	p = fields_begin();
	if (p)
		fields_end(put_request(p, request), TAU_REC_COMPLETED, ticks(self.shift));
	record_end();
}
