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

/* The next 8 bytes, wherever they lie. */
static inline uint64_t bytes8(const uint8_t *bytes)
{
	uint64_t v;

	__builtin_memcpy(&v, bytes, 8);
	return v;
}

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

void keys_sort(uint32_t *key, int n);	/* ascending; for a few hundred at most */

/*
 * The best codes for n <= LITERALS symbols that occur count[] < 2^22 times, none longer than
 * `longest`. A single symbol gets a code of one bit.
 */
void codes_make(const uint32_t *count, int n, unsigned longest, uint32_t *code);

/* Head of a block with these codes. */
void codes_put(struct bits *b, const uint32_t literal[LITERALS], const uint32_t distance[DISTANCES],
	       bool last);

/*
 * literals.c: a block, not the last, of n literals only. `end`: of the room. false: it would not fit. Where nearly all
 * are the same they do not pay: a matcher does better than one bit a symbol.
 */
bool literals_pay(const uint8_t *in, uint32_t n);
bool literals_block(struct bits *b, const uint8_t *in, uint32_t n, const uint8_t *end);

/*
 * matches.c: the last block of a stream. Repetitions of tokens are looked for once, and hold for what is written of them: two
 * planes, or n numbers, behind which `list` bytes stand. The writers: false: it would not fit.
 */
#define REPEAT_MOST 49152 /* elements */
struct repeat_work;
#define REPEAT_WORK 262144 /* bytes of one, at most */
/* Literals, then a repetition of what stood `distance` elements before; length 0: there is none, at
 * the end. */
struct run {
	uint16_t literals, length, distance;
};
bool repeat_find(struct repeat_work *w, const uint8_t *tokens, uint32_t n);	/* false: too many */
const struct run *repeat_runs(const struct repeat_work *w, uint32_t *n);	/* what was found */
bool repeat_tokens(struct bits *b, const uint8_t *tokens, const uint8_t *end,
		   struct repeat_work *w);
bool repeat_numbers(struct bits *b, const uint8_t *numbers, uint32_t n, uint32_t list,
		    const uint8_t *end, struct repeat_work *w);	/* once */
/* The same for bytes, of which only zeros repeat; also false: they are too many. */
bool repeat_zeros(struct bits *b, const uint8_t *bytes, uint32_t n, const uint8_t *end,
		  struct repeat_work *w);

/*
 * Bytes that repeat themselves nearly all the time, as long_repeats.c finds; also false: they do not, which is most often seen at once.
 */
bool repeat_cycles(struct bits *b, const uint8_t *bytes, uint32_t n, const uint8_t *end,
		   struct repeat_work *w);
/* long_repeats.c: the runs of n bytes, at most `most`, of which the last is of literals; 0: too many, or it does not pay. */
#define CYCLE_MOST 131071
uint32_t cycle_runs(const uint8_t *bytes, uint32_t n, struct run *run, uint32_t most);

/*
 * byte_tokens.c: the records of a chunk whose tokens are few: numbers of one byte, and times in two groups (format.h,
 * TAU_LAYOUT_NUMBERS).
 */
#define NUMBERS_MOST 255	/* different tokens */
#define NUMBERS_LEAST 1024	/* records for which it pays */
struct numbers_work;
#define NUMBERS_WORK 98304	/* bytes of one, at most; zeros before its first use */
/*
 * Makes the n >= NUMBERS_LEAST tokens of these runs numbers, in place, with the list behind them, which says the groups that suit
 * these times (NULL: all are 0). How many tokens it has; 0: they are too many, and nothing was changed.
 */
uint32_t numbers_make(uint8_t *tokens, uint32_t n, const struct run *run, uint32_t runs,
		      const uint8_t *times, struct numbers_work *w);
/*
 * Writes low bytes of times to grouped[n], by what the list of `listed` tokens says: those of group 0, then those of group 1
 * from the back on. How many are of group 0; n: all, and the list says so now, because one of the groups had too few.
 */
uint32_t numbers_group(uint8_t *numbers, uint32_t n, uint32_t listed, const uint8_t *times,
		       uint8_t *grouped);

#endif
