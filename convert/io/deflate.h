/*
 * deflate.h: compresses bytes as raw deflate (RFC 1951): with ISA-L if it is installed, which takes
 * a fifth of the time of zlib at its fastest level, otherwise with zlib.
 */
#ifndef DEFLATE_H
#define DEFLATE_H

#include <stddef.h>

struct deflater;

struct deflater *deflater_new(void);
void deflater_free(struct deflater *d);

/*
 * Compresses n bytes to `out`, which has space for n. Returns the size; 0: the result would not be
 * shorter than n, or n is above 2^32 - 1.
 */
size_t deflater_run(struct deflater *d, const unsigned char *from, size_t n, unsigned char *out);

#endif
