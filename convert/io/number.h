/* number.h: numbers as text that reads back as the same number, and no longer than that. */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdio.h>
#include <stdlib.h>

static inline void number_print(FILE *f, double v)
{
	char text[40];

	if (v > -1e15 && v < 1e15 && v == (double)(long long)v) {
		fprintf(f, "%lld", (long long)v);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	fputs(text, f);
}

#endif
