/*
 * planes.c: splits the records of a live chunk, 4 bytes each, time and token: the planes of
 * column TIMES (low bytes of all times, then their high bytes), and the tokens.
 */
#include "record/encode/planes.h"
#include "record/base/compiler.h"

#include <string.h>

/* -O3 vectorizes it to 16 records at once. */
VECTORIZED static void split(const uint8_t *records, size_t from, size_t n, uint8_t *restrict times,
			     uint8_t *restrict tokens)
{
	for (size_t i = from; i < n; i++) {
		times[i] = records[4 * i];
		times[n + i] = records[4 * i + 1];
		tokens[2 * i] = records[4 * i + 2];
		tokens[2 * i + 1] = records[4 * i + 3];
	}
}

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

/* Eight records: 8 low bytes and 8 high bytes of the times, then 16 bytes of tokens. */
AVX2 static inline __m256i eight(const uint8_t *records)
{
	const __m256i in_half = _mm256_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 3, 6, 7, 10, 11, 14,
						 15, 0, 4, 8, 12, 1, 5, 9, 13, 2, 3, 6, 7, 10, 11,
						 14, 15),
		      across = _mm256_setr_epi32(0, 4, 1, 5, 2, 3, 6, 7);

	return _mm256_permutevar8x32_epi32(
		_mm256_shuffle_epi8(_mm256_loadu_si256((const void *)records), in_half), across);
}

/* Sixteen at a time; returns how many are done. */
AVX2 static size_t split_avx2(const uint8_t *records, size_t n, uint8_t *times, uint8_t *tokens)
{
	size_t i = 0;

	for (; i + 16 <= n; i += 16) {
		__m256i a = eight(records + 4 * i), b = eight(records + 4 * i + 32);
		__m128i x = _mm256_castsi256_si128(a), y = _mm256_castsi256_si128(b);

		_mm_storeu_si128((void *)(times + i), _mm_unpacklo_epi64(x, y));
		_mm_storeu_si128((void *)(times + n + i), _mm_unpackhi_epi64(x, y));
		_mm_storeu_si128((void *)(tokens + 2 * i), _mm256_extracti128_si256(a, 1));
		_mm_storeu_si128((void *)(tokens + 2 * i + 16), _mm256_extracti128_si256(b, 1));
	}
	return i;
}

static size_t split_most(const uint8_t *records, size_t n, uint8_t *times, uint8_t *tokens)
{
	return __builtin_cpu_supports("avx2") ? split_avx2(records, n, times, tokens) : 0;
}
#else
static size_t split_most(const uint8_t *records __attribute__((unused)),
			 size_t n __attribute__((unused)), uint8_t *times __attribute__((unused)),
			 uint8_t *tokens __attribute__((unused)))
{
	return 0;
}
#endif

void planes_split(const uint8_t *records, size_t n, uint8_t *times, uint8_t *tokens)
{
	split(records, split_most(records, n, times, tokens), n, times, tokens);
}

void tokens_split(const uint8_t *tokens, size_t n, uint8_t *planes)
{
	for (size_t i = 0; i < n; i++) {
		planes[i] = tokens[2 * i];
		planes[n + i] = tokens[2 * i + 1];
	}
}
