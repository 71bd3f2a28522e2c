/*
 * matches.c: writes a deflate block with repetitions: of the tokens of a chunk, of zeros, and of arguments (long_repeats.c).
 *
 * Programs repeat themselves: on sqlite's benchmark a repetition is a hundred tokens long. The search
 * compares the last places that begin with the same four tokens, and uses the longest repetition. It can
 * compare many places because it runs rarely: tokens inside a repetition are not searched, and only its
 * ends are stored. The block contains numbers of one byte (byte_tokens.c); or, if a chunk has too many
 * different tokens for that, two planes with the same repetitions.
 */
#include "record/encode/codes.h"
#include "record/format.h"

#include <string.h>

/* Inlined, so that the number of planes is a constant and the bits are in registers. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

enum {
	LEAST = 6,	 /* tokens of a repetition */
	CANDIDATES = 16, /* places that are compared */
	TAIL = 16,	 /* no repetition begins in the last TAIL tokens */
	HASH_BITS = 12,
	WINDOW = 32768, /* no distance is larger */
	LONGEST_MATCH = 258,
	LEAST_OF_LIST = 4,
	RUNS = REPEAT_MOST / LEAST + 1 + 3 * NUMBERS_MOST / LEAST_OF_LIST,
	NOWHERE = 0xffff,
};

struct repeat_work {
	uint16_t last[1 << HASH_BITS]; /* per hash: the place stored last */
	struct {
		uint16_t at, before; /* before: the place stored before it, with the same hash */
	} place[REPEAT_MOST];
	uint32_t places;
	struct run run[RUNS + 1];
	uint32_t runs;
	uint32_t count[LITERALS], literal[LITERALS];
	uint32_t distance_count[DISTANCES], distance[DISTANCES];
};

_Static_assert(sizeof(struct repeat_work) <= REPEAT_WORK, "callers have so much room");

/* ---- finding repetitions ---- */

/* Eight bytes: four tokens. */
static inline uint64_t four(const uint8_t *tokens, uint32_t i)
{
	return bytes8(tokens + 2 * i);
}

static inline uint32_t hash(const uint8_t *tokens, uint32_t i)
{
	return (uint32_t)(four(tokens, i) * 0x9e3779b185ebca87u >> (64 - HASH_BITS));
}

/* The number of equal tokens at i and `from`; at most n - i. */
static inline uint32_t match_length(const uint8_t *tokens, uint32_t from, uint32_t i, uint32_t n)
{
	uint32_t at = i;

	for (; at + 16 <= n; at += 16) {
		const uint8_t *a = tokens + 2 * at, *b = tokens + 2 * (from + (at - i));

		if ((four(a, 0) ^ four(b, 0)) | (four(a, 4) ^ four(b, 4)) |
		    (four(a, 8) ^ four(b, 8)) | (four(a, 12) ^ four(b, 12)))
			break;
	}
	for (; at + 4 <= n; at += 4) {
		uint64_t differ = four(tokens, at) ^ four(tokens, from + (at - i));

		if (differ)
			return at - i + (uint32_t)__builtin_ctzll(differ) / 16;
	}
	while (at < n && !memcmp(tokens + 2 * at, tokens + 2 * (from + (at - i)), 2))
		at++;
	return at - i;
}

/* Stores a place; each at most once. */
static inline void remember(struct repeat_work *w, const uint8_t *tokens, uint32_t i)
{
	uint16_t *last = &w->last[hash(tokens, i)];

	w->place[w->places].at = (uint16_t)i;
	w->place[w->places].before = *last;
	*last = (uint16_t)w->places++;
}

/* The length of the longest repetition at i, and in *from the nearest place with it; 0: none. */
static inline uint32_t match_find(const struct repeat_work *w, const uint8_t *tokens, uint32_t i,
				  uint32_t n, uint32_t *from)
{
	uint32_t best = LEAST - 1, place = w->last[hash(tokens, i)];

	for (int k = 0; k < CANDIDATES && place != NOWHERE; k++) {
		uint32_t at = w->place[place].at, length;

		if (i - at > WINDOW || i + best >= n)
			break;
		place = w->place[place].before;
		/* A longer repetition includes these tokens. */
		if (four(tokens, at + best - 3) != four(tokens, i + best - 3))
			continue;
		length = match_length(tokens, at, i, n);
		if (length > best) {
			best = length;
			*from = at;
		}
	}
	return best >= LEAST ? best : 0;
}

static void runs_of_tokens(struct repeat_work *w, const uint8_t *tokens, uint32_t n)
{
	uint32_t last = n > TAIL ? n - TAIL : 0, i = 0, begin = 0, from = 0;

	memset(w->last, 0xff, sizeof(w->last));
	w->places = 0;
	w->runs = 0;
	while (i < last) {
		uint32_t length = match_find(w, tokens, i, n, &from), end = i + length;

		remember(w, tokens, i);
		if (!length) {
			i++;
			continue;
		}
		w->run[w->runs++] =
			(struct run){(uint16_t)(i - begin), (uint16_t)length, (uint16_t)(i - from)};
		/* Later repetitions usually begin near the ends of this one. */
		for (uint32_t k = 1; k <= 2; k++) {
			if (i + k < last)
				remember(w, tokens, i + k);
			if (end - k < last)
				remember(w, tokens, end - k);
		}
		i = begin = end;
	}
	w->run[w->runs++] = (struct run){(uint16_t)(n - begin), 0, 0};
}

/* The first zero byte from i on; n if there is none. Tests eight at once: the lowest bit that is left is the first. */
static uint32_t next_zero(const uint8_t *bytes, uint32_t i, uint32_t n)
{
	for (; i + 8 <= n; i += 8) {
		uint64_t v = bytes8(bytes + i),
			 zeros = (v - 0x0101010101010101u) & ~v & 0x8080808080808080u;

		if (zeros)
			return i + (uint32_t)__builtin_ctzll(zeros) / 8;
	}
	while (i < n && bytes[i])
		i++;
	return i;
}

/* The first byte from i on that is not zero. */
static uint32_t next_other(const uint8_t *bytes, uint32_t i, uint32_t n)
{
	for (; i + 32 <= n; i += 32)
		if (bytes8(bytes + i) | bytes8(bytes + i + 8) | bytes8(bytes + i + 16) |
		    bytes8(bytes + i + 24))
			break;
	for (; i + 8 <= n; i += 8) {
		uint64_t v = bytes8(bytes + i);

		if (v)
			return i + (uint32_t)__builtin_ctzll(v) / 8;
	}
	while (i < n && !bytes[i])
		i++;
	return i;
}

/* A run of zeros repeats the zero before it; there is room for all runs because each has at least LEAST bytes.
 */
static void runs_of_zeros(struct repeat_work *w, const uint8_t *bytes, uint32_t n)
{
	uint32_t i = 0, begin = 0;

	w->runs = 0;
	while (i < n) {
		uint32_t zero = next_zero(bytes, i, n), end = next_other(bytes, zero, n);

		if (end - zero > LEAST) {
			w->run[w->runs++] = (struct run){(uint16_t)(zero + 1 - begin),
							 (uint16_t)(end - zero - 1), 1};
			begin = end;
		}
		i = end;
	}
	w->run[w->runs++] = (struct run){(uint16_t)(n - begin), 0, 0};
}

/* ---- writing them ---- */

/* A length or a distance as symbol and further bits. */
struct match_symbol {
	uint32_t symbol, bits;
	uint64_t value;
};

static inline struct match_symbol symbol_of_length(uint32_t length)
{
	uint32_t x = length - 3, bits;

	if (x < 8 || length == LONGEST_MATCH)
		return (struct match_symbol){length == LONGEST_MATCH ? 285 : 257 + x, 0, 0};
	bits = 31 - 2 - (uint32_t)__builtin_clz(x);
	return (struct match_symbol){257 + 4 + 4 * bits + (x >> bits & 3), bits,
				     x & ((1u << bits) - 1)};
}

static inline struct match_symbol symbol_of_distance(uint32_t distance)
{
	uint32_t x = distance - 1, bits;

	if (x < 4)
		return (struct match_symbol){x, 0, 0};
	bits = 31 - 1 - (uint32_t)__builtin_clz(x);
	return (struct match_symbol){2 + 2 * bits + (x >> bits & 1), bits, x & ((1u << bits) - 1)};
}

/* The length of the next part of a repetition, so that the rest is not too short. */
static inline uint32_t piece_of(uint32_t length)
{
	return length <= LONGEST_MATCH      ? length
	       : length < LONGEST_MATCH + 3 ? length - 3
					    : LONGEST_MATCH;
}

/* Counts the symbols of all planes; the repetitions are the same in each. */
static ALWAYS_INLINE void count_planes(struct repeat_work *w, const uint8_t *bytes, unsigned planes)
{
	for (const struct run *r = w->run; r < w->run + w->runs; r++) {
		for (uint32_t k = 0; k < r->literals * planes; k++)
			w->count[bytes[k]]++;
		bytes += (uint32_t)(r->literals + r->length) * planes;
		if (r->length)
			w->distance_count[symbol_of_distance(r->distance).symbol] += planes;
		for (uint32_t left = r->length; left; left -= piece_of(left))
			w->count[symbol_of_length(piece_of(left)).symbol] += planes;
	}
}

static ALWAYS_INLINE void put_match(struct bits *b, const struct repeat_work *w, uint32_t length,
				    struct match_symbol distance)
{
	struct match_symbol s = symbol_of_length(length);

	code_put(b, w->literal[s.symbol]);
	bits_put(b, s.value, s.bits);
	code_put(b, w->distance[distance.symbol]);
	bits_put(b, distance.value, distance.bits);
	bits_store(b);
}

/* Four codes fit the bits between two stores. */
static ALWAYS_INLINE void put_literals(struct bits *b, const struct repeat_work *w,
				       const uint8_t *bytes, uint32_t n, unsigned stride)
{
	for (; n >= 4; n -= 4, bytes += 4 * stride) {
		for (unsigned k = 0; k < 4; k++)
			code_put(b, w->literal[bytes[k * stride]]);
		bits_store(b);
	}
	for (; n; n--, bytes += stride)
		code_put(b, w->literal[*bytes]);
	bits_store(b);
}

static ALWAYS_INLINE bool put_plane(struct bits *b, const struct repeat_work *w,
				    const uint8_t *bytes, unsigned stride, const uint8_t *end)
{
	for (const struct run *r = w->run; r < w->run + w->runs; r++) {
		struct match_symbol distance = {0};

		/* Two bytes per literal, and six per part of a repetition. */
		if (end - b->p < 2 * r->literals + 6 * (r->length / (LONGEST_MATCH - 3) + 1) + 16)
			return false;
		put_literals(b, w, bytes, r->literals, stride);
		bytes += (uint32_t)(r->literals + r->length) * stride;
		if (r->length)
			distance = symbol_of_distance(r->distance);
		for (uint32_t left = r->length; left; left -= piece_of(left))
			put_match(b, w, piece_of(left), distance);
	}
	return true;
}

/* Writes the block: the runs of the elements, once per plane. */
static ALWAYS_INLINE bool put_block(struct bits *b, struct repeat_work *w, const uint8_t *bytes,
				    unsigned planes, const uint8_t *end)
{
	struct bits out;

	if (end - b->p < 512)
		return false;
	memset(w->count, 0, sizeof(w->count));
	memset(w->distance_count, 0, sizeof(w->distance_count));
	count_planes(w, bytes, planes);
	w->count[END_OF_BLOCK] = 1;
	codes_make(w->count, LITERALS, LONGEST_CODE, w->literal);
	codes_make(w->distance_count, DISTANCES, LONGEST_CODE, w->distance);
	codes_put(b, w->literal, w->distance, true);
	out = *b;
	for (unsigned p = 0; p < planes; p++)
		if (!put_plane(&out, w, bytes + p, planes, end))
			return false;
	code_put(&out, w->literal[END_OF_BLOCK]);
	out.n = (out.n + 7) & ~7u;
	bits_store(&out);
	*b = out;
	return true;
}

/* The runs of the list that follows the tokens: equal bytes repeat the byte before. */
static void runs_of_list(struct repeat_work *w, const uint8_t *list, uint32_t n)
{
	struct run *r = &w->run[w->runs - 1];

	for (uint32_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && list[end] == list[i];)
			end++;
		if (end - i <= LEAST_OF_LIST) {
			r->literals += (uint16_t)(end - i);
			continue;
		}
		r->literals++;
		r->length = (uint16_t)(end - i - 1);
		r->distance = 1;
		*++r = (struct run){0, 0, 0};
	}
	w->runs = (uint32_t)(r - w->run) + 1;
}

bool repeat_find(struct repeat_work *w, const uint8_t *tokens, uint32_t n)
{
	if (n > REPEAT_MOST)
		return false;
	runs_of_tokens(w, tokens, n);
	return true;
}

const struct run *repeat_runs(const struct repeat_work *w, uint32_t *n)
{
	*n = w->runs;
	return w->run;
}

bool repeat_tokens(struct bits *b, const uint8_t *tokens, const uint8_t *end,
		   struct repeat_work *w)
{
	return put_block(b, w, tokens, 2, end);
}

bool repeat_numbers(struct bits *b, const uint8_t *numbers, uint32_t n, uint32_t list,
		    const uint8_t *end, struct repeat_work *w)
{
	runs_of_list(w, numbers + n, list);
	return put_block(b, w, numbers, 1, end);
}

bool repeat_zeros(struct bits *b, const uint8_t *bytes, uint32_t n, const uint8_t *end,
		  struct repeat_work *w)
{
	if (n > REPEAT_MOST)
		return false;
	runs_of_zeros(w, bytes, n);
	return put_block(b, w, bytes, 1, end);
}

bool repeat_cycles(struct bits *b, const uint8_t *bytes, uint32_t n, const uint8_t *end,
		   struct repeat_work *w)
{
	w->runs = cycle_runs(bytes, n, w->run, RUNS);
	return w->runs && put_block(b, w, bytes, 1, end);
}
