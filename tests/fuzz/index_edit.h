/* index_edit.h: for targets that edit a file that was made from a trace, such as FILE.index. */
#ifndef FUZZ_INDEX_EDIT_H
#define FUZZ_INDEX_EDIT_H

#include <string.h>

#include "convert/native/file/native_index_head.h"
#include "native.h"

/* Edits: 16 bits for the position, 8 bits for the change. repair: makes checksums fit, NULL: they do not. good: the header before. */
static inline void index_edit(const char *name, const unsigned char *p, size_t edits,
			      void (*repair)(unsigned char *x, size_t n, const struct index_header *good))
{
	struct index_header good;
	unsigned char *x;
	size_t n;
	const void *was = place_get(name, &n);

	x = mem_copy(was, n, 1);
	memcpy(&good, x, sizeof(good));
	for (size_t i = 0; i < edits; i++)
		x[pack_16(p + 3 * i) % n] ^= p[3 * i + 2];
	if (repair)
		repair(x, n, &good);
	place_put(name, x, n);
	free(x);
}

#endif
