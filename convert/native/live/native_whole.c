/* native_whole.c: finds how far a live chunk is whole. */
#include "convert/native/live/native_whole.h"

#include <string.h>

#include "convert/io/bytes.h"

/* Steps over the arguments of a record. Returns the ticks since the record before. */
static uint64_t record_pass(struct bytes *args, uint16_t time, uint16_t token, unsigned metrics)
{
	if (token && token < TAU_TOKEN_REGION) {
		bytes_string(args);
	} else if (!token || TAU_TOKEN_IS_REGION((unsigned)token)) {
		if (token == TAU_TOKEN_FAR)
			bytes_varint(args);
		for (unsigned m = 0; m < metrics; m++)
			bytes_varint(args);
	}
	return time == TAU_TIME_LONG ? bytes_varint(args) : time;
}

static size_t definitions_end(const struct native_columns *c)
{
	struct bytes b = bytes_of(c->data[TAU_DEFS], c->length[TAU_DEFS]);
	size_t end = 0;

	while (bytes_left(&b)) {
		bytes_varint(&b);
		bytes_string(&b);
		if (b.bad)
			break;
		end = c->length[TAU_DEFS] - bytes_left(&b);
	}
	return end;
}

static void shorten(struct native_columns *c, int column, size_t length)
{
	c->length[column] = length;
	memset(c->data[column] + length, 0, NATIVE_PAD);
}

int native_whole_keep(struct native_columns *c, unsigned metrics, uint64_t *tick)
{
	size_t all = c->length[TAU_ARGS], end, at = 0;
	struct bytes b = bytes_of(c->data[TAU_ARGS], all);
	uint64_t sections = bytes_varint(&b);

	for (uint64_t i = 0; i < sections && !b.bad; i++) {
		bytes_varint(&b);
		bytes_string(&b);
	}
	if (b.bad)
		return -1;
	for (end = all - bytes_left(&b); at + 4 <= c->length[TAU_TIMES]; at += 4) {
		uint16_t time, token;
		uint64_t later;

		memcpy(&time, c->data[TAU_TIMES] + at, 2);
		memcpy(&token, c->data[TAU_TIMES] + at + 2, 2);
		later = record_pass(&b, time, token, metrics);
		if (b.bad)
			break;
		*tick += later;
		end = all - bytes_left(&b);
	}
	shorten(c, TAU_TIMES, at);
	shorten(c, TAU_ARGS, end);
	shorten(c, TAU_DEFS, definitions_end(c));
	return 0;
}
