/*
 * long_repeats.c: long repetitions of bytes, for the arguments of records: a program that sends the same messages over and over
 * says the same of them, and what a compressor looks for byte by byte is there at once.
 *
 * First a few places are asked whether they come again soon; most columns that do not repeat are done with then. Else the column
 * is gone through: where a repetition ends, the same distance or the last place that began so is tried. What does not repeat nearly
 * all the time is left to the compressor, which finds what is short.
 */
#include "record/encode/codes.h"

#include <string.h>

enum {
	CYCLE_FROM = 4096, /* of a column for which it pays */
	CYCLE_PROBES = 8,
	CYCLE_PROBED = 6,   /* so many of them have to come again */
	CYCLE_SOON = 512,   /* bytes behind them */
	CYCLE_LEAST = 8,    /* bytes of a repetition */
	CYCLE_FARTHEST = 32768,
	CYCLE_LITERALS = 8, /* at most one of so many bytes repeats nothing */
	CYCLE_PATIENCE = 64, /* where nothing was found so often, fewer places are tried */
	CYCLE_HASH_BITS = 11,
	CYCLE_PIECE = 32768, /* the longest repetition in one run */
	CYCLE_NOWHERE = 0,   /* what begins a column is not remembered */
};

static inline uint32_t *cycle_place(uint32_t place[1 << CYCLE_HASH_BITS], uint64_t begins)
{
	return &place[begins * 0x9e3779b185ebca87u >> (64 - CYCLE_HASH_BITS)];
}

/* Do the places asked come again? They lie in the last three quarters: a snapshot stands in front. */
static bool comes_again(const uint8_t *bytes, uint32_t n)
{
	int again = 0;

	for (uint32_t k = 0; k < CYCLE_PROBES; k++) {
		const uint8_t *p = bytes + n / 4 + k * (n - n / 4 - CYCLE_SOON - 16) / CYCLE_PROBES;

		again += memmem(p + 1, CYCLE_SOON, p, CYCLE_LEAST) != NULL;
	}
	return again >= CYCLE_PROBED;
}

/* How many bytes at i are those at `from`; the first CYCLE_LEAST are. */
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
 * How far back what begins at i stands already: where the last repetition came from, or the last place; 0: it is new.
 * Remembers i.
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
