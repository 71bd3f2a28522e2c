/* stacked.h: a part of a picture: bars of equal height that are divided into shares of one, with their legend. */
#ifndef STACKED_H
#define STACKED_H

#include <stddef.h>
#include <stdio.h>

#include "cmd/picture/svg.h"

#define STACKED_MOST SVG_COLOURS

struct stacked {
	double left, right, top, bottom;	/* of the bars, without their labels */
	double legend, legend_room;		/* x of the legend, and its width */
	char *name[STACKED_MOST], *brief[STACKED_MOST];	/* of the parts, the lowest first; brief: in the legend */
	size_t n;		/* parts */
	int others;		/* what the parts lack to one is drawn, too */
	const char *x_title;	/* below the labels */
	char **label;		/* by bar */
	double *share;		/* [bar * n + part], from 0 to 1; NaN: it has none */
	size_t bar_n;
};

/* Takes both names over; at most STACKED_MOST times, before the first bar. */
void stacked_part(struct stacked *s, char *name, char *brief);
/* Takes the label over; returns the n shares of the bar, to be filled. */
double *stacked_bar(struct stacked *s, char *label);
void stacked_print(const struct stacked *s, FILE *f);
void stacked_release(struct stacked *s);

#endif
