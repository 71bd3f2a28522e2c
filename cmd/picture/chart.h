/*
 * chart.h: a picture for a slide, as SVG: lines over a logarithmic number of PEs on the left, and bars that
 * show what the lines add up to on the right.
 *
 * Colours can be distinguished with any colour vision (Okabe and Ito), and each line has a marker of its own; text is
 * dark on white in the viewer's sans-serif. Widths of texts are estimated, as SVG has no way to ask.
 */
#ifndef CHART_H
#define CHART_H

#include <stddef.h>
#include <stdio.h>

struct chart_line {
	const char *name;
	const char *detail, *whole;	/* second line of its label, and what it is short for; or NULL */
	const char *note;	/* next line, "120 B x P"; or NULL */
	const char *forecast;	/* next line; or NULL */
	const double *y;	/* x_n values in bytes; NAN or <= 0: not drawn (the axis is logarithmic) */
	const double *beyond;	/* beyond_n values of the model, or NULL: no extrapolation */
	const double *low, *high;	/* beyond_n ends of its interval, drawn as a band; or NULL */
	int grey;		/* not one of the things the chart is about */
};

struct chart_bar {
	const char *name, *whole;	/* whole: what name is short for */
	double value;		/* bytes, may be negative */
	const char *note;	/* after the bar: "3.2 KiB, 12 %" */
	int line;		/* takes the colour of this line; -1: grey */
};

struct chart {
	const char *title, *subtitle;
	const char *method, *foot;	/* two lines of small print at the bottom, or NULL */
	const char *x_title;	/* "processing elements (PEs)" */
	const char *lines_title, *bars_title;
	const double *x;	/* ascending, > 0 */
	size_t x_n;
	const double *beyond_x;	/* where the models are drawn: ascending, from the largest x on */
	size_t beyond_n;
	const double *mark;	/* of these, the requested ones: they get a line and a number */
	size_t mark_n;
	const struct chart_line *line;
	size_t line_n;
	const struct chart_bar *bar;
	size_t bar_n;
};

void chart_print(const struct chart *c, FILE *f);

#endif
