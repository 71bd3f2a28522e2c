/* number.h: numbers as text that reads back as the same number, and no longer than that. */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdio.h>

#define NUMBER_TEXT 32 /* bytes that number_text() needs at most */

/* Returns the end of the text, which has no zero byte. */
char *number_text(char *to, double v);
/* The same for microseconds, with three digits after the point. */
char *number_us_text(char *to, double us);
#define NUMBER_US_TEXT 330 /* bytes that it needs at most */

static inline void number_print(FILE *f, double v)
{
	char text[NUMBER_TEXT];

	fwrite(text, 1, (size_t)(number_text(text, v) - text), f);
}

#endif
