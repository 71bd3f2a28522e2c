/* text.c: makes text from data safe to print on a terminal. */
#include "analyze/base/text.h"

#include <stdio.h>
#include <string.h>

size_t text_utf8(const char *s)
{
	unsigned char c = (unsigned char)s[0];
	size_t n = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((c == 0xe0 && (unsigned char)s[1] < 0xa0) ||
	    (c == 0xed && (unsigned char)s[1] >= 0xa0) ||
	    (c == 0xf0 && (unsigned char)s[1] < 0x90) || (c == 0xf4 && (unsigned char)s[1] >= 0x90))
		return 0;
	return n;
}

/* C0, DEL and the C1 range U+0080 to U+009F, of which some terminals take orders. */
static int is_control(const char *s, size_t length)
{
	unsigned char c = (unsigned char)s[0];

	return length == 1 ? c < 0x20 || c == 0x7f : c == 0xc2 && (unsigned char)s[1] < 0xa0;
}

size_t text_plain(const char *s)
{
	size_t n = text_utf8(s);

	return n && !is_control(s, n) ? n : 0;
}

size_t text_clean_to(char *to, size_t size, const char *s)
{
	size_t at = 0;

	while (*s) {
		size_t n = text_plain(s), need = n ? n : 4;

		if (at + need < size && n)
			memcpy(to + at, s, n);
		else if (at + need < size)
			sprintf(to + at, "\\x%02x", (unsigned char)*s);
		else if (at < size)
			size = at + 1; /* no later character either */
		at += need;
		s += n ? n : 1;
	}
	if (size)
		to[at < size ? at : size - 1] = 0;
	return at;
}
