/*
 * messages_parts.h: a pass whose uses need only the window (messages_use.window_only), on several threads: each reads some of the streams, as a
 * pass of its own.
 */
#ifndef MESSAGES_PARTS_H
#define MESSAGES_PARTS_H

#include "analyze/messages/messages.h"

#define MESSAGES_PARTS_MOST 64

struct messages_parts {
	const struct messages *whole; /* trace, span and skip are those of all parts */
	const uint32_t *together;     /* by stream: one of those of its kind, which are read by the same part; NULL: each is alone */
	/*
	 * Sets use and use_n of part number i, whose streams are those that it does not skip. What a use knows of its pass, as call paths, it
	 * finds in m. Called on the caller's thread, for all parts, before any is read.
	 */
	void (*begin)(void *to, size_t i, struct messages *m);
	/* A part has been read without an error, m is still valid. On the caller's thread, in order; may be NULL. */
	void (*end)(void *to, size_t i, const struct messages *m);
	void *to;
};

/* The number of parts for this number of threads: at least 1. */
size_t messages_parts_n(const struct messages *whole, unsigned threads);
/* Reads them, on as many threads. Returns 0, or the error of the first part that has one. */
int messages_parts_read(const struct messages_parts *x, size_t n, struct error *e);

#endif
