/*
 * literals.c: a deflate block of literals only, for the low bytes of the times.
 *
 * Times rarely repeat: on sqlite's benchmark ISA-L takes 2.9 ns per event to look for repetitions and
 * stores 0.33 bytes, while their entropy is 0.25 bytes. Coding symbols alone comes close to that in a
 * fraction of the time, and no common library does it fast (zlib's Z_HUFFMAN_ONLY takes three times
 * ISA-L's time).
 *
 * Nearly all times are below 16 ticks. If the processor has AVX2, eight such symbols are looked up
 * and joined at once.
 */
#include "record/encode/codes.h"

#include <string.h>

enum { LARGE = 32, RARE = 8 };

/* Counts the symbols from LARGE on, if they are rare. */
static void count_large(const uint8_t *in, uint32_t n, uint32_t count[LITERALS])
{
	uint32_t i = 0;

	memset(count + LARGE, 0, (256 - LARGE) * sizeof(*count));
	for (; i + 8 <= n; i += 8) {
		uint64_t eight;

		memcpy(&eight, in + i, 8);
		eight &= 0xe0e0e0e0e0e0e0e0u;
		while (eight) {
			unsigned k = (unsigned)__builtin_ctzll(eight) / 8;

			count[in[i + k]]++;
			eight &= ~(0xffull << 8 * k);
		}
	}
	for (; i < n; i++)
		if (in[i] >= LARGE)
			count[in[i]]++;
}

/*
 * Counts every fifth symbol, which is enough to estimate the distribution; every symbol gets a code,
 * because the other symbols may have any value. Not every fourth: programs call and return in steps
 * of two, four and eight, and some symbols would never be counted. Four tables, because repeated
 * increments of one counter would wait for each other. If large symbols are rare, as in a program
 * that calls often, all of them are counted: those that do not occur, which are most, need no code.
 * Otherwise a symbol that was counted weighs three times one that was not: with more weight, codes of
 * a whole chunk would exceed the longest code, and limiting them costs more than the bits saved.
 */
static void count_symbols(const uint8_t *in, uint32_t n, uint32_t count[LITERALS])
{
	uint32_t part[4][256] = {{0}}, large = 0;
	bool rare;

	for (uint32_t i = 0; i + 20 <= n; i += 20) {
		part[0][in[i]]++;
		part[1][in[i + 5]]++;
		part[2][in[i + 10]]++;
		part[3][in[i + 15]]++;
	}
	for (int s = 0; s < 256; s++) {
		count[s] = part[0][s] + part[1][s] + part[2][s] + part[3][s];
		large += s < LARGE ? 0 : count[s];
	}
	rare = large <= n / 5 / RARE;
	for (int s = 0; s < 256; s++)
		count[s] = 1 + (rare ? 5 : 3) * count[s];
	if (rare)
		count_large(in, n, count);
	count[END_OF_BLOCK] = 1;
}

/* Joins four symbols before they go to the bit buffer, so that only one shift depends on its state.
 */
static inline void put_four(struct bits *b, const uint32_t *code, const uint8_t *in)
{
	uint64_t c0 = code[in[0]], c1 = code[in[1]], c2 = code[in[2]], c3 = code[in[3]];
	uint64_t low = c0 >> 8 | (c1 >> 8) << (c0 & 0xff), high = c2 >> 8 | (c3 >> 8)
										    << (c2 & 0xff);
	unsigned n = (unsigned)(c0 & 0xff) + (unsigned)(c1 & 0xff);

	b->hold |= (low | high << n) << b->n;
	b->n += n + (unsigned)(c2 & 0xff) + (unsigned)(c3 & 0xff);
	bits_store(b);
}

/* Writes symbols until fewer than a group remain, or the room is too small for one; returns their number. */
static uint32_t put_all(struct bits *b, const uint32_t *code, const uint8_t *in, uint32_t n,
			const uint8_t *end)
{
	uint32_t i = 0;

	for (; i + 4 <= n && b->p < end; i += 4)
		put_four(b, code, in + i);
	return i;
}

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,bmi2")))
enum { SHORT = 16, SHORT_CODE = 6 }; /* symbols below SHORT have codes of at most SHORT_CODE bits */

/* The codes of symbols below SHORT, 16 bytes twice, as the shuffle instruction requires. */
struct tables {
	uint8_t code[32], length[32], power[32], fits[32];
};

static void tables_fill(struct tables *t, const uint32_t *code)
{
	for (int i = 0; i < 2 * SHORT; i++) {
		uint32_t c = code[i % SHORT];
		bool fits = (c & 0xff) <= SHORT_CODE;

		t->code[i] = fits ? (uint8_t)(c >> 8) : 0;
		t->length[i] = fits ? (uint8_t)c : 0;
		t->power[i] = fits ? (uint8_t)(1u << (c & 0xff)) : 1;
		t->fits[i] = fits ? 0xff : 0;
	}
}

AVX2 static inline __m256i load(const void *p)
{
	return _mm256_loadu_si256(p);
}

/*
 * Converts 32 symbols to four words of eight codes each. Neighbours are joined by multiplication: the
 * second times 2 to the length of the first, first bytes, then 16 bits, then 32. Bits of the result:
 * symbols from SHORT on.
 */
AVX2 static inline uint32_t join(const struct tables *t, const uint8_t *in, uint64_t word[4],
				 uint64_t bits[4])
{
	const __m256i one8 = _mm256_set1_epi16(1), one16 = _mm256_set1_epi32(1),
		      low32 = _mm256_set1_epi64x(0xffffffff), most = _mm256_set1_epi8(SHORT - 1);
	__m256i s = load(in), c = _mm256_shuffle_epi8(load(t->code), s),
		n = _mm256_shuffle_epi8(load(t->length), s),
		power = _mm256_shuffle_epi8(load(t->power), s),
		fits = _mm256_and_si256(_mm256_shuffle_epi8(load(t->fits), s),
					_mm256_cmpeq_epi8(_mm256_max_epu8(s, most), most));

	c = _mm256_maddubs_epi16(c, _mm256_or_si256(_mm256_slli_epi16(power, 8), one8));
	n = _mm256_maddubs_epi16(n, _mm256_set1_epi8(1));
	power = _mm256_mullo_epi16(_mm256_srli_epi16(power, 8),
				   _mm256_and_si256(power, _mm256_set1_epi16(0xff)));
	c = _mm256_madd_epi16(c, _mm256_or_si256(_mm256_slli_epi32(power, 16), one16));
	n = _mm256_madd_epi16(n, one8);
	c = _mm256_or_si256(
		_mm256_and_si256(c, low32),
		_mm256_sllv_epi64(_mm256_srli_epi64(c, 32), _mm256_and_si256(n, low32)));
	n = _mm256_and_si256(_mm256_add_epi64(n, _mm256_srli_epi64(n, 32)), low32);
	_mm256_storeu_si256((void *)word, c);
	_mm256_storeu_si256((void *)bits, n);
	return ~(uint32_t)_mm256_movemask_epi8(fits);
}

AVX2 static uint32_t put_all_avx2(struct bits *b, const uint32_t *code, const uint8_t *in,
				  uint32_t n, const uint8_t *end)
{
	uint64_t word[4], length[4];
	struct bits out = *b;
	struct tables t;
	uint32_t i = 0;

	tables_fill(&t, code);
	for (; i + 32 <= n && out.p < end - 64; i += 32) {
		uint32_t others = join(&t, in + i, word, length);

		for (int k = 0; k < 4; k++) {
			if (__builtin_expect(others >> 8 * k & 0xff, 0)) {
				put_four(&out, code, in + i + 8 * k);
				put_four(&out, code, in + i + 8 * k + 4);
				continue;
			}
			bits_put(&out, word[k], (unsigned)length[k]);
			bits_store(&out);
		}
	}
	*b = out;
	return i;
}

static uint32_t put_most(struct bits *b, const uint32_t *code, const uint8_t *in, uint32_t n,
			 const uint8_t *end)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")
		       ? put_all_avx2(b, code, in, n, end)
		       : 0;
}
#else
static uint32_t put_most(struct bits *b __attribute__((unused)),
			 const uint32_t *code __attribute__((unused)),
			 const uint8_t *in __attribute__((unused)),
			 uint32_t n __attribute__((unused)),
			 const uint8_t *end __attribute__((unused)))
{
	return 0;
}
#endif

bool literals_pay(const uint8_t *in, uint32_t n)
{
	uint32_t count[256] = {0}, seen = 0, most = 0;

	for (uint32_t i = 0; i < n; i += 17, seen++)
		count[in[i]]++;
	for (int s = 0; s < 256; s++)
		most = count[s] > most ? count[s] : most;
	return most <= seen - seen / 8;
}

bool literals_block(struct bits *b, const uint8_t *in, uint32_t n, const uint8_t *end)
{
	static const uint32_t no_distance[DISTANCES];
	uint32_t count[LITERALS] = {0}, code[LITERALS], i;

	if (n < 256 || n > 1u << 20 || end - b->p < 512)
		return false;
	count_symbols(in, n, count);
	codes_make(count, LITERALS, LONGEST_CODE, code);
	codes_put(b, code, no_distance, false);
	end -= 64;
	i = put_most(b, code, in, n, end);
	i += put_all(b, code, in + i, n - i, end);
	if (i + 4 <= n)
		return false;
	for (; i < n; i++) {
		code_put(b, code[in[i]]);
		bits_store(b);
	}
	code_put(b, code[END_OF_BLOCK]);
	bits_store(b);
	return true;
}
