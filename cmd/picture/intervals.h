/*
 * intervals.h: a picture of values with their intervals, as SVG: a point and a line for each, on one axis with 0 and a limit.
 */
#ifndef INTERVALS_H
#define INTERVALS_H

#include <stddef.h>
#include <stdio.h>

struct intervals_row {
	char *name, *detail, *note; /* detail: smaller, below the name; note: on the right */
	double value, low, high;    /* NAN: no point, no interval */
	int side;		    /* -1, 1: below 0 and above it for sure; 0: not sure, grey */
	int strong;		    /* the note is bold */
};

struct intervals {
	const char *title, *subtitle, *foot, *unit; /* borrowed; foot may be NULL; unit: "%" */
	double limit;				    /* NAN: none */
	struct intervals_row *row;
	size_t row_n, row_cap;
};

/* The texts are taken over and freed by intervals_release(). */
void intervals_add(struct intervals *x, const struct intervals_row *from);
void intervals_print(const struct intervals *x, FILE *f);
void intervals_release(struct intervals *x);

#endif
