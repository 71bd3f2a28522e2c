/* ppk_bytes.c: reads the numbers and texts of packed profiles. */
#include "convert/tau/ppk_bytes.h"

#include <stdlib.h>
#include <unistd.h>

#include "analyze/base/base.h"
#include "convert/io/blob.h"
#include "convert/io/utf8.h"

#define BUFFER (1 << 18)

int ppk_bytes_open(struct ppk_bytes *b, const char *path)
{
	b->buffer = mem_alloc(BUFFER);
	b->owned = 1;
	b->file = strcmp(path, "-") ? gzopen(path, "rb") : gzdopen(dup(0), "rb");
	if (!b->file)
		return -1;
	gzbuffer(b->file, BUFFER);
	return 0;
}

void ppk_bytes_close(struct ppk_bytes *b)
{
	if (b->file)
		gzclose(b->file);
	if (b->owned)
		free(b->buffer);
	free(b->text);
}

int ppk_refill(struct ppk_bytes *b)
{
	int got;

	if (!b->file)
		return 0;
	b->before += b->n;
	b->at = b->n = 0;
	b->vast |= b->kept && b->before > blob_most((size_t)gzoffset(b->file));
	if (b->vast)
		return 0;
	got = gzread(b->file, b->buffer, BUFFER);
	if (got > 0)
		b->n = (size_t)got;
	else
		b->failed = (gzerror(b->file, &got), got == Z_ERRNO);
	return b->n > 0;
}

void ppk_skip(struct ppk_bytes *b, uint64_t n)
{
	while (n && !b->bad) {
		size_t here = b->n - b->at;

		if (!here && !ppk_refill(b)) {
			b->bad = 1;
			return;
		}
		here = b->n - b->at < n ? b->n - b->at : (size_t)n;
		b->at += here;
		n -= here;
	}
}

/* Java writes NUL as two bytes, and characters beyond 16 bits as two surrogates of three bytes each. */
static uint32_t java_char(const unsigned char **p, const unsigned char *end)
{
	const unsigned char *s = *p;

	if (end - s >= 2 && s[0] == 0xc0 && s[1] == 0x80) {
		*p = s + 2;
		return ' ';
	}
	if (end - s >= 6 && s[0] == 0xed && s[1] >= 0xa0 && s[1] < 0xb0 && s[3] == 0xed &&
	    s[4] >= 0xb0 && s[4] < 0xc0) {
		*p = s + 6;
		return 0x10000 + ((uint32_t)(s[1] & 0xf) << 16 | (uint32_t)(s[2] & 0x3f) << 10 |
				  (uint32_t)(s[4] & 0xf) << 6 | (s[5] & 0x3f));
	}
	return utf8_next(p, end);
}

const char *ppk_text(struct ppk_bytes *b)
{
	size_t length = ppk_byte(b) << 8, n = 0;
	unsigned char raw[UINT16_MAX + 8];
	const unsigned char *at = raw;

	length |= ppk_byte(b);
	for (size_t i = 0; i < length && !b->bad; i++)
		raw[i] = (unsigned char)ppk_byte(b);
	if (b->text_cap < 2 * length + 4) {
		b->text_cap = 2 * length + 4;
		b->text = mem_resize(b->text, b->text_cap, 1);
	}
	while (!b->bad && at < raw + length) {
		uint32_t c = java_char(&at, raw + length);

		n += utf8_put(b->text + n, c ? c : ' ');
	}
	b->text[n] = 0;
	return b->text;
}
