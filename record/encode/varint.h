/*
 * varint.h: numbers and strings in the encoding of records: 7 bits per byte, the lowest first.
 */
#ifndef VARINT_H
#define VARINT_H

#include <stddef.h>
#include <stdint.h>

static inline uint8_t *put_varint(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

static inline uint8_t *put_zigzag(uint8_t *p, int64_t v)
{
	return put_varint(p, ((uint64_t)v << 1) ^ (uint64_t)(v >> 63));
}

static inline uint8_t *put_string(uint8_t *p, const char *s, size_t n)
{
	p = put_varint(p, n);
	if (n)
		__builtin_memcpy(p, s, n);
	return p + n;
}

static inline size_t varint_size(uint64_t v)
{
	size_t n = 1;

	while (v >>= 7)
		n++;
	return n;
}

#endif
