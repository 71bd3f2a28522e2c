/*
 * text.c: strlen() and its like.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#define OPAQUE(p) __asm__("" : "+r"(p)) /* a loop stays a loop, see bytes.c */

size_t strlen(const char *s)
{
	const char *p = s;

	while (*p) {
		p++;
		OPAQUE(p);
	}
	return (size_t)(p - s);
}

size_t strnlen(const char *s, size_t most)
{
	size_t n = 0;

	while (n < most && s[n])
		n++;
	return n;
}

int strcmp(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (unsigned char)*a - (unsigned char)*b;
}

int strncmp(const char *a, const char *b, size_t n)
{
	for (; n && *a && *a == *b; n--) {
		a++;
		b++;
	}
	return n ? (unsigned char)*a - (unsigned char)*b : 0;
}

static int lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : (unsigned char)c;
}

int strncasecmp(const char *a, const char *b, size_t n)
{
	for (; n && *a && lower(*a) == lower(*b); n--) {
		a++;
		b++;
	}
	return n ? lower(*a) - lower(*b) : 0;
}

int strcasecmp(const char *a, const char *b)
{
	return strncasecmp(a, b, SIZE_MAX);
}

char *strchr(const char *s, int c)
{
	for (; *s != (char)c; s++)
		if (!*s)
			return NULL;
	return (char *)s;
}

char *strrchr(const char *s, int c)
{
	const char *last = NULL;

	for (;; s++) {
		if (*s == (char)c)
			last = s;
		if (!*s)
			return (char *)last;
	}
}

static bool among(char c, const char *set)
{
	while (*set && *set != c)
		set++;
	return *set;
}

size_t strspn(const char *s, const char *set)
{
	size_t n = 0;

	while (s[n] && among(s[n], set))
		n++;
	return n;
}

size_t strcspn(const char *s, const char *set)
{
	size_t n = 0;

	while (s[n] && !among(s[n], set))
		n++;
	return n;
}

char *strpbrk(const char *s, const char *set)
{
	s += strcspn(s, set);
	return *s ? (char *)s : NULL;
}

char *strstr(const char *s, const char *what)
{
	size_t n = strlen(what);

	for (; strncmp(s, what, n) != 0; s++)
		if (!*s)
			return NULL;
	return (char *)s;
}

char *strcpy(char *restrict to, const char *restrict from)
{
	return memcpy(to, from, strlen(from) + 1);
}

char *strcat(char *restrict to, const char *restrict from)
{
	strcpy(to + strlen(to), from);
	return to;
}

char *strncat(char *restrict to, const char *restrict from, size_t most)
{
	size_t at = strlen(to), n = strnlen(from, most);

	memcpy(to + at, from, n);
	to[at + n] = 0;
	return to;
}
