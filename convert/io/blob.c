/* blob.c: reads whole files. */
#include "convert/io/blob.h"
#include "convert/io/input.h"
#include "convert/io/regular.h"
#include "convert/io/utf8.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

void blob_release(struct blob *b)
{
	free(b->p);
	memset(b, 0, sizeof(*b));
}

/* Makes room for more bytes and for the NUL. */
static void blob_grow(struct blob *b, size_t *cap)
{
	*cap = *cap ? *cap * 2 : 4096;
	b->p = mem_resize(b->p, *cap + 1, 1);
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t blob_inflate(const unsigned char *from, size_t n, int wbits, size_t most, struct blob *out)
{
	z_stream z = {.next_in = (unsigned char *)from};
	size_t cap = out->n, left = n, start = out->n;
	int code = inflateInit2(&z, wbits) == Z_OK ? Z_OK : Z_MEM_ERROR;

	while (code == Z_OK && out->n - start <= most) {
		uInt room;

		if (out->n == cap)
			blob_grow(out, &cap);
		if (!z.avail_in && !left)
			break;
		if (!z.avail_in) {
			z.avail_in = left > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uInt)left;
			left -= z.avail_in;
		}
		room = (uInt)smaller(smaller(cap - out->n, UINT32_MAX / 2),
				     most - (out->n - start) + 1);
		z.next_out = out->p + out->n;
		z.avail_out = room;
		code = inflate(&z, Z_NO_FLUSH);
		out->n += room - z.avail_out;
	}
	inflateEnd(&z);
	if (out->p)
		out->p[out->n] = 0;
	if (code != Z_STREAM_END || out->n - start > most)
		return 0;
	return n - left - z.avail_in;
}

/* The 16 bits at p; high: the place of their high byte. */
static uint32_t unit_at(const unsigned char *p, size_t high)
{
	return (uint32_t)p[high] << 8 | p[1 - high];
}

static int is_half(uint32_t c, uint32_t first)
{
	return c >= first && c < first + 0x400;
}

/* The text after the mark. A byte too many at the end is dropped. */
static void from_utf16(struct blob *b, size_t high)
{
	unsigned char *text = mem_alloc(b->n / 2 * 3 + 4);
	size_t n = 0;

	for (size_t i = 2; i + 1 < b->n; i += 2) {
		uint32_t c = unit_at(b->p + i, high),
			 next = i + 3 < b->n ? unit_at(b->p + i + 2, high) : 0;

		if (is_half(c, 0xd800) && is_half(next, 0xdc00)) {
			c = 0x10000 + ((c - 0xd800) << 10) + (next - 0xdc00);
			i += 2;
		} else if (is_half(c, 0xd800) || is_half(c, 0xdc00)) {
			c = 0xfffd;
		}
		n += utf8_put((char *)text + n, c);
	}
	text[n] = 0;
	free(b->p);
	*b = (struct blob){text, n};
}

void blob_text(struct blob *b)
{
	if (b->n >= 3 && !memcmp(b->p, "\xef\xbb\xbf", 3)) {
		b->n -= 3;
		memmove(b->p, b->p + 3, b->n + 1);
	} else if (b->n >= 2 && (!memcmp(b->p, "\xff\xfe", 2) || !memcmp(b->p, "\xfe\xff", 2))) {
		from_utf16(b, b->p[0] == 0xff);
	}
}

static int read_raw(const char *path, struct blob *out, struct error *e)
{
	FILE *f = regular_fopen(path, e);
	size_t cap = 0, got = 1;
	int bad;

	memset(out, 0, sizeof(*out));
	if (!f)
		return e->code;
	while (got) {
		if (out->n == cap)
			blob_grow(out, &cap);
		got = fread(out->p + out->n, 1, cap - out->n, f);
		out->n += got;
	}
	out->p[out->n] = 0;
	bad = ferror(f) ? errno : 0;
	fclose(f);
	if (!bad)
		return 0;
	blob_release(out);
	return error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(bad));
}

static int is_gzip(const struct blob *b)
{
	return b->n >= 3 && b->p[0] == 0x1f && b->p[1] == 0x8b && b->p[2] == 8;
}

int blob_peek(struct input *in, struct blob *out)
{
	struct blob raw = {0};
	const unsigned char *head = input_head(in, &raw.n);
	struct error none;

	if (!head && regular_check(in->path, &none))
		return -1;
	raw.p = mem_alloc(raw.n + 1);
	if (head)
		memcpy(raw.p, head, raw.n);
	if (!is_gzip(&raw)) {
		*out = raw;
		blob_text(out);
		return 0;
	}
	/* The input is incomplete on purpose: keep the bytes that were decompressed. */
	memset(out, 0, sizeof(*out));
	blob_inflate(raw.p, raw.n, 15 + 16, BLOB_PEEK, out);
	blob_release(&raw);
	blob_text(out);
	return 0;
}

int blob_read(const char *path, struct blob *out, struct error *e)
{
	struct blob raw;
	int code = read_raw(path, &raw, e);
	size_t at = 0, most = code ? 0 : blob_most(raw.n);

	if (code || !is_gzip(&raw)) {
		*out = raw;
		if (!code)
			blob_text(out);
		return code;
	}
	memset(out, 0, sizeof(*out));
	while (at < raw.n) {
		size_t took = blob_inflate(raw.p + at, raw.n - at, 15 + 16, most - out->n, out);

		if (!took && out->n > most) {
			code = error_set(e, ERROR_INPUT,
					 "%s: it unpacks to more than %d times its size, so memory "
					 "may not suffice: "
					 "unpack it with gzip -d if this is right",
					 path, BLOB_RATIO);
			break;
		}
		if (!took) {
			code = error_set(
				e, ERROR_INPUT,
				"%s: offset %zu: the gzip stream that begins here is damaged "
				"or has no end",
				path, at);
			break;
		}
		at += took;
	}
	blob_release(&raw);
	if (code)
		blob_release(out);
	else
		blob_text(out);
	return code;
}
