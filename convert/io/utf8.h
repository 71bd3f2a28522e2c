/*
 * utf8.h: reads and writes characters of text that may not be UTF-8: a byte that is not part of a
 * valid sequence counts as a Latin-1 character.
 */
#ifndef UTF8_H
#define UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The character at *p, which must be before end and moves to the next character. */
static inline uint32_t utf8_next(const unsigned char **p, const unsigned char *end)
{
	static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = *p;
	uint32_t c = *s++;
	int more = c >= 0xf0 && c < 0xf5 ? 3 : c >= 0xe0 && c < 0xf0 ? 2 : c >= 0xc2 && c < 0xe0 ? 1 : 0;

	*p = s;
	if (!more || end - s < more)
		return c;
	c &= 0x3fu >> more;
	for (int i = 0; i < more; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return (*p)[-1];
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return (*p)[-1];
	*p = s + more;
	return c;
}

/* 1: s has bytes that are not part of a valid sequence. */
static inline int utf8_is_not(const char *s)
{
	const unsigned char *p = (const unsigned char *)s, *end = p, *at;

	while (*end)
		end++;
	while ((at = p) < end)
		if (utf8_next(&p, end) >= 0x80 && p - at == 1)
			return 1;
	return 0;
}

/* Writes c to out, which has space for four bytes. Returns the number of bytes. */
static inline size_t utf8_put(char *out, uint32_t c)
{
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (size_t i = n; i-- > 1; c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	out[0] = (char)(first[n] | c);
	return n;
}

#endif
