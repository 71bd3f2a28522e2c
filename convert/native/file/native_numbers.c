/*
 * native_numbers.c: chunks whose tokens are numbers of a list (format.h, TAU_LAYOUT_NUMBERS): the
 * list, and the low bytes of times, which are stored in two groups, back in the order of records.
 */
#define TAU_FORMAT_VECTORS
#include <string.h>

#include "analyze/base/base.h"
#include "convert/native/file/native_columns.h"
#include "convert/native/file/native_numbers.h"

/*
 * The times of records from .. to, the first group from the front on, the second from the back on. `second`: how many of it were
 * taken; returns how many are. Whatever the numbers are, what is read is among the n.
 */
static size_t split_some(const unsigned char *says, const unsigned char *number, size_t from,
			 size_t to, const unsigned char *grouped, unsigned char *out, size_t n,
			 size_t second)
{
	unsigned before = says[from ? number[from - 1] : 0];

	for (size_t i = from; i < to; i++) {
		unsigned here = says[number[i]];
		size_t in = tau_groups_second(here, before);

		out[i] = grouped[in ? n - 1 - second : i - second];
		second += in;
		before = here;
	}
	return second;
}

#if defined(__x86_64__)
/*
 * By which of eight places are wanted: what goes there of eight bytes, one after the other. What has bit b besides those below has
 * their number at place b.
 */
static void places_fill(uint64_t place[256])
{
	place[0] = 0x8080808080808080u; /* nothing, to the instruction */
	for (unsigned b = 0; b < 8; b++)
		for (unsigned below = 0; below < 1u << b; below++)
			place[below + (1u << b)] =
				place[below] ^
				(uint64_t)(0x80 ^ (unsigned)__builtin_popcount(below)) << 8 * b;
}

/* As split_some(), 32 at a time from *at on, as long as eight bytes can be read at both ends. */
TAU_GROUPS_AVX2 static size_t split_avx2(const unsigned char *says, size_t listed,
					 const unsigned char *number, size_t *at,
					 const unsigned char *grouped, unsigned char *out, size_t n,
					 size_t second)
{
	const uint32_t pieces = (uint32_t)(listed + 15) / 16;
	__m256i last = _mm256_set1_epi8((char)says[number[*at - 1]]);
	uint64_t place[256];
	size_t i = *at;

	places_fill(place);
	for (; i + 40 <= n; i += 32) {
		uint32_t not_in = tau_groups_first(says, pieces, number + i, &last);

		for (size_t k = i; k < i + 32; k += 8, not_in >>= 8) {
			const void *front = &place[not_in & 0xff], *back = &place[~not_in & 0xff];
			__m128i first, other;
			uint64_t end;

			memcpy(&end, grouped + n - 8 - second, 8);
			first = _mm_loadl_epi64((const void *)(grouped + k - second));
			other = _mm_cvtsi64_si128((long long)__builtin_bswap64(end));
			first = _mm_shuffle_epi8(first, _mm_loadl_epi64(front));
			other = _mm_shuffle_epi8(other, _mm_loadl_epi64(back));
			_mm_storel_epi64((void *)(out + k), _mm_or_si128(first, other));
			second += 8 - (size_t)__builtin_popcount(not_in & 0xff);
		}
	}
	*at = i;
	return second;
}

static size_t split_most(const unsigned char *says, size_t listed, const unsigned char *number,
			 size_t *at, const unsigned char *grouped, unsigned char *out, size_t n,
			 size_t second)
{
	return tau_groups_fast() ? split_avx2(says, listed, number, at, grouped, out, n, second)
				 : second;
}
#else
static size_t split_most(const unsigned char *says, size_t listed, const unsigned char *number,
			 size_t *at, const unsigned char *grouped, unsigned char *out, size_t n,
			 size_t second)
{
	(void)says, (void)listed, (void)number, (void)at, (void)grouped, (void)out, (void)n;
	return second;
}
#endif

/* The low bytes of the times, in the order of records. */
static void times_order(struct native_columns *c, const unsigned char *group)
{
	const unsigned char *number = c->data[TAU_IDS];
	unsigned char *grouped = c->data[TAU_TIMES], says[256];
	size_t n = c->head.records, at = n ? 1 : 0, second;

	if (c->times_cap < n + NATIVE_PAD) {
		free(c->times);
		c->times_cap = n + NATIVE_PAD;
		c->times = mem_resize(NULL, c->times_cap, 1);
	}
	tau_groups_pairs(says, c->listed, group);
	second = split_some(says, number, 0, at, grouped, c->times, n, 0);
	if (at)
		second = split_most(says, c->listed, number, &at, grouped, c->times, n, second);
	split_some(says, number, at, n, grouped, c->times, n, second);
	memcpy(grouped, c->times, n);
}

/* The largest number. */
static unsigned number_most(const unsigned char *number, size_t n)
{
	unsigned char most[16] = {0}, all = 0;
	size_t i = 0;

	for (; i + 16 <= n; i += 16)
		for (size_t k = 0; k < 16; k++)
			most[k] = number[i + k] > most[k] ? number[i + k] : most[k];
	for (size_t k = 0; k < 16; k++)
		all = most[k] > all ? most[k] : all;
	for (; i < n; i++)
		all = number[i] > all ? number[i] : all;
	return all;
}

/* 0 or 1: are the times grouped? -1: the list is damaged. */
static int tokens_read(struct native_columns *c)
{
	size_t n = c->head.records, listed = (c->length[TAU_IDS] - n) / 3;
	const unsigned char *list = c->data[TAU_IDS] + n, *group = list + 2 * listed;
	unsigned grouped = 0;

	for (size_t k = 0; k < listed; k++) {
		c->token[k] = (uint16_t)(list[k] | list[listed + k] << 8);
		grouped |= group[k];
	}
	if (c->token[0] != TAU_TOKEN_LEAVE || number_most(c->data[TAU_IDS], n) >= listed ||
	    grouped > 3)
		return -1;
	c->listed = (uint32_t)listed;
	return grouped != 0;
}

int native_numbers_tokens(struct native_columns *c)
{
	return tokens_read(c) < 0 ? -1 : 0;
}

int native_numbers_parse(struct native_columns *c)
{
	int grouped = tokens_read(c);

	if (grouped > 0)
		times_order(c, c->data[TAU_IDS] + c->head.records + 2 * (size_t)c->listed);
	return grouped < 0 ? -1 : 0;
}

void native_numbers_spread(struct native_columns *c)
{
	size_t n = c->head.records;
	unsigned char *planes;

	if (!c->listed)
		return;
	planes = mem_resize(NULL, 2 * n + NATIVE_PAD, 1);
	for (size_t i = 0; i < n; i++) {
		planes[i] = (unsigned char)native_token(c, i);
		planes[n + i] = (unsigned char)(native_token(c, i) >> 8);
	}
	memset(planes + 2 * n, 0, NATIVE_PAD);
	free(c->data[TAU_IDS]);
	c->data[TAU_IDS] = planes;
	c->length[TAU_IDS] = 2 * n;
	c->cap[TAU_IDS] = 2 * n + NATIVE_PAD;
	c->head.layout = TAU_LAYOUT_PLANES;
	c->listed = 0;
}
