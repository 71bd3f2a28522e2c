/*
 * number.c: strtoul() and its like, of decimal, octal and hexadecimal numbers as the C library
 * reads them in the locale "C".
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static unsigned digit(char c)
{
	return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
	       : c >= 'a' && c <= 'z' ? (unsigned)(c - 'a') + 10
	       : c >= 'A' && c <= 'Z' ? (unsigned)(c - 'A') + 10
				      : UINT_MAX;
}

/* The value without its sign; *large: it has more bits than there are. */
static unsigned long long read_digits(const char *s, char **end, int base, bool *negative,
				      bool *large)
{
	const char *begin = s, *first;
	unsigned long long value = 0;

	while (is_space(*s))
		s++;
	*negative = *s == '-';
	s += *s == '-' || *s == '+';
	if ((!base || base == 16) && s[0] == '0' && (s[1] | 32) == 'x' && digit(s[2]) < 16) {
		s += 2;
		base = 16;
	}
	if (!base)
		base = *s == '0' ? 8 : 10;
	*large = false;
	for (first = s; digit(*s) < (unsigned)base; s++)
		if (__builtin_mul_overflow(value, (unsigned)base, &value) ||
		    __builtin_add_overflow(value, digit(*s), &value))
			*large = true;
	if (end)
		*end = (char *)(s == first ? begin : s);
	return value;
}

unsigned long long strtoull(const char *restrict s, char **restrict end, int base)
{
	bool negative, large;
	unsigned long long value = read_digits(s, end, base, &negative, &large);

	if (large) {
		errno = ERANGE;
		return ULLONG_MAX;
	}
	return negative ? -value : value;
}

long long strtoll(const char *restrict s, char **restrict end, int base)
{
	bool negative, large;
	unsigned long long value = read_digits(s, end, base, &negative, &large);

	if (large || value > (unsigned long long)LLONG_MAX + negative) {
		errno = ERANGE;
		return negative ? LLONG_MIN : LLONG_MAX;
	}
	return negative ? (long long)-value : (long long)value;
}

unsigned long strtoul(const char *restrict s, char **restrict end, int base)
{
	return (unsigned long)strtoull(s, end, base);
}

long strtol(const char *restrict s, char **restrict end, int base)
{
	return (long)strtoll(s, end, base);
}

/* Of decimal numbers; correct to the last digits but one, for settings that people write. */
double strtod(const char *restrict s, char **restrict end)
{
	const char *begin = s;
	double value = 0, part = 1;
	bool negative, any = false;

	while (is_space(*s))
		s++;
	negative = *s == '-';
	s += *s == '-' || *s == '+';
	for (; digit(*s) < 10; s++) {
		value = value * 10 + digit(*s);
		any = true;
	}
	if (*s == '.' && (any || digit(s[1]) < 10))
		for (s++; digit(*s) < 10; s++) {
			value = value * 10 + digit(*s);
			part *= 10;
			any = true;
		}
	value /= part;
	if (any && (*s | 32) == 'e' &&
	    (digit(s[1]) < 10 || ((s[1] == '-' || s[1] == '+') && digit(s[2]) < 10))) {
		char *after;
		long power = strtol(s + 1, &after, 10);

		for (; power > 0 && value < 1e300; power--)
			value *= 10;
		for (; power < 0 && value > 0; power++)
			value /= 10;
		s = after;
	}
	if (end)
		*end = (char *)(any ? s : begin);
	return negative ? -value : value;
}
