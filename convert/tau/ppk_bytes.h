/*
 * ppk_bytes.h: the numbers and texts of a packed profile, from memory, a file or a pipe. After the end of the bytes numbers are 0
 * and texts are empty, and `bad` is set.
 */
#ifndef PPK_BYTES_H
#define PPK_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

struct ppk_bytes {
	gzFile file;		/* NULL: all bytes are in memory */
	unsigned char *buffer;	/* the caller's, when in memory */
	size_t at, n;		/* of the buffer */
	uint64_t before;	/* bytes before the buffer */
	int owned;		/* the buffer is not the caller's */
	int bad, failed;	/* damaged or cut short; the system refused */
	int kept, vast;		/* what is read is kept in memory; it became too much for the size of the file, so that reading ended */
	char *text;		/* the one read last */
	size_t text_cap;
};

/* Opens a file, "-" standard input, compressed with gzip or not. 0, or -1 with errno; ppk_bytes_close() in any case. */
int ppk_bytes_open(struct ppk_bytes *b, const char *path);
void ppk_bytes_close(struct ppk_bytes *b);

/* Makes at least one more byte available, if none is left in the buffer. 0: there is none. */
int ppk_refill(struct ppk_bytes *b);

static inline unsigned ppk_byte(struct ppk_bytes *b)
{
	if (b->at == b->n && !ppk_refill(b)) {
		b->bad = 1;
		return 0;
	}
	return b->buffer[b->at++];
}

static inline uint32_t ppk_int(struct ppk_bytes *b)
{
	uint32_t v = 0;

	if (b->n - b->at >= 4) {
		const unsigned char *p = b->buffer + b->at;

		b->at += 4;
		return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	}
	for (int i = 0; i < 4; i++)
		v = v << 8 | ppk_byte(b);
	return b->bad ? 0 : v;
}

static inline double ppk_double(struct ppk_bytes *b)
{
	uint64_t high = ppk_int(b), bits = high << 32 | ppk_int(b);
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* UTF-8 with NUL at its end, valid until the next text. */
const char *ppk_text(struct ppk_bytes *b);
void ppk_skip(struct ppk_bytes *b, uint64_t n);

#endif
