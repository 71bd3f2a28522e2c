/*
 * live_bytes.h: the live bytes of each memtype that a stream has added to the process.
 */
#ifndef LIVE_BYTES_H
#define LIVE_BYTES_H

#include <stdint.h>

struct stream;

/* What a stream has added to the live bytes of a memtype. */
struct live_level {
	int64_t bytes, blocks;
};

/* Blocks of one memtype and size: definition BLOCK. */
struct mem_block {
	uint64_t bytes;
	uint32_t memtype;
};

/* Value of net for a block that the file of the stream does not define, or that is not small. */
#define UNKNOWN INT64_MIN

/* Adds to what the stream contributed. */
void level_add(struct stream *s, uint32_t memtype, int64_t bytes, int64_t blocks);
/* Adds s->net to s->level. */
void block_settle(struct stream *s);

#endif
