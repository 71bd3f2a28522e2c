/*
 * bytes.c: memcpy() and its like. The compiler calls these by itself, too.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

typedef uint8_t block __attribute__((vector_size(16), aligned(1), may_alias));

/* Without this the compiler would make a call of the function itself out of its loop. */
#define OPAQUE(p) __asm__("" : "+r"(p))
#if defined(__x86_64__)
#define LONG_BYTES 4096 /* from this size on the processor copies and fills faster by itself */

static inline void copy_long(void *d, const void *s, size_t n)
{
	__asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
}

static inline void fill_long(void *d, int c, size_t n)
{
	__asm__ volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(c) : "memory");
}
#else
#define LONG_BYTES SIZE_MAX

static inline void copy_long(void *d, const void *s, size_t n)
{
	(void)d, (void)s, (void)n;
}

static inline void fill_long(void *d, int c, size_t n)
{
	(void)d, (void)c, (void)n;
}
#endif

static inline void copy_below_16(uint8_t *d, const uint8_t *s, size_t n)
{
	typedef uint64_t u8 __attribute__((aligned(1), may_alias));
	typedef uint32_t u4 __attribute__((aligned(1), may_alias));
	typedef uint16_t u2 __attribute__((aligned(1), may_alias));

	if (n >= 8) {
		uint64_t a = *(const u8 *)s, b = *(const u8 *)(s + n - 8);

		*(u8 *)d = a;
		*(u8 *)(d + n - 8) = b;
	} else if (n >= 4) {
		uint32_t a = *(const u4 *)s, b = *(const u4 *)(s + n - 4);

		*(u4 *)d = a;
		*(u4 *)(d + n - 4) = b;
	} else if (n >= 2) {
		uint16_t a = *(const u2 *)s, b = *(const u2 *)(s + n - 2);

		*(u2 *)d = a;
		*(u2 *)(d + n - 2) = b;
	} else if (n) {
		*d = *s;
	}
}

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	uint8_t *d = to;
	const uint8_t *s = from;
	size_t i = 0;
	block last;

	if (n < 16) {
		copy_below_16(d, s, n);
		return to;
	}
	if (n >= LONG_BYTES) {
		copy_long(d, s, n);
		return to;
	}
	last = *(const block *)(s + n - 16);
	for (; i + 64 < n; i += 64) {
		block a = *(const block *)(s + i), b = *(const block *)(s + i + 16);
		block c = *(const block *)(s + i + 32), e = *(const block *)(s + i + 48);

		*(block *)(d + i) = a;
		*(block *)(d + i + 16) = b;
		*(block *)(d + i + 32) = c;
		*(block *)(d + i + 48) = e;
		OPAQUE(i);
	}
	for (; i + 16 < n; i += 16) {
		*(block *)(d + i) = *(const block *)(s + i);
		OPAQUE(i);
	}
	*(block *)(d + n - 16) = last;
	return to;
}

void *memmove(void *to, const void *from, size_t n)
{
	uint8_t *d = to;
	const uint8_t *s = from;

	if ((uintptr_t)d - (uintptr_t)s >=
	    n) { /* forwards nothing is overwritten before it is read */
		while (n >= 16) {
			block b = *(const block *)s;

			*(block *)d = b;
			d += 16;
			s += 16;
			n -= 16;
			OPAQUE(d);
		}
		copy_below_16(d, s, n);
		return to;
	}
	while (n >= 16) {
		block b = *(const block *)(s + n - 16);

		*(block *)(d + n - 16) = b;
		n -= 16;
		OPAQUE(n);
	}
	copy_below_16(d, s, n);
	return to;
}

void *memset(void *to, int c, size_t n)
{
	uint8_t *d = to, v = (uint8_t)c;
	block b = {v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v};

	if (n < 16) {
		for (size_t i = 0; i < n; i++) {
			d[i] = v;
			OPAQUE(i);
		}
		return to;
	}
	if (n >= LONG_BYTES) {
		fill_long(d, c, n);
		return to;
	}
	for (size_t i = 0; i + 16 < n; i += 16) {
		*(block *)(d + i) = b;
		OPAQUE(i);
	}
	*(block *)(d + n - 16) = b;
	return to;
}

int memcmp(const void *left, const void *right, size_t n)
{
	const uint8_t *a = left, *b = right;
	typedef uint64_t u8 __attribute__((aligned(1), may_alias));
	size_t i = 0;

	while (i + 8 <= n && *(const u8 *)(a + i) == *(const u8 *)(b + i))
		i += 8;
	for (; i < n; i++)
		if (a[i] != b[i])
			return a[i] - b[i];
	return 0;
}

/* What clang makes of a memcmp() whose result is only compared with 0. */
int bcmp(const void *left, const void *right, size_t n)
{
	return memcmp(left, right, n);
}

void *memchr(const void *bytes, int c, size_t n)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < n; i++)
		if (p[i] == (uint8_t)c)
			return (void *)(p + i);
	return NULL;
}

void *memmem(const void *in, size_t in_n, const void *what, size_t n)
{
	const uint8_t *p = in;

	for (size_t i = 0; i + n <= in_n; i++)
		if (!memcmp(p + i, what, n))
			return (void *)(p + i);
	return NULL;
}
