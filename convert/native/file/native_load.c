/* native_load.c: loads the columns of one chunk: reads it whole, verifies it, inflates what is needed. */
#include <errno.h>
#include <string.h>

#include "convert/io/inflate.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/file/native_columns.h"
#include "convert/native/file/native_load.h"
#include "convert/native/file/native_numbers.h"
#include "convert/native/file/native_pages.h"

#define NATIVE_LISTS (1 << TAU_TIMES | 1 << TAU_IDS) /* those that depend on the list of ids */

static int column_inflate(struct native_columns *c, int i, const unsigned char *from, size_t stored)
{
	if (stored == c->length[i]) {
		memcpy(c->data[i], from, stored);
		return 0;
	}
	if (!c->inflater)
		c->inflater = inflater_new();
	return inflater_run(c->inflater, from, stored, c->data[i], c->length[i]);
}

/* To make an inflater costs as much as the checksum of some thousand bytes. */
static uint32_t payload_crc(struct native_columns *c, const unsigned char *p, size_t n)
{
	return c->inflater ? inflater_crc(c->inflater, p, n) : native_crc(p, n);
}

/* Inflates columns of the chunk that is in c->packed. */
static int columns_inflate(struct native_file *f, size_t k, unsigned mask, struct native_columns *c,
			   struct error *e)
{
	static const char *const column_name[TAU_COLUMNS] = {"definitions", "times", "ids",
							     "arguments"};
	const unsigned char *from = c->packed + sizeof(c->head);
	unsigned long long at = native_file_chunk(f, k)->offset;

	for (int i = 0; i < TAU_COLUMNS; from += c->head.stored[i++]) {
		if (!(mask >> i & 1))
			continue;
		native_column_reserve(c, i, c->head.raw[i]);
		if (column_inflate(c, i, from, c->head.stored[i]))
			return error_set(e, ERROR_INPUT,
					 "%s: offset %llu: chunk %zu: the %s cannot be inflated",
					 f->path, at, k, column_name[i]);
	}
	if (mask >> TAU_IDS & 1)
		c->listed = 0;
	if ((mask & NATIVE_LISTS) && c->head.layout == TAU_LAYOUT_NUMBERS &&
	    (mask >> TAU_TIMES & 1 ? native_numbers_parse(c) : native_numbers_tokens(c)))
		return error_set(e, ERROR_INPUT,
				 "%s: offset %llu: chunk %zu: the list of its ids is damaged",
				 f->path, at, k);
	return 0;
}

static int load_sealed(struct native_file *f, size_t k, unsigned mask, struct native_columns *c,
		       struct error *e)
{
	struct native_chunk *chunk = native_file_chunk(f, k);
	unsigned long long at = chunk->offset;
	const char *wrong;
	size_t payload;

	if (chunk->offset > f->size || chunk->stored > f->size - chunk->offset)
		return error_set(e, ERROR_INPUT,
				 "%s: chunk %zu: its place in the file is impossible", f->path, k);
	if (c->packed_cap < chunk->stored) {
		free(c->packed);
		c->packed_cap = chunk->stored;
		c->packed = mem_resize(NULL, c->packed_cap, 1);
	}
	if (chunk->stored < sizeof(c->head) ||
	    native_read_at(f->fd, c->packed, chunk->stored, chunk->offset))
		return error_set(e, ERROR_INPUT, "%s: offset %llu: chunk %zu cannot be read: %s",
				 f->path, at, k,
				 errno ? strerror(errno) : "the file has become shorter");
	memcpy(&c->head, c->packed, sizeof(c->head));
	wrong = native_header_wrong(&c->head, (uint32_t)k, TAU_CHUNK_EVENTS);
	/* If a process continued after its end, there is an index chunk between two chunks. */
	if (!wrong &&
	    (native_header_stored(&c->head) > chunk->stored ||
	     c->head.first_tick != chunk->first_tick || c->head.last_tick != chunk->last_tick ||
	     c->head.records != chunk->records))
		wrong = "the chunk header disagrees with the index";
	if (wrong)
		return error_set(e, ERROR_INPUT, "%s: offset %llu: %s", f->path, at, wrong);
	payload = native_header_stored(&c->head) - sizeof(c->head);
	if (!(chunk->counted & NATIVE_HEADER_READ))
		f->bytes_read += sizeof(c->head);
	if (!(chunk->counted & NATIVE_PAYLOAD_READ))
		f->bytes_read += payload;
	chunk->counted = NATIVE_HEADER_READ | NATIVE_PAYLOAD_READ;
	if (payload_crc(c, c->packed + sizeof(c->head), payload) != c->head.payload_crc)
		return error_set(e, ERROR_INPUT,
				 "%s: offset %llu: the checksum of chunk %zu does not match",
				 f->path, at, k);
	if (mask & NATIVE_TOKENS)
		mask = 1 << TAU_IDS;
	else if (mask & (1 << TAU_TIMES | 1 << TAU_IDS))	/* the one explains the other */
		mask |= 1 << TAU_TIMES | 1 << TAU_IDS;
	return columns_inflate(f, k, mask, c, e);
}

int native_file_load(struct native_file *f, size_t k, unsigned mask, struct native_columns *c,
		     struct error *e)
{
	if (native_file_chunk(f, k)->live) {
		c->head = f->live_columns.head;
		c->listed = 0;
		for (int i = 0; i < TAU_COLUMNS; i++) {
			native_column_reserve(c, i, f->live_columns.length[i]);
			memcpy(c->data[i], f->live_columns.data[i], f->live_columns.length[i]);
		}
		return 0;
	}
	if (native_file_wake(f))
		return error_set(e, ERROR_SYSTEM, "%s: %s", f->path, strerror(errno));
	return load_sealed(f, k, mask, c, e);
}

int native_file_load_rest(struct native_file *f, size_t k, struct native_columns *c,
			  struct error *e)
{
	if (native_file_chunk(f, k)->live)
		return 0;
	return columns_inflate(f, k, 1 << TAU_TIMES | 1 << TAU_ARGS, c, e);
}

void native_columns_release(struct native_columns *c)
{
	for (int i = 0; i < TAU_COLUMNS; i++)
		free(c->data[i]);
	free(c->packed);
	free(c->times);
	inflater_free(c->inflater);
	memset(c, 0, sizeof(*c));
}
