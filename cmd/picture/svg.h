/*
 * svg.h: what pictures share: text whose width is estimated, as SVG has no way to ask; colours that
 * any colour vision distinguishes (Okabe and Ito), dark on white in the viewer's sans-serif.
 */
#ifndef SVG_H
#define SVG_H

#include <stdio.h>

#define SVG_INK   "#1a1a1a"
#define SVG_SOFT  "#5a5a5a"
#define SVG_FAINT "#e4e4e4"
#define SVG_GREY  "#8c8c8c"

/* Text on a filled shape, which is the same in a light and in a dark scheme. */
#define SVG_ON_LIGHT "#1b1b1b"
#define SVG_ON_DARK  "#fefefe"

#define SVG_COLOURS 6
extern const char *const svg_palette[SVG_COLOURS];

/* One line of text. anchor: "start", "middle" or "end". What is wider than room loses its middle.
 */
struct svg_style {
	double size;
	int bold;
	const char *colour, *anchor;
	double room; /* 0: no limit */
};

/*
 * The opening of a picture of width x height units, with its title; svg_end() closes it. It is dark on white, and where the viewer
 * prefers a dark scheme, the colours above become light ones on dark grey.
 */
void svg_begin(FILE *f, double width, double height, const char *title);
void svg_end(FILE *f);
/* Further colours, written as "#rrggbb", that are others in the dark scheme. */
struct svg_dark {
	char light[8], dark[8];
};
void svg_dark(FILE *f, const struct svg_dark *colour, size_t n);
void svg_text(FILE *f, double x, double y, const struct svg_style *style, const char *s);
/* A short text for a longer one, which pointing at it shows. */
void svg_text_for(FILE *f, double x, double y, const struct svg_style *style, const char *s,
		  const char *whole);
/* A line that becomes smaller, down to 3/4, before it loses its middle. */
void svg_headline(FILE *f, double x, double y, const struct svg_style *style, const char *s);
/* Escaped for XML; what XML forbids becomes U+FFFD. */
void svg_escaped(FILE *f, const char *s);
/* Estimate, on the wide side: DejaVu Sans is what many systems put in for sans-serif. */
double svg_text_length(const char *s, double size, int bold);

#endif
