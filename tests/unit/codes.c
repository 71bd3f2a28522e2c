/*
 * codes.c: what the recorder's own writers of deflate blocks write inflates to what went in,
 * whatever its distribution, and never goes beyond the room it has.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define TAU_FORMAT_VECTORS /* as byte_tokens.c has it, which is not the first to include format.h */
#include "record/encode/long_repeats.c"
#include "record/encode/huffman.c"
#include "record/encode/literals.c"
#include "record/encode/byte_tokens.c"
#undef AVX2
#include "record/encode/planes.c"
#include "record/encode/matches.c"
#include "seed.h"
#include "tap.h"

enum { MOST = 70000, PADDING = 64 };
static uint8_t in[2 * MOST], out[2 * MOST + 1000], back[2 * MOST], planes[4 * MOST];
static struct repeat_work work;

/* 1: it comes back, 0: it does not. */
static int comes_back(const uint8_t *end, const uint8_t *expected, uint32_t n)
{
	z_stream z = {.next_in = out,
		      .avail_in = (uInt)(end - out),
		      .next_out = back,
		      .avail_out = sizeof(back)};
	int code;

	if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
		return 0;
	code = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	return code == Z_STREAM_END && !z.avail_in && z.total_out == n &&
	       !memcmp(expected, back, n);
}

/* The block of literals, and a last one, of no tokens; -1: it did not pay. */
static int literals_come_back(uint32_t n, uint32_t *size)
{
	struct bits b = {.p = out};

	if (!literals_pay(in, n) || !literals_block(&b, in, n, out + n))
		return -1;
	*size = (uint32_t)(b.p - out);
	if (!repeat_find(&work, in, 0) || !repeat_tokens(&b, in, b.p + 512, &work))
		return 0;
	return comes_back(b.p, in, n);
}

static int tokens_come_back(uint32_t n, uint32_t *size)
{
	struct bits b = {.p = out};

	if (!repeat_find(&work, in, n) || !repeat_tokens(&b, in, out + 4 * n + 1000, &work))
		return -1;
	*size = (uint32_t)(b.p - out);
	tokens_split(in, n, planes);
	return comes_back(b.p, planes, 2 * n);
}

static int zeros_come_back(uint32_t n, uint32_t *size)
{
	struct bits b = {.p = out};

	if (!repeat_zeros(&b, in, n, out + 2 * n + 1000, &work))
		return -1;
	*size = (uint32_t)(b.p - out);
	return comes_back(b.p, in, n);
}

/* Symbols whose frequencies fall by `ratio` from one to the next: 1 is even, 2 would need codes of
 * any length. */
static void fill(uint32_t n, int symbols, double ratio, int step)
{
	for (uint32_t i = 0; i < n; i++) {
		double u = (double)rand() / RAND_MAX;
		int s = 0;

		while (s < symbols - 1 && u < (ratio > 1 ? 1 / ratio : 1.0 - 1.0 / (symbols - s))) {
			u = (double)rand() / RAND_MAX;
			s++;
		}
		in[i] = (uint8_t)(s * step + (step > 1 ? 3 : 0));
	}
}

/* Counts like Fibonacci's numbers make the deepest tree that a block of this length can have. */
static uint32_t fill_fibonacci(void)
{
	uint32_t a = 1, b = 1, n = 0;

	for (int s = 0; n + b < MOST; s++) {
		uint32_t next = a + b;

		memset(in + n, s, b);
		n += b;
		a = b;
		b = next;
	}
	return n;
}

/* A program of calls: pieces that come again, of any length and from any distance, with noise
 * between. */
static void fill_tokens(uint32_t n, int functions, int noise)
{
	uint16_t *token = (uint16_t *)(void *)in;
	uint32_t i = 0;

	while (i < n) {
		uint32_t length = 1 + (uint32_t)rand() % (rand() % 4 ? 40 : 3000),
			 from = i ? (uint32_t)rand() % i : 0;

		for (; length && i < n; length--, i++)
			token[i] = i && rand() % 1000 >= noise ? token[from++]
				   : rand() % 2                ? (uint16_t)(64 + rand() % functions)
							       : 0;
	}
}

static void fill_zeros(uint32_t n, int one_in)
{
	for (uint32_t i = 0; i < n; i++)
		in[i] = rand() % one_in ? 0 : (uint8_t)rand();
}

static void test_literals(void)
{
	int good = 0, tried = 0, r;
	uint32_t size, n;

	for (int k = 0; k < 100; k++) {
		n = 1024 + (uint32_t)rand() % (MOST - 1024);
		fill(n, 2 + rand() % 250, 1 + (double)rand() / RAND_MAX * 1.2, k % 2 ? 1 : 7);
		r = literals_come_back(n, &size);
		tried += r >= 0;
		good += r == 1;
	}
	ok(good == tried && tried > 60, "%d of %d blocks of all distributions come back", good,
	   tried);
	n = fill_fibonacci();
	ok(literals_come_back(n, &size) == 1,
	   "so does one whose codes would be longer than allowed");
	fill(MOST, 4, 2, 1);
	ok(literals_come_back(MOST, &size) == 1 && size < MOST / 4,
	   "two bits of entropy take about two bits: %u bytes for %d", size, MOST);
	memset(in, 7, MOST);
	ok(literals_come_back(MOST, &size) == -1, "a byte that repeats is left to a matcher");
	ok(literals_come_back(100, &size) == -1, "so are few symbols");
	for (uint32_t i = 0; i < MOST; i++)
		in[i] = (uint8_t)rand();
	ok(literals_come_back(MOST, &size) == -1, "noise that would not get smaller is refused");
}

static void test_tokens(void)
{
	static const uint32_t few[] = {0, 1, 3, 4, 15, 16, 17, 100};
	int good = 0, tried = 0, small = 0;
	uint32_t size, n;

	for (int k = 0; k < 100; k++) {
		n = k < 8 ? few[k] : 1 + (uint32_t)rand() % REPEAT_MOST;
		fill_tokens(n, 1 + rand() % 3000, rand() % 3 ? rand() % 30 : 1000);
		tried++;
		good += tokens_come_back(n, &size) == 1;
	}
	ok(good == tried, "%d of %d blocks of tokens come back", good, tried);
	fill_tokens(REPEAT_MOST, 300, 0);
	ok(tokens_come_back(REPEAT_MOST, &size) == 1 && size < REPEAT_MOST / 4,
	   "repetitions take little: %u bytes for %d", size, 2 * REPEAT_MOST);
	memset(in, 0, 2 * REPEAT_MOST);
	ok(tokens_come_back(REPEAT_MOST, &size) == 1 && size < 2 * REPEAT_MOST / 700,
	   "one token repeated takes next to nothing: %u", size);
	for (n = 250; n < 1100; n++) {
		memset(in, 0, 2 * n);
		in[0] = 1;
		small += tokens_come_back(n, &size) == 1;
	}
	ok(small == 850, "repetitions of all lengths around the longest come back");
	ok(!repeat_find(&work, in, REPEAT_MOST + 1), "more than there is room for is refused");
}

static void test_zeros(void)
{
	int good = 0, tried = 0;
	uint32_t size, n;

	for (int k = 0; k < 200; k++) {
		n = (uint32_t)rand() % REPEAT_MOST;
		fill_zeros(n, 1 + rand() % (rand() % 2 ? 10 : 5000));
		tried++;
		good += zeros_come_back(n, &size) == 1;
	}
	ok(good == tried, "%d of %d planes of zeros come back", good, tried);
}

/* A snapshot, then arguments of `period` bytes over and over, of which one in `noise` is another (0: none). */
static void fill_cycle(uint32_t n, uint32_t head, uint32_t period, uint32_t noise)
{
	for (uint32_t i = 0; i < n; i++) {
		bool fresh = i < head + period || (noise && !((uint32_t)rand() % noise));

		in[i] = fresh ? (uint8_t)rand() : in[i - period];
	}
}

/* 1: it comes back, 0: it does not, -1: it is left to a compressor. */
static int cycle_comes_back(uint32_t n, uint32_t *size)
{
	struct bits b = {.p = out};

	if (!repeat_cycles(&b, in, n, out + n, &work))
		return -1;
	*size = (uint32_t)(b.p - out);
	return comes_back(b.p, in, n);
}

static void test_cycles(void)
{
	int good = 0, tried = 0, kept = 0, told;
	uint32_t size = 0, n;

	for (int k = 0; k < 300; k++) {
		n = CYCLE_FROM + (uint32_t)rand() % (CYCLE_MOST - CYCLE_FROM + 1);
		fill_cycle(n, (uint32_t)rand() % (n / 16), 1 + (uint32_t)rand() % (k % 2 ? 20 : 200),
			   k % 3 ? 0 : 30 + (uint32_t)rand() % 300);
		tried++;
		good += abs(cycle_comes_back(n, &size)) == 1;
		kept += cycle_comes_back(n, &size) == 1;
	}
	ok(good == tried && kept > tried / 2,
	   "%d of %d columns of arguments come back, %d of them told by their cycles", good, tried,
	   kept);
	fill_cycle(CYCLE_MOST, 4000, 130, 0);
	told = cycle_comes_back(CYCLE_MOST, &size);
	ok(told == 1 && size < 5500, "arguments that repeat take little besides the snapshot: %u bytes",
	   size);
	fill_cycle(CYCLE_MOST, 4000, 30000, 0);
	ok(cycle_comes_back(CYCLE_MOST, &size) == -1, "what comes again late is left to a compressor");
	fill_cycle(CYCLE_MOST, 4000, 50, 6);
	ok(cycle_comes_back(CYCLE_MOST, &size) == -1, "so is what repeats half");
	fill_cycle(CYCLE_FROM - 1, 0, 5, 0);
	ok(cycle_comes_back(CYCLE_FROM - 1, &size) == -1, "so is little");
	for (n = 0; n < 2000; n += 7) {
		struct bits b = {.p = out};

		fill_cycle(CYCLE_MOST, 1000, 60, 500);
		memset(out + n, 0xa5, PADDING);
		repeat_cycles(&b, in, CYCLE_MOST, out + n, &work);
		for (int i = 0; i < PADDING; i++)
			good -= out[n + i] != 0xa5;
	}
	ok(good == tried, "of arguments nothing is written behind the room there is");
}

/* Nothing is written after the room there is, however small it is. */
static void test_room(void)
{
	bool kept = true;
	uint32_t room;

	for (room = 0; room < 60000; room += 97) {
		struct bits b = {.p = out};
		bool good;

		fill_tokens(8000, 3000, rand() % 1000);
		memset(out + room, 0xa5, PADDING);
		good = repeat_find(&work, in, 8000) && repeat_tokens(&b, in, out + room, &work);
		for (int i = 0; i < PADDING; i++)
			kept &= out[room + i] == 0xa5;
		if (good && room > 40000)
			break;
	}
	for (room = 0; room < 20000; room += 97) {
		struct bits b = {.p = out};

		fill(20000, 60, 1.02, 1);
		memset(out + room, 0xa5, PADDING);
		literals_block(&b, in, 20000, out + room);
		for (int i = 0; i < PADDING; i++)
			kept &= out[room + i] == 0xa5;
	}
	ok(kept, "nothing is written behind the room there is");
}

/* Symbols joined eight at a time are the same bits as symbols one after the other. */
static void test_joined(void)
{
	int good = 0;

	for (int k = 0; k < 50; k++) {
		struct bits one = {.p = out}, eight = {.p = back};
		uint32_t n = 4 * ((uint32_t)rand() % 2000), count[LITERALS] = {0}, code[LITERALS],
			 i;

		fill(n, 2 + rand() % 40, 1.1 + (double)rand() / RAND_MAX, 1);
		count_symbols(in, n, count);
		codes_make(count, LITERALS, LONGEST_CODE, code);
		i = put_most(&eight, code, in, n, back + sizeof(back));
		i += put_all(&eight, code, in + i, n - i, back + sizeof(back));
		good += put_all(&one, code, in, n, out + sizeof(out)) == i &&
			one.p - out == eight.p - back && one.hold == eight.hold &&
			!memcmp(out, back, (size_t)(one.p - out));
	}
	ok(good == 50, "symbols joined by eights are the same bits as one by one");
}

static void test_planes(void)
{
	int good = 0, tried = 0;

	for (size_t n = 0; n < 100; n++) {
		uint8_t *tokens = planes + 2 * n;
		bool same = true;

		for (size_t i = 0; i < 4 * n; i++)
			in[i] = (uint8_t)rand();
		planes_split(in, n, planes, tokens);
		for (size_t i = 0; i < n; i++)
			same &= planes[i] == in[4 * i] && planes[n + i] == in[4 * i + 1] &&
				!memcmp(tokens + 2 * i, in + 4 * i + 2, 2);
		tried++;
		good += same;
	}
	ok(good == tried, "%d of %d lengths of records are taken apart", good, tried);
}

/* Tokens as numbers, and the list: they mean the same, and the block of them comes back. */
static int numbers_come_back(uint32_t n, uint32_t *listed, uint32_t *size)
{
	static uint8_t tokens[2 * MOST];
	static struct numbers_work w;
	struct bits b = {.p = out};
	const struct run *run;
	uint32_t runs;

	memcpy(tokens, in, 2 * n);
	if (!repeat_find(&work, tokens, n))
		return 0;
	run = repeat_runs(&work, &runs);
	*listed = numbers_make(tokens, n, run, runs, NULL, &w);
	for (size_t i = 0; i < sizeof(w.table); i++)
		if (w.table[i])
			return 0;
	if (!*listed)
		return memcmp(tokens, in, 2 * n) ? 0 : -1;
	for (uint32_t i = 0; i < n; i++)
		if (tokens[i] >= *listed || in[2 * i] != tokens[n + tokens[i]] ||
		    in[2 * i + 1] != tokens[n + *listed + tokens[i]])
			return 0;
	if (tokens[n] || tokens[n + *listed] || !repeat_numbers(&b, tokens, n, 3 * *listed, out + 2 * n + 1000, &work))
		return 0;
	*size = (uint32_t)(b.p - out);
	return comes_back(b.p, tokens, n + 3 * *listed);
}

static void test_numbers(void)
{
	int good = 0, tried = 0;
	uint32_t size, listed = 0, pairs;

	for (int k = 0; k < 100; k++) {
		uint32_t n = NUMBERS_LEAST + (uint32_t)rand() % (REPEAT_MOST - NUMBERS_LEAST);

		fill_tokens(n, 1 + rand() % 250, rand() % 3 ? rand() % 30 : 1000);
		tried++;
		good += numbers_come_back(n, &listed, &size) == 1;
	}
	ok(good == tried, "%d of %d blocks of numbers come back", good, tried);
	fill_tokens(REPEAT_MOST, 250, 0);
	ok(tokens_come_back(REPEAT_MOST, &pairs) == 1 &&
		   numbers_come_back(REPEAT_MOST, &listed, &size) == 1 && size < pairs * 3 / 4,
	   "numbers take less than two planes: %u bytes, not %u", size, pairs);
	for (uint32_t i = 0; i < 4000; i++) {
		uint16_t token = (uint16_t)(i % NUMBERS_MOST);

		memcpy(in + 2 * i, &token, 2);
	}
	ok(numbers_come_back(4000, &listed, &size) == 1 && listed == NUMBERS_MOST,
	   "so many tokens have numbers");
	in[2 * 3999] = in[2 * 3999 + 1] = 0xff;
	ok(numbers_come_back(4000, &listed, &size) == -1, "one more, and nothing is changed");
}

/* Divides times into groups by the list, as a reader does it: is it what numbers_group() wrote? */
static bool grouped_well(const uint8_t *numbers, uint32_t n, uint32_t listed, const uint8_t *times,
			 const uint8_t *grouped, uint32_t first)
{
	const uint8_t *group = numbers + n + 2 * listed;
	uint32_t front = 0, back = n;

	for (uint32_t i = 0; i < n; i++) {
		uint8_t before = i ? numbers[i - 1] : 0;
		bool second = numbers[i] ? group[numbers[i]] & 1 : group[before] & 2;

		if (times[i] != grouped[second ? --back : front++])
			return false;
	}
	return front == first && front == back;
}

/*
 * Times of a program: those of enters depend on the token, those of leaves on the token before. Returns the bits per record
 * that groups save, by the entropy of the times in them.
 */
static double groups_save(uint32_t n, int functions, int *good)
{
	static uint8_t tokens[2 * MOST], times[MOST], grouped[MOST];
	static struct numbers_work w;
	uint32_t count[2][256] = {{0}}, listed, first, runs;
	const struct run *run;
	double saved = 0;

	fill_tokens(n, functions, 300);
	for (uint32_t i = 0; i < n; i++) {
		uint8_t token = in[2 * i], before = i ? in[2 * i - 2] : 0;

		times[i] = (uint8_t)(5 + (token ? token % 7 : before % 11) + rand() % 3);
	}
	memcpy(tokens, in, 2 * n);
	if (!repeat_find(&work, tokens, n))
		return 0;
	run = repeat_runs(&work, &runs);
	listed = numbers_make(tokens, n, run, runs, times, &w);
	first = listed ? numbers_group(tokens, n, listed, times, grouped) : n;
	*good += first < n && grouped_well(tokens, n, listed, times, grouped, first);
	for (uint32_t i = 0; i < n; i++)
		count[i >= first][grouped[i]]++;
	for (int t = 0; t < 256; t++) {
		double both = count[0][t] + count[1][t];

		saved -= both > 0 ? both * log2(both / n) : 0;
		saved += count[0][t] ? count[0][t] * log2((double)count[0][t] / first) : 0;
		saved += count[1][t] ? count[1][t] * log2((double)count[1][t] / (n - first)) : 0;
	}
	return saved / n;
}

static void test_repeat_bytes(void)
{
	static uint8_t got[4000], want[4000];
	int same = 0, all = 0;

	for (uint32_t distance = 1; distance <= 80; distance++)
		for (uint32_t length = 0; length <= 3800; length += length < 200 ? 1 : 173) {
			for (uint32_t i = 0; i < sizeof(got); i++)
				got[i] = want[i] = (uint8_t)rand();
			for (uint32_t i = distance; i < distance + length; i++)
				want[i] = want[i - distance];
			same += repeat_bytes(got + distance, distance, length) == got + distance + length &&
				!memcmp(got, want, sizeof(got));
			all++;
		}
	ok(same == all, "%d of %d repetitions of numbers, and nothing behind them", same, all);
	ok(repeat_bytes(got, 0, 0) == got, "none, at no distance");
}

#if defined(__x86_64__)
/* As group_most(), with what processors without AVX-512 have. */
static uint32_t group_half(const uint8_t *says, uint32_t listed, const uint8_t *numbers, uint32_t *at, const uint8_t *times,
			   uint8_t *grouped, uint32_t n, uint32_t second)
{
	return tau_groups_fast() ? group_avx2(says, listed, numbers, at, times, grouped, n, second) : second;
}
#else
#define group_half group_most
#endif

static void test_groups(void)
{
	static uint8_t numbers[MOST], grouped[2][MOST], says[256];
	int good = 0, same = 0, alone = 0, saving = 0;

	for (int k = 0; k < 100; k++) {
		uint32_t n = NUMBERS_LEAST + (uint32_t)rand() % 5000, listed = 2 + (uint32_t)rand() % 254, first, at = 1,
			 second;

		saving += groups_save(n, 20 + rand() % 200, &good) > 0.1;
		for (uint32_t i = 0; i < n; i++)
			numbers[i] = (uint8_t)(rand() % 2 ? 0 : rand() % (int)listed);
		for (uint32_t i = 0; i < listed; i++)
			numbers[n + 2 * listed + i] = rand() & 3;
		for (uint32_t i = 0; i < n; i++)
			in[i] = (uint8_t)rand();
		tau_groups_pairs(says, listed, numbers + n + 2 * listed);
		second = group_some(says, numbers, 0, n, in, grouped[0], n, 0);
		first = group_some(says, numbers, 0, 1, in, grouped[1], n, 0);
		first = (k % 2 ? group_most : group_half)(says, listed, numbers, &at, in, grouped[1], n, first);
		same += second == group_some(says, numbers, at, n, in, grouped[1], n, first) &&
			!memcmp(grouped[0], grouped[1], n);
		memset(numbers + n + 2 * listed, 0, listed);
		alone += numbers_group(numbers, n, listed, in, grouped[0]) == n;
		memset(numbers + n + 2 * listed, 3, listed);
		alone += numbers_group(numbers, n, listed, in, grouped[0]) == n &&
			 !numbers[n + 2 * listed] && !numbers[n + 3 * listed - 1];
	}
	ok(good == 100, "%d of 100 times are found in the groups that the list says", good);
	ok(saving == 100, "%d of 100 times are parted so that they take fewer bits", saving);
	ok(same == 100, "32 and 64 at a time are the same as one by one");
	ok(alone == 200, "times of one group alone are one group, and the list says so");
}

int main(void)
{
	unsigned seed = (unsigned)test_seed(1);

	srand(seed);
	test_literals();
	test_tokens();
	test_numbers();
	test_repeat_bytes();
	test_groups();
	test_zeros();
	test_cycles();
	test_room();
	test_joined();
	test_planes();
	return tap_end();
}
