/* huffman.c: what the recorder's symbol coder writes is deflate, and inflates to what went in, whatever its distribution. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "record/huffman.c"
#include "tap.h"

enum { MOST = 70000 };
static uint8_t in[MOST], out[MOST + 1000], back[MOST];

static int round_trip(uint32_t n, uint32_t *size)
{
	z_stream z = { .next_in = out, .next_out = back, .avail_out = sizeof(back) };
	int code;

	*size = huffman_block(in, n, out, n);
	if (!*size)
		return -1;
	out[*size] = 3;		/* a last, empty block with fixed codes */
	out[*size + 1] = 0;
	z.avail_in = *size + 2;
	if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
		return 0;
	code = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	return code == Z_STREAM_END && z.total_out == n && !memcmp(in, back, n);
}

/* Symbols whose frequencies fall by `ratio` from one to the next: 1 is even, 2 would need codes of any length. */
static void fill(uint32_t n, int symbols, double ratio)
{
	for (uint32_t i = 0; i < n; i++) {
		double u = (double)rand() / RAND_MAX;
		int s = 0;

		while (s < symbols - 1 && u < (ratio > 1 ? 1 / ratio : 1.0 - 1.0 / (symbols - s))) {
			u = (double)rand() / RAND_MAX;
			s++;
		}
		in[i] = (uint8_t)(s * 7 + 3);
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

int main(void)
{
	unsigned seed = getenv("TAU_TEST_SEED") ? (unsigned)atol(getenv("TAU_TEST_SEED")) : 1;
	uint32_t size, n;
	int good = 0, tried = 0;

	printf("# seed %u\n", seed);
	srand(seed);
	for (int k = 0; k < 300; k++) {
		int r;

		n = 1024 + (uint32_t)rand() % (MOST - 1024);
		fill(n, 2 + rand() % 250, 1 + (double)rand() / RAND_MAX * 1.2);
		r = round_trip(n, &size);
		tried += r >= 0;
		good += r == 1;
	}
	ok(good == tried && tried > 200, "%d of %d blocks of all distributions come back", good, tried);
	n = fill_fibonacci();
	good = round_trip(n, &size) == 1;
	ok(good, "so does one whose tree would be too deep (%u bytes)", size);
	for (n = 0; n < MOST; n++)
		in[n] = (uint8_t)rand();
	ok(round_trip(MOST, &size) == -1, "bytes without any pattern are left to be stored");
	memset(in, 7, MOST);
	ok(round_trip(MOST, &size) == -1, "bytes that are all the same are left to the matcher");
	ok(round_trip(1000, &size) == -1, "short blocks are left to it too");
	for (n = 0; n < MOST; n++)
		in[n] = (uint8_t)(rand() % 16);
	good = round_trip(MOST, &size) == 1;
	/* One of them takes 5, to make room for the end of the block. */
	ok(good && size < MOST / 2 + MOST / 16 / 8 + 400, "16 even symbols take 4 bits each (%u bytes)", size);
	return tap_end();
}
