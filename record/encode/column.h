/*
 * column.h: stores the columns of a chunk. Each function writes to `out`, enters the sizes into the header and returns
 * the end of what it wrote.
 */
#ifndef COLUMN_H
#define COLUMN_H

#include "record/format.h"

#include <stddef.h>
#include <stdint.h>

struct codec;
uint8_t *column_store(struct codec *codec, struct tau_chunk_header *h, enum tau_column c, const uint8_t *bytes, size_t n,
		      uint8_t *out);
uint8_t *args_store(struct codec *codec, struct tau_chunk_header *h, const uint8_t *bytes, size_t n, uint8_t *out);
/* Columns TIMES and IDS of the header's number of live records, and its layout. planes: work, of records_work(n) bytes. */
uint8_t *records_store(struct codec *codec, struct tau_chunk_header *h, const uint8_t *records, uint8_t *planes, uint8_t *out);
size_t column_work_size(void);
static inline size_t records_work(size_t n)
{
	return 4 * n + 1024;
}

#endif
