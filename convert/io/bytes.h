/*
 * bytes.h: reads numbers and strings from untrusted bytes. After a read beyond the end, `bad` is
 * set, everything read is 0 or empty and nothing is left, so a group of fields needs one test at
 * its end.
 */
#ifndef BYTES_H
#define BYTES_H

#include <stdint.h>
#include <string.h>

#include "analyze/base/base.h"

struct bytes {
	const unsigned char *p, *end;
	int bad;
};

static inline struct bytes bytes_of(const void *p, size_t n)
{
	return (struct bytes){ .p = p, .end = n ? (const unsigned char *)p + n : p };
}

static inline size_t bytes_left(const struct bytes *b)
{
	return b->bad ? 0 : (size_t)(b->end - b->p);
}

static inline uint64_t bytes_varint(struct bytes *b)
{
	const unsigned char *p = b->p, *end = b->bad ? p : b->end;
	uint64_t v = 0;

	/* most numbers are small */
	if (p < end && *p < 0x80) {
		b->p = p + 1;
		return *p;
	}
	for (unsigned shift = 0; shift < 64 && p < end; shift += 7) {
		const uint64_t byte = *p++;

		v |= (byte & 0x7f) << shift;
		if (byte < 0x80) {
			b->p = p;
			return v;
		}
	}
	b->bad = 1;
	return 0;
}

static inline int64_t bytes_zigzag(struct bytes *b)
{
	uint64_t v = bytes_varint(b);

	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

/* Sums of untrusted numbers wrap around, without undefined behaviour. */
static inline int64_t bytes_add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* Reads a varint; one above `most` sets `bad`. */
static inline uint64_t bytes_upto(struct bytes *b, uint64_t most)
{
	uint64_t v = bytes_varint(b);

	if (v > most)
		b->bad = 1;
	return b->bad ? 0 : v;
}

static inline uint64_t bytes_u64(struct bytes *b)
{
	uint64_t v = 0;

	if (bytes_left(b) < sizeof(v)) {
		b->bad = 1;
		return 0;
	}
	memcpy(&v, b->p, sizeof(v));
	b->p += sizeof(v);
	return v;
}

static inline double bytes_f64(struct bytes *b)
{
	uint64_t u = bytes_u64(b);
	double v;

	memcpy(&v, &u, sizeof(v));
	return v;
}

/* The next n bytes as a range of their own; empty, and b is bad, if there are fewer. */
static inline struct bytes bytes_part(struct bytes *b, uint64_t n)
{
	struct bytes part = { .p = b->p, .end = b->p };

	if (b->bad || n > bytes_left(b)) {
		b->bad = part.bad = 1;
		return part;
	}
	part.end = b->p += n;
	return part;
}

/* Reads a string: a varint with the length, then the bytes. */
static inline struct bytes bytes_string(struct bytes *b)
{
	return bytes_part(b, bytes_varint(b));
}

/* All that is left, as a text that ends with a zero byte; to be freed, never NULL. */
static inline char *bytes_text(struct bytes b)
{
	size_t n = bytes_left(&b);
	char *text = mem_alloc(n + 1);

	return n ? memcpy(text, b.p, n) : text;
}

#endif
