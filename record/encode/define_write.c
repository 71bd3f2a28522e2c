/*
 * define_write.c: writes definitions into column DEFS of the calling thread.
 */
#include "record/encode/define_write.h"
#include "record/base/compiler.h"
#include "record/base/thread.h"
#include "record/encode/chunk.h"
#include "record/encode/varint.h"
#include "record/format.h"

#include <stdio.h>
#include <string.h>

/* Appends kind, length, head and bytes to column DEFS of the calling thread. */
bool defs_put(enum tau_def_kind kind, const uint8_t *head, size_t head_n,
		     const uint8_t *bytes, size_t n)
{
	uint8_t *p;

	if (!chunk_room(head_n + n + 20, 0))
		return false;
	p = (uint8_t *)self.live->cur[TAU_DEFS];
	p = put_varint(p, kind);
	p = put_varint(p, head_n + n);
	if (head_n)
		memcpy(p, head, head_n);
	if (n)
		memcpy(p + head_n, bytes, n);
	barrier();
	self.live->cur[TAU_DEFS] = (uint64_t)(p + head_n + n);
	barrier();
	return true;
}

bool define_raw(enum tau_def_kind kind, const uint8_t *bytes, size_t length)
{
	return defs_put(kind, NULL, 0, bytes, length);
}

/* Appends two strings to column DEFS. */
void define_meta(const char *name, const char *value)
{
	size_t a = strlen(name), b = strlen(value);
	uint8_t *p;

	if (!chunk_room(a + b + 40, 0))
		return;
	p = (uint8_t *)self.live->cur[TAU_DEFS];
	p = put_varint(p, TAU_DEF_META);
	p = put_varint(p, varint_size(a) + a + varint_size(b) + b);
	p = put_string(p, name, a);
	p = put_string(p, value, b);
	barrier();
	self.live->cur[TAU_DEFS] = (uint64_t)p;
}

void meta_number(const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	define_meta(name, text);
}
