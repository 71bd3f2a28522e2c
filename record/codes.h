/*
 * codes.h: what the writers of deflate blocks share (RFC 1951): bits, prefix codes, and the head of
 * a block with dynamic codes.
 *
 * Nothing here allocates, fails, or touches what is not passed.
 */
#ifndef CODES_H
#define CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LITERALS     286 /* literals, the end of the block, lengths */
#define END_OF_BLOCK 256
#define DISTANCES    30
#define LONGEST_CODE 14 /* so that four symbols fit the bit buffer between two stores */

/* Bits wait in `hold`, the first of them lowest. p: where the next whole bytes go. */
struct bits {
	uint64_t hold;
	unsigned n;
	uint8_t *p;
};

static inline void bits_put(struct bits *b, uint64_t value, unsigned n)
{
	b->hold |= value << b->n;
	b->n += n;
}

/* Stores whole bytes; writes 8 bytes at p, of which the last are overwritten later. Then less than
 * 8 bits wait. */
static inline void bits_store(struct bits *b)
{
	__builtin_memcpy(b->p, &b->hold, 8);
	b->p += b->n >> 3;
	b->hold >>= b->n & ~7u;
	b->n &= 7;
}

/* A code as the writers want it: its bits in the order in which they are written, << 8, and their
 * number; 0: there is none. */
static inline void code_put(struct bits *b, uint32_t code)
{
	bits_put(b, code >> 8, code & 0xff);
}

/*
 * The best codes for n <= LITERALS symbols that occur count[] < 2^22 times, none longer than
 * `longest`. A single symbol gets a code of one bit.
 */
void codes_make(const uint32_t *count, int n, unsigned longest, uint32_t *code);

/* Head of a block with these codes. */
void codes_put(struct bits *b, const uint32_t literal[LITERALS], const uint32_t distance[DISTANCES],
	       bool last);

/* literal.c: a block, not the last, of n literals only. `end`: of the room. false: it would not
 * pay, or not fit. */
bool literals_block(struct bits *b, const uint8_t *in, uint32_t n, const uint8_t *end);

/*
 * repeat.c: the last block of a stream: all bytes of the planes, one plane after the other.
 * Repetitions are those of `n` elements (16 bit tokens, in two planes, or bytes, in one), so that
 * they are looked for once.
 */
#define REPEAT_MOST 32768 /* elements; a distance cannot be larger */
struct repeat_work;
size_t repeat_work_size(void);
/* Both false: it would not fit. */
bool repeat_tokens(struct bits *b, const uint8_t *tokens, uint32_t n, const uint8_t *end,
		   struct repeat_work *w);
bool repeat_zeros(struct bits *b, const uint8_t *bytes, uint32_t n, const uint8_t *end,
		  struct repeat_work *w);

#endif
