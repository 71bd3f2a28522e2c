/* blob.c: reads whole files. */
#include "convert/io/blob.h"
#include "convert/io/regular.h"

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
		room = cap - out->n > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uInt)(cap - out->n);
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

static int read_raw(const char *path, size_t most, struct blob *out, struct error *e)
{
	FILE *f = regular_fopen(path, e);
	size_t cap = 0, got = 1;
	int bad;

	memset(out, 0, sizeof(*out));
	if (!f)
		return e->code;
	while (got && out->n < most) {
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

int blob_peek(const char *path, struct blob *out)
{
	struct error e;
	struct blob raw;

	if (read_raw(path, BLOB_PEEK, &raw, &e))
		return -1;
	if (!is_gzip(&raw)) {
		*out = raw;
		return 0;
	}
	/* The input is incomplete on purpose: keep the bytes that were decompressed. */
	memset(out, 0, sizeof(*out));
	blob_inflate(raw.p, raw.n, 15 + 16, BLOB_PEEK, out);
	blob_release(&raw);
	return 0;
}

int blob_read(const char *path, struct blob *out, struct error *e)
{
	struct blob raw;
	int code = read_raw(path, SIZE_MAX, &raw, e);
	size_t at = 0;

	if (code || !is_gzip(&raw)) {
		*out = raw;
		return code;
	}
	memset(out, 0, sizeof(*out));
	while (at < raw.n) {
		size_t took = blob_inflate(raw.p + at, raw.n - at, 15 + 16, SIZE_MAX - 1, out);

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
	return code;
}
