/*
 * huffman.c: a deflate block of literals only (RFC 1951, dynamic Huffman codes), for the low bytes
 * of the times.
 *
 * Times are noise to a matcher: on sqlite's benchmark ISA-L spends 2.9 ns an event to look for
 * repetitions and stores 0.33 B, while their entropy is 0.21 B. Coding symbols alone comes close to
 * that in a third of the time, and no library at hand does it fast (zlib's Z_HUFFMAN_ONLY takes
 * three times ISA-L's time).
 *
 * Code lengths stay within 14 bits, so that four symbols fit the bit buffer between two stores.
 */
#include "core.h"

#include <string.h>

#define SYMBOLS 257		/* literals and the end of the block */
#define LONGEST 14

struct bits {
	uint64_t hold;
	unsigned n;
	uint8_t *p;
};

static inline void bits_put(struct bits *b, uint32_t value, unsigned n)
{
	b->hold |= (uint64_t)value << b->n;
	b->n += n;
}

/* Stores whole bytes; writes 8 bytes at p, of which the last are overwritten later. */
static inline void bits_store(struct bits *b)
{
	memcpy(b->p, &b->hold, 8);
	b->p += b->n >> 3;
	b->hold >>= b->n & ~7u;
	b->n &= 7;
}

/*
 * Counts every fourth symbol, which tells the distribution well enough; every symbol gets a code, since those passed
 * over may be any. Four tables, because a byte that repeats would wait for its own counter.
 */
static void count_symbols(const uint8_t *in, uint32_t n, uint32_t count[SYMBOLS])
{
	uint32_t part[4][256] = {{0}};

	for (uint32_t i = 0; i + 16 <= n; i += 16) {
		part[0][in[i]]++;
		part[1][in[i + 4]]++;
		part[2][in[i + 8]]++;
		part[3][in[i + 12]]++;
	}
	for (int s = 0; s < 256; s++)
		count[s] = 1 + 8 * (part[0][s] + part[1][s] + part[2][s] + part[3][s]);
	count[256] = 1;
}

/* Symbols that occur, rarest first (insertion into a sorted list: there are few hundred at most).
 */
static int sort_symbols(const uint32_t count[SYMBOLS], uint16_t order[SYMBOLS])
{
	int used = 0;

	for (int s = 0; s < SYMBOLS; s++) {
		int at = used;

		if (!count[s])
			continue;
		for (; at > 0 && count[order[at - 1]] > count[s]; at--)
			order[at] = order[at - 1];
		order[at] = (uint16_t)s;
		used++;
	}
	return used;
}

/*
 * Huffman's tree with two queues: leaves in order of their counts, and inner nodes in the order in
 * which they are made. Returns the longest code.
 */
static unsigned tree_lengths(const uint32_t count[SYMBOLS], const uint16_t *order, int used,
			     uint8_t length[SYMBOLS])
{
	uint32_t weight[2 * SYMBOLS];
	uint16_t parent[2 * SYMBOLS];
	uint8_t depth[2 * SYMBOLS] = { 0 };
	int leaf = 0, inner = used, next = used;
	unsigned longest = 0;

	for (int i = 0; i < used; i++)
		weight[i] = count[order[i]];
	while (next < 2 * used - 1) {
		int child[2];

		for (int k = 0; k < 2; k++)
			child[k] = inner >= next || (leaf < used && weight[leaf] <= weight[inner])
					   ? leaf++
					   : inner++;
		weight[next] = weight[child[0]] + weight[child[1]];
		parent[child[0]] = parent[child[1]] = (uint16_t)next++;
	}
	for (int i = next - 2; i >= 0; i--)
		depth[i] = (uint8_t)(depth[parent[i]] + 1);
	memset(length, 0, SYMBOLS);
	for (int i = 0; i < used; i++) {
		length[order[i]] = depth[i];
		longest = depth[i] > longest ? depth[i] : longest;
	}
	return longest;
}

/* Counts are flattened until no code is too long; only wildly skewed ones need it. */
static void code_lengths(uint32_t count[SYMBOLS], uint8_t length[SYMBOLS])
{
	uint16_t order[SYMBOLS];
	int used = sort_symbols(count, order);

	while (tree_lengths(count, order, used, length) > LONGEST)
		for (int i = 0; i < used; i++)
			count[order[i]] = (count[order[i]] + 1) / 2;
}

static uint32_t reverse(uint32_t code, unsigned n)
{
	uint32_t r = 0;

	while (n--) {
		r = r << 1 | (code & 1);
		code >>= 1;
	}
	return r;
}

/* Canonical codes of RFC 1951, section 3.2.2, bits reversed as they are written; code << 8 |
 * length. */
static void make_codes(const uint8_t length[SYMBOLS], uint32_t code[SYMBOLS])
{
	uint32_t of_length[16] = { 0 }, next[16] = { 0 };

	for (int s = 0; s < SYMBOLS; s++)
		of_length[length[s]]++;
	of_length[0] = 0;
	for (int n = 1; n < 16; n++)
		next[n] = (next[n - 1] + of_length[n - 1]) << 1;
	for (int s = 0; s < SYMBOLS; s++)
		code[s] = length[s] ? reverse(next[length[s]]++, length[s]) << 8 | length[s] : 0;
}

/*
 * Head of the block: not the last, dynamic codes, 257 literals and no distance. The code lengths 0
 * to 15 themselves are coded in 4 bits each, which costs a hundred bytes a chunk and needs no
 * second tree.
 */
static void put_head(struct bits *b, const uint8_t length[SYMBOLS])
{
	static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
					  11, 4,  12, 3, 13, 2, 14, 1, 15};

	bits_put(b, 0 | 2 << 1, 3);
	bits_put(b, 0, 5);
	bits_put(b, 0, 5);
	bits_put(b, 15, 4);
	bits_store(b);
	for (int i = 0; i < 19; i++) {
		bits_put(b, order[i] < 16 ? 4 : 0, 3);
		bits_store(b);
	}
	for (int s = 0; s < SYMBOLS; s++) {
		bits_put(b, reverse(length[s], 4), 4);
		bits_store(b);
	}
	bits_put(b, 0, 4);	/* the one distance code has no bits: there are none */
	bits_store(b);
}

/* Four symbols are joined before they meet the bit buffer, so that it waits for one of them only. */
static inline void put_four(struct bits *b, const uint32_t code[SYMBOLS], const uint8_t *in)
{
	uint64_t c0 = code[in[0]], c1 = code[in[1]], c2 = code[in[2]], c3 = code[in[3]];
	uint64_t low = c0 >> 8 | (c1 >> 8) << (c0 & 0xff), high = c2 >> 8 | (c3 >> 8)
										    << (c2 & 0xff);
	unsigned n = (unsigned)(c0 & 0xff) + (unsigned)(c1 & 0xff);

	b->hold |= (low | high << n) << b->n;
	b->n += n + (unsigned)(c2 & 0xff) + (unsigned)(c3 & 0xff);
}

uint32_t huffman_block(const uint8_t *in, uint32_t n, uint8_t *out, uint32_t room)
{
	uint32_t count[SYMBOLS], code[SYMBOLS], most = 0, i;
	struct bits b = {.p = out};
	const uint8_t *end = out + room - 64;
	uint8_t length[SYMBOLS];

	if (n < 1024 || room < 512)
		return 0;
	count_symbols(in, n, count);
	for (int s = 0; s < 256; s++)
		most = count[s] > most ? count[s] : most;
	if (most / 2 > n - n / 8)
		return 0; /* nearly all the same: a matcher does better than one bit a symbol */
	code_lengths(count, length);
	make_codes(length, code);
	put_head(&b, length);
	for (i = 0; i + 4 <= n && b.p < end; i += 4) {
		put_four(&b, code, in + i);
		bits_store(&b);
	}
	if (i + 4 <= n)
		return 0;
	for (; i < n; i++) {
		bits_put(&b, code[in[i]] >> 8, code[in[i]] & 0xff);
		bits_store(&b);
	}
	bits_put(&b, code[256] >> 8, code[256] & 0xff);
	bits_store(&b);
	/* An empty stored block ends on a byte, where another stream can follow. */
	bits_put(&b, 0, 3);
	b.n = (b.n + 7) & ~7u;
	bits_store(&b);
	memcpy(b.p, "\0\0\377\377", 4);
	return (uint32_t)(b.p + 4 - out);
}
