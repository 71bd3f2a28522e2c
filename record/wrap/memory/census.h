/*
 * census.h: the walk over all live blocks (census.c), who owns a block (owner.c), and what it is by other object systems (foreign.c).
 */
#ifndef CENSUS_H
#define CENSUS_H

#include <stddef.h>
#include <stdint.h>

#include "census_read.h"

#pragma GCC visibility push(hidden)

/* All gates are taken inside. */
void census_run(void);
/* A number as metadata. */
void census_write(const char *name, uint64_t value);

struct census_block {
	uintptr_t address;
	size_t size;
	uint32_t node;		/* as reported so far */
	uint32_t now;		/* as found */
	uint32_t kind;		/* 0 = none */
	uint32_t label;		/* owner.c: class of the owner */
	uint32_t holder;	/* holder.c: node of what all ways to it lead through, 0 = none */
	uint32_t depth;		/* holder.c: least number of pointers from a global variable */
	uint16_t claim;		/* claim.c: class that points to all of its kind, 0 = none */
	uint16_t library;	/* whose code allocated it, as far as is known */
	uint8_t scanned, rooted;
};
/* The blocks that can contain an address of a page: those from low to before high. */
struct census_page {
	uintptr_t page;		/* its number plus one */
	uint32_t low, high;
};
struct census {
	struct census_block *at;	/* by address */
	struct census_page *page;	/* those looked for last; NULL: no memory, or not sorted yet */
	size_t n, room;
	size_t bytes_unread;	/* excluded from the scan */
	size_t edges;
	uint64_t agree, disagree;	/* owners by constructor and by graph */
	uint64_t of;		/* process that has searched for this one, 0: itself */
};
/* As census_read(), of a block: a part of a large one may be on pages that the program has protected. */
static inline size_t census_read_block(void *to, const struct census_block *b, size_t offset, size_t bytes)
{
	return census_read_data(to, b->address + offset, bytes);
}
/* Gives every block that can be attributed an owner (field now). */
void owner_find(struct census *c);
/* What one process finds is used by those that have the same blocks (share.c). */
enum share_part {
	SHARE_ALONE,	/* nothing is shared: search */
	SHARE_FIRST,	/* search, then share_publish() */
	SHARE_GIVEN,	/* types and owners are those that another process has found: field now */
};
/* The gates are held. Waits for another process of the host if that has the same blocks and searches. */
enum share_part share_begin(struct census *c);
void share_publish(const struct census *c);
/* The process ends: removes what it has shared. */
void share_end(void);
/* All live blocks, -1 without memory; then in order of address. The gates are held. */
int census_collect(struct census *c);
void census_sort(struct census *c);
void census_release(struct census *c);
/* The block that contains an address, or NULL. */
struct census_block *census_block_at(const struct census *c, uintptr_t address);
/*
 * May a word of the allocator's data that points into a block lead to what follows it? The GNU C library's free memory begins in the
 * last 8 bytes of the block before.
 */
static inline int census_is_rest(const struct census_block *b, uintptr_t word)
{
	return word > b->address && b->address + b->size - word <= 8 && word % 16 == 0;
}
/* Types blocks that are objects of C++ or CPython, or that rules identify (field now). */
void foreign_find(struct census *c);

#pragma GCC visibility pop
#endif
