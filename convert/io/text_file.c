/* text_file.c: streams of text without byte order marks, as UTF-8. */
#include "convert/io/text_file.h"

#include <string.h>

#include "convert/io/blob.h"
#include "convert/io/regular.h"

/* All of the stream after the n bytes at `begin`, as UTF-8. */
static FILE *converted(FILE *f, const unsigned char *begin, size_t n)
{
	struct blob b = {mem_copy(begin, n + 1, 1), n};
	size_t cap = n, got = 1;
	FILE *out;

	while (got) {
		if (b.n == cap) {
			cap = 2 * cap + 4096;
			b.p = mem_resize(b.p, cap + 1, 1);
		}
		got = fread(b.p + b.n, 1, cap - b.n, f);
		b.n += got;
	}
	b.p[b.n] = 0;
	blob_text(&b);
	out = fmemopen(NULL, b.n + 1, "w+");
	if (!out || fwrite(b.p, 1, b.n, out) < b.n || fflush(out))
		mem_resize(NULL, SIZE_MAX, 2); /* the one way out when there is no memory */
	rewind(out);
	blob_release(&b);
	if (f != stdin)
		fclose(f);
	return out;
}

FILE *text_stream(FILE *f)
{
	unsigned char mark[4] = {0};
	size_t n = 0;
	int c = getc(f);

	if (c != 0xef && c != 0xfe && c != 0xff) {
		ungetc(c, f);
		return f;
	}
	for (; c != EOF; c = n < 3 ? getc(f) : EOF)
		mark[n++] = (unsigned char)c;
	return n == 3 && !memcmp(mark, "\xef\xbb\xbf", 3) ? f : converted(f, mark, n);
}

FILE *text_fopen(const char *path, struct error *e)
{
	FILE *f = regular_fopen(path, e);

	return f ? text_stream(f) : NULL;
}
