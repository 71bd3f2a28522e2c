/*
 * axis.h: axes of charts: a scale, and marks with labels, each with a tick or a grid line.
 */
#ifndef AXIS_H
#define AXIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define AXIS_TEXT 48 /* bytes of a label */
#define AXIS_LABELS 64 /* that are kept apart from each other */

struct axis {
	double low, high;	/* values at its ends; logarithmic: both above 0 */
	double from, to;	/* places of its ends, in SVG units */
	bool logarithmic;	/* to the base 2 */
	bool upright;		/* its labels are on the left, otherwise below */
	double at;		/* its place in the other direction */
	double grid;		/* marks are lines from `at` to here; 0: ticks */
	double size;		/* of labels; 0: 13 */
	double room;		/* width of a label; 0: no limit */
	/* Ends of the labels so far, along the axis: another label that overlaps one of them is not drawn. */
	struct axis_span {
		double begin, end;
	} label[AXIS_LABELS];
	size_t label_n;
};

/* The place of a value; in the middle if both ends of the axis are the same. */
double axis_place(const struct axis *a, double value);
/* The line along the axis. */
void axis_line(const struct axis *a, FILE *f);

/* WEAK: a label in grey. STRONG: in bold. */
enum axis_look { AXIS_PLAIN, AXIS_WEAK, AXIS_STRONG };
/* A mark with a label. A tick whose label would overlap another is not drawn; a grid line is. */
void axis_mark(struct axis *a, double value, const char *text, enum axis_look look, FILE *f);
/* What the values are, in the middle below the axis and its labels. */
void axis_title(const struct axis *a, const char *text, FILE *f);

/* A label of a value, in `to` or constant. */
typedef const char *axis_words(const void *of, double value, char to[AXIS_TEXT]);
/* Marks at multiples of `step`; the grid line of 0 is darker. */
void axis_steps(struct axis *a, double step, axis_words *words, const void *of, FILE *f);
/* Marks at powers of two whose exponents are multiples of `step`. */
void axis_powers(struct axis *a, double step, axis_words *words, const void *of, FILE *f);
/* Marks at round moments; the values are ns. */
void axis_times(struct axis *a, FILE *f);
/* Marks at 0, 25, 50, 75 and 100 %; the values are shares of one. */
void axis_percents(struct axis *a, FILE *f);
/* Five marks from 0 to the high end. */
void axis_quarters(struct axis *a, axis_words *words, const void *of, FILE *f);

/* The distance of marks on an axis of this length, above 0: 1, 2 or 5 times a power of ten; eight fit at most. */
double axis_round_step(double whole);
/* The same in bytes, for an axis that begins at 0: a power of two, six fit at most. */
double axis_size_step(double whole);

#endif
