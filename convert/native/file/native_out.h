/* native_out.h: bytes as our own format has them, appended to a buffer that grows. */
#ifndef NATIVE_OUT_H
#define NATIVE_OUT_H

#include <string.h>

#include "analyze/base/base.h"

struct buffer {
	unsigned char *v;
	size_t v_n, v_cap;
};

/* Makes room for n more bytes. */
static inline void put_reserve(struct buffer *b, size_t n)
{
	while (b->v_cap - b->v_n < n)
		b->v = array_grow(b->v, &b->v_cap, 1);
}

static inline void put(struct buffer *b, const void *p, size_t n)
{
	put_reserve(b, n);
	if (n)
		memcpy(b->v + b->v_n, p, n);
	b->v_n += n;
}

static inline void put_byte(struct buffer *b, unsigned c)
{
	unsigned char byte = (unsigned char)c;

	put(b, &byte, 1);
}

static inline void put_varint(struct buffer *b, uint64_t v)
{
	for (; v > 127; v >>= 7)
		put_byte(b, (unsigned)(v & 127) | 128);
	put_byte(b, (unsigned)v);
}

static inline void put_zigzag(struct buffer *b, int64_t v)
{
	put_varint(b, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

static inline void put_string(struct buffer *b, const char *s)
{
	size_t n = s ? strlen(s) : 0;

	put_varint(b, n);
	put(b, s, n);
}

/* Appends `part` with its length in front, and releases it. */
static inline void put_part(struct buffer *b, struct buffer *part)
{
	put_varint(b, part->v_n);
	put(b, part->v, part->v_n);
	free(part->v);
	memset(part, 0, sizeof(*part));
}

#endif
