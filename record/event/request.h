/* request.h: the numbers of requests, and how a record holds one (format.h). */
#ifndef REQUEST_H
#define REQUEST_H

#include "record/base/compiler.h"
#include "record/base/thread.h"
#include "record/encode/varint.h"

#include <stdint.h>

/* Gets more numbers for the calling thread. */
void request_numbers(void);

/* A number that no other request of the process has. */
static inline uint32_t request_number(void)
{
	if (unlikely(!self.requests))
		request_numbers();
	self.requests--;
	return ++self.request;
}

/* The field of a record that is written next. The thread is busy. */
static inline uint8_t *put_request(uint8_t *p, uint32_t request)
{
	int32_t d = (int32_t)(request - self.stream->request);

	self.stream->request = request;
	return put_zigzag(p, d);
}

#endif
