/* native_put.h: the bytes of a chunk of our own format, for all that write one outside the recorder. */
#ifndef NATIVE_PUT_H
#define NATIVE_PUT_H

#include "convert/native/file/native_out.h"
#include "record/format.h"

struct deflater;

/*
 * Appends a chunk to `out`: each column deflated where that is shorter and h->codec is deflate, otherwise as it is. Fills in
 * the lengths and checksums of *h.
 */
void native_put_chunk(struct buffer *out, struct deflater *d, struct tau_chunk_header *h,
		      const struct buffer column[TAU_COLUMNS]);
/*
 * Appends the index chunk that closes a file. entries: a tau_index_entry for each chunk; the trailer is appended to them.
 * t: all but magic and checksum; its index_offset is where the chunk will be.
 */
void native_put_index(struct buffer *out, struct buffer *entries, struct tau_trailer t);

#endif
