/*
 * number.c: turns numbers into text; whole numbers, which are the most frequent ones, digit by
 * digit.
 */
#include "convert/io/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Writes at least this number of digits. */
static char *whole_text(char *to, unsigned long long v, int digits)
{
	char text[24], *end = text + sizeof(text), *at = end;

	for (; v || digits > 0; v /= 10, digits--)
		*--at = (char)('0' + v % 10);
	memcpy(to, at, (size_t)(end - at));
	return to + (end - at);
}

char *number_text(char *to, double v)
{
	double size = fabs(v);

	if (size < 1e15 && size == (double)(long long)size) {
		if (signbit(v))
			*to++ = '-';
		return whole_text(to, (unsigned long long)size, 1);
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(to, NUMBER_TEXT, "%.*g", digits, v);
		if (strtod(to, NULL) == v)
			break;
	}
	return to + strlen(to);
}

char *number_us_text(char *to, double us)
{
	double ns = us * 1000;

	/* whole nanoseconds, as in our traces */
	if (!signbit(us) && ns < 1e15 && (double)llrint(ns) / 1000 == us) {
		unsigned long long whole = (unsigned long long)llrint(ns);

		to = whole_text(to, whole / 1000, 1);
		*to++ = '.';
		return whole_text(to, whole % 1000, 3);
	}
	return to + snprintf(to, NUMBER_US_TEXT, "%.3f", us);
}
