/*
 * byte_tokens.c: encodes the records of a chunk with few different tokens, which most have: tokens as numbers of one byte, and
 * times in two groups.
 *
 * A token has two bytes because a program may have many functions; one chunk usually has one or two
 * hundred. With numbers of one byte a repetition is written once, not in two planes.
 *
 * A time depends on its token. On sqlite's benchmark times have 2.1 bits of information each, and 1.6
 * if their token is known or, for a leave, the token before it. Two codes gain a third of the
 * difference: one for the times of tokens that are short on average, one for the others. The gain
 * does not depend on the noise of the processor's clock.
 */
#define TAU_FORMAT_VECTORS
#include "record/base/compiler.h"
#include "record/encode/codes.h"
#include "record/format.h"

#include <string.h>

enum {
	CONTEXTS = 512,
	STEP = 13,   /* every 13th record is counted; see literals.c */
	TIMES = 32,  /* different times; longer ones count as the last */
	ROUNDS = 2,
	PIECE = 32,  /* bytes of a repetition that are copied at once */
	SHARE = 16,  /* a group has at least 1/SHARE of the records */
};

struct numbers_work {
	uint8_t table[65536];		/* number of a token; 0: none yet, or it is LEAVE. Zeros between two uses */
	int16_t seen[CONTEXTS][TIMES];	/* how often a time was seen in a context */
};
_Static_assert(sizeof(struct numbers_work) <= NUMBERS_WORK, "callers have so much room");

/* ---- the list ---- */

/* Gives the tokens numbers; only literals are read, because a repetition has no new tokens. Returns the number of tokens,
 * including LEAVE; more than NUMBERS_MOST: too many. */
static uint32_t list_make(const uint8_t *tokens, const struct run *run, uint32_t runs,
			  uint8_t *table, uint16_t list[NUMBERS_MOST])
{
	uint32_t listed = 1;

	list[0] = 0; /* LEAVE */
	for (const struct run *r = run; r < run + runs; r++) {
		for (uint32_t k = 0; k < r->literals; k++, tokens += 2) {
			uint16_t token;

			memcpy(&token, tokens, 2);
			if (table[token] || !token)
				continue;
			if (listed == NUMBERS_MOST)
				return NUMBERS_MOST + 1;
			table[token] = (uint8_t)listed;
			list[listed++] = token;
		}
		tokens += 2 * r->length;
	}
	return listed;
}

/* Tokens of the same groups get consecutive numbers, ascending: then the bytes of groups are runs. LEAVE stays the first. */
static void list_sort(uint8_t *table, uint16_t *list, uint32_t listed, uint8_t group[CONTEXTS])
{
	uint8_t sorted[CONTEXTS] = {group[0]};
	uint32_t key[NUMBERS_MOST];

	sorted[256] = group[256];
	for (uint32_t k = 1; k < listed; k++)
		key[k] = (uint32_t)(group[k] | group[256 + k] << 1) << 24 |
			 (uint32_t)list[k] << 8 | k;
	keys_sort(key + 1, (int)listed - 1);
	for (uint32_t k = 1; k < listed; k++) {
		list[k] = (uint16_t)(key[k] >> 8);
		table[list[k]] = (uint8_t)k;
		sorted[k] = group[key[k] & 0xff];
		sorted[256 + k] = group[256 + (key[k] & 0xff)];
	}
	memcpy(group, sorted, sizeof(sorted));
}

/* ---- groups ---- */

/* The context of a record, on which its time depends: its token, or, for a leave, the token before it. */
static inline uint32_t context_of(uint32_t before, uint32_t here)
{
	return here | ((256 + before) & -(uint32_t)(here == 0));
}

/* Contexts are 1 to listed - 1, of tokens, and 256 to 256 + listed - 1, of leaves. */
static void seen_count(struct numbers_work *w, uint32_t listed, const uint8_t *tokens, uint32_t n,
		       const uint8_t *times)
{
	memset(w->seen, 0, listed * sizeof(*w->seen));
	memset(w->seen + 256, 0, listed * sizeof(*w->seen));
	for (uint32_t i = STEP; i < n; i += STEP) {
		uint16_t token[2];

		memcpy(token, tokens + 2 * i - 2, 4);
		w->seen[context_of(w->table[token[0]], w->table[token[1]])]
		       [times[i] < TIMES ? times[i] : TIMES - 1]++;
	}
}

/* Adds the counts of contexts from .. to to their groups. -O3 vectorizes the loop, and those below. */
VECTORIZED static void seen_add(const struct numbers_work *w, uint32_t from, uint32_t to,
				const uint8_t *group, int16_t sum[2][TIMES])
{
	for (uint32_t k = from; k < to; k++) {
		const int16_t *restrict seen = w->seen[k];
		int16_t *restrict of_group = sum[group[k]];

		for (int t = 0; t < TIMES; t++)
			of_group[t] = (int16_t)(of_group[t] + seen[t]);
	}
}

/* Counts the times of both groups. */
static void seen_sum(const struct numbers_work *w, uint32_t listed, const uint8_t group[CONTEXTS],
		     uint32_t count[2][TIMES])
{
	int16_t sum[2][TIMES] = {{0}};

	seen_add(w, 0, listed, group, sum);
	seen_add(w, 256, 256 + listed, group, sum);
	for (int t = 0; t < TIMES; t++) {
		count[0][t] = (uint32_t)sum[0][t];
		count[1][t] = (uint32_t)sum[1][t];
	}
}

VECTORIZED static int32_t seen_weigh(const int16_t seen[TIMES], const int16_t weight[TIMES])
{
	int32_t sum = 0;

	for (int t = 0; t < TIMES; t++)
		sum += seen[t] * weight[t];
	return sum;
}

/* Puts each context into group 1 if the weights of its times add up to more than 0, otherwise into group 0. */
static void groups_part(const struct numbers_work *w, uint32_t listed, const int16_t weight[TIMES],
			uint8_t group[CONTEXTS])
{
	for (uint32_t k = 0; k < listed; k++) {
		group[k] = seen_weigh(w->seen[k], weight) > 0;
		group[256 + k] = seen_weigh(w->seen[256 + k], weight) > 0;
	}
}

/*
 * 16 log2(n) plus a constant: the exponent of a float and the first bits after it; the error between
 * two powers of two is at most 1.4. n < 2^24.
 */
static inline int32_t log_16(uint32_t n)
{
	float f = (float)n;
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return (int32_t)(bits >> 19);
}

/*
 * How much longer the code of a time is in group 0 than in group 1, in 16ths of a bit, if the length of
 * a code is -log2 of its frequency. A quarter is added to each count, so that no frequency is 0.
 */
VECTORIZED static void groups_weigh(uint32_t count[2][TIMES], int16_t weight[TIMES])
{
	uint32_t all[2] = {TIMES, TIMES};
	int32_t more;

	for (int t = 0; t < TIMES; t++) {
		all[0] += 4 * count[0][t];
		all[1] += 4 * count[1][t];
	}
	more = log_16(all[0]) - log_16(all[1]);
	for (int t = 0; t < TIMES; t++)
		weight[t] = (int16_t)(more + log_16(4 * count[1][t] + 1) -
				      log_16(4 * count[0][t] + 1));
}

/*
 * group[]: for each context the group in which its times take fewer bits. At first group 1 gets the contexts whose times are
 * longer than the mean of all; then, with the codes of both groups, each context moves to the group where its codes are shorter.
 */
static void groups_choose(const struct numbers_work *w, uint32_t listed, uint8_t group[CONTEXTS])
{
	uint32_t count[2][TIMES], all = 0, times = 0;
	int16_t weight[TIMES];

	memset(group, 0, CONTEXTS);
	seen_sum(w, listed, group, count);
	for (uint32_t t = 0; t < TIMES; t++) {
		all += count[0][t];
		times += t * count[0][t];
	}
	for (uint32_t t = 0; t < TIMES; t++)
		weight[t] = (int16_t)((int32_t)(256 * t) - (int32_t)(256 * times / all));
	for (int round = 0; round < ROUNDS; round++) {
		groups_part(w, listed, weight, group);
		seen_sum(w, listed, group, count);
		groups_weigh(count, weight);
	}
	groups_part(w, listed, weight, group);
}

_Static_assert(REPEAT_MOST / STEP <= INT16_MAX, "so many are seen at most");

/* ---- numbers ---- */

/*
 * Repeats `length` bytes from `distance` bytes before; both ranges may overlap. Bytes that repeat at a short distance also repeat
 * at its multiples, once that many bytes have been written.
 */
static inline uint8_t *repeat_bytes(uint8_t *to, uint32_t distance, uint32_t length)
{
	uint32_t far = distance;
	uint8_t *end = to + length, *soon;

	if (!length)
		return to;
	if (far < PIECE)
		far *= (PIECE + far - 1) / far;
	soon = far - distance < length ? to + (far - distance) : end;
	for (; to < soon; to++)
		*to = to[-(int64_t)distance];
	for (; end - to > far; to += far, far *= 2)
		memcpy(to, to - far, far);
	memcpy(to, to - far, (size_t)(end - to));
	return end;
}

/* Replaces tokens by numbers, in place. */
static void numbers_write(uint8_t *tokens, const struct run *run, uint32_t runs,
			  const uint8_t *table)
{
	const uint8_t *from = tokens;
	uint8_t *to = tokens;
	uint16_t token;

	for (const struct run *r = run; r < run + runs; r++) {
		for (uint32_t k = 0; k < r->literals; k++, from += 2) {
			memcpy(&token, from, 2);
			*to++ = table[token];
		}
		from += 2 * r->length;
		to = repeat_bytes(to, r->distance, r->length);
	}
}

uint32_t numbers_make(uint8_t *tokens, uint32_t n, const struct run *run, uint32_t runs,
		      const uint8_t *times, struct numbers_work *w)
{
	uint16_t list[NUMBERS_MOST];
	uint8_t group[CONTEXTS] = {0};
	uint32_t listed = list_make(tokens, run, runs, w->table, list),
		 known = listed <= NUMBERS_MOST ? listed : NUMBERS_MOST;

	if (listed == known) {
		if (times) {
			seen_count(w, listed, tokens, n, times);
			groups_choose(w, listed, group);
		}
		list_sort(w->table, list, listed, group);
		numbers_write(tokens, run, runs, w->table);
		for (uint32_t k = 0; k < listed; k++) {
			tokens[n + k] = (uint8_t)list[k];
			tokens[n + listed + k] = (uint8_t)(list[k] >> 8);
			tokens[n + 2 * listed + k] = (uint8_t)(group[k] | group[256 + k] << 1);
		}
	}
	for (uint32_t k = 0; k < known; k++)
		w->table[list[k]] = 0;
	return listed == known ? listed : 0;
}

/*
 * Sorts the times of records from .. to into their groups: the first grows from the front, the second from the back. Each time is
 * written to both places; the next one overwrites the wrong copy. `second`: the number in the second group before; returns the new.
 */
static inline uint32_t group_some(const uint8_t says[256], const uint8_t *numbers, uint32_t from,
				  uint32_t to, const uint8_t *times, uint8_t *grouped, uint32_t n,
				  uint32_t second)
{
	uint32_t before = says[from ? numbers[from - 1] : 0];

	for (uint32_t i = from; i < to; i++) {
		uint32_t here = says[numbers[i]];

		grouped[i - second] = grouped[n - 1 - second] = times[i];
		second += tau_groups_second(here, before);
		before = here;
	}
	return second;
}

#if defined(__x86_64__)
/*
 * The shuffle that moves the selected ones of eight bytes to the front, for each mask of selected bytes. The entry of a mask with
 * highest bit b is the entry of the lower bits, followed by b.
 */
static void picks_fill(uint64_t pick[256])
{
	pick[0] = 0x8080808080808080u; /* the instruction writes 0 for these */
	for (unsigned b = 0; b < 8; b++)
		for (unsigned below = 0; below < 1u << b; below++) {
			unsigned at = 8 * (unsigned)__builtin_popcount(below);

			pick[below + (1u << b)] = pick[below] ^ (uint64_t)(0x80 ^ b) << at;
		}
}

/* 32 times at once, while writing to one group does not overwrite times of the other. */
TAU_GROUPS_AVX2 static uint32_t group_avx2(const uint8_t says[256], uint32_t listed,
				       const uint8_t *numbers, uint32_t *at, const uint8_t *times,
				       uint8_t *grouped, uint32_t n, uint32_t second)
{
	const uint32_t pieces = (listed + 15) / 16;
	__m256i last = _mm256_set1_epi8((char)says[numbers[*at - 1]]);
	uint64_t pick[256];
	uint32_t i = *at;

	picks_fill(pick);
	for (; i + 40 <= n; i += 32) {
		uint32_t out = tau_groups_first(says, pieces, numbers + i, &last);

		for (uint32_t k = i; k < i + 32; k += 8, out >>= 8) {
			const void *front = &pick[out & 0xff], *back = &pick[~out & 0xff];
			__m128i time = _mm_loadl_epi64((const void *)(times + k)),
				first = _mm_shuffle_epi8(time, _mm_loadl_epi64(front)),
				other = _mm_shuffle_epi8(time, _mm_loadl_epi64(back));
			uint64_t turned = __builtin_bswap64((uint64_t)_mm_cvtsi128_si64(other));

			_mm_storel_epi64((void *)(grouped + k - second), first);
			memcpy(grouped + n - 8 - second, &turned, 8);
			second += 8 - (uint32_t)__builtin_popcount(out & 0xff);
		}
	}
	*at = i;
	return second;
}

#define PACKS \
	__attribute__((target("avx2,popcnt,avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2")))

static bool packs(void)
{
	return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2");
}

/* 64 times at once, with instructions that compress the selected bytes; while both groups have room
 * for 64. */
PACKS static uint32_t group_avx512(const uint8_t says[256], uint32_t listed, const uint8_t *numbers,
				   uint32_t *at, const uint8_t *times, uint8_t *grouped, uint32_t n,
				   uint32_t second)
{
	const uint32_t pieces = (listed + 15) / 16;
	__m256i last = _mm256_set1_epi8((char)says[numbers[*at - 1]]);
	uint8_t backwards[64];
	__m512i turn;
	uint32_t i = *at;

	for (int k = 0; k < 64; k++)
		backwards[k] = (uint8_t)(63 - k);
	turn = _mm512_loadu_si512(backwards);
	for (; i + 128 <= n; i += 64) {
		uint64_t first = tau_groups_first(says, pieces, numbers + i, &last);
		__m512i time = _mm512_loadu_si512(times + i), other;

		first |= (uint64_t)tau_groups_first(says, pieces, numbers + i + 32, &last) << 32;
		other = _mm512_permutexvar_epi8(turn, _mm512_maskz_compress_epi8(~first, time));
		_mm512_storeu_si512(grouped + i - second, _mm512_maskz_compress_epi8(first, time));
		_mm512_storeu_si512(grouped + n - 64 - second, other);
		second += 64 - (uint32_t)__builtin_popcountll(first);
	}
	*at = i;
	return second;
}

static uint32_t group_most(const uint8_t says[256], uint32_t listed, const uint8_t *numbers,
			   uint32_t *at, const uint8_t *times, uint8_t *grouped, uint32_t n,
			   uint32_t second)
{
	if (!tau_groups_fast())
		return second;
	if (packs())
		second = group_avx512(says, listed, numbers, at, times, grouped, n, second);
	return group_avx2(says, listed, numbers, at, times, grouped, n, second);
}
#else
static uint32_t group_most(const uint8_t *says __attribute__((unused)),
			   uint32_t listed __attribute__((unused)),
			   const uint8_t *numbers __attribute__((unused)),
			   uint32_t *at __attribute__((unused)),
			   const uint8_t *times __attribute__((unused)),
			   uint8_t *grouped __attribute__((unused)),
			   uint32_t n __attribute__((unused)), uint32_t second)
{
	return second;
}
#endif

uint32_t numbers_group(uint8_t *numbers, uint32_t n, uint32_t listed, const uint8_t *times,
		       uint8_t *grouped)
{
	uint8_t says[256], *groups = numbers + n + 2 * listed;
	uint32_t at = 1, second;

	tau_groups_pairs(says, listed, groups);
	second = group_some(says, numbers, 0, 1, times, grouped, n, 0);
	second = group_most(says, listed, numbers, &at, times, grouped, n, second);
	second = group_some(says, numbers, at, n, times, grouped, n, second);
	if (second >= n / SHARE && second <= n - n / SHARE)
		return n - second;
	memset(groups, 0, listed);
	return n;
}
