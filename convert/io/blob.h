/* blob.h: a file's bytes at once, taken out of gzip where it is packed. */
#ifndef BLOB_H
#define BLOB_H

#include <stddef.h>

#include "analyze/base/base.h"

struct blob {
	unsigned char *p;	/* n bytes, and a NUL behind them */
	size_t n;
};

/* Memory grows with the bytes that are there, never with what a header claims. On failure nothing is left to free. */
int blob_read(const char *path, struct blob *out, struct error *e);
void blob_release(struct blob *b);

/* The same for the first bytes, at most BLOB_PEEK, enough to tell what a file is. 0, or -1: it cannot be read. */
#define BLOB_PEEK 65536
int blob_peek(const char *path, struct blob *out);

/*
 * One stream of zlib (wbits 15) or gzip (31) or either (47): the bytes go to *out, of which at most `most` are made.
 * Returns how many bytes of `from` the stream took, 0: it is damaged, cut short, or longer than that.
 */
size_t blob_inflate(const unsigned char *from, size_t n, int wbits, size_t most, struct blob *out);

#endif
