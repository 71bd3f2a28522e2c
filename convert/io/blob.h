/* blob.h: all bytes of a file, decompressed if it is a gzip file, and text as UTF-8. */
#ifndef BLOB_H
#define BLOB_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/base/base.h"

struct blob {
	unsigned char *p;	/* n bytes, followed by a NUL */
	size_t n;
};

struct input;

/*
 * Reads a file. Memory grows with the bytes that are read, not with the size in a header. On
 * failure there is nothing to free; otherwise blob_release() frees it.
 */
int blob_read(const char *path, struct blob *out, struct error *e);
void blob_release(struct blob *b);

/*
 * Text after a byte order mark: the mark is removed, and UTF-16 becomes UTF-8, where half a pair becomes U+FFFD. Other bytes
 * stay as they are. blob_read() and blob_peek() do this.
 */
void blob_text(struct blob *b);

/*
 * The same for the first bytes, which are enough to identify a format: at most BLOB_PEEK of the
 * file, and of a gzip file about as many decompressed ones. 0, or -1: the file cannot be read.
 */
#define BLOB_PEEK 65536
int blob_peek(struct input *in, struct blob *out);

/*
 * The limit of bytes that compressed ones may become: deflate reaches a thousandfold, so that a small file could take all memory.
 * Profiles become 3 to 30 times their size. A larger one is not read; a user who trusts it can unpack it first.
 */
#define BLOB_RATIO 100
static inline size_t blob_most(size_t packed)
{
	size_t more;

	return __builtin_mul_overflow(packed, BLOB_RATIO, &more) || more > SIZE_MAX / 2 ? SIZE_MAX / 2 : more + (16 << 20);
}

/*
 * Is this memory allowed for n bytes of input? Formats share names and omit values, but if most of a table is such copies and gaps,
 * the input is damaged, or made to use up memory.
 */
static inline int blob_allows(size_t n, uint64_t memory)
{
	return memory <= 16 << 20 || (memory - (16 << 20)) / 64 <= n;
}

/*
 * Decompresses one stream of zlib (wbits 15), gzip (31) or either (47) and appends it to *out, at
 * most `most` bytes. Returns the number of bytes of `from` in the stream; 0: it is damaged,
 * incomplete, or longer than `most`. The caller releases *out in any case.
 */
size_t blob_inflate(const unsigned char *from, size_t n, int wbits, size_t most, struct blob *out);

#endif
