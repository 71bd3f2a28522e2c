/* native_put.c: the bytes of a chunk of our own format. */
#include "convert/native/file/native_put.h"

#include <stddef.h>

#include "convert/io/deflate.h"
#include "convert/native/file/native_chunks.h"

/* A column as it is stored: deflated where that is shorter. */
static void put_column(struct buffer *out, struct deflater *d, const struct buffer *c,
		       struct tau_chunk_header *h, int column)
{
	size_t at = out->v_n, n = 0;

	h->raw[column] = (uint32_t)c->v_n;
	if (h->codec == TAU_CODEC_DEFLATE) {
		put_reserve(out, c->v_n);
		n = deflater_run(d, c->v, c->v_n, out->v + at);
		out->v_n += n;
	}
	if (!n)
		put(out, c->v, c->v_n);
	h->stored[column] = (uint32_t)(out->v_n - at);
}

void native_put_chunk(struct buffer *out, struct deflater *d, struct tau_chunk_header *h,
		      const struct buffer column[TAU_COLUMNS])
{
	size_t at = out->v_n, payload;

	put(out, h, sizeof(*h));
	payload = out->v_n;
	for (int i = 0; i < TAU_COLUMNS; i++)
		put_column(out, d, &column[i], h, i);
	h->payload_crc = native_crc(out->v + payload, out->v_n - payload);
	h->header_crc = native_crc(h, offsetof(struct tau_chunk_header, header_crc));
	memcpy(out->v + at, h, sizeof(*h));
}

void native_put_index(struct buffer *out, struct buffer *entries, struct tau_trailer t)
{
	struct tau_chunk_header h = {.magic = TAU_CHUNK_MAGIC,
				     .kind = TAU_CHUNK_INDEX,
				     .codec = TAU_CODEC_RAW,
				     .seq = t.chunks,
				     .records = t.chunks,
				     .lost = t.lost};
	struct buffer column[TAU_COLUMNS] = {{0}};

	memcpy(t.magic, TAU_TRAILER_MAGIC, sizeof(t.magic));
	t.crc = native_crc(&t, offsetof(struct tau_trailer, crc));
	put(entries, &t, sizeof(t));
	column[TAU_DEFS] = *entries;
	native_put_chunk(out, NULL, &h, column);
}
