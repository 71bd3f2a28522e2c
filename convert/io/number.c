/*
 * number.c: turns numbers into text; whole numbers and whole thousandths, which are the most
 * frequent ones, two digits at a time.
 */
#include "convert/io/number.h"

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
 * Writes a number that is a whole number of thousandths, with three digits after the point.
 * Returns to: it is none, or has too many digits.
 */
static char *thousandths_text(char *to, double v)
{
	double size = v * 1000 + 0.5;
	unsigned long long n;

	if (!(size < 1e15) || (double)(long long)size / 1000 != v)
		return to;
	n = (unsigned long long)size;
	to = whole_text(to, n / 1000);
	*to++ = '.';
	return digits_text(to, n % 1000, 3);
}

char *number_text(char *to, double v)
{
	double size = fabs(v);
	char *begin = to, *end;

	if (signbit(v))
		*to++ = '-';
	if (size < 1e15 && size == (double)(long long)size)
		return whole_text(to, (unsigned long long)size);
	end = thousandths_text(to, size);
	if (end > to) {
		while (end[-1] == '0')
			end--;
		return end;
	}
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
