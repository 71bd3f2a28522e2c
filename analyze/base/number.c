/*
 * number.c: turns numbers into text; whole numbers, thousandths and millionths, which are the most
 * frequent ones, two digits at a time. Other numbers between 0.0001 and 1e15 are rounded in whole
 * numbers of 128 bits; the rest is left to printf.
 */
#include "analyze/base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char pairs[] = "00010203040506070809" "10111213141516171819" "20212223242526272829"
			    "30313233343536373839" "40414243444546474849" "50515253545556575859"
			    "60616263646566676869" "70717273747576777879" "80818283848586878889"
			    "90919293949596979899";

static unsigned digits_of(unsigned long long v)
{
	static const unsigned long long power[] = {
		0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
		10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000,
		1000000000000000};
	/* the number of bits times log10(2) */
	unsigned n = (64 - (unsigned)__builtin_clzll(v | 1)) * 1233 >> 12;

	return n + (v >= power[n]);
}

/* Writes the last `digits` digits of a number, with zeros before it. */
static char *digits_text(char *to, unsigned long long v, unsigned digits)
{
	char *at = to + digits;

	for (; at - to > 1; v /= 100)
		at = memcpy(at - 2, &pairs[2 * (v % 100)], 2);
	if (at > to)
		*to = (char)('0' + v % 10);
	return to + digits;
}

/* A number below 1e15. */
static char *whole_text(char *to, unsigned long long v)
{
	if (v > 9)
		return digits_text(to, v, digits_of(v));
	*to = (char)('0' + v);
	return to + 1;
}

/*
 * Writes a number that is a whole number of parts, which are 10^-digits, with these digits after
 * the point. Returns to: it is none, or has too many digits.
 */
static inline char *parts_text(char *to, double v, double parts, unsigned digits)
{
	double size = v * parts + 0.5;
	unsigned long long n;

	if (!(size < 1e15) || (double)(long long)size / parts != v)
		return to;
	n = (unsigned long long)size;
	to = whole_text(to, n / (unsigned long long)parts);
	*to++ = '.';
	return digits_text(to, n % (unsigned long long)parts, digits);
}

static char *thousandths_text(char *to, double v)
{
	return parts_text(to, v, 1e3, 3);
}

/* Nanoseconds in microseconds and in milliseconds. Below 0.0001 printf has an exponent. */
static char *nanoseconds_text(char *to, double v)
{
	char *end = thousandths_text(to, v);

	return end > to || v < 1e-4 ? end : parts_text(to, v, 1e6, 6);
}

/*
 * A number m / 2^shift. For the k where its decimal has the wanted digits, m * 10^k fits into 128
 * bits, so that it is rounded as printf rounds it, and compared with what was rounded, exactly.
 */
struct fraction {
	unsigned long long m;
	unsigned shift;
};

/* m * 10^k / 2^shift, rounded, halves to even. *same: its decimal reads back as the number. */
static unsigned long long fraction_round(struct fraction f, unsigned k, int *same)
{
	unsigned __int128 power = 1, size, half = (unsigned __int128)1 << (f.shift - 1), rest,
			  difference;
	unsigned long long n;

	for (; k; k--)
		power *= 10;
	size = f.m * power;
	n = (unsigned long long)(size >> f.shift);
	rest = size - ((unsigned __int128)n << f.shift);
	if (rest > half || (rest == half && n % 2)) {
		n++;
		difference = 2 * half - rest;
	} else {
		difference = rest;
	}
	/* Numbers differ by 1 / 2^shift; half of that reads back as the even one. */
	*same = 2 * difference < power || (2 * difference == power && f.m % 2 == 0);
	return n;
}

/*
 * The digits of n, which has k of them after the point, without zeros at the end. n is no whole
 * number.
 */
static char *decimal_text(char *to, unsigned long long n, unsigned k)
{
	static const unsigned long long least = 1000000000000000;
	char digits[20], *end;
	unsigned length, whole;

	end = n < least ? whole_text(digits, n)
			: digits_text(whole_text(digits, n / least), n % least, 15);
	length = (unsigned)(end - digits);
	for (; end[-1] == '0'; end--)
		;
	whole = length > k ? length - k : 0;
	if (!whole) {
		*to++ = '0';
		*to++ = '.';
		for (unsigned i = length; i < k; i++)
			*to++ = '0';
	} else {
		to = (char *)memcpy(to, digits, whole) + whole;
		*to++ = '.';
	}
	memcpy(to, digits + whole, (size_t)(end - digits) - whole);
	return to + (end - digits) - whole;
}

/* A number that is not whole, as "%.15g" to "%.17g" print it. Returns to: too large, or small. */
static char *fraction_text(char *to, double v)
{
	int exponent, same;
	unsigned long long n;
	struct fraction f;
	unsigned k;

	if (!(v >= 1e-4 && v < 1e15))
		return to;
	f.m = (unsigned long long)ldexp(frexp(v, &exponent), 53);
	f.shift = (unsigned)(53 - exponent);
	/* The next number below a power of two is nearer than the one above. */
	if (f.m == 1ULL << 52)
		return to;
	k = v >= 1 ? 15 - digits_of((unsigned long long)v)
		   : 15U + (v < 0.1) + (v < 0.01) + (v < 0.001);
	/* 17 digits read back as the number in any case. */
	while (n = fraction_round(f, k, &same), !same)
		k++;
	return decimal_text(to, n, k);
}

char *number_text(char *to, double v)
{
	double size = fabs(v);
	char *begin = to, *end;

	if (signbit(v))
		*to++ = '-';
	if (size < 1e15 && size == (double)(long long)size)
		return whole_text(to, (unsigned long long)size);
	end = nanoseconds_text(to, size);
	if (end > to) {
		while (end[-1] == '0')
			end--;
		return end;
	}
	end = fraction_text(to, size);
	if (end > to)
		return end;
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(begin, NUMBER_TEXT, "%.*g", digits, v);
		if (strtod(begin, NULL) == v)
			break;
	}
	return begin + strlen(begin);
}

char *number_us_text(char *to, double us)
{
	/* whole nanoseconds, as in our traces */
	char *end = signbit(us) ? to : thousandths_text(to, us);

	return end > to ? end : to + snprintf(to, NUMBER_US_TEXT, "%.3f", us);
}
