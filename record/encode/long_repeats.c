/*
 * long_repeats.c: finds long repetitions in the arguments of records: a program that sends the same messages repeatedly writes the
 * same arguments, which this finds faster than a compressor that searches byte by byte.
 *
 * First it tests whether the bytes at a few places repeat soon; that rejects most columns without repetitions. Then it reads the
 * column: where a repetition ends, it tries the same distance or the last place with the same bytes. A column that does not consist
 * almost only of repetitions is left to the compressor, which finds short ones.
 */
#include "record/encode/codes.h"

#include <string.h>

enum {
	CYCLE_FROM = 4096, /* the smallest column in bytes */
	CYCLE_PROBES = 8,
	CYCLE_PROBED = 6,   /* of these probes must repeat */
	CYCLE_SOON = 512,   /* bytes after a probe that are searched for its copy */
	CYCLE_LEAST = 8,    /* bytes of a repetition */
	CYCLE_FARTHEST = 32768,
	CYCLE_LITERALS = 8, /* at most 1/CYCLE_LITERALS of the bytes may be literals */
	CYCLE_PATIENCE = 64, /* after this number of misses the step grows by one */
	CYCLE_HASH_BITS = 11,
	CYCLE_PIECE = 32768, /* the longest repetition in one run */
	CYCLE_NOWHERE = 0,   /* an empty entry: position 0 is never used as a source */
};

static inline uint32_t *cycle_place(uint32_t place[1 << CYCLE_HASH_BITS], uint64_t begins)
{
	return &place[begins * 0x9e3779b185ebca87u >> (64 - CYCLE_HASH_BITS)];
}

/* Do the probes repeat? They are in the last three quarters, because the column begins with a snapshot. */
static bool comes_again(const uint8_t *bytes, uint32_t n)
{
	int again = 0;

	for (uint32_t k = 0; k < CYCLE_PROBES; k++) {
		const uint8_t *p = bytes + n / 4 + k * (n - n / 4 - CYCLE_SOON - 16) / CYCLE_PROBES;

		again += memmem(p + 1, CYCLE_SOON, p, CYCLE_LEAST) != NULL;
	}
	return again >= CYCLE_PROBED;
}

/* The number of equal bytes at i and `from`; the first CYCLE_LEAST are equal. */
static inline uint32_t cycle_length(const uint8_t *bytes, uint32_t from, uint32_t i, uint32_t n)
{
	uint32_t at = i + CYCLE_LEAST, back = i - from;

	for (; at + 8 <= n; at += 8) {
		uint64_t differ = bytes8(bytes + at) ^ bytes8(bytes + at - back);

		if (differ)
			return at - i + (uint32_t)__builtin_ctzll(differ) / 8;
	}
	while (at < n && bytes[at] == bytes[at - back])
		at++;
	return at - i;
}

/*
 * The distance to an earlier copy of the bytes at i: that of the last repetition, or the last place with the same hash;
 * 0: there is none. Stores i.
 */
static inline uint32_t cycle_distance(const uint8_t *bytes, uint32_t i, uint32_t last,
				      uint32_t place[1 << CYCLE_HASH_BITS])
{
	uint64_t begins = bytes8(bytes + i);
	uint32_t *at = cycle_place(place, begins);
	uint32_t from = *at;

	*at = i;
	if (last && bytes8(bytes + i - last) == begins)
		return last;
	if (from == CYCLE_NOWHERE || i - from > CYCLE_FARTHEST || bytes8(bytes + from) != begins)
		return 0;
	return i - from;
}

uint32_t cycle_runs(const uint8_t *bytes, uint32_t n, struct run *run, uint32_t most)
{
	uint32_t place[1 << CYCLE_HASH_BITS] = {CYCLE_NOWHERE};
	uint32_t i = 0, begin = 0, runs = 0, literals = 0, distance = 0, misses = 0;

	if (n < CYCLE_FROM || n > CYCLE_MOST || !comes_again(bytes, n))
		return 0;
	while (i + CYCLE_LEAST <= n) {
		uint32_t back = cycle_distance(bytes, i, distance, place), length;

		if (!back) {
			uint32_t step = 1 + misses++ / CYCLE_PATIENCE;

			literals += step;
			if (literals > n / CYCLE_LITERALS)
				return 0;
			i += step;
			continue;
		}
		misses = 0;
		distance = back;
		length = cycle_length(bytes, i - back, i, n);
		for (uint32_t piece; length; length -= piece, i += piece, begin = i) {
			piece = length < CYCLE_PIECE ? length : CYCLE_PIECE;
			if (length > piece && length - piece < CYCLE_LEAST)
				piece -= CYCLE_LEAST;
			if (runs + 1 >= most)
				return 0;
			run[runs++] = (struct run){(uint16_t)(i - begin), (uint16_t)piece,
						   (uint16_t)back};
		}
	}
	run[runs++] = (struct run){(uint16_t)(n - begin), 0, 0};
	return runs;
}
