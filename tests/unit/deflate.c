/* deflate.c: bytes come back from deflate as they were, and a damaged stream is refused. */
#include <stdlib.h>
#include <malloc.h>
#include <string.h>
#include <zlib.h>

#include "convert/io/deflate.h"
#include "convert/io/inflate.h"
#include "draw.h"
#include "tap.h"

static unsigned char raw[100000], packed[100000], back[100000];

static void test_round(struct deflater *d, struct inflater *i, const char *what, size_t n)
{
	size_t m = deflater_run(d, raw, n, packed);

	ok(m && m < n, "%s: %zu bytes become %zu", what, n, m);
	memset(back, 0xaa, n);
	ok(!inflater_run(i, packed, m, back, n) && !memcmp(raw, back, n), "%s: come back", what);
	ok(inflater_run(i, packed, m, back, n - 1) < 0, "%s: one byte more than was expected", what);
	ok(inflater_run(i, packed, m, back, n + 1) < 0, "%s: one byte less", what);
	ok(inflater_run(i, packed, m - 1, back, n) < 0, "%s: the stream is cut short", what);
	packed[m] = 0;
	ok(inflater_run(i, packed, m + 1, back, n) < 0, "%s: a byte follows it", what);
}

static void test_checksum(const struct inflater *i)
{
	size_t wrong = 0;

	for (size_t n = 0; n < 3000; n += 1 + n / 40)
		wrong += inflater_crc(i, raw + n % 16, n) != crc32(0, raw + n % 16, (uInt)n);
	ok(!wrong, "checksums of up to 3000 bytes are those of zlib");
}

/* Codes for few bytes take longer than they are worth; threads that record little have several columns of these. */
static void test_few(struct deflater *d)
{
	memset(raw, 7, 1000);
	ok(!deflater_run(d, raw, 255, packed) && deflater_run(d, raw, 256, packed), "less than 256 bytes stay as they are");
}

/* A reader of a thousand streams has a thousand inflaters. Another allocator counts 0 bytes. */
static void test_many(struct deflater *d)
{
	static struct inflater *many[1000];
	size_t before, n, wrong = 0;

	memset(raw, 7, 1000);
	n = deflater_run(d, raw, 1000, packed);
	before = mallinfo2().uordblks + mallinfo2().hblkhd;
	for (size_t i = 0; i < 1000; i++) {
		many[i] = inflater_new();
		wrong += inflater_run(many[i], packed, n, back, 1000) || memcmp(raw, back, 1000);
	}
	n = mallinfo2().uordblks + mallinfo2().hblkhd - before;
	ok(!wrong && n < 20000 * 1000, "an inflater keeps less than 20000 bytes after its call: %zu in 1000 of them", n);
	for (size_t i = 0; i < 1000; i++)
		inflater_free(many[i]);
}

int main(void)
{
	struct deflater *d = deflater_new();
	struct inflater *i = inflater_new();

	test_round(d, i, "zeros", 65536);
	for (size_t k = 0; k < sizeof(raw); k++)
		raw[k] = (unsigned char)(k * k >> 7);
	test_round(d, i, "a pattern", sizeof(raw) - 1);
	draw_seed(7);
	for (size_t k = 0; k < sizeof(raw); k++)
		raw[k] = (unsigned char)(draw_below(4));
	test_round(d, i, "four values", 5000);
	for (size_t k = 0; k < sizeof(raw); k++)
		raw[k] = (unsigned char)(draw_below(256));
	ok(!deflater_run(d, raw, 1000, packed), "what becomes no shorter is left");
	ok(!deflater_run(d, raw, 0, packed), "and nothing at all");
	ok(inflater_run(i, raw, 1000, back, 1000) < 0, "bytes that are no stream");
	test_checksum(i);
	test_few(d);
	test_many(d);
	deflater_free(d);
	inflater_free(i);
	return tap_end();
}
