/*
 * huffman.c: prefix codes for deflate blocks, and the head of a block that describes them (RFC 1951,
 * section 3.2.7).
 */
#include "record/encode/codes.h"

#include <string.h>

/* Shell's sort. */
void keys_sort(uint32_t *key, int n)
{
	static const int gaps[] = {57, 23, 10, 4, 1};

	for (unsigned g = 0; g < sizeof(gaps) / sizeof(*gaps); g++)
		for (int i = gaps[g]; i < n; i++) {
			uint32_t k = key[i];
			int at = i;

			for (; at >= gaps[g] && key[at - gaps[g]] > k; at -= gaps[g])
				key[at] = key[at - gaps[g]];
			key[at] = k;
		}
}

/*
 * Sorts keys count << 9 | symbol by their counts, ascending and stable: by eight bits of the count
 * at a time, which needs no unpredictable branches. There are at most a few hundred.
 */
static void sort_counts(uint32_t *key, int n)
{
	uint32_t other[LITERALS], most = 0;

	for (int i = 0; i < n; i++)
		most |= key[i];
	for (unsigned shift = 9; most >> shift; shift += 8) {
		uint16_t at[256] = {0}, sum = 0;

		for (int i = 0; i < n; i++)
			at[key[i] >> shift & 255]++;
		for (int k = 0; k < 256; k++) {
			uint16_t here = at[k];

			at[k] = sum;
			sum += here;
		}
		for (int i = 0; i < n; i++)
			other[at[key[i] >> shift & 255]++] = key[i];
		memcpy(key, other, (size_t)n * sizeof(*key));
	}
}

/* Symbols that occur, rarest first, as keys count << 9 | symbol. Those that occur once, often most of them, need no
 * sorting. */
static int keys_make(const uint32_t *count, int n, uint32_t *key)
{
	int used = 0, once;

	for (int s = 0; s < n; s++)
		if (count[s] == 1)
			key[used++] = 1u << 9 | (uint32_t)s;
	once = used;
	for (int s = 0; s < n; s++)
		if (count[s] > 1)
			key[used++] = count[s] << 9 | (uint32_t)s;
	sort_counts(key + once, used - once);
	return used;
}

/*
 * Huffman's tree with two queues: leaves in order of their counts, and inner nodes in the order in
 * which they are made. of_depth[]: the number of leaves per depth; deeper ones count as `longest`.
 */
static void tree_depths(const uint32_t *key, int used, unsigned longest, uint32_t *of_depth)
{
	uint32_t weight[2 * LITERALS];
	uint16_t parent[2 * LITERALS];
	uint8_t depth[2 * LITERALS];
	int leaf = 0, inner = used, next = used;

	for (int i = 0; i < used; i++)
		weight[i] = key[i] >> 9;
	while (next < 2 * used - 1) {
		int child[2];

		for (int k = 0; k < 2; k++)
			child[k] = inner >= next || (leaf < used && weight[leaf] <= weight[inner])
					   ? leaf++
					   : inner++;
		weight[next] = weight[child[0]] + weight[child[1]];
		parent[child[0]] = parent[child[1]] = (uint16_t)next++;
	}
	depth[next - 1] = used == 1;
	for (int i = next - 2; i >= 0; i--)
		depth[i] = (uint8_t)(depth[parent[i]] + 1);
	for (int i = 0; i < used; i++)
		of_depth[depth[i] < longest ? depth[i] : longest]++;
}

/*
 * After limiting depths to `longest`, the codes exceed the code space (a code of n bits takes 2^-n of
 * it): until they fit, one of the deepest leaves becomes the sibling of a leaf that moves down.
 */
static void depths_mend(uint32_t *of_depth, unsigned longest)
{
	uint32_t sum = 0;

	for (unsigned i = 1; i <= longest; i++)
		sum += of_depth[i] << (longest - i);
	for (; sum > 1u << longest; sum--) {
		unsigned i = longest - 1;

		while (!of_depth[i])
			i--;
		of_depth[longest]--;
		of_depth[i]--;
		of_depth[i + 1] += 2;
	}
}

/* The n lowest bits in the opposite order. */
static uint32_t reverse(uint32_t code, unsigned n)
{
	code = (code >> 1 & 0x5555) | (code & 0x5555) << 1;
	code = (code >> 2 & 0x3333) | (code & 0x3333) << 2;
	code = (code >> 4 & 0x0f0f) | (code & 0x0f0f) << 4;
	code = (code >> 8 & 0x00ff) | (code & 0x00ff) << 8;
	return code >> (16 - n);
}

void codes_make(const uint32_t *count, int n, unsigned longest, uint32_t *code)
{
	uint32_t key[LITERALS], of_length[16] = {0}, next[16] = {0};
	uint8_t length[LITERALS] = {0};
	int used = keys_make(count, n, key), at = 0;

	if (used) {
		tree_depths(key, used, longest, of_length);
		depths_mend(of_length, longest);
	}
	for (unsigned i = longest; i > 0; i--)
		for (uint32_t k = 0; k < of_length[i]; k++)
			length[key[at++] & 511] = (uint8_t)i;
	/* Canonical codes of RFC 1951, section 3.2.2. */
	for (int i = 1; i < 16; i++)
		next[i] = (next[i - 1] + of_length[i - 1]) << 1;
	for (int s = 0; s < n; s++)
		code[s] = length[s] ? reverse(next[length[s]]++, length[s]) << 8 | length[s] : 0;
}

/* The code lengths in the alphabet of section 3.2.7: 0 to 15 a length, 16 to 18 repetitions, whose
 * number is in the bits above 5. */
static int length_symbols(const uint8_t *length, int n, uint16_t *symbol)
{
	int out = 0;

	for (int i = 0; i < n;) {
		int run = 1;

		while (i + run < n && length[i + run] == length[i])
			run++;
		if (!length[i] && run >= 3) {
			run = run > 138 ? 138 : run;
			symbol[out++] =
				(uint16_t)(run < 11 ? 17 | (run - 3) << 5 : 18 | (run - 11) << 5);
			i += run;
			continue;
		}
		symbol[out++] = length[i++];
		for (run--; run >= 3; run -= run > 6 ? 6 : run) {
			int now = run > 6 ? 6 : run;

			symbol[out++] = (uint16_t)(16 | (now - 3) << 5);
			i += now;
		}
	}
	return out;
}

void codes_put(struct bits *b, const uint32_t literal[LITERALS], const uint32_t distance[DISTANCES],
	       bool last)
{
	static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
					  11, 4,  12, 3, 13, 2, 14, 1, 15};
	static const uint8_t extra[19] = {[16] = 2, [17] = 3, [18] = 7};
	int literals = LITERALS, distances = DISTANCES, symbols, lengths_n = 19;
	uint8_t length[LITERALS + DISTANCES];
	uint16_t symbol[LITERALS + DISTANCES];
	uint32_t count[19] = {0}, code[19];

	while (literals > 257 && !literal[literals - 1])
		literals--;
	while (distances > 1 && !distance[distances - 1])
		distances--;
	for (int i = 0; i < literals; i++)
		length[i] = (uint8_t)literal[i];
	for (int i = 0; i < distances; i++)
		length[literals + i] = (uint8_t)distance[i];
	symbols = length_symbols(length, literals + distances, symbol);
	for (int i = 0; i < symbols; i++)
		count[symbol[i] & 31]++;
	codes_make(count, 19, 7, code);
	while (lengths_n > 4 && !code[order[lengths_n - 1]])
		lengths_n--;
	bits_put(b, last | 2 << 1, 3);
	bits_put(b, (uint64_t)literals - 257, 5);
	bits_put(b, (uint64_t)distances - 1, 5);
	bits_put(b, (uint64_t)lengths_n - 4, 4);
	bits_store(b);
	for (int i = 0; i < lengths_n; i++) {
		bits_put(b, code[order[i]] & 0xff, 3);
		bits_store(b);
	}
	for (int i = 0; i < symbols; i++) {
		code_put(b, code[symbol[i] & 31]);
		bits_put(b, symbol[i] >> 5, extra[symbol[i] & 31]);
		bits_store(b);
	}
}
