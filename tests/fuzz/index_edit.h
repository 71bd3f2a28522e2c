/* index_edit.h: for targets that edit a file that was made from a trace, such as FILE.index. */
#ifndef FUZZ_INDEX_EDIT_H
#define FUZZ_INDEX_EDIT_H

#include <string.h>

#include "convert/native/file/native_chunks.h"
#include "convert/native/file/native_index_head.h"
#include "native.h"

/* Makes checksums fit, where what they are of is in the file. `good`: the header as it was. */
static inline void index_repair(unsigned char *x, size_t n, const struct index_header *good)
{
	struct index_header h;
	uint64_t at;

	memcpy(&h, x, sizeof(h));
	memcpy(&h, good, offsetof(struct index_header, tables));
	if (h.dictionary <= n && h.dictionary_size <= n - h.dictionary)
		h.dictionary_crc = native_crc(x + h.dictionary, h.dictionary_size);
	if (h.frames <= n && h.frames_size <= n - h.frames)
		h.frames_crc = native_crc(x + h.frames, h.frames_size);
	h.crc = native_crc(&h, offsetof(struct index_header, crc));
	memcpy(x, &h, sizeof(h));
	for (at = h.tables; at <= n && n - at >= sizeof(struct index_entry);
	     at += sizeof(struct index_entry)) {
		struct index_entry e;

		memcpy(&e, x + at, sizeof(e));
		if (e.offset <= n && e.length <= n - e.offset)
			e.bytes_crc = native_crc(x + e.offset, e.length);
		e.crc = native_crc(&e, offsetof(struct index_entry, crc));
		memcpy(x + at, &e, sizeof(e));
	}
}

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
