/* number.h: writes numbers as the shortest text that reads back as the same number. */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdio.h>

#define NUMBER_TEXT 32 /* number_text() writes at most this number of bytes */

/* Returns the end of the text, which is not terminated by a NUL. */
char *number_text(char *to, double v);
/* Microseconds, rounded to three digits after the point. */
char *number_us_text(char *to, double us);
#define NUMBER_US_TEXT 330 /* it writes at most this number of bytes */

static inline void number_print(FILE *f, double v)
{
	char text[NUMBER_TEXT];

	fwrite(text, 1, (size_t)(number_text(text, v) - text), f);
}

#endif
