/* bars.h: a picture of horizontal bars, as SVG: what something consists of, each part with a line
 * of detail below its name. */
#ifndef BARS_H
#define BARS_H

#include <stddef.h>
#include <stdio.h>

struct bars_row {
	char *name, *detail; /* detail: smaller, below; may be "" */
	char *more;          /* a further line, or NULL */
	char *whole;         /* what detail is short for, or NULL */
	double value;        /* > 0 is drawn full, below 0 hollow, 0 not at all */
	char *note;          /* after the bar */
	int accent;          /* 1: the first colour, 0: the second, -1: grey */
};

struct bars {
	const char *title, *subtitle, *foot; /* foot may be NULL; borrowed */
	struct bars_row *row;
	size_t row_n, row_cap;
};

/* name is copied; detail and note are taken over and freed by bars_release(). */
void bars_add(struct bars *b, const char *name, char *detail, double value, char *note, int accent);
/* Lines of the row that was added last; both may be NULL, and are freed by bars_release(). */
void bars_more(struct bars *b, char *more, char *whole);
/* As high as it has to be for its rows. */
void bars_print(const struct bars *b, FILE *f);
void bars_release(struct bars *b);

#endif
