/*
 * column.c: the columns of a chunk as they are stored: each by the codec, or by the writers of deflate blocks that
 * know what it holds (literal.c, repeat.c).
 */
#include "codes.h"
#include "core.h"

#include <string.h>

/* Compresses a column to `out`; returns the end of what was written. */
uint8_t *column_store(struct codec *codec, struct tau_chunk_header *h, enum tau_column c,
		      const uint8_t *bytes, size_t n, uint8_t *out)
{
	h->raw[c] = (uint32_t)n;
	h->stored[c] = codec_deflate(codec, bytes, h->raw[c], out);
	if (!h->stored[c]) {
		memcpy(out, bytes, n);
		h->stored[c] = h->raw[c];
	}
	return out + h->stored[c];
}

/*
 * The times: their low bytes as symbols, their high bytes, mostly zeros, as repetitions; or both by
 * the codec.
 */
static uint8_t *times_store(struct codec *codec, struct tau_chunk_header *h, const uint8_t *planes,
			    size_t n, uint8_t *out)
{
	struct bits b = {.p = out};

	if (!codec_deflates() || !literals_block(&b, planes, (uint32_t)n, out + 2 * n) ||
	    !repeat_zeros(&b, planes + n, (uint32_t)n, out + 2 * n, codec_work(codec)))
		return column_store(codec, h, TAU_TIMES, planes, 2 * n, out);
	h->raw[TAU_TIMES] = (uint32_t)(2 * n);
	h->stored[TAU_TIMES] = (uint32_t)(b.p - out);
	return b.p;
}

/* The tokens, which stand behind the planes of the times; those are stored and may go. */
static uint8_t *ids_store(struct codec *codec, struct tau_chunk_header *h, uint8_t *planes,
			  size_t n, uint8_t *out)
{
	const uint8_t *tokens = planes + 2 * n;
	struct bits b = {.p = out};

	if (!codec_deflates() ||
	    !repeat_tokens(&b, tokens, (uint32_t)n, out + 2 * n, codec_work(codec))) {
		tokens_split(tokens, n, planes);
		return column_store(codec, h, TAU_IDS, planes, 2 * n, out);
	}
	h->raw[TAU_IDS] = (uint32_t)(2 * n);
	h->stored[TAU_IDS] = (uint32_t)(b.p - out);
	return b.p;
}

uint8_t *records_store(struct codec *codec, struct tau_chunk_header *h, const uint8_t *records,
		       size_t n, uint8_t *planes, uint8_t *out)
{
	planes_split(records, n, planes, planes + 2 * n);
	out = times_store(codec, h, planes, n, out);
	return ids_store(codec, h, planes, n, out);
}
