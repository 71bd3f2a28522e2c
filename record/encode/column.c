/*
 * column.c: stores the columns of a chunk: each by the codec, or by writers of deflate blocks made for its contents
 * (literals.c, matches.c). Those cost 1 to 5 ns per event less than ISA-L, 3 to 15 % of what an event costs, and a trace of
 * sqlite's benchmark is a quarter smaller (bench/hooks.sh).
 */
#include "record/encode/column.h"
#include "record/encode/codes.h"
#include "record/encode/deflate.h"
#include "record/encode/planes.h"
#include "record/format.h"

#include <string.h>

/* Buffers for the two columns of records. The repetitions of tokens are kept while the times, which come first, are stored. */
struct column_work {
	uint8_t tokens[REPEAT_WORK] __attribute__((aligned(64)));
	uint8_t times[REPEAT_WORK] __attribute__((aligned(64)));
	uint8_t numbers[NUMBERS_WORK] __attribute__((aligned(64)));
};

size_t column_work_size(void)
{
	return sizeof(struct column_work);
}

static struct repeat_work *tokens_work(struct column_work *w)
{
	return (struct repeat_work *)(void *)w->tokens;
}

static struct repeat_work *times_work(struct column_work *w)
{
	return (struct repeat_work *)(void *)w->times;
}

/* Compresses a column to `out`; returns the end of what was written. */
uint8_t *column_store(struct codec *codec, struct tau_chunk_header *h, enum tau_column c,
		      const uint8_t *bytes, size_t n, uint8_t *out)
{
	h->raw[c] = (uint32_t)n;
	h->stored[c] = codec_deflate(codec, bytes, h->raw[c], out);
	if (!h->stored[c]) {
		memcpy(out, bytes, n);
		h->stored[c] = h->raw[c];
	}
	return out + h->stored[c];
}

uint8_t *args_store(struct codec *codec, struct tau_chunk_header *h, const uint8_t *bytes, size_t n,
		    uint8_t *out)
{
	struct bits b = {.p = out};

	if (!codec_deflates_records() || n > CYCLE_MOST ||
	    !repeat_cycles(&b, bytes, (uint32_t)n, out + n, tokens_work(codec_work(codec))))
		return column_store(codec, h, TAU_ARGS, bytes, n, out);
	h->raw[TAU_ARGS] = (uint32_t)n;
	h->stored[TAU_ARGS] = (uint32_t)(b.p - out);
	return b.p;
}

/*
 * Stores the times: their low bytes as symbols, of which the first `first` have their own code, their high
 * bytes, which are mostly zeros, as repetitions. False: that would not save space.
 */
static bool times_store(struct column_work *work, struct tau_chunk_header *h, const uint8_t *low,
			size_t first, const uint8_t *high, uint8_t **out)
{
	struct bits b = {.p = *out};
	uint32_t n = h->records;
	uint8_t *end = *out + 2 * n;

	if (!literals_block(&b, low, (uint32_t)first, end) ||
	    (first < n && !literals_block(&b, low + first, n - (uint32_t)first, end)) ||
	    !repeat_zeros(&b, high, n, end, times_work(work)))
		return false;
	h->raw[TAU_TIMES] = 2 * n;
	h->stored[TAU_TIMES] = (uint32_t)(b.p - *out);
	*out = b.p;
	return true;
}

/* Stores the tokens, of two bytes; planes: 2n bytes of work. found: their repetitions have been found. */
static uint8_t *tokens_store(struct codec *codec, struct tau_chunk_header *h, const uint8_t *tokens,
			     bool found, uint8_t *planes, uint8_t *out)
{
	uint32_t n = h->records;
	struct bits b = {.p = out};

	if (!found || !repeat_tokens(&b, tokens, out + 2 * n, tokens_work(codec_work(codec)))) {
		tokens_split(tokens, n, planes);
		return column_store(codec, h, TAU_IDS, planes, 2 * n, out);
	}
	h->raw[TAU_IDS] = 2 * n;
	h->stored[TAU_IDS] = (uint32_t)(b.p - out);
	return b.p;
}

/* Stores the tokens as numbers, followed by the list. */
static uint8_t *numbers_store(struct codec *codec, struct tau_chunk_header *h,
			      const uint8_t *numbers, uint32_t listed, uint8_t *out)
{
	uint32_t n = h->records;
	struct bits b = {.p = out};

	h->layout = TAU_LAYOUT_NUMBERS;
	if (!repeat_numbers(&b, numbers, n, 3 * listed, out + n, tokens_work(codec_work(codec))))
		return column_store(codec, h, TAU_IDS, numbers, n + 3 * listed, out);
	h->raw[TAU_IDS] = n + 3 * listed;
	h->stored[TAU_IDS] = (uint32_t)(b.p - out);
	return b.p;
}

/* Replaces the tokens by numbers if possible, with groups for these times, if any; the number of tokens, 0: not replaced. */
static uint32_t tokens_number(struct column_work *work, uint8_t *tokens, uint32_t n,
			      const uint8_t *times)
{
	uint32_t runs;
	const struct run *run = repeat_runs(tokens_work(work), &runs);

	return n < NUMBERS_LEAST ? 0
				 : numbers_make(tokens, n, run, runs, times,
						(struct numbers_work *)(void *)work->numbers);
}

/* Numbers replace the tokens; after them follow the list, then the times of both groups. */
uint8_t *records_store(struct codec *codec, struct tau_chunk_header *h, const uint8_t *records,
		       uint8_t *planes, uint8_t *out)
{
	struct column_work *work = codec_work(codec);
	uint32_t n = h->records, listed = 0, first = n;
	uint8_t *tokens = planes + 2 * n, *low = planes;
	bool found, pays;

	planes_split(records, n, planes, tokens);
	found = codec_deflates_records() && repeat_find(tokens_work(work), tokens, n);
	pays = found && literals_pay(planes, n);
	if (found)
		listed = tokens_number(work, tokens, n, pays ? planes : NULL);
	if (pays && listed)
		first = numbers_group(tokens, n, listed, planes, tokens + n + 3 * listed);
	if (first < n)
		low = tokens + n + 3 * listed;
	if (!pays || !times_store(work, h, low, first, planes + n, &out)) {
		if (first < n)
			memset(tokens + n + 2 * listed, 0, listed);
		out = column_store(codec, h, TAU_TIMES, planes, 2 * n, out);
	}
	return listed ? numbers_store(codec, h, tokens, listed, out)
		      : tokens_store(codec, h, tokens, found, planes, out);
}
