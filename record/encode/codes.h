/*
 * codes.h: functions that the writers of deflate blocks share (RFC 1951): bits, prefix codes, and the
 * head of a block with dynamic codes.
 *
 * No function here allocates, fails, or accesses anything but its arguments.
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

/* The next 8 bytes, at any alignment. */
static inline uint64_t bytes8(const uint8_t *bytes)
{
	uint64_t v;

	__builtin_memcpy(&v, bytes, 8);
	return v;
}

/* A writer of bits: `hold` contains those not stored yet, the first of them lowest. p: the place of the next whole bytes. */
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

/* Stores whole bytes; writes 8 bytes at p, of which the last are overwritten later. Afterwards less
 * than 8 bits are in `hold`. */
static inline void bits_store(struct bits *b)
{
	__builtin_memcpy(b->p, &b->hold, 8);
	b->p += b->n >> 3;
	b->hold >>= b->n & ~7u;
	b->n &= 7;
}

/* Writes a code. A code contains its bits in the order in which they are written, << 8, and their
 * number; 0: the symbol has no code. */
static inline void code_put(struct bits *b, uint32_t code)
{
	bits_put(b, code >> 8, code & 0xff);
}

void keys_sort(uint32_t *key, int n);	/* ascending; for at most a few hundred keys */

/*
 * The best codes for n <= LITERALS symbols that occur count[] < 2^22 times, none longer than
 * `longest`. A single symbol gets a code of one bit.
 */
void codes_make(const uint32_t *count, int n, unsigned longest, uint32_t *code);

/* Writes the head of a block with these codes. */
void codes_put(struct bits *b, const uint32_t literal[LITERALS], const uint32_t distance[DISTANCES],
	       bool last);

/*
 * literals.c: writes a block, not the last, of n literals only. `end`: end of the buffer. false: it would not fit.
 * literals_pay(): false if nearly all symbols are equal: then a matcher needs less than one bit per symbol.
 */
bool literals_pay(const uint8_t *in, uint32_t n);
bool literals_block(struct bits *b, const uint8_t *in, uint32_t n, const uint8_t *end);

/*
 * matches.c: writes the last block of a deflate stream. Repetitions of tokens are searched once, and used for what is written of
 * the tokens: two planes, or n numbers followed by `list` bytes. The writers return false if the block would not fit.
 */
#define REPEAT_MOST 49152 /* elements */
struct repeat_work;
#define REPEAT_WORK 262144 /* maximum size of struct repeat_work in bytes */
/* Literals, then a repetition of `length` elements from `distance` elements before; length 0: none,
 * at the end. */
struct run {
	uint16_t literals, length, distance;
};
bool repeat_find(struct repeat_work *w, const uint8_t *tokens, uint32_t n);	/* false: too many */
const struct run *repeat_runs(const struct repeat_work *w, uint32_t *n);	/* what was found */
bool repeat_tokens(struct bits *b, const uint8_t *tokens, const uint8_t *end,
		   struct repeat_work *w);
bool repeat_numbers(struct bits *b, const uint8_t *numbers, uint32_t n, uint32_t list,
		    const uint8_t *end, struct repeat_work *w);	/* once */
/* The same for bytes, of which only runs of zeros are repetitions; also false: there are too many runs. */
bool repeat_zeros(struct bits *b, const uint8_t *bytes, uint32_t n, const uint8_t *end,
		  struct repeat_work *w);

/*
 * Bytes that consist almost only of long repetitions (long_repeats.c); also false: they do not, which is usually detected early.
 */
bool repeat_cycles(struct bits *b, const uint8_t *bytes, uint32_t n, const uint8_t *end,
		   struct repeat_work *w);
/* long_repeats.c: finds the runs of n bytes, at most `most`; the last contains literals only. 0: too many, or no gain. */
#define CYCLE_MOST 131071
uint32_t cycle_runs(const uint8_t *bytes, uint32_t n, struct run *run, uint32_t most);

/*
 * byte_tokens.c: encodes the records of a chunk with few different tokens: numbers of one byte, and times in two groups
 * (format.h, TAU_LAYOUT_NUMBERS).
 */
#define NUMBERS_MOST 255	/* different tokens */
#define NUMBERS_LEAST 1024	/* records for which it pays */
struct numbers_work;
#define NUMBERS_WORK 98304	/* maximum size of struct numbers_work in bytes; must be zeros before its first use */
/*
 * Replaces the n >= NUMBERS_LEAST tokens of these runs by numbers, in place, followed by the list of tokens with the best groups
 * for these times (NULL: all groups are 0). Returns the length of the list; 0: too many tokens, and nothing was changed.
 */
uint32_t numbers_make(uint8_t *tokens, uint32_t n, const struct run *run, uint32_t runs,
		      const uint8_t *times, struct numbers_work *w);
/*
 * Writes the low bytes of times to grouped[n], by the groups in the list of `listed` tokens: group 0 from the front, group 1 from
 * the back. Returns the number in group 0; n: all, and the list was changed accordingly, because one group had too few.
 */
uint32_t numbers_group(uint8_t *numbers, uint32_t n, uint32_t listed, const uint8_t *times,
		       uint8_t *grouped);

#endif
