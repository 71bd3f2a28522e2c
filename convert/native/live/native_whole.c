/* native_whole.c: finds how far a live chunk is whole. */
#include "convert/native/live/native_whole.h"

#include <string.h>

#include "convert/io/bytes.h"

void native_snapshot_pass(struct bytes *args,
			  void (*section)(void *to, uint64_t tag, struct bytes b), void *to)
{
	uint64_t sections = bytes_varint(args);

	for (uint64_t i = 0; i < sections && !args->bad; i++) {
		uint64_t tag = bytes_varint(args);
		struct bytes b = bytes_string(args);

		if (section && !args->bad)
			section(to, tag, b);
	}
}

struct native_live_record native_record_pass(const struct native_columns *c, size_t at,
					     unsigned metrics, struct bytes *args)
{
	struct native_live_record r = {0};
	uint16_t time;

	memcpy(&time, c->data[TAU_TIMES] + at, 2);
	memcpy(&r.token, c->data[TAU_TIMES] + at + 2, 2);
	if (r.token && r.token < TAU_TOKEN_REGION) {
		r.fields = bytes_string(args);
	} else if (!r.token || TAU_TOKEN_IS_REGION((unsigned)r.token)) {
		if (r.token)
			r.region = r.token == TAU_TOKEN_FAR
					   ? (uint32_t)bytes_varint(args)
					   : (uint32_t)(r.token - TAU_TOKEN_REGION);
		for (unsigned m = 0; m < metrics; m++)
			bytes_varint(args);
	}
	r.later = time == TAU_TIME_LONG ? bytes_varint(args) : time;
	return r;
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

void native_whole_shorten(struct native_columns *c, size_t times, size_t args)
{
	shorten(c, TAU_TIMES, times);
	shorten(c, TAU_ARGS, args);
}

int native_whole_keep(struct native_columns *c, unsigned metrics, uint64_t *tick)
{
	size_t all = c->length[TAU_ARGS], end, at = 0;
	struct bytes b = bytes_of(c->data[TAU_ARGS], all);

	native_snapshot_pass(&b, NULL, NULL);
	if (b.bad)
		return -1;
	for (end = all - bytes_left(&b); at + 4 <= c->length[TAU_TIMES]; at += 4) {
		uint64_t later = native_record_pass(c, at, metrics, &b).later;

		if (b.bad)
			break;
		*tick += later;
		end = all - bytes_left(&b);
	}
	native_whole_shorten(c, at, end);
	shorten(c, TAU_DEFS, definitions_end(c));
	return 0;
}
